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

static MaybeData slice(ArrayRef<SliceRange> ranges, const Data &x, RankedTensorType type) {
  SmallVector<int64_t> strides = stridesOf(x.shape());
  return move(x, type, [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (size_t axis = 0, at = 0; axis < ranges.size(); ++axis)
      position += strides[axis] * (ranges[axis].begin + (ranges[axis].drop ? 0 : index[at++] * ranges[axis].stride));
    return position;
  });
}

/// Whether all indices name an element of an axis of `size`. Others have no defined result.
static bool inRange(const Data &indices, int64_t size) {
  return llvm::all_of(indices.ints, [&](int64_t i) { return i >= 0 && i < size; });
}

/// Of these two, the tensor and the indices may have come as splats, whose shapes only the op knows.
static MaybeData gather(GatherOp op, ArrayRef<Data> in, RankedTensorType type) {
  const Data &x = in[0], &indices = in[1];
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  int64_t axis = *normalizeAxis(std::nullopt, op.getAxis(), shape.size()), batch = op.getBatchDims();
  int64_t indexRank = op.getIndices().getType().getRank() - batch;
  if (!inRange(indices, shape[axis]))
    return std::nullopt;
  bool same = x.shape().empty(), sameIndex = indices.shape().empty();
  SmallVector<int64_t> strides = stridesOf(shape), indexStrides = stridesOf(indices.shape());
  return move(x, type, [&](ArrayRef<int64_t> index) -> int64_t {
    if (same)
      return 0;
    SmallVector<int64_t> place(index.take_front(batch));
    llvm::append_range(place, index.slice(axis, indexRank));
    int64_t chosen = indices.ints[sameIndex ? 0 : dot(place, indexStrides)];
    return dot(index.take_front(axis), ArrayRef(strides).take_front(axis)) + chosen * strides[axis] +
           dot(index.drop_front(axis + indexRank), ArrayRef(strides).drop_front(axis + 1));
  });
}

static MaybeData gatherAlongAxis(GatherAlongAxisOp op, ArrayRef<Data> in, RankedTensorType type) {
  const Data &x = in[0], &indices = in[1];
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  int64_t axis = *normalizeAxis(std::nullopt, op.getAxis(), shape.size());
  if (!inRange(indices, shape[axis]))
    return std::nullopt;
  bool same = x.shape().empty(), sameIndex = indices.shape().empty();
  SmallVector<int64_t> strides = stridesOf(shape), indexStrides = stridesOf(indices.shape());
  return move(x, type, [&](ArrayRef<int64_t> index) -> int64_t {
    if (same)
      return 0;
    SmallVector<int64_t> place(index);
    place[axis] = indices.ints[sameIndex ? 0 : dot(index, indexStrides)];
    return dot(place, strides);
  });
}

static MaybeData join(ArrayRef<Data> parts, ValueRange values, RankedTensorType type, int64_t axis, bool interleave) {
  Data result{type, {}, {}};
  int64_t count = parts.size();
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> local(index);
    int64_t part = 0;
    if (interleave) {
      part = local[axis] % count;
      local[axis] /= count;
    } else {
      for (int64_t size; local[axis] >= (size = cast<RankedTensorType>(values[part].getType()).getDimSize(axis));
           ++part)
        local[axis] -= size;
    }
    bool splat = parts[part].shape().empty();
    result.append(parts[part], splat ? 0 : dot(local, stridesOf(parts[part].shape())));
  });
  return result;
}

static MaybeData stack(StackOp op, ArrayRef<Data> parts, RankedTensorType type) {
  Data result{type, {}, {}};
  int64_t axis = *normalizeAxis(std::nullopt, op.getAxis(), type.getRank());
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> local(index);
    local.erase(local.begin() + axis);
    const Data &part = parts[index[axis]];
    bool splat = part.shape().empty();
    result.append(part, splat ? 0 : dot(local, stridesOf(part.shape())));
  });
  return result;
}

static MaybeData pad(PadOp op, const Data &x, RankedTensorType type) {
  if (op.getMode() != "constant")
    return std::nullopt;
  Data border{RankedTensorType::get({}, type.getElementType()), {}, {}}, result{type, {}, {}};
  if (border.isFloat())
    border.floats.push_back(op.getConstantVal().convertToDouble());
  else
    border.ints.push_back(saturatingInt(op.getConstantVal().convertToDouble()));
  auto shape = op.getX().getType().getShape();
  int64_t first = shape.size() - op.getPad().size() / 2;
  SmallVector<int64_t> strides = stridesOf(shape);
  bool splat = x.shape().empty();
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    bool inside = true;
    for (auto [axis, at] : llvm::enumerate(index)) {
      int64_t place = int64_t(axis) < first ? at : at - op.getPad()[2 * (axis - first)];
      inside &= place >= 0 && place < shape[axis];
      position += place * strides[axis];
    }
    result.append(inside ? x : border, inside && !splat ? position : 0);
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
  int64_t axis = *normalizeAxis(std::nullopt, op.getAxis(), type.getRank());
  bool splat = in[0].shape().empty();
  SmallVector<int64_t> strides = stridesOf(op.getIndices().getType().getShape());
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> place(index);
    place.erase(place.begin() + axis);
    bool hot = in[0].ints[splat ? 0 : dot(place, strides)] == index[axis];
    result.append(hot ? on : off, 0);
  });
  return result;
}

