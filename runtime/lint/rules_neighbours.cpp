//===- rules_neighbours.cpp - Operations that fail beside others ----------===//

#include "runtime/lint/rules.h"

#include <algorithm>
#include <cmath>

namespace ane::rt::lint {
namespace {

/// The smallest fp16 subnormal, halved: smaller numbers are 0 in fp16.
constexpr double kSmallestHalf = 2.98e-8;

/// The statement that computes a value, looking through those that only give it
/// another shape.
const mil::Statement *producerOf(const FunctionView &view, const mil::Value *value) {
  for (unsigned steps = 0; value && steps < 64; ++steps) {
    const Definition *definition = view.definition(value);
    const mil::Statement *from = definition ? definition->statement : nullptr;
    if (!from || !isIn(OpGroup::ShapeOnly, from->op))
      return from;
    value = from->operand("x");
  }
  return nullptr;
}

/// Whether `test(value, constant)` holds for the factors in either order.
template <typename Test>
bool anyFactor(RuleContext &context, Test test) {
  const mil::Value *x = context.statement->operand("x");
  const mil::Value *y = context.statement->operand("y");
  if (!x || !y)
    return false;
  return (context.view.isConstant(*y) && test(x, *y)) || (context.view.isConstant(*x) && test(y, *x));
}

void transposedOperands(RuleContext &context) {
  for (const char *name : {"x", "y"}) {
    const Definition *value = context.view.definition(context.statement->operand(name));
    if (!value || !value->statement || value->constant || value->statement->op != "transpose")
      return;
  }
  context.report("", "both operands are transposed by ops of their own");
}

void roundThenScale(RuleContext &context) {
  bool found = anyFactor(context, [&](const mil::Value *value, const mil::Value &constant) {
    const mil::Statement *from = producerOf(context.view, value);
    std::optional<mil::Type> type = context.view.type(constant);
    return from && type && elementsOf(*type) == 1 && isIn(OpGroup::Roundings, from->op);
  });
  if (found)
    context.report("", "a scalar multiplies what was rounded");
}

void scaledToZero(RuleContext &context) {
  bool found = anyFactor(context, [&](const mil::Value *value, const mil::Value &constant) {
    const mil::Statement *from = producerOf(context.view, value);
    std::optional<double> factor = context.view.splat(constant);
    return factor && std::abs(*factor) < kSmallestHalf && from && isIn(OpGroup::Reductions, from->op);
  });
  if (found)
    context.report("", "a reduction is multiplied by 0");
}

void squareThenActivation(RuleContext &context) {
  const Definition *result = context.view.result(*context.statement);
  if (!result)
    return;
  int64_t period = context.limit(Limit::SquareWidthPeriod);
  int64_t rest = axisFromRight(result->type(), 0) % period;
  int64_t most = context.limit(Limit::SquareWidthRest);
  for (const mil::Statement *user : result->users)
    if (rest > most && isIn(OpGroup::Nonlinearities, user->op))
      return void(context.report(absl::StrCat("width modulo ", period, " before ", user->op), std::to_string(rest),
                                 std::to_string(most)));
}

void layerNormAffine(RuleContext &context) {
  std::optional<mil::Type> gamma = context.view.type(*context.statement, "gamma");
  if (gamma && context.statement->operand("beta"))
    context.atMost(elementsOf(*gamma), Limit::LayerNormAffine, "normalised elements");
}

void broadcastBatch(RuleContext &context) {
  const mil::Value *x = context.statement->operand("x");
  const mil::Value *y = context.statement->operand("y");
  if (!x || !y || context.view.isConstant(*x) || context.view.isConstant(*y))
    return;
  std::optional<mil::Type> a = context.view.type(*x);
  std::optional<mil::Type> b = context.view.type(*y);
  if (!a || !b)
    return;
  int64_t left = std::max<int64_t>(axisFromRight(*a, 3), 1);
  int64_t right = std::max<int64_t>(axisFromRight(*b, 3), 1);
  if (left != right)
    context.report("", absl::StrCat("batches of ", left, " and ", right, " are multiplied"));
}

void fanIn(RuleContext &context) {
  const mil::Value *values = context.statement->operand("values");
  if (values)
    context.atMost(static_cast<int64_t>(values->items.size()), Limit::FanIn, "values joined");
}

void padConcat(RuleContext &context) {
  const Definition *result = context.view.result(*context.statement);
  if (result && std::any_of(result->users.begin(), result->users.end(),
                            [](const mil::Statement *user) { return user->op == "add"; }))
    context.atMost(axisFromRight(result->type(), 2), Limit::PadConcatChannels, "channels of a pad that is added");
}

void quantisedBranches(RuleContext &context) {
  std::vector<const mil::Value *> scales;
  for (const char *name : {"x", "y"}) {
    const Definition *value = context.view.definition(context.statement->operand(name));
    if (!value || !value->statement || value->statement->op != "dequantize")
      return;
    scales.push_back(value->statement->operand("scale"));
  }
  if (!scales[0] || !scales[1])
    return;
  if (scales[0]->isReference() && *scales[0] == *scales[1])
    return;
  std::optional<double> a = context.view.splat(*scales[0]);
  if (!a || a != context.view.splat(*scales[1]))
    context.report("", "the factors are dequantised with different scales");
}

constexpr RuleEntry kRules[] = {{"checkTransposedOperands", transposedOperands},
                                {"checkRoundThenScale", roundThenScale},
                                {"checkScaledToZero", scaledToZero},
                                {"checkSquareThenActivation", squareThenActivation},
                                {"checkLayerNormAffine", layerNormAffine},
                                {"checkBroadcastBatch", broadcastBatch},
                                {"checkFanIn", fanIn},
                                {"checkPadConcat", padConcat},
                                {"checkQuantisedBranches", quantisedBranches}};

} // namespace

absl::Span<const RuleEntry> neighbourRules() { return kRules; }

} // namespace ane::rt::lint
