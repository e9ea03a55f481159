//===- Builders.cpp - short spellings for building ane ops ----------------===//

#include "ane/IR/Builders.h"
#include "ane/Support/Saturate.h"

using namespace mlir;
using namespace mlir::ane;

Value mlir::ane::createScalar(OpBuilder &builder, Location loc, Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  if (auto integer = dyn_cast<IntegerType>(element)) {
    APInt bits(integer.getWidth(), uint64_t(saturatingInt(value)), /*isSigned=*/!integer.isUnsigned());
    return builder.create<ConstOp>(loc, DenseElementsAttr::get(type, bits));
  }
  APFloat number(value);
  bool exact;
  number.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &exact);
  return builder.create<ConstOp>(loc, DenseElementsAttr::get(type, number));
}

Value mlir::ane::createIndices(OpBuilder &builder, Location loc, ArrayRef<int64_t> values, Type element) {
  if (!element)
    element = builder.getI64Type();
  SmallVector<APInt> bits;
  for (int64_t value : values)
    bits.emplace_back(element.getIntOrFloatBitWidth(), uint64_t(value), /*isSigned=*/true);
  auto type = RankedTensorType::get(int64_t(values.size()), element);
  return builder.create<ConstOp>(loc, DenseElementsAttr::get(type, bits));
}

Value Composer::reshape(Value x, ArrayRef<int64_t> shape) {
  if (cast<RankedTensorType>(x.getType()).getShape() == shape)
    return x;
  return make<ReshapeOp>(x, shape);
}

Value Composer::transpose(Value x, ArrayRef<int64_t> perm) {
  for (auto [i, p] : llvm::enumerate(perm))
    if (int64_t(i) != p)
      return make<TransposeOp>(x, perm);
  return x;
}

Value Composer::castLike(Value value, Value like) {
  Type element = cast<RankedTensorType>(like.getType()).getElementType();
  if (cast<RankedTensorType>(value.getType()).getElementType() == element)
    return value;
  return make<CastOp>(value, element);
}

Value Composer::mean(Value x, ArrayRef<int64_t> axes) {
  return make<ReduceMeanOp>(x, builder.getDenseI64ArrayAttr(axes), builder.getBoolAttr(true));
}

Value Composer::perChannel(Value parameter, Value x) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(x.getType()).getRank() - 1, 1);
  shape[0] = cast<RankedTensorType>(parameter.getType()).getNumElements();
  return reshape(parameter, shape);
}
