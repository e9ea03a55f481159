//===- Program.cpp - checks on what programs contain and return -----------===//

#include "../ProgramView.h"
#include "ane/Constraint/Softmax.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::ane;

namespace mlir::ane {

std::optional<Finding> checkDeadNames(Operation *op, const TargetEnv &) {
  ProgramView program(op);
  for (Operation &inner : program.body().without_terminator())
    if (inner.use_empty())
      return Finding{"'" + inner.getName().getStringRef().str() + "'", "its value is not used", ""};
  llvm::SmallPtrSet<Value, 8> seen;
  for (auto [i, value] : llvm::enumerate(program.results()))
    if (!seen.insert(value).second)
      return Finding{program.outputs()[i].subject(), "the value is returned twice", ""};
  return std::nullopt;
}

std::optional<Finding> checkIdentityOutput(Operation *op, const TargetEnv &) {
  ProgramView program(op);
  if (program.results().size() == 1 && program.results()[0].getDefiningOp<IdentityOp>())
    return Finding{program.outputs()[0].subject(), "an identity, and the only output", ""};
  return std::nullopt;
}

std::optional<Finding> checkPassThrough(Operation *op, const TargetEnv &) {
  ProgramView program(op);
  for (auto [i, value] : llvm::enumerate(program.results())) {
    if (isa<BlockArgument>(value))
      return Finding{program.outputs()[i].subject(), "an input, not computed here", ""};
    if (isConstantExpr(value))
      return Finding{program.outputs()[i].subject(), "a constant", ""};
  }
  return std::nullopt;
}

std::optional<Finding> checkReturnedAndUsed(Operation *op, const TargetEnv &) {
  ProgramView program(op);
  for (auto [i, value] : llvm::enumerate(program.results()))
    for (Operation *user : value.getUsers())
      if (user != program.body().getTerminator())
        return Finding{program.outputs()[i].subject(), "also read by '" + user->getName().getStringRef().str() + "'",
                       ""};
  return std::nullopt;
}

std::optional<Finding> checkFiniteConstants(Operation *op, const TargetEnv &env) {
  double bound = env.numeric(Numeric::Fp16Max);
  auto check = [&](StringRef subject, APFloat value) -> std::optional<Finding> {
    if (std::abs(value.convertToDouble()) <= bound)
      return std::nullopt;
    SmallString<16> text;
    value.toString(text, /*FormatPrecision=*/6);
    std::string limit = std::to_string(int64_t(bound));
    return Finding{subject.str(), text.str().str(), "between -" + limit + " and " + limit};
  };
  for (Operation &inner : ProgramView(op).body()) {
    if (isConstantExpr(&inner)) {
      auto constant = dyn_cast<ConstOp>(inner);
      auto values = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
      if (!values || !values.getElementType().isF16())
        continue; // integers, and what becomes fp16 by an expression or from a file: clamped when it is converted
      size_t count = values.isSplat() ? 1 : values.getNumElements();
      for (APFloat value : llvm::make_range(values.begin(), values.begin() + count))
        if (std::optional<Finding> finding = check("constant", value))
          return finding;
      continue;
    }
    // Parameters are written as constants of the data's type.
    for (NamedAttribute attribute : inner.getAttrs())
      if (auto number = dyn_cast<FloatAttr>(attribute.getValue()))
        if (std::optional<Finding> finding = check(attribute.getName(), number.getValue()))
          return finding;
  }
  return std::nullopt;
}

std::optional<Finding> checkBlobOffset(Operation *op, const TargetEnv &env) {
  int64_t unit = env.limit(Limit::BlobAlignment);
  // End of descriptor and data, by file and offset.
  std::map<std::pair<StringRef, int64_t>, int64_t> records;
  for (Block *body : ProgramView(op).programBodies())
    for (auto blob : body->getOps<BlobOp>()) {
      int64_t offset = blob.getOffset();
      auto type = cast<RankedTensorType>(blob.getType());
      int64_t bytes = llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8);
      if (offset < unit || offset % unit != 0)
        return Finding{"offset in '" + blob.getFile().str() + "'", std::to_string(offset),
                       "a multiple of " + std::to_string(unit) + ", not 0"};
      int64_t &end = records[{blob.getFile(), offset}];
      end = std::max(end, offset + unit + bytes);
    }
  for (auto record = records.begin(); record != records.end(); ++record) {
    auto next = std::next(record);
    if (next == records.end() || next->first.first != record->first.first || next->first.second >= record->second)
      continue;
    return Finding{"offset in '" + next->first.first.str() + "'", std::to_string(next->first.second),
                   "at least " + std::to_string(record->second) + ", the end of the record at " +
                       std::to_string(record->first.second)};
  }
  return std::nullopt;
}

std::optional<Finding> checkPortTypes(Operation *op, const TargetEnv &) {
  for (const ProgramView::Port &port : ProgramView(op).ports())
    if (!port.type.getElementType().isF16()) {
      std::string text;
      llvm::raw_string_ostream(text) << port.type.getElementType();
      return Finding{port.subject(), "element type " + text, "f16"};
    }
  return std::nullopt;
}

std::optional<Finding> checkProgramWeights(Operation *op, const TargetEnv &env) {
  return atMost(ProgramView::weightBytesOf(ProgramView(op).programBodies()), env.limit(Limit::ProgramWeightBytes),
                "bytes of weights");
}

std::optional<Finding> checkProgramLayers(Operation *op, const TargetEnv &env) {
  return atMost(countSoftmaxes(ProgramView(op).body()), env.limit(Limit::ProgramLayers), "softmaxes");
}

std::optional<Finding> checkWeightFiles(Operation *op, const TargetEnv &env) {
  std::set<StringRef> files;
  for (Block *body : ProgramView(op).programBodies())
    for (auto blob : body->getOps<BlobOp>())
      files.insert(blob.getFile());
  return atMost(files.size(), env.limit(Limit::WeightFiles), "weight files");
}

std::optional<Finding> checkProcedures(Operation *op, const TargetEnv &env) {
  return atMost(ProgramView(op).programBodies().size(), env.limit(Limit::Procedures), "procedures");
}

std::optional<Finding> checkProcedureSymbols(Operation *op, const TargetEnv &) {
  auto program = dyn_cast<ProgramOp>(op->getParentOp());
  if (!program)
    return std::nullopt;
  std::map<std::string, StringRef> taken; // by procedures before this one
  for (auto procedure : program.getOps<func::FuncOp>()) {
    if (procedure.getOperation() == op)
      break;
    for (const ProgramView::Port &port : ProgramView(procedure).ports())
      taken.emplace(port.name, procedure.getName());
  }
  for (const ProgramView::Port &port : ProgramView(op).ports())
    if (auto other = taken.find(port.name); other != taken.end() && !port.name.empty())
      return Finding{port.subject(), "a name of procedure '" + other->second.str() + "', too", ""};
  return std::nullopt;
}

} // namespace mlir::ane
