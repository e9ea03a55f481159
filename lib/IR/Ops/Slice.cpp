//===- Slice.cpp - parts of tensors ---------------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Inference.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::ane;

//===-- slices ------------------------------------------------------------===//

/// Resolves the indices of a slice as Python does.
template <typename AdaptorTy>
static FailureOr<SmallVector<SliceRange>> resolveByIndex(OptionalLoc loc, ArrayRef<int64_t> shape, AdaptorTy op) {
  int64_t rank = shape.size();
  ArrayRef<int64_t> begins = op.getBegin(), ends = op.getEnd();
  SmallVector<int64_t> ones(rank, 1);
  SmallVector<bool> no(rank, false);
  ArrayRef<int64_t> strides = op.getStride().value_or(ones);
  ArrayRef<bool> beginMask = op.getBeginMask().value_or(no), endMask = op.getEndMask().value_or(no);
  ArrayRef<bool> squeezeMask = op.getSqueezeMask().value_or(no);
  if (failed(checkCount(loc, "begin", begins.size(), rank)) || failed(checkCount(loc, "end", ends.size(), rank)) ||
      failed(checkCount(loc, "stride", strides.size(), rank)) ||
      failed(checkCount(loc, "begin_mask", beginMask.size(), rank)) ||
      failed(checkCount(loc, "end_mask", endMask.size(), rank)) ||
      failed(checkCount(loc, "squeeze_mask", squeezeMask.size(), rank)))
    return failure();
  SmallVector<SliceRange> ranges;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = shape[i], stride = strides[i];
    if (squeezeMask[i]) {
      std::optional<int64_t> index = axisFromFront(beginMask[i] ? 0 : begins[i], size);
      if (!index)
        return emitOptionalError(loc, "begin ", begins[i], " of squeezed axis ", i, " is outside its size ", size);
      ranges.push_back({*index, 1, 1, true});
      continue;
    }
    if (stride == 0)
      return emitOptionalError(loc, "stride of axis ", i, " is 0");
    int64_t first = stride > 0 ? 0 : size - 1, behind = stride > 0 ? size : -1;
    int64_t begin = beginMask[i] ? first : clampBound(begins[i], stride, size);
    int64_t end = endMask[i] ? behind : clampBound(ends[i], stride, size);
    int64_t span = stride > 0 ? end - begin : begin - end;
    // More than the axis is like all of it.
    stride = std::clamp(stride, -std::max<int64_t>(size, 1), std::max<int64_t>(size, 1));
    ranges.push_back({begin, span <= 0 ? 0 : (span - 1) / std::abs(stride) + 1, stride, false});
  }
  return ranges;
}

static SmallVector<int64_t> shapeOf(ArrayRef<SliceRange> ranges) {
  SmallVector<int64_t> shape;
  for (const SliceRange &range : ranges)
    if (!range.drop)
      shape.push_back(range.size);
  return shape;
}

LogicalResult SliceByIndexOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX());
  auto ranges = resolveByIndex(loc, x.getShape(), adaptor);
  if (failed(ranges))
    return failure();
  types.push_back(RankedTensorType::get(shapeOf(*ranges), x.getElementType()));
  return success();
}

SmallVector<SliceRange> SliceByIndexOp::getRanges() {
  return *resolveByIndex(std::nullopt, getX().getType().getShape(), *this);
}

OpFoldResult SliceByIndexOp::fold(FoldAdaptor) {
  bool forward = llvm::all_of(getRanges(), [](const SliceRange &range) { return range.stride > 0 || range.size <= 1; });
  return forward && getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult();
}

LogicalResult SliceByIndexOp::canonicalize(SliceByIndexOp op, PatternRewriter &rewriter) {
  SmallVector<int64_t> begin, size;
  for (const SliceRange &range : op.getRanges()) {
    if (range.stride != 1 && range.size > 1)
      return rewriter.notifyMatchFailure(op, "has strides");
    // An empty slice may begin anywhere.
    begin.push_back(range.size == 0 ? 0 : range.begin);
    size.push_back(range.size);
  }
  Value slice = rewriter.create<SliceBySizeOp>(op.getLoc(), op.getX(), begin, size);
  if (slice.getType() != op.getType())
    slice = rewriter.create<ReshapeOp>(op.getLoc(), slice, op.getType().getShape());
  rewriter.replaceOp(op, slice);
  return success();
}