static MaybeData bandPart(BandPartOp op, const Data &x, RankedTensorType type) {
  Data zero{type, {0}, {0}}, result{type, {}, {}};
  bool splat = x.shape().empty();
  SmallVector<int64_t> strides = stridesOf(type.getShape());
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t row = index[index.size() - 2], column = index.back();
    bool kept =
        (op.getLower() < 0 || row - column <= op.getLower()) && (op.getUpper() < 0 || column - row <= op.getUpper());
    result.append(kept ? x : zero, kept && !splat ? dot(index, strides) : 0);
  });
  return result;
}

/// Ops that keep the row-major order of the elements.
template <typename... OpTys>
static void addReshapes(RuleTable &table) {
  (table.add<OpTys>(
       [](OpTys, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
         Data result = in[0];
         result.type = type;
         return result;
       },
       /*rearranges=*/true),
   ...);
}

void fold::addMovementRules(RuleTable &table) {
  addReshapes<ReshapeOp, ReshapeLikeOp, ExpandDimsOp, SqueezeOp, Flatten2dOp, IdentityOp>(table);
  table.add<TransposeOp>(
      [](TransposeOp op, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
        SmallVector<int64_t> strides = stridesOf(in[0].shape()), permuted;
        for (int64_t axis : op.getPerm())
          permuted.push_back(strides[axis]);
        return move(in[0], type, [&](ArrayRef<int64_t> index) { return dot(index, permuted); });
      },
      /*rearranges=*/true);
  table.add<TileOp>(
      [](TileOp, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
        SmallVector<int64_t> strides = stridesOf(in[0].shape());
        return move(in[0], type, [&](ArrayRef<int64_t> index) {
          int64_t position = 0;
          for (auto [i, at] : llvm::enumerate(index))
            position += at % in[0].shape()[i] * strides[i];
          return position;
        });
      },
      /*rearranges=*/true);
  table.add<ReverseOp>(
      [](ReverseOp op, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
        SmallVector<int64_t> strides = stridesOf(in[0].shape());
        SmallVector<bool> turned(type.getRank(), !op.getAxes());
        for (int64_t axis : op.getAxes().value_or(ArrayRef<int64_t>()))
          turned[*normalizeAxis(std::nullopt, axis, type.getRank())] = true;
        return move(in[0], type, [&](ArrayRef<int64_t> index) {
          int64_t position = 0;
          for (auto [i, at] : llvm::enumerate(index))
            position += (turned[i] ? type.getDimSize(i) - 1 - at : at) * strides[i];
          return position;
        });
      },
      /*rearranges=*/true);
  table.add<SliceByIndexOp>(
      [](SliceByIndexOp op, ArrayRef<Data> in, RankedTensorType type) { return slice(op.getRanges(), in[0], type); },
      /*rearranges=*/true);
  table.add<SliceBySizeOp>(
      [](SliceBySizeOp op, ArrayRef<Data> in, RankedTensorType type) { return slice(op.getRanges(), in[0], type); },
      /*rearranges=*/true);
  table.add<FillOp>(
      [](FillOp, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
        return move(in[0], type, [](ArrayRef<int64_t>) { return 0; });
      },
      /*rearranges=*/true);
  table.add<GatherOp>(gather);
  table.add<GatherAlongAxisOp>(gatherAlongAxis);
  table.add<ConcatOp>([](ConcatOp op, ArrayRef<Data> in, RankedTensorType type) {
    return join(in, op.getValues(), type, *normalizeAxis(std::nullopt, op.getAxis(), type.getRank()),
                op.getInterleave());
  });
  table.add<StackOp>(stack);
  table.add<PadOp>([](PadOp op, ArrayRef<Data> in, RankedTensorType type) { return pad(op, in[0], type); });
  table.add<Range1dOp>([](Range1dOp, ArrayRef<Data> in, RankedTensorType type) { return range(in, type); });
  table.add<OneHotOp>(oneHot);
  table.add<BandPartOp>(
      [](BandPartOp op, ArrayRef<Data> in, RankedTensorType type) { return bandPart(op, in[0], type); });
}
