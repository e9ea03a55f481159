//===- ConstantEvaluator.cpp - values of ops on small constants -----------===//

#include "ConstantEvaluator.h"
#include "ane/Constraint/ConstantSources.h"
#include "ane/IR/ANE.h"
#include "ane/IR/ConstantFold.h"
#include "ane/IR/Dtype.h"
#include "mlir/IR/Matchers.h"
#include "runtime/format/blob/blob.h"

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
  if (bits < 8) {
    // A file packs elements, MLIR gives each a byte.
    auto *packed = reinterpret_cast<const uint8_t *>(bytes.data());
    SmallVector<char> values;
    for (int8_t value : ::ane::rt::blob::unpack(*elementTypeOf(type.getElementType()), packed, elements))
      values.push_back(char(value & ((1 << bits) - 1)));
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
