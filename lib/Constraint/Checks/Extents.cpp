//===- Extents.cpp - checks on forms and extents of single ops ------------===//

#include "../CheckHelpers.h"
#include "ane/IR/ConstantExpr.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ane;

static bool hasComputedWeight(Operation *op) { return !isConstantExpr(op->getOperand(1)); }

static int64_t groupsOf(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  return conv ? conv.getGroups() : cast<ConvTransposeOp>(op).getGroups();
}

/// The blocks of an op that moves elements between space and channels or batch.
static SmallVector<int64_t> factorsOf(Operation *op) {
  if (auto block = dyn_cast<DepthToSpaceOp>(op))
    return {block.getBlockSize()};
  if (auto block = dyn_cast<SpaceToDepthOp>(op))
    return {block.getBlockSize()};
  if (auto block = dyn_cast<PixelShuffleOp>(op))
    return {block.getUpscaleFactor()};
  if (auto block = dyn_cast<PixelUnshuffleOp>(op))
    return {block.getDownscaleFactor()};
  if (auto block = dyn_cast<BatchToSpaceOp>(op))
    return SmallVector<int64_t>(block.getBlockShape());
  return SmallVector<int64_t>(cast<SpaceToBatchOp>(op).getBlockShape());
}

namespace mlir::ane {

std::optional<Finding> checkGroupNormAxes(Operation *op, const TargetEnv &env) {
  auto norm = cast<GroupNormOp>(op);
  RankedTensorType type = tensorOf(norm.getX());
  int64_t batch = type.getDimSize(0), channels = type.getDimSize(1), limit = env.limit(Limit::SpatialAxis);
  if (auto finding = atMost(channels / std::max<int64_t>(norm.getNumGroups(), 1), limit, "channels of a group"))
    return finding;
  return atMost(type.getNumElements() / std::max<int64_t>(batch * channels, 1), limit, "pixels");
}

std::optional<Finding> checkConcatRows(Operation *op, const TargetEnv &env) {
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    RankedTensorType type = tensorOf(value);
    if (longestOf(type) != type.getNumElements())
      continue;
    if (auto finding = atMost(type.getNumElements(), env.limit(Limit::ConcatRow), "row of " + operandName(op, i)))
      return finding;
  }
  return std::nullopt;
}

std::optional<Finding> checkRuntimeWeightBatch(Operation *op, const TargetEnv &) {
  if (!hasComputedWeight(op))
    return std::nullopt;
  return atMost(tensorOf(op->getOperand(0)).getDimSize(0), 1, "batch beside a computed weight");
}

std::optional<Finding> checkGroupedRuntimeWeight(Operation *op, const TargetEnv &) {
  return hasComputedWeight(op) ? atMost(groupsOf(op), 1, "groups of a computed weight") : std::nullopt;
}

std::optional<Finding> checkPatchConv(Operation *op, const TargetEnv &) {
  auto [kernel, strides] = windowOf(op);
  if (kernel.size() != 2 || kernel != strides || kernel[0] != kernel[1] || kernel[0] == 1)
    return std::nullopt;
  return Finding{"kernel and stride", std::to_string(kernel[0]) + "x" + std::to_string(kernel[1]), ""};
}

std::optional<Finding> checkProductAxis(Operation *op, const TargetEnv &env) {
  // A linear with a constant is a convolution (C16).
  if (isa<LinearOp>(op) && !hasComputedWeight(op))
    return std::nullopt;
  auto product = dyn_cast<MatmulOp>(op);
  RankedTensorType x = tensorOf(op->getOperand(0));
  int64_t fromRight = product && product.getTransposeX() ? 2 : 1;
  if (x.getRank() < fromRight)
    return std::nullopt;
  return atMost(x.getDimSize(x.getRank() - fromRight), env.limit(Limit::ProductAxis), "axis that is summed");
}

std::optional<Finding> checkTopkCount(Operation *op, const TargetEnv &) {
  int64_t k = cast<TopkOp>(op).getK();
  return k == 3 || k == 4 ? std::optional(Finding{"k", std::to_string(k), "neither 3 nor 4"}) : std::nullopt;
}

