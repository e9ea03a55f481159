//===- Windows.cpp - checks on convolutions, pools, resizing --------------===//

#include "../CheckHelpers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
/// What windowed ops have in common.
struct WindowShape {
  ArrayRef<int64_t> kernel, strides; // one for each spatial axis; no strides are ones

  bool isStrided() const {
    return llvm::any_of(strides, [](int64_t stride) { return stride != 1; });
  }
};
} // namespace

static ArrayRef<int64_t> orEmpty(std::optional<ArrayRef<int64_t>> list) { return list.value_or(ArrayRef<int64_t>()); }

static WindowShape windowOf(Operation *op) {
  auto kernelOf = [](Value weight) { return cast<RankedTensorType>(weight.getType()).getShape().drop_front(2); };
  if (auto conv = dyn_cast<ConvOp>(op))
    return {kernelOf(conv.getWeight()), orEmpty(conv.getStrides())};
  if (auto conv = dyn_cast<ConvTransposeOp>(op))
    return {kernelOf(conv.getWeight()), orEmpty(conv.getStrides())};
  if (auto pool = dyn_cast<MaxPoolOp>(op))
    return {pool.getKernelSizes(), orEmpty(pool.getStrides())};
  if (auto pool = dyn_cast<AvgPoolOp>(op))
    return {pool.getKernelSizes(), orEmpty(pool.getStrides())};
  auto pool = cast<L2PoolOp>(op);
  return {pool.getKernelSizes(), orEmpty(pool.getStrides())};
}

namespace mlir::ane {

std::optional<Finding> checkSpatialAxes(Operation *op, const TargetEnv &) {
  return atMost(windowOf(op).kernel.size(), 2, "spatial axes");
}

std::optional<Finding> checkKernelWidth(Operation *op, const TargetEnv &env) {
  WindowShape window = windowOf(op);
  bool small = window.isStrided() || isa<ConvTransposeOp>(op);
  return atMost(window.kernel.back(), env.limit(small ? Limit::KernelWidthStrided : Limit::KernelWidth), "kernel width");
}

std::optional<Finding> checkPoolWindow(Operation *op, const TargetEnv &env) {
  ArrayRef<int64_t> kernel = windowOf(op).kernel;
  return atMost(*std::max_element(kernel.begin(), kernel.end()), env.limit(Limit::PoolWindow), "window");
}

std::optional<Finding> checkResizeModes(Operation *op, const TargetEnv &) {
  if (auto upsample = dyn_cast<UpsampleBilinearOp>(op)) {
    // Half-pixel centres are the default without aligned corners.
    bool halfPixel = upsample.getHalfPixelCenters().value_or(!upsample.getAlignCorners());
    return halfPixel ? std::optional(Finding{"sampling", "half-pixel centres", ""}) : std::nullopt;
  }
  StringRef mode;
  if (auto resize = dyn_cast<ResizeBilinearOp>(op))
    mode = resize.getSamplingMode();
  else
    mode = cast<ResizeOp>(op).getSamplingMode();
  if (llvm::is_contained({"DEFAULT", "ALIGN_CORNERS", "STRICT_ALIGN_CORNERS"}, mode))
    return std::nullopt;
  return Finding{"sampling_mode", mode.str(), "DEFAULT, ALIGN_CORNERS or STRICT_ALIGN_CORNERS"};
}

} // namespace mlir::ane