static FailureOr<SmallVector<SliceRange>> resolveBySize(OptionalLoc loc, ArrayRef<int64_t> shape,
                                                        ArrayRef<int64_t> begins, ArrayRef<int64_t> sizes) {
  if (failed(checkCount(loc, "begin", begins.size(), shape.size())) ||
      failed(checkCount(loc, "size", sizes.size(), shape.size())))
    return failure();
  SmallVector<SliceRange> ranges;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    int64_t begin = begins[i] < 0 ? begins[i] + dim : begins[i];
    int64_t size = sizes[i] == -1 ? dim - begin : sizes[i];
    if (begin < 0 || begin > dim || size < 0 || size > dim - begin)
      return emitOptionalError(loc, "begin ", begins[i], " and size ", sizes[i], " reach outside axis ", i, " of size ",
                               dim);
    ranges.push_back({begin, size});
  }
  return ranges;
}

LogicalResult SliceBySizeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX());
  auto ranges = resolveBySize(loc, x.getShape(), adaptor.getBegin(), adaptor.getSize());
  if (failed(ranges))
    return failure();
  types.push_back(RankedTensorType::get(shapeOf(*ranges), x.getElementType()));
  return success();
}

SmallVector<SliceRange> SliceBySizeOp::getRanges() {
  return *resolveBySize(std::nullopt, getX().getType().getShape(), getBegin(), getSize());
}

OpFoldResult SliceBySizeOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  auto inner = getX().getDefiningOp<SliceBySizeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> begin;
  for (auto [outer, source] : llvm::zip(getRanges(), inner.getRanges()))
    begin.push_back(outer.begin + source.begin);
  setBegin(begin);
  setSize(getType().getShape());
  getXMutable().assign(inner.getX());
  return getResult();
}

LogicalResult SliceUpdateOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, adaptor.getOperands())) ||
      failed(checkSameElementType(loc, "x", adaptor.getX(), "update", adaptor.getUpdate())))
    return failure();
  return inferSameAs(adaptor.getX(), types);
}

LogicalResult SliceUpdateOp::verify() {
  auto ranges = resolveByIndex(getLoc(), getType().getShape(), *this);
  if (failed(ranges))
    return failure();
  if (getUpdate().getType().getRank() == 0)
    return emitOpError("update is a scalar, expected rank 1 or more");
  SmallVector<int64_t> expected = shapeOf(*ranges);
  if (getUpdate().getType().getShape() == ArrayRef(expected))
    return success();
  return emitOpError() << "update has shape [" << getUpdate().getType().getShape() << "], the slice ["
                       << ArrayRef(expected) << "]";
}

SmallVector<SliceRange> SliceUpdateOp::getRanges() {
  return *resolveByIndex(std::nullopt, getType().getShape(), *this);
}

