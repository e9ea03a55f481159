//===- CheckHelpers.cpp - vocabulary of predicate bodies ------------------===//

#include "CheckHelpers.h"
#include "ane/IR/MILArguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::optional<Finding> mlir::ane::present(Operation *op) {
  return Finding{"", op->getName().stripDialect().str() + " has no form on the engine", ""};
}

std::string mlir::ane::operandName(Operation *op, unsigned index) {
  if (auto mil = dyn_cast<MILSpellingOpInterface>(op))
    for (auto [argument, operands] : llvm::zip_equal(mil.getMILArguments(), getOperandsByArgument(mil))) {
      unsigned begin = operands.getBeginOperandIndex();
      if (index < begin || index >= begin + operands.size())
        continue;
      std::string position = operands.size() > 1 ? "[" + std::to_string(index - begin) + "]" : "";
      return "operand '" + std::string(argument.name) + "'" + position;
    }
  return "operand " + std::to_string(index);
}

Value mlir::ane::namedOperand(Operation *op, StringRef name) {
  if (auto mil = dyn_cast<MILSpellingOpInterface>(op))
    for (auto [argument, operands] : llvm::zip_equal(mil.getMILArguments(), getOperandsByArgument(mil)))
      if (argument.name == name && operands.size() == 1)
        return operands.front();
  return {};
}

/// The first operand or result whose type `isWrong`, and what messages call it.
static std::optional<std::pair<std::string, RankedTensorType>>
findType(Operation *op, llvm::function_ref<bool(Value, RankedTensorType)> isWrong) {
  auto wrong = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && isWrong(value, type) ? type : RankedTensorType();
  };
  for (auto [i, value] : llvm::enumerate(op->getOperands()))
    if (RankedTensorType type = wrong(value))
      return std::pair(operandName(op, i), type);
  for (auto [i, value] : llvm::enumerate(op->getResults()))
    if (RankedTensorType type = wrong(value))
      return std::pair(op->getNumResults() == 1 ? "result" : "result " + std::to_string(i), type);
  return std::nullopt;
}

std::optional<Finding> mlir::ane::elementTypeIn(Operation *op, ArrayRef<StringRef> types) {
  auto found = findType(
      op, [&](Value, RankedTensorType type) { return !llvm::is_contained(types, typeText(type.getElementType())); });
  if (!found)
    return std::nullopt;
  return Finding{found->first, "element type " + typeText(found->second.getElementType()), llvm::join(types, " or ")};
}

std::optional<Finding> mlir::ane::operandIsConstant(Operation *op, StringRef name) {
  Value value = namedOperand(op, name);
  if (!value || isConstantExpr(value))
    return std::nullopt;
  return Finding{"argument '" + name.str() + "'", "a runtime value", "a constant"};
}

std::optional<Finding> mlir::ane::operandIsAbsent(Operation *op, StringRef name) {
  if (!namedOperand(op, name))
    return std::nullopt;
  return Finding{"argument '" + name.str() + "'", "is given", ""};
}

std::optional<Finding> mlir::ane::typesAtMost(Operation *op, llvm::function_ref<int64_t(RankedTensorType)> measure,
                                              int64_t limit, StringRef subject) {
  // A constant is a blob, not a tensor that flows.
  auto found =
      findType(op, [&](Value value, RankedTensorType type) { return measure(type) > limit && !isConstantExpr(value); });
  if (!found)
    return std::nullopt;
  auto finding = atMost(measure(found->second), limit, subject);
  finding->subject += " of " + found->first;
  return finding;
}

std::optional<Finding> mlir::ane::atMost(int64_t actual, int64_t limit, StringRef subject) {
  if (actual <= limit)
    return std::nullopt;
  return Finding{subject.str(), std::to_string(actual), std::to_string(limit)};
}

/// The axis that stands `fromRight` places from the right.
static int64_t axis(RankedTensorType type, int64_t fromRight) {
  return type.getRank() > fromRight ? type.getDimSize(type.getRank() - 1 - fromRight) : 0;
}

int64_t mlir::ane::rankOf(RankedTensorType type) { return type.getRank(); }
int64_t mlir::ane::widthOf(RankedTensorType type) { return axis(type, 0); }
int64_t mlir::ane::heightOf(RankedTensorType type) { return axis(type, 1); }
int64_t mlir::ane::channelsOf(RankedTensorType type) { return axis(type, 2); }
int64_t mlir::ane::batchOf(RankedTensorType type) { return axis(type, 3); }
int64_t mlir::ane::spatialOf(RankedTensorType type) { return std::max(widthOf(type), heightOf(type)); }
int64_t mlir::ane::longestOf(RankedTensorType type) {
  return type.getRank() ? *std::max_element(type.getShape().begin(), type.getShape().end()) : 0;
}

bool WindowShape::isStrided() const {
  return llvm::any_of(strides, [](int64_t stride) { return stride != 1; });
}

WindowShape mlir::ane::windowOf(Operation *op) {
  auto orEmpty = [](std::optional<ArrayRef<int64_t>> list) { return list.value_or(ArrayRef<int64_t>()); };
  auto kernelOf = [](Value weight) { return cast<RankedTensorType>(weight.getType()).getShape().drop_front(2); };
  if (auto conv = dyn_cast<ConvOp>(op))
    return {kernelOf(conv.getWeight()), orEmpty(conv.getStrides())};
  if (auto conv = dyn_cast<ConvTransposeOp>(op))
    return {kernelOf(conv.getWeight()), orEmpty(conv.getStrides())};
  if (auto pool = dyn_cast<MaxPoolOp>(op))
    return {pool.getKernelSizes(), orEmpty(pool.getStrides())};
  if (auto pool = dyn_cast<AvgPoolOp>(op))
    return {pool.getKernelSizes(), orEmpty(pool.getStrides())};
  auto pool = cast<L2PoolOp>(op);
  return {pool.getKernelSizes(), orEmpty(pool.getStrides())};
}
