//===- Windows.cpp - checks on convolutions, pools, resizing --------------===//

#include "../CheckHelpers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ane;

namespace mlir::ane {

std::optional<Finding> checkSpatialAxes(Operation *op, const TargetEnv &) {
  std::optional<Finding> finding = atMost(windowOf(op).kernel.size(), 2, "spatial axes");
  if (finding)
    finding->noRemedy = !isa<ConvOp>(op);
  return finding;
}

std::optional<Finding> checkKernelWidth(Operation *op, const TargetEnv &env) {
  WindowShape window = windowOf(op);
  bool small = window.isStrided() || isa<ConvTransposeOp>(op);
  return atMost(window.kernel.back(), env.limit(small ? Limit::KernelWidthStrided : Limit::KernelWidth),
                "kernel width");
}

std::optional<Finding> checkKernelHeight(Operation *op, const TargetEnv &env) {
  ArrayRef<int64_t> kernel = windowOf(op).kernel;
  return kernel.size() < 2 ? std::nullopt
                           : atMost(kernel[kernel.size() - 2], env.limit(Limit::KernelHeight), "kernel height");
}

std::optional<Finding> checkMaxPoolWidth(Operation *op, const TargetEnv &env) {
  return atMost(windowOf(op).kernel.back(), env.limit(Limit::MaxPoolWidth), "pool width");
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
