//===- RuntimeSlice.cpp - slices at positions known at run time -----------===//

#include "RuntimeSlice.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::mil;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// A slice by what has to be done on each axis.
class Axes {
public:
  Axes(OpBuilder &builder, Location loc, RankedTensorType x, const RuntimeSlice &slice)
      : builder(builder), loc(loc), sizes(x.getShape()), slice(slice) {}

  /// `shape` is the slice's.
  LogicalResult find(ArrayRef<int64_t> shape, EmitError emitError);

  /// The slice's shape with the axes that it drops.
  SmallVector<int64_t> count;
  /// First indices; 0 along `axis`.
  SmallVector<int64_t> first;
  /// The axis with a computed position, or -1, and the positions, a vector.
  int64_t axis = -1;
  Value positions;

private:
  /// Index `i` of `begin`: a constant, or a vector of one element.
  std::pair<std::optional<int64_t>, Value> beginAt(int64_t i);
  Value positionsFrom(Value begin, int64_t size, int64_t number);

  OpBuilder &builder;
  Location loc;
  ArrayRef<int64_t> sizes;
  const RuntimeSlice &slice;
};
} // namespace

static std::optional<int64_t> constantAt(Value value, int64_t i) {
  if (!isConstantExpr(value))
    return std::nullopt;
  FailureOr<DenseElementsAttr> elements = evaluateToAttribute(value);
  if (failed(elements))
    return std::nullopt;
  return elements->getValues<APInt>()[i].getSExtValue();
}

std::pair<std::optional<int64_t>, Value> Axes::beginAt(int64_t i) {
  Value part = slice.begin;
  // A vector put together from some constants and some computed numbers.
  while (auto concat = part.getDefiningOp<ConcatOp>()) {
    if (concat.getInterleave())
      break;
    for (Value value : concat.getValues()) {
      part = value;
      int64_t size = typeOf(value).getNumElements();
      if (i < size)
        break;
      i -= size;
    }
  }
  if (std::optional<int64_t> constant = constantAt(part, i))
    return {constant, {}};
  if (typeOf(part).getRank() == 0)
    part = builder.create<ExpandDimsOp>(loc, part, ArrayRef<int64_t>{0});
  if (typeOf(part).getNumElements() == 1)
    return {std::nullopt, part};
  return {std::nullopt, builder.create<SliceBySizeOp>(loc, part, ArrayRef<int64_t>{i}, ArrayRef<int64_t>{1})};
}

/// `number` positions that follow each other.
Value Axes::positionsFrom(Value begin, int64_t size, int64_t number) {
  auto type = RankedTensorType::get({1}, typeOf(begin).getElementType());
  auto constant = [&](RankedTensorType type, ArrayRef<APInt> values) -> Value {
    return builder.create<ConstOp>(loc, DenseElementsAttr::get(type, values));
  };
  auto integer = [&](int64_t value) { return APInt(type.getElementTypeBitWidth(), value, /*isSigned=*/true); };
  Value isNegative = builder.create<LessOp>(loc, begin, constant(type, integer(0)));
  Value fromEnd = builder.create<AddOp>(loc, begin, constant(type, integer(size)));
  begin = builder.create<SelectOp>(loc, isNegative, fromEnd, begin);
  if (number == 1)
    return begin;
  SmallVector<APInt> counted;
  for (int64_t i = 0; i < number; ++i)
    counted.push_back(integer(i));
  return builder.create<AddOp>(loc, begin, constant(RankedTensorType::get({number}, type.getElementType()), counted));
}

