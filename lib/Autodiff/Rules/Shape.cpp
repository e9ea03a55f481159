//===- Shape.cpp - gradients of what moves elements -----------------------===//
//
// Gradients move the other way; where an element was taken more than once they are summed, and where it was not they
// are 0.
//
//===----------------------------------------------------------------------===//

#include "../Rules.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
struct ShapeRules : RuleSet {
  //===-- shape and order ---------------------------------------------------===//

  static void apply(ReshapeOp op, GradientBuilder &b) { reshapeBack(op, b); }
  static void apply(ReshapeLikeOp op, GradientBuilder &b) { reshapeBack(op, b); }
  static void apply(ExpandDimsOp op, GradientBuilder &b) { reshapeBack(op, b); }
  static void apply(SqueezeOp op, GradientBuilder &b) { reshapeBack(op, b); }
  static void apply(Flatten2dOp op, GradientBuilder &b) { reshapeBack(op, b); }
  static void apply(TransposeOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.transpose(b.gradient(), invertPermutationVector(op.getPerm())));
  }
  static void apply(RelayoutOp op, GradientBuilder &b) {
    Relayout back = op.getRelayout().inverse();
    b.accumulate(op.getX(), b.make<RelayoutOp>(op.getX().getType(), b.gradient(), back.expand, back.perm));
  }
  static void apply(ReverseOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.make<ReverseOp>(b.gradient(), op.getAxesAttr()));
  }
  static void apply(ReverseSequenceOp op, GradientBuilder &b) {
    b.accumulate(op.getX(),
                 b.make<ReverseSequenceOp>(b.gradient(), op.getLengths(), op.getSeqAxis(), op.getBatchAxis()));
  }

  //===-- parts -------------------------------------------------------------===//

  static void apply(SliceByIndexOp op, GradientBuilder &b) { placeBack(op, b); }
  static void apply(SliceBySizeOp op, GradientBuilder &b) { placeBack(op, b); }
  static void apply(SliceUpdateOp op, GradientBuilder &b) {
    Value g = b.gradient();
    b.accumulate(op.getX(), b.make<SliceUpdateOp>(g, b.zerosLike(op.getUpdate()), op.getBeginAttr(), op.getEndAttr(),
                                                  op.getStrideAttr(), op.getBeginMaskAttr(), op.getEndMaskAttr(),
                                                  op.getSqueezeMaskAttr()));
    b.accumulate(op.getUpdate(),
                 b.make<SliceByIndexOp>(g, op.getBeginAttr(), op.getEndAttr(), op.getStrideAttr(),
                                        op.getBeginMaskAttr(), op.getEndMaskAttr(), op.getSqueezeMaskAttr()));
  }
  static void apply(SplitOp op, GradientBuilder &b) {
    SmallVector<Value> parts;
    for (unsigned i = 0; i < op.getNumResults(); ++i)
      parts.push_back(b.gradient(i));
    b.accumulate(op.getX(), b.make<ConcatOp>(parts, op.getAxisFromFront()));
  }
  static void apply(ConcatOp op, GradientBuilder &b) {
    int64_t axis = op.getAxisFromFront(), count = op.getValues().size();
    Value g = b.gradient();
    SmallVector<int64_t> begin(tensorOf(g).getRank(), 0);
    if (op.getInterleave()) {
      // One index of each value in turn: these are an axis of their own.
      SmallVector<int64_t> shape(tensorOf(g).getShape());
      shape[axis] /= count;
      shape.insert(shape.begin() + axis + 1, count);
      g = b.reshape(g, shape);
      begin.push_back(0);
    }
    for (Value value : op.getValues()) {
      SmallVector<int64_t> size(tensorOf(value).getShape());
      int64_t &next = begin[op.getInterleave() ? axis + 1 : axis];
      if (op.getInterleave())
        size.insert(size.begin() + axis + 1, 1);
      if (b.wants(value))
        b.accumulate(value, b.reshape(b.slice(g, begin, size), tensorOf(value).getShape()));
      next += op.getInterleave() ? 1 : size[axis];
    }
  }
  static void apply(StackOp op, GradientBuilder &b) {
    SmallVector<int64_t> begin(tensorOf(op).getRank(), 0), size(tensorOf(op).getShape());
    size[op.getAxisFromFront()] = 1;
    for (Value value : op.getValues()) {
      if (b.wants(value))
        b.accumulate(value, b.reshape(b.slice(b.gradient(), begin, size), tensorOf(value).getShape()));
      ++begin[op.getAxisFromFront()];
    }
  }

  //===-- repetitions and borders -------------------------------------------===//

  static void apply(TileOp op, GradientBuilder &b) {
    SmallVector<int64_t> split, axes;
    for (auto [reps, size] : llvm::zip_equal(op.getReps(), tensorOf(op.getX()).getShape())) {
      axes.push_back(split.size());
      split.append({reps, size});
    }
    b.accumulate(op.getX(), b.reshape(b.sum(b.reshape(b.gradient(), split), axes), tensorOf(op.getX()).getShape()));
  }
  static void apply(FillOp op, GradientBuilder &b) { sumBack(op.getValue(), b); }
  static void apply(FillLikeOp op, GradientBuilder &b) { sumBack(op.getValue(), b); }
  static void apply(PadOp op, GradientBuilder &b) {
    Value g = b.gradient();
    ArrayRef<int64_t> shape = tensorOf(op.getX()).getShape();
    SmallVector<int64_t> begin;
    for (auto [axis, border] : llvm::enumerate(op.getBorder())) {
      begin.push_back(border.first);
      if (op.getMode() == "constant" || (border.first == 0 && border.second == 0))
        continue;
      // Where each element of the axis comes from.
      int64_t size = shape[axis], padded = size + border.first + border.second;
      std::vector<double> from(padded * size, 0.0);
      for (int64_t i = 0; i < padded; ++i)
        from[i * size + sourceOf(i - border.first, size, op.getMode())] = 1;
      g = b.multiplyAlong(g, axis, from, size);
    }
    b.accumulate(op.getX(), op.getMode() == "constant" ? b.slice(g, begin, shape) : g);
  }
  static void apply(SlidingWindowsOp op, GradientBuilder &b) {
    // Windows and their elements are one axis, each of whose entries stands for one of x.
    int64_t axis = op.getAxisFromFront(), size = tensorOf(op.getX()).getDimSize(axis);
    SmallVector<int64_t> shape(tensorOf(op).getShape());
    int64_t windows = shape[axis], width = op.getSize();
    std::vector<double> from(windows * width * size, 0.0);
    for (int64_t i = 0; i < windows * width; ++i)
      from[i * size + i / width * op.getStride() + i % width] = 1;
    shape[axis] *= width;
    shape.erase(shape.begin() + axis + 1);
    b.accumulate(op.getX(), b.multiplyAlong(b.reshape(b.gradient(), shape), axis, from, size));
  }
  static void apply(BandPartOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.make<BandPartOp>(b.gradient(), op.getLower(), op.getUpper()));
  }
  static void apply(CropOp op, GradientBuilder &b) {
    SmallVector<std::pair<int64_t, int64_t>> border(tensorOf(op).getRank(), {0, 0});
    border.end()[-2] = {op.getCropHeight()[0], op.getCropHeight()[1]};
    border.end()[-1] = {op.getCropWidth()[0], op.getCropWidth()[1]};
    b.accumulate(op.getX(), b.pad(b.gradient(), border));
  }

  //===-- blocks ------------------------------------------------------------===//

  static void apply(DepthToSpaceOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.make<SpaceToDepthOp>(b.gradient(), op.getBlockSize()));
  }
  static void apply(SpaceToDepthOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.make<DepthToSpaceOp>(b.gradient(), op.getBlockSize()));
  }
  static void apply(PixelShuffleOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.make<PixelUnshuffleOp>(b.gradient(), op.getUpscaleFactor()));
  }
  static void apply(PixelUnshuffleOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.make<PixelShuffleOp>(b.gradient(), op.getDownscaleFactor()));
  }
  static void apply(BatchToSpaceOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.make<SpaceToBatchOp>(b.gradient(), op.getBlockShape(), op.getCrops()));
  }
  static void apply(SpaceToBatchOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.make<BatchToSpaceOp>(b.gradient(), op.getBlockShape(), op.getPaddings()));
  }

