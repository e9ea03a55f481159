//===- rules_spelling.cpp - Forms of operations that fail or are slow -----===//

#include "runtime/device/emulator/lint/rules.h"

namespace ane::rt::lint {
namespace {

/// Only the last two axes are padded, with a constant. `pad` holds pairs of the
/// last axes.
void padForm(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  std::string mode = context.view.string(statement, "mode");
  if (!mode.empty() && mode != "constant")
    context.report("mode", mode, "constant");
  std::vector<int64_t> amounts = context.view.integers(statement, "pad");
  std::optional<mil::Type> x = context.view.type(statement, "x");
  for (size_t i = 0; i + 4 < amounts.size(); ++i)
    if (amounts[i]) {
      int64_t axis = (x ? rankOf(*x) : 0) - static_cast<int64_t>(amounts.size() - i + 1) / 2;
      context.report("padded axis", std::to_string(axis), "the last two");
      return;
    }
}

void powExponent(RuleContext &context) {
  const mil::Value *exponent = context.statement->operand("y");
  if (exponent && context.view.isConstant(*exponent))
    context.reportAt(exponent->loc, "argument 'y'", "a constant", "a runtime value");
}

void linearAsConv(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  if (statement.op == "linear") {
    context.report("", "a linear, not a 1x1 convolution");
    return;
  }
  const mil::Value *y = statement.operand("y");
  std::optional<mil::Type> type = context.view.type(statement, "y");
  // A constant for each batch has no convolution of its own.
  if (y && context.view.isConstant(*y) && type && type->dims.size() == 2)
    context.report("", "a matmul with a constant matrix, not a 1x1 convolution");
}

constexpr RuleEntry kRules[] = {
    {"checkPadForm", padForm}, {"checkPowExponent", powExponent}, {"checkLinearAsConv", linearAsConv}};

} // namespace

absl::Span<const RuleEntry> spellingRules() { return kRules; }

} // namespace ane::rt::lint
