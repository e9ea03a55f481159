//===- rules_attention.cpp - Products of computed values ------------------===//

#include "runtime/lint/rules.h"

#include "absl/strings/str_join.h"

#include <algorithm>
#include <set>

namespace ane::rt::lint {
namespace {

void matmulDepthRule(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  for (const char *name : {"x", "y"}) {
    const mil::Value *value = statement.operand(name);
    if (!value || context.view.isConstant(*value))
      return;
  }
  int64_t depth = matmulDepth(context.view, statement);
  int64_t unit = context.limit(Limit::ProductUnit);
  if (depth % unit != 0)
    context.report("axis that is summed", std::to_string(depth), absl::StrCat("a multiple of ", unit));
}

void rankFourConstant(RuleContext &context) {
  for (const Use &use : context.view.uses(*context.statement)) {
    std::optional<mil::Type> type = context.view.type(*use.value);
    if (!type || type->dims.size() < 4 || !context.view.isConstant(*use.value) || elementsOf(*type) == 1 ||
        elementsOf(*type) == type->dims[1])
      continue;
    context.reportAt(use.value->loc, operandSubject(use),
                     absl::StrCat("a constant [", absl::StrJoin(type->dims, ", "), "]"),
                     "of rank 3 or less, or [1, C, 1, 1]");
    return;
  }
}

bool isReadBy(RuleContext &context, const char *op) {
  const Definition *result = context.view.result(*context.statement);
  return result && std::any_of(result->users.begin(), result->users.end(),
                               [&](const mil::Statement *user) { return user->op == op; });
}

void directAttention(RuleContext &context) {
  std::optional<mil::Type> x = context.view.type(*context.statement, "x");
  if (!x || !softmaxOf(context.view, *context.statement) || !isReadBy(context, "matmul"))
    return;
  auto axis =
      context.statement->op == "softmax" ? axisOf(context.view, *context.statement, "axis", *x) : rankOf(*x) - 1;
  if (axis)
    context.atMost(x->dims[static_cast<size_t>(*axis)], Limit::AttentionKeys, "keys");
}

void attentionExtent(RuleContext &context) {
  auto rows = [&](const char *name) {
    std::optional<mil::Type> type = context.view.type(*context.statement, name);
    return type ? axisFromRight(*type, 1) : 0;
  };
  context.atMost(rows("key"), Limit::NetlistAttention, "keys");
  context.atMost(std::min(rows("query"), rows("key")), Limit::NetlistAttentionSquare, "queries and keys");
}

void ropeConcat(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  if (statement.results.empty())
    return;
  const mil::Type &type = statement.results[0].type;
  auto axis = axisOf(context.view, statement, "axis", type);
  if (!axis || *axis != rankOf(type) - 1)
    return;
  std::set<const Definition *> sources;
  for (const Use &use : context.view.uses(statement)) {
    const mil::Statement *from = use.definition ? use.definition->statement : nullptr;
    // A half may be negated: a product with -1.
    if (from && from->op == "mul") {
      const Definition *x = context.view.definition(from->operand("x"));
      const Definition *y = context.view.definition(from->operand("y"));
      const Definition *factor = !y || y->constant ? x : y;
      from = factor ? factor->statement : nullptr;
    }
    if (!from || !isIn(OpGroup::Slices, from->op))
      continue;
    const Definition *source = context.view.definition(from->operand("x"));
    if (source && !sources.insert(source).second)
      return void(context.report("", "two slices of one value are joined along the last axis"));
  }
}

void smallProbabilities(RuleContext &context) {
  const Definition *x = context.view.definition(context.statement->operand("x"));
  if (x && x->statement && x->statement->op == "softmax")
    context.atMost(matmulDepth(context.view, *context.statement), Limit::SmallProbabilityKeys, "probabilities summed");
}

constexpr RuleEntry kRules[] = {
    {"checkMatmulDepth", matmulDepthRule},     {"checkRankFourConstant", rankFourConstant},
    {"checkDirectAttention", directAttention}, {"checkAttentionExtent", attentionExtent},
    {"checkRopeConcat", ropeConcat},           {"checkSmallProbabilities", smallProbabilities}};

} // namespace

absl::Span<const RuleEntry> attentionRules() { return kRules; }

} // namespace ane::rt::lint