//===-- split -------------------------------------------------------------===//

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX());
  auto axis = normalizeAxis(loc, adaptor.getAxis(), x.getRank());
  if (failed(axis))
    return failure();
  int64_t size = x.getDimSize(*axis);
  SmallVector<int64_t> sizes;
  if (auto given = adaptor.getSplitSizes())
    sizes.assign(given->begin(), given->end());
  if (std::optional<int64_t> count = adaptor.getNumSplits()) {
    if (adaptor.getSplitSizes() && *count != int64_t(sizes.size()))
      return emitOptionalError(loc, "num_splits is ", *count, ", but split_sizes has ", sizes.size(), " entries");
    if (!adaptor.getSplitSizes()) {
      if (*count < 1 || size % *count != 0)
        return emitOptionalError(loc, "num_splits ", *count, " does not divide axis ", *axis, " of size ", size);
      sizes.assign(*count, size / *count);
    }
  } else if (!adaptor.getSplitSizes()) {
    return emitOptionalError(loc, "needs num_splits or split_sizes");
  }
  int64_t sum = 0;
  SmallVector<int64_t> shape(x.getShape());
  for (int64_t part : sizes) {
    if (part < 0 || part > size)
      return emitOptionalError(loc, "split_sizes [", ArrayRef(sizes), "] has an entry outside [0, ", size,
                               "], the size of axis ", *axis);
    sum += part;
    shape[*axis] = part;
    types.push_back(RankedTensorType::get(shape, x.getElementType()));
  }
  if (sum != size)
    return emitOptionalError(loc, "split_sizes [", ArrayRef(sizes), "] add up to ", sum, ", axis ", *axis, " has size ",
                             size);
  return success();
}

LogicalResult SplitOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (getNumResults() != 1)
    return failure();
  results.push_back(getX());
  return success();
}

SmallVector<SliceRange> SplitOp::getRanges(unsigned number) {
  SmallVector<SliceRange> ranges;
  for (int64_t size : getX().getType().getShape())
    ranges.push_back({0, size});
  auto sizeOf = [axis = getAxisFromFront()](Value part) { return tensorOf(part).getDimSize(axis); };
  SliceRange &range = ranges[getAxisFromFront()];
  for (Value before : getParts().take_front(number))
    range.begin += sizeOf(before);
  range.size = sizeOf(getResult(number));
  return ranges;
}

//===-- windows and bands -------------------------------------------------===//

LogicalResult SlidingWindowsOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX());
  auto axis = normalizeAxis(loc, adaptor.getAxis(), x.getRank());
  if (failed(axis))
    return failure();
  int64_t size = adaptor.getSize(), stride = adaptor.getStride(), whole = x.getDimSize(*axis);
  if (size < 1 || size > whole || stride < 1)
    return emitOptionalError(loc, "windows of size ", size, " and stride ", stride, " don't fit axis ", *axis,
                             " of size ", whole);
  SmallVector<int64_t> shape(x.getShape());
  shape[*axis] = (whole - size) / stride + 1;
  shape.insert(shape.begin() + *axis + 1, size);
  return pushResult(loc, types, shape, x.getElementType());
}

LogicalResult BandPartOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, adaptor.getX())))
    return failure();
  if (int64_t rank = tensorOf(adaptor.getX()).getRank(); rank < 2)
    return emitOptionalError(loc, "x has rank ", rank, ", needs 2 or more");
  return inferSameAs(adaptor.getX(), types);
}

LogicalResult BandPartOp::verify() {
  if (getLower() >= -1 && getUpper() >= -1)
    return success();
  return emitOpError() << "lower " << getLower() << " and upper " << getUpper() << " must be -1 (all) or more";
}

OpFoldResult BandPartOp::fold(FoldAdaptor) {
  return getLower() == -1 && getUpper() == -1 ? OpFoldResult(getX()) : OpFoldResult();
}

//===-- blocks ------------------------------------------------------------===//

/// [N, C, H, W] -> [N, C / b^2, H b, W b].
static LogicalResult inferToSpace(OptionalLoc loc, Value x, StringRef name, int64_t block, Types &types) {
  auto shape = tensorOf(x).getShape();
  if (shape.size() != 4)
    return emitOptionalError(loc, "x has rank ", shape.size(), ", expected 4: [N, C, H, W]");
  if (block < 1 || block > shape[1] || shape[1] % (block * block) != 0)
    return emitOptionalError(loc, "the square of ", name, " ", block, " does not divide ", shape[1], " channels");
  return pushResult(
      loc, types,
      {shape[0], shape[1] / (block * block), saturatingMul(shape[2], block), saturatingMul(shape[3], block)},
      tensorOf(x).getElementType());
}