LogicalResult Axes::find(ArrayRef<int64_t> shape, EmitError emitError) {
  int64_t rank = sizes.size();
  for (const SmallVector<bool> *mask : {&slice.fromStart, &slice.drops})
    if (!mask->empty() && int64_t(mask->size()) != rank)
      return emitError() << "a mask has " << mask->size() << " entries, x has rank " << rank;
  if (typeOf(slice.begin).getRank() != 1 || typeOf(slice.begin).getNumElements() != rank)
    return emitError() << "begin is " << typeOf(slice.begin) << ", expected an index for each of the " << rank
                       << " axes of x";
  for (int64_t i = 0; i < rank; ++i) {
    bool isDropped = !slice.drops.empty() && slice.drops[i];
    if (!isDropped && shape.empty())
      return emitError() << "the slice has fewer axes than x";
    count.push_back(isDropped ? 1 : shape.front());
    if (!isDropped)
      shape = shape.drop_front();
    if (count.back() < 1 || count.back() > sizes[i])
      return emitError() << "the slice has " << count.back() << " along axis " << i << ", x has " << sizes[i];
    first.push_back(0);
    if (count.back() == sizes[i] || (!slice.fromStart.empty() && slice.fromStart[i] && !isDropped))
      continue;
    auto [constant, computed] = beginAt(i);
    if (!constant) {
      if (axis >= 0)
        return emitError() << "begins at computed positions of axes " << axis << " and " << i
                           << "; one axis may have such a position";
      axis = i;
      positions = positionsFrom(computed, sizes[i], count.back());
      continue;
    }
    first.back() = *constant < 0 ? *constant + sizes[i] : *constant;
    if (first.back() < 0 || first.back() + count.back() > sizes[i])
      return emitError() << "begins at " << *constant << " of axis " << i << " with " << count.back()
                         << " elements, x has " << sizes[i];
  }
  if (!shape.empty())
    return emitError() << "the slice has more axes than x";
  return success();
}

static Value reshapeTo(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  return typeOf(value).getShape() == shape ? value : Value(builder.create<ReshapeOp>(loc, value, shape));
}

/// The part that has constant indices: all of a slice, but along `axes.axis` all of `x`.
static Value constantPart(OpBuilder &builder, Location loc, Value x, const Axes &axes) {
  SmallVector<int64_t> size = axes.count;
  if (axes.axis >= 0)
    size[axes.axis] = typeOf(x).getDimSize(axes.axis);
  if (typeOf(x).getShape() == ArrayRef<int64_t>(size))
    return x;
  return builder.create<SliceBySizeOp>(loc, x, axes.first, size);
}

FailureOr<Value> mlir::ane::mil::buildSlice(OpBuilder &builder, Location loc, Value x, const RuntimeSlice &slice,
                                            RankedTensorType type, EmitError emitError) {
  Axes axes(builder, loc, typeOf(x), slice);
  if (failed(axes.find(type.getShape(), emitError)))
    return failure();
  Value part = constantPart(builder, loc, x, axes);
  if (axes.axis >= 0) {
    auto gathered = RankedTensorType::get(axes.count, type.getElementType());
    part = builder.create<GatherOp>(loc, gathered, part, axes.positions, axes.axis, /*batch_dims=*/0,
                                    /*validate_indices=*/false);
  }
  return reshapeTo(builder, loc, part, type.getShape());
}

FailureOr<Value> mlir::ane::mil::buildSliceUpdate(OpBuilder &builder, Location loc, Value x, Value update,
                                                  const RuntimeSlice &slice, EmitError emitError) {
  Axes axes(builder, loc, typeOf(x), slice);
  if (failed(axes.find(typeOf(update).getShape(), emitError)))
    return failure();
  Value part = constantPart(builder, loc, x, axes), changed = reshapeTo(builder, loc, update, axes.count);
  if (axes.axis >= 0)
    changed = builder.create<ScatterOp>(loc, part.getType(), part, axes.positions, changed, axes.axis, "update",
                                        /*validate_indices=*/false);
  if (part == x)
    return changed;
  SmallVector<int64_t> end;
  for (auto [first, size] : llvm::zip_equal(axes.first, typeOf(changed).getShape()))
    end.push_back(first + size);
  return Value(builder.create<SliceUpdateOp>(loc, x, changed, axes.first, end, DenseI64ArrayAttr(),
                                             DenseBoolArrayAttr(), DenseBoolArrayAttr(), DenseBoolArrayAttr()));
}
