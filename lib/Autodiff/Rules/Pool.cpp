//===- Pool.cpp - gradients of pooling ------------------------------------===//

#include "../Rules.h"
#include "../Windows.h"

using namespace mlir;
using namespace mlir::ane;

/// Adds each element of `g`, of the shape of a pool's result, to all elements of its window.
template <typename OpTy>
static Value spread(OpTy op, GradientBuilder &b, Value g) {
  // Each channel is an image of its own.
  RankedTensorType x = tensorOf(op.getX());
  auto images = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> result{shape[0] * shape[1], 1};
    llvm::append_range(result, shape.drop_front(2));
    return result;
  };
  Window window = op.getWindow();
  SmallVector<int64_t> kernel{1, 1};
  llvm::append_range(kernel, window.kernel);
  Value sum = spreadWindows(b, b.reshape(g, images(tensorOf(g).getShape())), b.fill(x.clone(kernel), 1), window,
                            /*groups=*/1, images(x.getShape()));
  return b.reshape(sum, x.getShape());
}

/// For each window of a pool over one axis, how many of its elements are none of the padding's.
static SmallVector<double> countInside(const Window &window, size_t axis, int64_t size) {
  SmallVector<double> counts;
  for (int64_t i = 0; i < window.output[axis]; ++i) {
    int64_t begin = i * window.strides[axis] - window.padBegin[axis], end = begin + window.kernel[axis];
    counts.push_back(std::min(end, size) - std::max<int64_t>(begin, 0));
  }
  return counts;
}

namespace {
struct PoolRules : RuleSet {
  static void apply(AvgPoolOp op, GradientBuilder &b) {
    Value g = b.gradient();
    Window window = op.getWindow();
    if (!op.getExcludePaddingFromAverage())
      return b.accumulate(op.getX(), spread(op, b, b.div(g, double(numElements(window.kernel)))));
    for (auto [axis, size] : llvm::enumerate(tensorOf(op.getX()).getShape().drop_front(2))) {
      SmallVector<int64_t> along(tensorOf(op.getX()).getRank(), 1);
      along[2 + axis] = window.output[axis];
      g = b.div(g, b.constant(tensorOf(g).clone(along), countInside(window, axis, size)));
    }
    b.accumulate(op.getX(), spread(op, b, g));
  }

  /// Windows of zeros get 0.
  static void apply(L2PoolOp op, GradientBuilder &b) {
    Value quotient = b.make<SelectOp>(b.compare<EqualOp>(op, 0), b.scalar(op, 0), b.div(b.gradient(), op));
    b.accumulate(op.getX(), b.mul(op.getX(), spread(op, b, quotient)));
  }

  /// The gradient goes to the first element of the window that is the largest.
  static void apply(MaxPoolOp op, GradientBuilder &b) {
    Value x = op.getX(), g = b.gradient(), isOpen;
    Window window = op.getWindow();
    ArrayRef<int64_t> shape = tensorOf(x).getShape();
    // The padding never is: no comparison holds for it.
    SmallVector<int64_t> pad, padded(shape);
    for (size_t i = 0; i < window.kernel.size(); ++i) {
      int64_t before = window.padBegin[i];
      int64_t behind =
          std::max<int64_t>(0, (window.output[i] - 1) * window.strides[i] + window.kernel[i] - before - shape[2 + i]);
      pad.append({before, behind});
      padded[2 + i] += before + behind;
    }
    Value wide = b.make<PadOp>(x, pad, "constant", APFloat::getInf(APFloat::IEEEdouble(), /*Negative=*/true)), sum;
    SmallVector<int64_t> step(window.kernel.size(), 0);
    for (int64_t tap = 0, taps = numElements(window.kernel); tap < taps; ++tap) {
      int64_t rest = tap;
      for (size_t i = step.size(); i-- > 0; rest /= window.kernel[i])
        step[i] = rest % window.kernel[i];
      SmallVector<SliceRange> ranges{{0, shape[0]}, {0, shape[1]}};
      for (size_t i = 0; i < step.size(); ++i)
        ranges.push_back({step[i], window.output[i], window.strides[i]});
      // The elements of all windows at this place, which are the largest where none before was.
      Value isLargest = b.make<EqualOp>(b.take(wide, ranges), op);
      Value isFirst = isOpen ? b.make<LogicalAndOp>(isLargest, isOpen) : isLargest;
      Value placed = b.place(b.where(isFirst, g), ranges, padded);
      sum = sum ? b.add(sum, placed) : placed;
      Value isOther = b.make<LogicalNotOp>(isLargest);
      isOpen = isOpen ? b.make<LogicalAndOp>(isOpen, isOther) : isOther;
    }
    SmallVector<int64_t> begin{0, 0};
    llvm::append_range(begin, window.padBegin);
    b.accumulate(x, b.slice(sum, begin, shape));
  }
};
} // namespace

void mlir::ane::attachPoolRules(MLIRContext *context) {
  attachRules<PoolRules, AvgPoolOp, L2PoolOp, MaxPoolOp>(context);
}
