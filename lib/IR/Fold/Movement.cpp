//===- Movement.cpp - folding of ops that move elements -------------------===//

#include "Data.h"
#include "ane/Support/Saturate.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::fold;

/// A tensor of `type` whose element at an index is the element of `x` at position `source(index)`.
static Data move(const Data &x, RankedTensorType type, function_ref<int64_t(ArrayRef<int64_t>)> source) {
  Data result{type, {}, {}};
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) { result.append(x, source(index)); });
  return result;
}

/// The element of an axis of `size` that an index names, as kernels have it: negative ones count from the end, and
/// those beyond are at the border.
static int64_t placeOf(int64_t index, int64_t size) {
  return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size - 1);
}

static MaybeData gather(GatherOp op, ArrayRef<Data> in, RankedTensorType type) {
  ArrayRef<int64_t> shape = op.getX().getType().getShape(), indexShape = op.getIndices().getType().getShape();
  int64_t axis = op.getAxisFromFront(), batch = op.getBatchDims(), indexRank = int64_t(indexShape.size()) - batch;
  if (shape[axis] == 0)
    return std::nullopt;
  StridedView x = in[0].broadcast(shape), indices = in[1].broadcast(indexShape);
  return move(in[0], type, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> place(index.take_front(batch)), from(index.take_front(axis));
    llvm::append_range(place, index.slice(axis, indexRank));
    from.push_back(placeOf(in[1].ints[indices.at(place)], shape[axis]));
    llvm::append_range(from, index.drop_front(axis + indexRank));
    return x.at(from);
  });
}

static MaybeData gatherAlongAxis(GatherAlongAxisOp op, ArrayRef<Data> in, RankedTensorType type) {
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  int64_t axis = op.getAxisFromFront();
  if (shape[axis] == 0)
    return std::nullopt;
  StridedView x = in[0].broadcast(shape), indices = in[1].broadcast(type.getShape());
  return move(in[0], type, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    from[axis] = placeOf(in[1].ints[indices.at(index)], shape[axis]);
    return x.at(from);
  });
}

/// Elements of `parts`: `find` makes of an index of the result the part's number and the index in it.
static MaybeData join(ArrayRef<Data> parts, ValueRange values, RankedTensorType type,
                      function_ref<int64_t(SmallVectorImpl<int64_t> &)> find) {
  Data result{type, {}, {}};
  SmallVector<StridedView> views;
  for (auto [part, value] : llvm::zip_equal(parts, values))
    views.push_back(part.broadcast(cast<RankedTensorType>(value.getType()).getShape()));
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> local(index);
    int64_t part = find(local);
    result.append(parts[part], views[part].at(local));
  });
  return result;
}

static MaybeData concat(ConcatOp op, ArrayRef<Data> parts, RankedTensorType type) {
  int64_t axis = op.getAxisFromFront(), count = parts.size();
  return join(parts, op.getValues(), type, [&](SmallVectorImpl<int64_t> &index) {
    if (op.getInterleave()) {
      int64_t part = index[axis] % count;
      index[axis] /= count;
      return part;
    }
    int64_t part = 0;
    for (int64_t size; index[axis] >= (size = cast<RankedTensorType>(op.getValues()[part].getType()).getDimSize(axis));
         ++part)
      index[axis] -= size;
    return part;
  });
}

static MaybeData stack(StackOp op, ArrayRef<Data> parts, RankedTensorType type) {
  int64_t axis = op.getAxisFromFront();
  return join(parts, op.getValues(), type, [&](SmallVectorImpl<int64_t> &index) {
    int64_t part = index[axis];
    index.erase(index.begin() + axis);
    return part;
  });
}

static MaybeData tile(TileOp op, const Data &x, RankedTensorType type) {
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  StridedView view = x.broadcast(shape);
  return move(x, type, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from;
    for (auto [at, size] : llvm::zip_equal(index, shape))
      from.push_back(at % size);
    return view.at(from);
  });
}

static MaybeData pad(PadOp op, const Data &x, RankedTensorType type) {
  Data border{RankedTensorType::get({}, type.getElementType()), {}, {}}, result{type, {}, {}};
  if (border.isFloat())
    border.floats.push_back(op.getConstantVal().convertToDouble());
  else
    border.ints.push_back(saturatingInt(op.getConstantVal().convertToDouble()));
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  StridedView view = x.broadcast(shape);
  auto amounts = op.getBorder();
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    bool inside = true;
    for (auto [at, amount, size] : llvm::zip_equal(from, amounts, shape)) {
      at -= amount.first;
      if (op.getMode() == "reflect")
        at = at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
      if (op.getMode() != "constant")
        at = std::clamp<int64_t>(at, 0, size - 1);
      inside &= at >= 0 && at < size;
    }
    result.append(inside ? x : border, inside ? view.at(from) : 0);
  });
  return result;
}

static MaybeData range(ArrayRef<Data> in, RankedTensorType type) {
  Data result{type, {}, {}};
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    if (result.isFloat())
      result.floats.push_back(in[1].floats[0] + double(i) * in[2].floats[0]);
    else
      result.ints.push_back(in[1].ints[0] + i * in[2].ints[0]);
  return result;
}

static MaybeData oneHot(OneHotOp op, ArrayRef<Data> in, RankedTensorType type) {
  Data result{type, {}, {}}, on{type, {1}, {1}}, off{type, {0}, {0}};
  if (op.getOnValue())
    on = in[1];
  if (op.getOffValue())
    off = in.back();
  int64_t axis = op.getAxisFromFront();
  StridedView indices = in[0].broadcast(op.getIndices().getType().getShape());
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> place(index);
    place.erase(place.begin() + axis);
    bool hot = in[0].ints[indices.at(place)] == index[axis];
    result.append(hot ? on : off, 0);
  });
  return result;
}

static MaybeData bandPart(BandPartOp op, const Data &x, RankedTensorType type) {
  Data zero{type, {0}, {0}}, result{type, {}, {}};
  StridedView view = x.broadcast(type.getShape());
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t row = index[index.size() - 2], column = index.back();
    bool kept =
        (op.getLower() < 0 || row - column <= op.getLower()) && (op.getUpper() < 0 || column - row <= op.getUpper());
    result.append(kept ? x : zero, kept ? view.at(index) : 0);
  });
  return result;
}

void fold::addMovementRules(RuleTable &table) {
  table.add<GatherOp>(gather);
  table.add<GatherAlongAxisOp>(gatherAlongAxis);
  table.add<ConcatOp>(concat);
  table.add<StackOp>(stack);
  table.add<TileOp>([](TileOp op, ArrayRef<Data> in, RankedTensorType type) { return tile(op, in[0], type); });
  table.add<PadOp>([](PadOp op, ArrayRef<Data> in, RankedTensorType type) { return pad(op, in[0], type); });
  table.add<Range1dOp>([](Range1dOp, ArrayRef<Data> in, RankedTensorType type) { return range(in, type); });
  table.add<OneHotOp>(oneHot);
  table.add<BandPartOp>(
      [](BandPartOp op, ArrayRef<Data> in, RankedTensorType type) { return bandPart(op, in[0], type); });
}
