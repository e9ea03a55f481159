//===- rules_windows.cpp - Convolutions, pools, resizing ------------------===//

#include "runtime/lint/rules.h"

#include <algorithm>

namespace ane::rt::lint {
namespace {

/// Kernel extents of a convolution or pool; empty when the text does not say.
std::vector<int64_t> kernelOf(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  if (std::optional<mil::Type> weight = context.view.type(statement, "weight"))
    return weight->dims.size() > 2 ? std::vector<int64_t>(weight->dims.begin() + 2, weight->dims.end())
                                   : std::vector<int64_t>();
  return context.view.integers(statement, "kernel_sizes");
}

void spatialAxes(RuleContext &context) {
  context.atMost(static_cast<int64_t>(kernelOf(context).size()), 2, "spatial axes");
}

void kernelWidth(RuleContext &context) {
  std::vector<int64_t> kernel = kernelOf(context);
  if (kernel.empty())
    return;
  std::vector<int64_t> strides = context.view.integers(*context.statement, "strides");
  bool small = context.statement->op == "conv_transpose" ||
               std::any_of(strides.begin(), strides.end(), [](int64_t stride) { return stride != 1; });
  context.atMost(kernel.back(), small ? Limit::KernelWidthStrided : Limit::KernelWidth, "kernel width");
}

void kernelHeight(RuleContext &context) {
  std::vector<int64_t> kernel = kernelOf(context);
  if (kernel.size() > 1)
    context.atMost(kernel[kernel.size() - 2], Limit::KernelHeight, "kernel height");
}

void maxPoolWidth(RuleContext &context) {
  std::vector<int64_t> kernel = kernelOf(context);
  if (!kernel.empty())
    context.atMost(kernel.back(), Limit::MaxPoolWidth, "pool width");
}

/// A linear has a constant weight in MIL: it is a convolution (C16).
void productAxis(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  std::optional<mil::Type> x = context.view.type(statement, "x");
  if (!x || statement.op != "matmul")
    return;
  size_t fromRight = context.view.integer(statement, "transpose_x").value_or(0) ? 2 : 1;
  if (x->dims.size() >= fromRight)
    context.atMost(x->dims[x->dims.size() - fromRight], Limit::ProductAxis, "axis that is summed");
}

void poolWindow(RuleContext &context) {
  std::vector<int64_t> kernel = kernelOf(context);
  if (!kernel.empty())
    context.atMost(*std::max_element(kernel.begin(), kernel.end()), Limit::PoolWindow, "window");
}

/// Input and output channels of a conv or linear; zeros when the text does not
/// say.
std::pair<int64_t, int64_t> channelsOf(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  std::optional<mil::Type> weight = context.view.type(statement, "weight");
  std::optional<mil::Type> x = context.view.type(statement, "x");
  if (!weight || !x || weight->dims.size() < 2 || x->dims.size() < 2)
    return {0, 0};
  return {statement.op == "linear" ? weight->dims[1] : x->dims[1], weight->dims[0]};
}

void convChannels(RuleContext &context) {
  auto [inputs, outputs] = channelsOf(context);
  context.atMost(inputs, Limit::ConvChannels, "input channels");
  context.atMost(outputs, Limit::ConvChannels, "output channels");
}

void convChannelsMeasured(RuleContext &context) {
  auto [inputs, outputs] = channelsOf(context);
  context.atMost(inputs, Limit::ConvChannels, "input channels");
  context.atMost(outputs, Limit::ConvOutputChannels, "output channels");
}

void resizeModes(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  if (statement.op == "upsample_bilinear") {
    bool aligned = context.view.integer(statement, "align_corners").value_or(1);
    // Half-pixel centres are the default without aligned corners.
    if (context.view.integer(statement, "half_pixel_centers").value_or(!aligned))
      context.report("sampling", "half-pixel centres");
    return;
  }
  std::string mode = context.view.string(statement, "sampling_mode");
  for (const char *known : {"", "DEFAULT", "ALIGN_CORNERS", "STRICT_ALIGN_CORNERS"})
    if (mode == known)
      return;
  context.report("sampling_mode", mode, "DEFAULT, ALIGN_CORNERS or STRICT_ALIGN_CORNERS");
}

constexpr RuleEntry kRules[] = {
    {"checkSpatialAxes", spatialAxes},   {"checkKernelWidth", kernelWidth},
    {"checkKernelHeight", kernelHeight}, {"checkMaxPoolWidth", maxPoolWidth},
    {"checkProductAxis", productAxis},   {"checkPoolWindow", poolWindow},
    {"checkConvChannels", convChannels}, {"checkConvChannelsMeasured", convChannelsMeasured},
    {"checkResizeModes", resizeModes}};

} // namespace

absl::Span<const RuleEntry> windowRules() { return kRules; }

} // namespace ane::rt::lint
