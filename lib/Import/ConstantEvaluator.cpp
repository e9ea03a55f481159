//===- ConstantEvaluator.cpp - values of ops on small constants -----------===//

#include "ConstantEvaluator.h"
#include "ane/Constraint/ConstantSources.h"
#include "ane/IR/ANE.h"
#include "ane/IR/ConstantFold.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ane;

/// What is computed from constants may be larger: the buckets of relative positions in sequences of up to 512 tokens.
static constexpr int64_t maxComputedElements = 1 << 18;

DenseElementsAttr mlir::ane::denseFromBytes(RankedTensorType type, ArrayRef<char> bytes) {
  unsigned bits = type.getElementTypeBitWidth();
  size_t elements = type.getNumElements();
  if (elements == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (bits == 1) {
    SmallVector<bool> values(elements);
    for (size_t i = 0; i < elements; ++i)
      values[i] = bytes[i] != 0;
    return DenseElementsAttr::get(type, values);
  }
  if (bits == 4) {
    // A file packs the first element into the low half of a byte, MLIR gives each a byte.
    SmallVector<char> values(elements);
    for (size_t i = 0; i < elements; ++i)
      values[i] = (bytes[i / 2] >> (i % 2 ? 4 : 0)) & 0xf;
    return DenseElementsAttr::getFromRawBuffer(type, values);
  }
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

DenseElementsAttr mlir::ane::readConstant(Value value, int64_t maxElements) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return nullptr;
  auto weight = dyn_cast<WeightAttr>(attr);
  if (!weight)
    return dyn_cast<DenseElementsAttr>(attr);
  auto type = cast<RankedTensorType>(weight.getType());
  if (type.getNumElements() > maxElements)
    return nullptr;
  auto &weights = cast<ANEDialect>(weight.getDialect()).getWeights();
  auto bytes = weights.lookup(weight, [&] { return emitError(value.getLoc()); });
  markDecisive(value);
  return failed(bytes) ? nullptr : denseFromBytes(type, *bytes);
}

std::optional<SmallVector<DenseElementsAttr>> mlir::ane::evaluateConstants(Operation *op) {
  SmallVector<DenseElementsAttr> operands;
  for (Value operand : op->getOperands()) {
    // Of the constants that stand in files, shape computations read integers only (position ids).
    bool isInteger = isa<IntegerType>(cast<RankedTensorType>(operand.getType()).getElementType());
    operands.push_back(readConstant(operand, isInteger ? maxFoldedElements : 0));
    if (!operands.back())
      return std::nullopt;
  }
  return foldConstants(op, operands, maxComputedElements);
}
