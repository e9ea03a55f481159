//===- rules_ranges.cpp - Values that leave fp16 --------------------------===//

#include "runtime/lint/ranges.h"
#include "runtime/lint/rules.h"

#include <algorithm>

namespace ane::rt::lint {
namespace {

void accurateSum(RuleContext &context) {
  std::optional<mil::Type> x = context.view.type(*context.statement, "x");
  if (!x || context.statement->results.empty())
    return;
  int64_t all = x->numElements().value_or(0);
  int64_t kept = context.statement->results[0].type.numElements().value_or(1);
  context.atMost(all / std::max<int64_t>(kept, 1), context.limit(Limit::AccurateSumLength) - 1, "elements summed");
}

/// The argument of log and rsqrt has a floor, from epsilon or from the op
/// before.
void smallArgument(RuleContext &context) {
  // Half a percent of slack: the bound itself is rounded to fp16.
  double bound = numericOf(Numeric::SmallestFloor) * 0.995;
  const mil::Statement &statement = *context.statement;
  if (context.view.real(statement, "epsilon").value_or(0) >= bound)
    return;
  const Definition *x = context.view.definition(statement.operand("x"));
  if (const mil::Statement *before = x ? x->statement : nullptr) {
    if (before->op == "maximum")
      for (const Use &use : context.view.uses(*before))
        if (context.view.splat(*use.value).value_or(0) >= bound)
          return;
    if ((before->op == "clip" || before->op == "threshold") && context.view.real(*before, "alpha").value_or(0) >= bound)
      return;
  }
  context.report("operand 'x'", "may be as small as 0", absl::StrCat("at least ", numericOf(Numeric::SmallestFloor)));
}

/// How a norm scales what it squares. Looks back a bounded number of steps, as
/// a hostile text can have more paths than time.
class ScaleSearch {
public:
  explicit ScaleSearch(const FunctionView &view) : view(view) {}

  /// The value was divided by the largest magnitude of a tensor, or is computed
  /// from values that were.
  bool isScaled(const Definition *value, unsigned depth) {
    if (!enter(value, depth))
      return false;
    const mil::Statement &statement = *value->statement;
    if (statement.op == "real_div" && dependsOnMaximum(view.definition(statement.operand("y")), depth))
      return true;
    bool reads = false;
    for (const Use &use : view.uses(statement)) {
      reads = true;
      if (!view.isConstant(*use.value) && !isScaled(use.definition, depth - 1))
        return false;
    }
    return reads;
  }

private:
  bool enter(const Definition *value, unsigned depth) { return depth && value && value->statement && steps++ < 10000; }
  bool dependsOnMaximum(const Definition *value, unsigned depth) {
    if (!enter(value, depth))
      return false;
    if (value->statement->op == "reduce_max")
      return true;
    for (const Use &use : view.uses(*value->statement))
      if (dependsOnMaximum(use.definition, depth - 1))
        return true;
    return false;
  }

  const FunctionView &view;
  unsigned steps = 0;
};

/// The value that is squared, looking through products with constants; null if
/// none is.
const Definition *squaredValue(const FunctionView &view, const Definition *value, unsigned depth) {
  const mil::Statement *statement = value ? value->statement : nullptr;
  if (!statement || !depth)
    return nullptr;
  const Definition *x = view.definition(statement->operand("x"));
  if (statement->op == "square")
    return x;
  if (statement->op != "mul")
    return nullptr;
  const Definition *y = view.definition(statement->operand("y"));
  if (x && x == y)
    return x;
  if (!y || y->constant)
    return squaredValue(view, x, depth - 1);
  return !x || x->constant ? squaredValue(view, y, depth - 1) : nullptr;
}

void overflowSafeNorm(RuleContext &context) {
  constexpr unsigned depth = 12; // of the longest norm that is written
  const mil::Statement &statement = *context.statement;
  const Definition *x = context.view.definition(statement.operand("x"));
  const Definition *squared = nullptr;
  if (statement.op == "reduce_sum_square" || statement.op == "reduce_l2_norm")
    squared = x;
  else if (statement.op == "reduce_sum" || statement.op == "reduce_mean")
    squared = squaredValue(context.view, x, depth);
  else
    return void(context.report("", absl::StrCat("the squares of ", statement.op, " overflow")));
  if (squared && !ScaleSearch(context.view).isScaled(squared, depth))
    context.report("", "what is squared and summed was not divided by its maximum");
}

/// Reports what is known to exceed a bound in magnitude everywhere.
void beyond(RuleContext &context, const std::string &subject, FloatRange interval, double bound) {
  if (interval.isBeyond(bound))
    context.report(subject, absl::StrCat(interval.low > bound ? interval.low : interval.high, " or beyond"),
                   absl::StrCat(bound));
}

FloatRange boundsOfX(RuleContext &context) {
  const mil::Value *x = context.statement->operand("x");
  return x ? rangeOf(context.view, *x) : FloatRange();
}

void accumulatorRange(RuleContext &context) {
  beyond(context, "result", rangeOf(context.view, *context.statement), numericOf(Numeric::AccumulatorMax));
}

void squareRange(RuleContext &context) {
  beyond(context, "operand 'x'", boundsOfX(context), numericOf(Numeric::SquareMax));
}

void smallActivations(RuleContext &context) {
  FloatRange result = rangeOf(context.view, *context.statement);
  double high = std::max(-result.low, result.high), bound = numericOf(Numeric::SmallestNormal);
  if (high != 0 && high < bound)
    context.report("result", absl::StrCat(high, " or less"), absl::StrCat("more than ", bound));
}

void expRange(RuleContext &context) {
  double low = boundsOfX(context).low, bound = numericOf(Numeric::ExpMax);
  if (low >= bound)
    context.report("operand 'x'", absl::StrCat(low, " or more"), absl::StrCat(bound));
}

constexpr RuleEntry kRules[] = {{"checkAccurateSum", accurateSum},          {"checkAccumulatorRange", accumulatorRange},
                                {"checkSquareRange", squareRange},          {"checkExpRange", expRange},
                                {"checkSmallArgument", smallArgument},      {"checkOverflowSafeNorm", overflowSafeNorm},
                                {"checkSmallActivations", smallActivations}};

} // namespace

absl::Span<const RuleEntry> rangeRules() { return kRules; }

} // namespace ane::rt::lint
