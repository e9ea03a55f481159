//===- rules_spelling.cpp - Forms of operations that fail or are slow -----===//

#include "runtime/lint/rules.h"

namespace ane::rt::lint {
namespace {

/// The first axis before the last `free` that is padded. `pad` holds pairs of
/// the last axes.
void reportPaddedAxis(RuleContext &context, const std::string &subject, size_t free, const char *wanted) {
  const mil::Statement &statement = *context.statement;
  std::vector<int64_t> amounts = context.view.integers(statement, "pad");
  std::optional<mil::Type> x = context.view.type(statement, "x");
  for (size_t i = 0; i + 2 * free < amounts.size(); ++i)
    if (amounts[i]) {
      int64_t axis = (x ? rankOf(*x) : 0) - static_cast<int64_t>(amounts.size() - i + 1) / 2;
      context.report(subject, std::to_string(axis), wanted);
      return;
    }
}

/// Only the last two axes are padded, with a constant.
void padForm(RuleContext &context) {
  const mil::Statement &statement = *context.statement;
  std::string mode = context.view.string(statement, "mode");
  if (!mode.empty() && mode != "constant")
    context.report("mode", mode, "constant");
  reportPaddedAxis(context, "padded axis", 2, "the last two");
}

/// The last three axes are padded with a constant, or the last two by
/// reflection or replication.
void coreMLPad(RuleContext &context) {
  std::string mode = context.view.string(*context.statement, "mode");
  bool isConstant = mode.empty() || mode == "constant";
  if (!isConstant && mode != "reflect" && mode != "replicate")
    context.report("mode", mode, "constant, reflect or replicate");
  reportPaddedAxis(context, "padded axis of " + (isConstant ? "constant" : mode), isConstant ? 3 : 2,
                   isConstant ? "the last three" : "the last two");
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

constexpr RuleEntry kRules[] = {{"checkPadForm", padForm},
                                {"checkCoreMLPad", coreMLPad},
                                {"checkPowExponent", powExponent},
                                {"checkLinearAsConv", linearAsConv}};

} // namespace

absl::Span<const RuleEntry> spellingRules() { return kRules; }

} // namespace ane::rt::lint
