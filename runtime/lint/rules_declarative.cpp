//===- rules_declarative.cpp - Rules that records spell out ---------------===//

#include "runtime/lint/rules.h"

#include "absl/strings/str_join.h"

#include <algorithm>

namespace ane::rt::lint {
namespace {

using Measure = int64_t (*)(const mil::Type &);

int64_t widthOf(const mil::Type &type) { return axisFromRight(type, 0); }
int64_t heightOf(const mil::Type &type) { return axisFromRight(type, 1); }
int64_t channelsOf(const mil::Type &type) { return axisFromRight(type, 2); }
int64_t batchOf(const mil::Type &type) { return axisFromRight(type, 3); }
int64_t spatialOf(const mil::Type &type) { return std::max(widthOf(type), heightOf(type)); }

int64_t longestOf(const mil::Type &type) {
  return type.dims.empty() ? 1 : *std::max_element(type.dims.begin(), type.dims.end());
}

Measure findMeasure(std::string_view name) {
  static constexpr std::pair<std::string_view, Measure> measures[] = {
      {"rankOf", rankOf},         {"widthOf", widthOf}, {"heightOf", heightOf},  {"spatialOf", spatialOf},
      {"channelsOf", channelsOf}, {"batchOf", batchOf}, {"longestOf", longestOf}};
  for (const auto &[known, measure] : measures)
    if (known == name)
      return measure;
  return nullptr;
}

/// Calls `visit(subject, loc, type)` on each runtime operand and each result
/// until it returns false.
template <typename F>
void forEachType(RuleContext &context, F visit) {
  for (const Use &use : context.view.uses(*context.statement))
    if (use.definition && !use.definition->constant &&
        !visit(operandSubject(use), use.value->loc, use.definition->type()))
      return;
  for (const mil::Variable &result : context.statement->results)
    if (!visit(absl::StrCat("result '", result.name, "'"), result.loc, result.type))
      return;
}

void unsupported(RuleContext &context) {
  context.report("", absl::StrCat(context.statement->op, " has no form on the engine"));
}

/// Arguments: measure, what it is called, limit.
void typesAtMost(RuleContext &context) {
  Measure measure = findMeasure((*context.arguments)[0]);
  std::optional<Limit> which = findLimit((*context.arguments)[2]);
  if (!measure || !which)
    return;
  int64_t limit = context.limit(*which);
  forEachType(context, [&](const std::string &subject, mil::Location loc, const mil::Type &type) {
    int64_t actual = measure(type);
    if (actual <= limit)
      return true;
    context.reportAt(loc, absl::StrCat((*context.arguments)[1], " of ", subject), std::to_string(actual),
                     std::to_string(limit));
    return false;
  });
}

/// MIL's name of a type that a record names as MLIR does.
std::string milTypeName(const std::string &name) {
  if (name == "i1")
    return "bool";
  if (name.rfind("f", 0) == 0)
    return absl::StrCat("fp", name.substr(1));
  if (name.rfind("ui", 0) == 0)
    return absl::StrCat("uint", name.substr(2));
  return name.rfind("i", 0) == 0 ? absl::StrCat("int", name.substr(1)) : name;
}

/// Arguments: the types.
void elementTypeIn(RuleContext &context) {
  std::vector<std::string> allowed;
  for (const std::string &type : *context.arguments)
    allowed.push_back(milTypeName(type));
  forEachType(context, [&](const std::string &subject, mil::Location loc, const mil::Type &type) {
    std::string name(milName(type.dtype));
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end())
      return true;
    context.reportAt(loc, subject, absl::StrCat("element type ", name), absl::StrJoin(allowed, " or "));
    return false;
  });
}

void operandIsConstant(RuleContext &context) {
  const std::string &name = context.arguments->front();
  const mil::Value *value = context.statement->operand(name);
  if (value && !context.view.isConstant(*value))
    context.reportAt(value->loc, absl::StrCat("argument '", name, "'"), "a runtime value", "a constant");
}

void operandIsAbsent(RuleContext &context) {
  const std::string &name = context.arguments->front();
  if (const mil::Value *value = context.statement->operand(name))
    context.reportAt(value->loc, absl::StrCat("argument '", name, "'"), "is given");
}

constexpr RuleEntry kRules[] = {{"unsupported", unsupported},
                                {"typesAtMost", typesAtMost},
                                {"elementTypeIn", elementTypeIn},
                                {"operandIsConstant", operandIsConstant},
                                {"operandIsAbsent", operandIsAbsent}};

} // namespace

absl::Span<const RuleEntry> declarativeRules() { return kRules; }

} // namespace ane::rt::lint
