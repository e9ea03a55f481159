//===- Conversion.cpp - casts and generated tensors -----------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Dtype.h"
#include "ane/IR/Inference.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

//===-- cast --------------------------------------------------------------===//

LogicalResult CastOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto element = parseDtypeName(context, adaptor.getDtype(), loc, "dtype");
  if (failed(element))
    return failure();
  types.push_back(tensorOf(adaptor.getX()).clone(*element));
  return success();
}

void CastOp::build(OpBuilder &builder, OperationState &state, Value x, Type elementType) {
  build(builder, state, x, getDtypeName(elementType));
}

/// Whether every value of type `from` is a value of type `to`.
static bool isExact(Type from, Type to) {
  if (from == to)
    return true;
  auto fromInt = dyn_cast<IntegerType>(from), toInt = dyn_cast<IntegerType>(to);
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromInt && toInt) {
    bool fromUnsigned = fromInt.isUnsigned() || fromInt.getWidth() == 1;
    bool toUnsigned = toInt.isUnsigned() || toInt.getWidth() == 1;
    if (fromUnsigned == toUnsigned)
      return fromInt.getWidth() <= toInt.getWidth();
    return fromUnsigned && fromInt.getWidth() < toInt.getWidth();
  }
  if (fromInt && toFloat)
    // All smaller magnitudes are exact and within range: fp16's 11 bits of significand end far below its maximum.
    return fromInt.getWidth() <= APFloat::semanticsPrecision(toFloat.getFloatSemantics());
  if (fromFloat && toFloat) {
    auto &a = fromFloat.getFloatSemantics(), &b = toFloat.getFloatSemantics();
    return APFloat::semanticsPrecision(a) <= APFloat::semanticsPrecision(b) &&
           APFloat::semanticsMaxExponent(a) <= APFloat::semanticsMaxExponent(b) &&
           APFloat::semanticsMinExponent(a) >= APFloat::semanticsMinExponent(b);
  }
  return false;
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  auto inner = getX().getDefiningOp<CastOp>();
  if (!inner || !isExact(inner.getX().getType().getElementType(), inner.getType().getElementType()))
    return {};
  getXMutable().assign(inner.getX());
  return getResult();
}

//===-- fill --------------------------------------------------------------===//

static LogicalResult inferFill(OptionalLoc loc, Value value, ArrayRef<int64_t> shape, Types &types) {
  if (tensorOf(value).getRank() != 0)
    return emitOptionalError(loc, "value has shape [", tensorOf(value).getShape(), "], expected a scalar");
  return pushResult(loc, types, shape, tensorOf(value).getElementType());
}

LogicalResult FillOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferFill(loc, adaptor.getValue(), adaptor.getShape(), types);
}

LogicalResult FillLikeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferFill(loc, adaptor.getValue(), tensorOf(adaptor.getRefTensor()).getShape(), types);
}

LogicalResult FillLikeOp::canonicalize(FillLikeOp op, PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<FillOp>(op, op.getValue(), op.getType().getShape());
  return success();
}

//===-- range_1d ----------------------------------------------------------===//

/// The number of elements from start (inclusive) to end (exclusive).
static std::optional<int64_t> countSteps(const APFloat &end, const APFloat &start, const APFloat &step) {
  double count = std::ceil((end.convertToDouble() - start.convertToDouble()) / step.convertToDouble());
  if (!(count < 9e15))
    return std::nullopt;
  return count < 0 ? 0 : int64_t(count);
}

LogicalResult Range1dOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkSameElementType(loc, "end", adaptor.getEnd(), "start", adaptor.getStart())) ||
      failed(checkSameElementType(loc, "end", adaptor.getEnd(), "step", adaptor.getStep())))
    return failure();
  Type element = tensorOf(adaptor.getEnd()).getElementType();
  SmallVector<APFloat> numbers;
  for (auto [name, value] : {std::pair("end", adaptor.getEnd()), std::pair("start", adaptor.getStart()),
                             std::pair("step", adaptor.getStep())}) {
    DenseElementsAttr attr;
    if (tensorOf(value).getRank() != 0 || !matchPattern(value, m_Constant(&attr)))
      return emitOptionalError(loc, name, " must be a constant scalar");
    APFloat number(APFloat::IEEEdouble());
    bool exact = true;
    if (isa<FloatType>(element)) {
      number = attr.getSplatValue<APFloat>();
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &exact);
    } else {
      number.convertFromAPInt(attr.getSplatValue<APInt>(), !element.isUnsignedInteger(), APFloat::rmNearestTiesToEven);
    }
    numbers.push_back(number);
  }
  if (numbers[2].isZero())
    return emitOptionalError(loc, "step is 0");
  auto count = countSteps(numbers[0], numbers[1], numbers[2]);
  if (!count)
    return emitOptionalError(loc, "the range has no finite number of elements");
  return pushResult(loc, types, {*count}, element);
}

//===-- narrow ------------------------------------------------------------===//

LogicalResult NarrowOp::verify() {
  static constexpr StringLiteral reasons[] = {"mask", "masked_rows", "bound", "guard", "rescaled"};
  if (!llvm::is_contained(reasons, getBecause()))
    return emitOpError() << "because is '" << getBecause() << "', must be one of "
                         << llvm::join(ArrayRef(reasons), ", ");
  if ((getBecause() == "masked_rows") != bool(getFactor()))
    return emitOpError("has a factor where because is 'masked_rows', and only there");
  int64_t rank = getType().getRank();
  if (std::optional<int64_t> axis = getAxis()) {
    if (getBecause() != "mask")
      return emitOpError("has an axis where because is 'mask' only");
    if (*axis < 0 || *axis >= rank)
      return emitOpError() << "axis is " << *axis << ", must be from 0 to " << rank - 1;
  }
  return success();
}