private:
  template <typename OpTy>
  static void reshapeBack(OpTy op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.reshape(b.gradient(), tensorOf(op.getX()).getShape()));
  }
  template <typename OpTy>
  static void placeBack(OpTy op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.place(b.gradient(), op.getRanges(), tensorOf(op.getX()).getShape()));
  }
  /// Of a scalar that all elements are.
  static void sumBack(Value scalar, GradientBuilder &b) {
    b.accumulate(scalar, b.reshape(b.sumTo(b.gradient(), {}), tensorOf(scalar).getShape()));
  }
  /// The element that a border's index `i` (counted from the first element of x) repeats.
  static int64_t sourceOf(int64_t i, int64_t size, StringRef mode) {
    if (mode == "replicate")
      return std::clamp<int64_t>(i, 0, size - 1);
    if (i < 0)
      i = -i;
    return i < size ? i : 2 * (size - 1) - i;
  }
};
} // namespace

void mlir::ane::attachShapeRules(MLIRContext *context) {
  attachRules<ShapeRules, ReshapeOp, ReshapeLikeOp, ExpandDimsOp, SqueezeOp, Flatten2dOp, TransposeOp, RelayoutOp,
              ReverseOp, ReverseSequenceOp, SliceByIndexOp, SliceBySizeOp, SliceUpdateOp, SplitOp, ConcatOp, StackOp,
              TileOp, FillOp, FillLikeOp, PadOp, SlidingWindowsOp, BandPartOp, CropOp, DepthToSpaceOp, SpaceToDepthOp,
              PixelShuffleOp, PixelUnshuffleOp, BatchToSpaceOp, SpaceToBatchOp>(context);
  attachConstant<ShapeOp, Range1dOp>(context);
}