/// [N, C, H, W] -> [N, C b^2, H / b, W / b].
static LogicalResult inferToDepth(OptionalLoc loc, Value x, StringRef name, int64_t block, Types &types) {
  auto shape = tensorOf(x).getShape();
  if (shape.size() != 4)
    return emitOptionalError(loc, "x has rank ", shape.size(), ", expected 4: [N, C, H, W]");
  if (block < 1 || shape[2] % block != 0 || shape[3] % block != 0)
    return emitOptionalError(loc, name, " ", block, " does not divide height ", shape[2], " and width ", shape[3]);
  return pushResult(
      loc, types, {shape[0], saturatingMul(shape[1], saturatingMul(block, block)), shape[2] / block, shape[3] / block},
      tensorOf(x).getElementType());
}

LogicalResult DepthToSpaceOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferToSpace(loc, adaptor.getX(), "block_size", adaptor.getBlockSize(), types);
}
LogicalResult PixelShuffleOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferToSpace(loc, adaptor.getX(), "upscale_factor", adaptor.getUpscaleFactor(), types);
}
LogicalResult SpaceToDepthOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferToDepth(loc, adaptor.getX(), "block_size", adaptor.getBlockSize(), types);
}
LogicalResult PixelUnshuffleOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferToDepth(loc, adaptor.getX(), "downscale_factor", adaptor.getDownscaleFactor(), types);
}

/// The checks that both directions share: rank 4, two block sizes, four border sizes.
static LogicalResult checkBlocks(OptionalLoc loc, Value x, ArrayRef<int64_t> blocks, StringRef name,
                                 ArrayRef<int64_t> border) {
  if (tensorOf(x).getRank() != 4)
    return emitOptionalError(loc, "x has rank ", tensorOf(x).getRank(), ", expected 4: [N, C, H, W]");
  // The limits keep sizes computable.
  if (blocks.size() != 2 || blocks[0] < 1 || blocks[1] < 1 || std::max(blocks[0], blocks[1]) > 1 << 20)
    return emitOptionalError(loc, "block_shape [", blocks, "] must be two positive sizes up to ", 1 << 20);
  if (border.size() != 4 || llvm::any_of(border, [](int64_t size) { return size < 0 || size > INT32_MAX; }))
    return emitOptionalError(loc, name, " [", border, "] must be begin and end of height, begin and end of width");
  return success();
}

LogicalResult BatchToSpaceOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto blocks = adaptor.getBlockShape(), crops = adaptor.getCrops();
  if (failed(checkBlocks(loc, adaptor.getX(), blocks, "crops", crops)))
    return failure();
  auto shape = tensorOf(adaptor.getX()).getShape();
  int64_t height = shape[2] * blocks[0] - crops[0] - crops[1], width = shape[3] * blocks[1] - crops[2] - crops[3];
  if (shape[0] % (blocks[0] * blocks[1]) != 0 || height < 1 || width < 1)
    return emitOptionalError(loc, "block_shape [", blocks, "] with crops [", crops, "] does not fit x [", shape, "]");
  return pushResult(loc, types, {shape[0] / (blocks[0] * blocks[1]), shape[1], height, width},
                    tensorOf(adaptor.getX()).getElementType());
}

LogicalResult SpaceToBatchOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto blocks = adaptor.getBlockShape(), paddings = adaptor.getPaddings();
  if (failed(checkBlocks(loc, adaptor.getX(), blocks, "paddings", paddings)))
    return failure();
  auto shape = tensorOf(adaptor.getX()).getShape();
  int64_t height = shape[2] + paddings[0] + paddings[1], width = shape[3] + paddings[2] + paddings[3];
  if (height % blocks[0] != 0 || width % blocks[1] != 0)
    return emitOptionalError(loc, "block_shape [", blocks, "] does not divide the padded height ", height,
                             " and width ", width);
  return pushResult(loc, types,
                    {saturatingMul(shape[0], blocks[0] * blocks[1]), shape[1], height / blocks[0], width / blocks[1]},
                    tensorOf(adaptor.getX()).getElementType());
}