std::optional<Finding> checkRearrangeFactors(Operation *op, const TargetEnv &) {
  for (int64_t factor : factorsOf(op)) {
    if (factor == 1 || factor == 2 || factor == 3 || factor == 4 || factor == 8)
      continue;
    Finding finding{"factor", std::to_string(factor), "one of 1, 2, 3, 4, 8"};
    finding.noRemedy = isa<BatchToSpaceOp, SpaceToBatchOp>(op);
    return finding;
  }
  return std::nullopt;
}

std::optional<Finding> checkStrideFactors(Operation *op, const TargetEnv &) {
  for (int64_t stride : windowOf(op).strides) {
    int64_t rest = stride;
    for (int64_t prime : {2, 3})
      while (rest % prime == 0)
        rest /= prime;
    if (rest != 1)
      return Finding{"stride", std::to_string(stride), "a product of 2, 3, 4 and 8"};
  }
  return std::nullopt;
}

std::optional<Finding> checkArgAxis(Operation *op, const TargetEnv &env) {
  auto argmax = dyn_cast<ReduceArgmaxOp>(op);
  int64_t axis = argmax ? argmax.getAxisFromFront() : cast<ReduceArgminOp>(op).getAxisFromFront();
  return atMost(tensorOf(op->getOperand(0)).getDimSize(axis), env.limit(Limit::ArgAxis), "axis that is searched");
}

std::optional<Finding> checkConvGroups(Operation *op, const TargetEnv &env) {
  return atMost(groupsOf(op), env.limit(Limit::ConvGroups), "groups");
}

std::optional<Finding> checkDilation(Operation *op, const TargetEnv &) {
  auto conv = dyn_cast<ConvOp>(op);
  auto dilations = conv ? conv.getDilations() : cast<ConvTransposeOp>(op).getDilations();
  for (int64_t dilation : dilations.value_or(ArrayRef<int64_t>()))
    if (auto finding = atMost(dilation, 1, "dilation"))
      return finding;
  return std::nullopt;
}

std::optional<Finding> checkCoreMLPool(Operation *op, const TargetEnv &env) {
  auto [kernel, strides] = windowOf(op);
  for (int64_t extent : kernel)
    if (auto finding = atMost(extent, env.limit(Limit::CoreMLPoolWindow), "window"))
      return finding;
  for (int64_t stride : strides)
    if (auto finding = atMost(stride, env.limit(Limit::CoreMLFactor), "stride"))
      return finding;
  return std::nullopt;
}

std::optional<Finding> checkCoreMLUpsample(Operation *op, const TargetEnv &env) {
  RankedTensorType from = tensorOf(op->getOperand(0)), to = tensorOf(op->getResult(0));
  for (auto [before, after] : llvm::zip_equal(from.getShape(), to.getShape()))
    if (auto finding = atMost(after, before * env.limit(Limit::CoreMLFactor), "extent after resizing"))
      return finding;
  return std::nullopt;
}

std::optional<Finding> checkNormChannels(Operation *op, const TargetEnv &env) {
  return atMost(tensorOf(op->getOperand(0)).getDimSize(1), env.limit(Limit::NormChannels), "channels");
}

std::optional<Finding> checkBFloat(Operation *op, const TargetEnv &) {
  auto isBF16 = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
  if (llvm::none_of(op->getOperandTypes(), isBF16) && llvm::none_of(op->getResultTypes(), isBF16))
    return std::nullopt;
  return Finding{"element type", "bf16", "f16"};
}

std::optional<Finding> checkFloat8(Operation *op, const TargetEnv &) {
  auto isFloat8 = [](Type type) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    return element && element.getWidth() == 8;
  };
  if (llvm::none_of(op->getOperandTypes(), isFloat8) && llvm::none_of(op->getResultTypes(), isFloat8))
    return std::nullopt;
  return Finding{"element type", "an 8-bit float", "f16"};
}

} // namespace mlir::ane
