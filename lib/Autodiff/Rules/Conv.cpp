//===- Conv.cpp - gradients of convolutions -------------------------------===//
//
// Convolution and transposed convolution by one weight are each other's gradient. The weight's is a convolution, too:
// of the input by the gradient, with batch and channels exchanged, strides and dilations exchanged.
//
//===----------------------------------------------------------------------===//

#include "../Rules.h"
#include "../Windows.h"

using namespace mlir;
using namespace mlir::ane;

/// What lies behind an axis of `size` so that the last of `windows` is inside; at least 0.
static int64_t paddingBehind(int64_t size, int64_t begin, int64_t windows, int64_t stride, int64_t extent) {
  return std::max<int64_t>(0, (windows - 1) * stride + extent - begin - size);
}

static DenseI64ArrayAttr padding(GradientBuilder &b, const Window &window, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> pad;
  for (auto [i, size] : llvm::enumerate(sizes))
    pad.append({window.padBegin[i], paddingBehind(size, window.padBegin[i], window.output[i], window.strides[i],
                                                  windowExtent(window.kernel[i], window.dilations[i]))});
  return Builder(b.op->getContext()).getDenseI64ArrayAttr(pad);
}

/// [A, B, ...] as [B, A, ...].
static Value swapFirstAxes(GradientBuilder &b, Value x) {
  auto perm = llvm::to_vector(llvm::seq<int64_t>(tensorOf(x).getRank()));
  std::swap(perm[0], perm[1]);
  return b.transpose(x, perm);
}

Value mlir::ane::spreadWindows(GradientBuilder &b, Value g, Value weight, const Window &window, int64_t groups,
                               ArrayRef<int64_t> shape) {
  Builder attributes(b.op->getContext());
  return b.make<ConvTransposeOp>(g, weight, /*bias=*/Value(), attributes.getDenseI64ArrayAttr(window.strides), "custom",
                                 padding(b, window, shape.drop_front(2)),
                                 attributes.getDenseI64ArrayAttr(window.dilations), groups,
                                 attributes.getDenseI64ArrayAttr(shape));
}

Value mlir::ane::gradientOfWeight(GradientBuilder &b, Value x, Value g, const Window &window, int64_t groups,
                                  ArrayRef<int64_t> shape) {
  Builder attributes(b.op->getContext());
  ArrayRef<int64_t> from = tensorOf(x).getShape();
  // [N, G C, ...] as [C, G N, ...], and the gradient [N, G O, ...] as a weight [G O, N, ...].
  SmallVector<int64_t> grouped{from[0], groups, from[1] / groups}, perm{2, 1, 0},
      merged{from[1] / groups, groups * from[0]};
  for (int64_t size : from.drop_front(2)) {
    perm.push_back(grouped.size());
    grouped.push_back(size);
    merged.push_back(size);
  }
  Value rows = b.reshape(b.transpose(b.reshape(x, grouped), perm), merged);
  Value sum = b.make<ConvOp>(
      rows, swapFirstAxes(b, g), /*bias=*/Value(), attributes.getDenseI64ArrayAttr(window.dilations), "custom",
      padding(b, window, from.drop_front(2)), attributes.getDenseI64ArrayAttr(window.strides), groups);
  // Strides may leave elements that no window has met.
  SmallVector<int64_t> size(shape);
  std::swap(size[0], size[1]);
  if (tensorOf(sum).getShape() != ArrayRef(size))
    sum = b.slice(sum, SmallVector<int64_t>(size.size(), 0), size);
  return swapFirstAxes(b, sum);
}

namespace {
struct ConvRules : RuleSet {
  static void apply(ConvOp op, GradientBuilder &b) {
    Value x = op.getX(), weight = op.getWeight(), g = b.gradient();
    Window window = op.getWindow();
    b.accumulate(x, spreadWindows(b, g, weight, window, op.getGroups(), tensorOf(x).getShape()));
    b.accumulate(weight, gradientOfWeight(b, x, g, window, op.getGroups(), tensorOf(weight).getShape()));
    b.accumulate(op.getBias(), b.sumPerChannel(g));
  }
  static void apply(ConvTransposeOp op, GradientBuilder &b) {
    Value x = op.getX(), weight = op.getWeight(), g = b.gradient();
    Builder attributes(op.getContext());
    Window window = windowOver(op);
    // A convolution that begins where the transposed one does, and has as many windows.
    ArrayRef<int64_t> sizes = tensorOf(op).getShape().drop_front(2);
    SmallVector<int64_t> pad;
    for (auto [i, size] : llvm::enumerate(sizes))
      pad.append({window.padBegin[i], window.padEnd[i]});
    Value dx = b.make<ConvOp>(g, weight, /*bias=*/Value(), attributes.getDenseI64ArrayAttr(window.strides), "custom",
                              attributes.getDenseI64ArrayAttr(pad), attributes.getDenseI64ArrayAttr(window.dilations),
                              op.getGroups());
    b.accumulate(x, dx);
    b.accumulate(weight, gradientOfWeight(b, g, x, window, op.getGroups(), tensorOf(weight).getShape()));
    b.accumulate(op.getBias(), b.sumPerChannel(g));
  }

private:
  /// The windows of the convolution that takes the op's result to its operand.
  static Window windowOver(ConvTransposeOp op) {
    Window window = op.getWindow();
    ArrayRef<int64_t> windows = tensorOf(op.getX()).getShape().drop_front(2);
    for (auto [i, size] : llvm::enumerate(tensorOf(op).getShape().drop_front(2)))
      window.padEnd[i] = paddingBehind(size, window.padBegin[i], windows[i], window.strides[i],
                                       windowExtent(window.kernel[i], window.dilations[i]));
    window.output.assign(windows.begin(), windows.end());
    return window;
  }
};
} // namespace

void mlir::ane::attachConvRules(MLIRContext *context) { attachRules<ConvRules, ConvOp, ConvTransposeOp>(context); }
