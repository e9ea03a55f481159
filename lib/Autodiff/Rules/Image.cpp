//===- Image.cpp - gradients of image resizing ----------------------------===//

#include "../Rules.h"
#include "ane/IR/Resize.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
struct ImageRules : RuleSet {
  static void apply(UpsampleNearestNeighborOp op, GradientBuilder &b) {
    // Each element has become a block.
    ArrayRef<int64_t> shape = tensorOf(op.getX()).getShape();
    int64_t rank = shape.size(), height = op.getScaleFactorHeight(), width = op.getScaleFactorWidth();
    SmallVector<int64_t> blocks(shape.drop_back(2));
    blocks.append({shape[rank - 2], height, shape[rank - 1], width});
    b.accumulate(op.getX(), b.reshape(b.sum(b.reshape(b.gradient(), blocks), {rank - 1, rank + 1}), shape));
  }
  static void apply(UpsampleBilinearOp op, GradientBuilder &b) { resizeBack(op, b); }
  static void apply(ResizeNearestNeighborOp op, GradientBuilder &b) { resizeBack(op, b); }
  static void apply(ResizeBilinearOp op, GradientBuilder &b) { resizeBack(op, b); }
  static void apply(ResizeOp op, GradientBuilder &b) { resizeBack(op, b); }

private:
  /// Each axis is a product with the matrix of weights, so that its gradient is one with the transposed matrix.
  template <typename OpTy>
  static void resizeBack(OpTy op, GradientBuilder &b) {
    Resizer resizer = *Resizer::of(op);
    ArrayRef<int64_t> from = tensorOf(op.getX()).getShape(), to = tensorOf(op).getShape();
    Value g = b.gradient();
    for (int64_t axis = to.size() - resizer.axes; axis < int64_t(to.size()); ++axis) {
      AxisGrid grid = resizer.grid(from[axis], to[axis]);
      std::vector<double> matrix(to[axis] * from[axis], 0.0);
      for (int64_t i = 0; i < to[axis]; ++i) {
        matrix[i * from[axis] + grid.low[i]] += 1 - grid.weights[i];
        matrix[i * from[axis] + grid.high[i]] += grid.weights[i];
      }
      g = b.multiplyAlong(g, axis, matrix, from[axis]);
    }
    b.accumulate(op.getX(), g);
  }
};
} // namespace

void mlir::ane::attachImageRules(MLIRContext *context) {
  attachRules<ImageRules, UpsampleNearestNeighborOp, UpsampleBilinearOp, ResizeNearestNeighborOp, ResizeBilinearOp,
              ResizeOp>(context);
}
