//===- rules_speed.cpp - What is slow -------------------------------------===//

#include "runtime/lint/rules.h"

#include <algorithm>

namespace ane::rt::lint {
namespace {

/// Output and input channels of the constant of a product or convolution; 0, 0
/// if there is none.
std::pair<int64_t, int64_t> weightOf(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  const char *name = statement.op == "matmul" ? "y" : "weight";
  const mil::Value *weight = statement.operand(name);
  std::optional<mil::Type> type = context.view.type(statement, name);
  if (!weight || !type || type->dims.size() < 2 || !context.view.isConstant(*weight))
    return {0, 0};
  if (statement.op == "matmul") {
    int64_t rows = axisFromRight(*type, 1), columns = axisFromRight(*type, 0);
    bool transposed = context.view.integer(statement, "transpose_y").value_or(0) != 0;
    return transposed ? std::pair(rows, columns) : std::pair(columns, rows);
  }
  int64_t outputs = std::max<int64_t>(type->dims[0], 1);
  return {outputs, elementsOf(*type) / outputs};
}

void normReshape(RuleContext &context) {
  std::optional<mil::Type> x = context.view.type(*context.statement, "x");
  if (!x || context.statement->results.empty())
    return;
  const std::vector<int64_t> &from = x->dims;
  const std::vector<int64_t> &to = context.statement->results[0].type.dims;
  if (from.size() == 4 && to.size() == 4 && from[0] > 1 && from[0] == to[0] && from[1] > 1 && to[1] == 1 &&
      from[2] == 1 && from[3] == 1)
    context.report("", absl::StrCat("reduces the channels of ", from[0], " batches without rows"));
}

void reductionAxis(RuleContext &context) {
  int64_t few = context.limit(Limit::ReductionLength);
  int64_t many = context.limit(Limit::ReductionOutputs);
  std::optional<mil::Type> x = context.view.type(*context.statement, "x");
  if (!x || context.statement->results.empty())
    return;
  int64_t outputs = elementsOf(context.statement->results[0].type);
  int64_t length = elementsOf(*x) / std::max<int64_t>(outputs, 1);
  if (length >= 2 && length <= few && outputs >= many)
    context.report("", absl::StrCat("reduces ", length, " elements into each of ", outputs));
}

int64_t inputChannels(RuleContext &context) {
  std::optional<mil::Type> weight = context.view.type(*context.statement, "weight");
  return weight && weight->dims.size() > 1 ? weight->dims[1] : 0;
}

void wideHidden(RuleContext &context) {
  context.atMost(inputChannels(context), Limit::HiddenChannels, "input channels");
}

void deepInput(RuleContext &context) {
  std::optional<mil::Type> weight = context.view.type(*context.statement, "weight");
  if (weight && weight->dims.size() > 1 && weight->dims[0] < weight->dims[1])
    context.atMost(inputChannels(context), Limit::DeepChannels, "input channels");
}

void onChipOperand(RuleContext &context) {
  for (const Use &use : context.view.uses(*context.statement))
    if (use.definition && !use.definition->constant) {
      // Extents of a hostile text are bounded only by int64.
      int64_t elements = std::min(elementsOf(use.definition->type()), INT64_MAX / 2);
      if (elements > context.limit(Limit::OnChipBytes) / 2)
        return context.atMost(elements * 2, Limit::OnChipBytes, absl::StrCat("bytes of ", operandSubject(use)));
    }
}

void weightSlab(RuleContext &context) {
  int64_t bad = context.limit(Limit::SlabBytes);
  int64_t margin = context.limit(Limit::SlabMargin);
  int64_t cores = context.limit(Limit::Cores);
  auto [outputs, inputs] = weightOf(context);
  int64_t slab = 0;
  if (__builtin_mul_overflow(outputs / cores + (outputs % cores != 0), inputs, &slab) ||
      __builtin_mul_overflow(slab, 2, &slab) || slab <= bad - margin ||
      std::min(slab % bad, bad - slab % bad) >= margin)
    return;
  context.report("bytes of the weight for each core", std::to_string(slab),
                 absl::StrCat("at least ", margin, " away from a multiple of ", bad));
}

void deepProducts(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  if (statement.op == "matmul")
    return context.atMost(matmulDepth(context.view, statement), Limit::ProductDepth, "elements summed");
  std::optional<mil::Type> weight = context.view.type(statement, "weight");
  if (weight && !weight->dims.empty())
    context.atMost(elementsOf(*weight) / std::max<int64_t>(weight->dims[0], 1), Limit::ProductDepth, "elements summed");
}

constexpr RuleEntry kRules[] = {{"checkNormReshape", normReshape},     {"checkReductionAxis", reductionAxis},
                                {"checkWideHidden", wideHidden},       {"checkDeepInput", deepInput},
                                {"checkOnChipOperand", onChipOperand}, {"checkWeightSlab", weightSlab},
                                {"checkDeepProducts", deepProducts}};

} // namespace

absl::Span<const RuleEntry> speedRules() { return kRules; }

} // namespace ane::rt::lint
