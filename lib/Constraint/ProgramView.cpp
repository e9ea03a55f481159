//===- ProgramView.cpp - a body that is to run on the engine --------------===//

#include "ProgramView.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::ane;

ProgramView::ProgramView(Operation *owner) : owner(owner) {
  auto function = dyn_cast<func::FuncOp>(owner);
  block = function ? &function.front() : &cast<IslandOp>(owner).getEngine().front();
  auto port = [&](bool isInput, unsigned index, Type type, DictionaryAttr attributes) {
    Port result{isInput, index, cast<RankedTensorType>(type), "", {}};
    if (attributes) {
      if (auto name = attributes.getAs<StringAttr>(attrs::portName))
        result.name = name.str();
      result.surface = attributes.getAs<SurfaceAttr>(attrs::surface);
    }
    (isInput ? inputPorts : outputPorts).push_back(result);
  };
  for (auto [i, type] : llvm::enumerate(block->getArgumentTypes()))
    port(true, i, type, function ? function.getArgAttrDict(i) : DictionaryAttr());
  for (auto [i, value] : llvm::enumerate(results()))
    port(false, i, value.getType(), function ? function.getResultAttrDict(i) : DictionaryAttr());
}

SmallVector<ProgramView::Port> ProgramView::ports() const {
  SmallVector<Port> all(inputPorts);
  all.append(outputPorts.begin(), outputPorts.end());
  return all;
}

SmallVector<Block *> ProgramView::programBodies() const {
  auto program = dyn_cast<ProgramOp>(owner->getParentOp());
  if (!program)
    return {block};
  SmallVector<Block *> bodies;
  for (auto procedure : program.getOps<func::FuncOp>())
    bodies.push_back(&procedure.front());
  return bodies.front() == block ? bodies : SmallVector<Block *>();
}

int64_t ProgramView::weightBytesOf(ArrayRef<Block *> bodies) {
  llvm::SmallPtrSet<Value, 16> seen;
  std::set<std::pair<StringRef, int64_t>> records; // procedures share them
  int64_t bytes = 0;
  for (Block *body : bodies)
    for (Operation &op : *body) {
      if (isConstantExpr(&op))
        continue;
      for (Value operand : op.getOperands()) {
        if (!isConstantExpr(operand) || !seen.insert(operand).second)
          continue;
        auto blob = operand.getDefiningOp<BlobOp>();
        if (!blob || records.insert({blob.getFile(), blob.getOffset()}).second)
          bytes += cast<RankedTensorType>(operand.getType()).getNumElements() * 2;
      }
    }
  return bytes;
}

std::string ProgramView::Port::subject() const {
  std::string kind = isInput ? "input " : "output ";
  return name.empty() ? kind + std::to_string(index) : kind + "'" + name + "'";
}

static int64_t elementBytes(RankedTensorType type) {
  return llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
}

int64_t ProgramView::Port::rowBytes() const {
  return (type.getRank() ? type.getShape().back() : 1) * elementBytes(type);
}

int64_t ProgramView::Port::tensorBytes() const { return type.getNumElements() * elementBytes(type); }
