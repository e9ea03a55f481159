//===- registry.cpp - All rules, and what they see ------------------------===//

#include "runtime/lint/rules.h"

#include <map>

namespace ane::rt::lint {

RuleFunction findRule(std::string_view name) {
  static const auto *table = [] {
    auto *joined = new std::map<std::string_view, RuleFunction>;
    for (auto rules : {declarativeRules(), surfaceRules(), programRules(), blobRules(), typeRules(), spellingRules(),
                       windowRules(), rangeRules(), sliceRules(), attentionRules(), neighbourRules(), extentRules(),
                       speedRules(), compressionRules(), legalityRules()})
      for (const RuleEntry &rule : rules)
        joined->emplace(rule.name, rule.function);
    return joined;
  }();
  auto found = table->find(name);
  return found == table->end() ? nullptr : found->second;
}

std::string PortView::subject() const { return absl::StrCat(isInput ? "input '" : "output '", name, "'"); }

int64_t PortView::bytes() const {
  if (surface)
    return surface->bytes;
  const mil::Type &t = type();
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < t.dims.size(); ++i)
    if (t.dims[i] < 0 || __builtin_mul_overflow(rows, t.dims[i], &rows) || rows > int64_t(1) << 40)
      return 0;
  int64_t bytes;
  int64_t row = (rowBytes(t) + 63) / 64 * 64;
  return __builtin_mul_overflow(rows, row, &bytes) ? 0 : bytes;
}

std::vector<PortView> RuleContext::ports(bool inputs) const {
  const mil::Function &function = view.function();
  std::map<std::string_view, const SurfaceDesc *> byName;
  if (procedure)
    for (const SurfaceDesc &surface : inputs ? procedure->inputs : procedure->outputs)
      byName[surface.name] = &surface;
  std::vector<PortView> result;
  auto add = [&](const std::string &name, const Definition *definition, mil::Location loc) {
    if (!definition)
      return;
    auto surface = byName.find(name);
    result.push_back({inputs, name, definition, loc, surface == byName.end() ? nullptr : surface->second});
  };
  if (inputs)
    for (const Definition *parameter : view.parameters())
      add(parameter->name(), parameter, parameter->variable->loc);
  else
    for (size_t i = 0; i < function.outputs.size(); ++i)
      add(function.outputs[i], view.outputs()[i],
          i < function.outputLocs.size() ? function.outputLocs[i] : function.loc);
  return result;
}

std::vector<PortView> RuleContext::ports() const {
  std::vector<PortView> result = ports(true), outputs = ports(false);
  result.insert(result.end(), outputs.begin(), outputs.end());
  return result;
}

Diagnostic &RuleContext::reportAt(mil::Location loc, std::string subject, std::string actual, std::string limit) {
  Diagnostic diagnostic;
  diagnostic.record = record;
  diagnostic.warning = !record->isHarmful() || record->symptom == Symptom::Slow;
  diagnostic.loc = loc;
  diagnostic.function = view.function().name;
  diagnostic.isOneOfSeveral = program && program->functions.size() > 1;
  if (statement) {
    diagnostic.op = statement->op;
    for (const mil::Variable &result : statement->results)
      diagnostic.results.push_back(result.name);
  }
  diagnostic.subject = std::move(subject);
  diagnostic.actual = std::move(actual);
  diagnostic.limit = std::move(limit);
  diagnostic.remedy = record->remedy;
  // Nobody reads more, and a hostile text may break every record in every statement.
  constexpr size_t kMost = 10000;
  if (out.size() >= kMost)
    return surplus = std::move(diagnostic);
  out.push_back(std::move(diagnostic));
  return out.back();
}

Diagnostic &RuleContext::report(std::string subject, std::string actual, std::string limit) {
  return reportAt(statement ? statement->opLoc : view.function().loc, std::move(subject), std::move(actual),
                  std::move(limit));
}

Diagnostic &RuleContext::reportPort(const PortView &port, std::string subject, std::string actual, std::string limit) {
  Diagnostic &diagnostic = reportAt(port.loc, std::move(subject), std::move(actual), std::move(limit));
  diagnostic.ports = {port.name};
  diagnostic.isInput = port.isInput;
  return diagnostic;
}

void RuleContext::atMost(int64_t actual, int64_t limit, std::string_view subject) {
  if (actual > limit)
    report(std::string(subject), std::to_string(actual), std::to_string(limit));
}

std::string operandSubject(const Use &use) { return absl::StrCat("operand '", use.argument, "'"); }

} // namespace ane::rt::lint
