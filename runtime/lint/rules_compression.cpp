//===- rules_compression.cpp - Weights in fewer bits ----------------------===//

#include "runtime/lint/ranges.h"
#include "runtime/lint/rules.h"

#include "absl/strings/match.h"

namespace ane::rt::lint {
namespace {

/// Calls `visit` on each statement of a constexpr op whose name begins so.
template <typename F>
void forEachConstexpr(RuleContext &context, const char *prefix, F visit) {
  for (const mil::Statement &statement : context.view.function().statements)
    if (absl::StartsWith(statement.op, prefix))
      visit(statement);
}

void reportAtStatement(RuleContext &context, const mil::Statement &statement, std::string subject, std::string actual,
                       std::string limit = "") {
  Diagnostic &diagnostic = context.reportAt(statement.opLoc, std::move(subject), std::move(actual), std::move(limit));
  diagnostic.op = statement.op;
  for (const mil::Variable &result : statement.results)
    diagnostic.results.push_back(result.name);
}

/// Four bits are an index or a block of a constant.
void int4Compute(RuleContext &context) {
  for (const mil::Statement &statement : context.view.function().statements) {
    if (isWeightExpression(context.view, statement))
      continue;
    for (const Use &use : context.view.uses(statement)) {
      std::optional<mil::Type> type = context.view.type(*use.value);
      if (type && bitWidth(type->dtype) == 4)
        reportAtStatement(context, statement, operandSubject(use),
                          absl::StrCat("element type ", std::string(milName(type->dtype))));
    }
  }
}

/// An expanded constant is used as it is; blocks feed no convolution.
void constexprResults(RuleContext &context) {
  for (const mil::Statement &statement : context.view.function().statements)
    for (const Use &use : context.view.uses(statement)) {
      const mil::Statement *from = use.definition ? use.definition->statement : nullptr;
      if (!from || !absl::StartsWith(from->op, "constexpr_"))
        continue;
      bool moved = statement.op == "reshape" || statement.op == "transpose";
      bool blocks = from->op == "constexpr_blockwise_shift_scale" && absl::StartsWith(statement.op, "conv");
      if (moved || blocks)
        reportAtStatement(context, statement, operandSubject(use), absl::StrCat("a result of ", from->op));
    }
}

/// Number of scales of a statement; 0 when the text does not say.
int64_t scales(RuleContext &context, const mil::Statement &statement) {
  std::optional<mil::Type> scale = context.view.type(statement, "scale");
  return scale ? elementsOf(*scale) : 0;
}

void affineScale(RuleContext &context) {
  forEachConstexpr(context, "constexpr_affine_dequantize", [&](const mil::Statement &statement) {
    if (int64_t count = scales(context, statement); count > 1)
      reportAtStatement(context, statement, "scales", std::to_string(count), "1");
  });
}

/// The scales of blocks are one for each output channel.
void groupedScale(RuleContext &context) {
  forEachConstexpr(context, "constexpr_blockwise_shift_scale", [&](const mil::Statement &statement) {
    std::optional<mil::Type> data = context.view.type(statement, "data");
    int64_t count = scales(context, statement);
    if (data && !data->dims.empty() && count > 1 && count != data->dims[0])
      reportAtStatement(context, statement, "scales", std::to_string(count), absl::StrCat(data->dims[0]));
  });
}

void unsignedWeights(RuleContext &context) {
  forEachConstexpr(context, "constexpr_", [&](const mil::Statement &statement) {
    for (const char *name : {"quantized_data", "data"}) {
      std::optional<mil::Type> type = context.view.type(statement, name);
      if (type && (type->dtype == ElementType::UInt8 || type->dtype == ElementType::UInt4))
        reportAtStatement(context, statement, absl::StrCat("argument '", name, "'"),
                          absl::StrCat("element type ", std::string(milName(type->dtype))), "signed");
    }
  });
}

/// A palette whose entries are scaled again.
void paletteScale(RuleContext &context) {
  for (const mil::Statement &statement : context.view.function().statements) {
    const Definition *data = context.view.definition(statement.operand("data"));
    if (statement.op == "constexpr_blockwise_shift_scale" && data && data->statement &&
        absl::StartsWith(data->statement->op, "constexpr_lut"))
      reportAtStatement(context, statement, "argument 'data'", "the entries of a palette");
  }
}

/// A palette whose entries are scaled in groups of inputs.
void tableGroups(RuleContext &context) {
  for (const mil::Statement &statement : context.view.function().statements) {
    const Definition *data = context.view.definition(statement.operand("data"));
    std::optional<mil::Type> scale = context.view.type(statement, "scale");
    if (statement.op == "constexpr_blockwise_shift_scale" && data && data->statement &&
        absl::StartsWith(data->statement->op, "constexpr_lut") && scale && scale->dims.size() > 1 && scale->dims[1] > 1)
      reportAtStatement(context, statement, "scales along the inputs", std::to_string(scale->dims[1]), "1");
  }
}

/// int4 in blocks of inputs.
void blockInt4(RuleContext &context) {
  forEachConstexpr(context, "constexpr_blockwise_shift_scale", [&](const mil::Statement &statement) {
    std::optional<mil::Type> data = context.view.type(statement, "data");
    if (data && bitWidth(data->dtype) == 4)
      reportAtStatement(context, statement, "argument 'data'", "element type of 4 bits");
  });
}

/// int8 with several scales along the inputs.
void blockScales(RuleContext &context) {
  forEachConstexpr(context, "constexpr_blockwise_shift_scale", [&](const mil::Statement &statement) {
    std::optional<mil::Type> data = context.view.type(statement, "data");
    std::optional<mil::Type> scale = context.view.type(statement, "scale");
    if (data && bitWidth(data->dtype) == 8 && scale && scale->dims.size() > 1 && scale->dims[1] > 1)
      reportAtStatement(context, statement, "scales along the inputs", std::to_string(scale->dims[1]), "1");
  });
}

/// Activations beside weights of eight bits go through the fixed-point format of
/// width slices.
void quantisedRange(RuleContext &context) {
  double bound = numericOf(Numeric::SliceMax);
  for (const mil::Statement &statement : context.view.function().statements) {
    const mil::Value *x = statement.operand("x");
    if (!x || (statement.op != "matmul" && statement.op != "linear" && statement.op != "conv"))
      continue;
    for (const char *name : {"y", "weight"}) {
      const Definition *weight = context.view.definition(statement.operand(name));
      if (weight && weight->statement && absl::StartsWith(weight->statement->op, "constexpr_") &&
          !rangeOf(context.view, *x).isWithin(bound))
        reportAtStatement(context, statement, "operand 'x'", absl::StrCat("values may exceed ", bound));
    }
  }
}

constexpr RuleEntry kRules[] = {
    {"int4Compute", int4Compute},   {"constexprResults", constexprResults}, {"affineScale", affineScale},
    {"groupedScale", groupedScale}, {"unsignedWeights", unsignedWeights},   {"paletteScale", paletteScale},
    {"blockInt4", blockInt4},       {"tableGroups", tableGroups},           {"quantisedRange", quantisedRange},
    {"blockScales", blockScales}};

} // namespace

absl::Span<const RuleEntry> compressionRules() { return kRules; }

} // namespace ane::rt::lint
