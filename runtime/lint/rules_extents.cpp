//===- rules_extents.cpp - Extents, factors and counts of single ops ------===//

#include "runtime/lint/rules.h"

#include <algorithm>

namespace ane::rt::lint {
namespace {

int64_t longestOf(const mil::Type &type) {
  return type.dims.empty() ? 1 : *std::max_element(type.dims.begin(), type.dims.end());
}

int64_t groupsOf(RuleContext &context) { return context.view.integer(*context.statement, "groups").value_or(1); }

bool hasComputedWeight(RuleContext &context) {
  const mil::Value *weight = context.statement->operand("weight");
  return weight && !context.view.isConstant(*weight);
}

int64_t axisExtent(RuleContext &context, size_t axis) {
  std::optional<mil::Type> x = context.view.type(*context.statement, "x");
  return x && axis < x->dims.size() ? x->dims[axis] : 0;
}

void concatRows(RuleContext &context) {
  for (const Use &use : context.view.uses(*context.statement)) {
    std::optional<mil::Type> type = context.view.type(*use.value);
    if (!type || type->dims.empty() || longestOf(*type) != elementsOf(*type))
      continue;
    context.atMost(elementsOf(*type), Limit::ConcatRow, absl::StrCat("row of ", operandSubject(use)));
  }
}

void runtimeWeightBatch(RuleContext &context) {
  if (hasComputedWeight(context))
    context.atMost(axisExtent(context, 0), 1, "batch beside a computed weight");
}

void groupedRuntimeWeight(RuleContext &context) {
  if (hasComputedWeight(context))
    context.atMost(groupsOf(context), 1, "groups of a computed weight");
}

std::vector<int64_t> kernelOf(RuleContext &context) {
  std::optional<mil::Type> weight = context.view.type(*context.statement, "weight");
  if (!weight)
    return context.view.integers(*context.statement, "kernel_sizes");
  return weight->dims.size() > 2 ? std::vector<int64_t>(weight->dims.begin() + 2, weight->dims.end())
                                 : std::vector<int64_t>();
}

void patchConv(RuleContext &context) {
  std::vector<int64_t> kernel = kernelOf(context);
  if (kernel.size() == 2 && kernel[0] == kernel[1] && kernel[0] != 1 &&
      kernel == context.view.integers(*context.statement, "strides"))
    context.report("kernel and stride", absl::StrCat(kernel[0], "x", kernel[1]));
}

void topkCount(RuleContext &context) {
  std::optional<int64_t> k = context.view.integer(*context.statement, "k");
  if (k == 3 || k == 4)
    context.report("k", std::to_string(*k), "neither 3 nor 4");
}

void batchToSpace(RuleContext &context) {
  int64_t block = 1;
  for (int64_t factor : context.view.integers(*context.statement, "block_shape"))
    if (factor < 1 || __builtin_mul_overflow(block, factor, &block))
      return;
  if (int64_t batch = axisExtent(context, 0); batch % block != 0)
    context.report("batch", std::to_string(batch), absl::StrCat("a multiple of ", block));
}

void rearrangeFactors(RuleContext &context) {
  for (const char *name : {"block_size", "upscale_factor", "downscale_factor", "block_shape"})
    for (int64_t factor : context.view.integers(*context.statement, name)) {
      if ((factor >= 1 && factor <= 4) || factor == 8)
        continue;
      context.report("factor", std::to_string(factor), "1, 2, 3, 4 or 8");
      return;
    }
}

void strideFactors(RuleContext &context) {
  for (int64_t stride : context.view.integers(*context.statement, "strides")) {
    int64_t rest = std::max<int64_t>(stride, 1);
    for (int64_t prime : {2, 3})
      while (rest % prime == 0)
        rest /= prime;
    if (rest != 1)
      return void(context.report("stride", std::to_string(stride), "a product of 2, 3, 4 and 8"));
  }
}

void argAxis(RuleContext &context) {
  std::optional<mil::Type> x = context.view.type(*context.statement, "x");
  auto axis = x ? axisOf(context.view, *context.statement, "axis", *x) : std::nullopt;
  if (axis)
    context.atMost(x->dims[static_cast<size_t>(*axis)], Limit::ArgAxis, "axis that is searched");
}

void convGroups(RuleContext &context) { context.atMost(groupsOf(context), Limit::ConvGroups, "groups"); }

void dilation(RuleContext &context) {
  for (int64_t factor : context.view.integers(*context.statement, "dilations"))
    if (factor > 1)
      return context.atMost(factor, 1, "dilation");
}

void coreMLPool(RuleContext &context) {
  std::vector<int64_t> kernel = kernelOf(context);
  for (int64_t extent : kernel)
    if (extent > context.limit(Limit::CoreMLPoolWindow))
      return context.atMost(extent, Limit::CoreMLPoolWindow, "window");
  for (int64_t stride : context.view.integers(*context.statement, "strides"))
    if (stride > context.limit(Limit::CoreMLFactor))
      return context.atMost(stride, Limit::CoreMLFactor, "stride");
}

void coreMLUpsample(RuleContext &context) {
  std::optional<mil::Type> x = context.view.type(*context.statement, "x");
  if (!x || context.statement->results.empty())
    return;
  const std::vector<int64_t> &after = context.statement->results[0].type.dims;
  for (size_t i = 0; i < std::min(after.size(), x->dims.size()); ++i) {
    int64_t most = 0;
    if (!__builtin_mul_overflow(x->dims[i], context.limit(Limit::CoreMLFactor), &most) && after[i] > most)
      return context.atMost(after[i], most, "extent after resizing");
  }
}

void normChannels(RuleContext &context) { context.atMost(axisExtent(context, 1), Limit::NormChannels, "channels"); }

void bfloat(RuleContext &context) {
  auto isBFloat = [](const mil::Type &type) { return type.dtype == ElementType::BFloat16; };
  bool found = false;
  for (const Use &use : context.view.uses(*context.statement)) {
    std::optional<mil::Type> type = context.view.type(*use.value);
    found |= type && isBFloat(*type);
  }
  for (const mil::Variable &result : context.statement->results)
    found |= isBFloat(result.type);
  if (found)
    context.report("element type", "bf16", "fp16");
}

constexpr RuleEntry kRules[] = {{"checkConcatRows", concatRows},
                                {"checkRuntimeWeightBatch", runtimeWeightBatch},
                                {"checkGroupedRuntimeWeight", groupedRuntimeWeight},
                                {"checkPatchConv", patchConv},
                                {"checkTopkCount", topkCount},
                                {"batchToSpace", batchToSpace},
                                {"checkRearrangeFactors", rearrangeFactors},
                                {"checkStrideFactors", strideFactors},
                                {"checkArgAxis", argAxis},
                                {"checkConvGroups", convGroups},
                                {"checkDilation", dilation},
                                {"checkCoreMLPool", coreMLPool},
                                {"checkCoreMLUpsample", coreMLUpsample},
                                {"checkNormChannels", normChannels},
                                {"checkBFloat", bfloat}};

} // namespace

absl::Span<const RuleEntry> extentRules() { return kRules; }

} // namespace ane::rt::lint
