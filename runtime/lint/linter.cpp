//===- linter.cpp - Documented misuse of the engine, found in programs ----===//

#include "runtime/lint/linter.h"

#include "absl/strings/match.h"
#include "runtime/format/mil/parser.h"
#include "runtime/lint/rules.h"

#include <algorithm>
#include <tuple>

namespace ane::rt::lint {
namespace {

/// Records in force with their rules, once for a target.
struct Active {
  const Record *record;
  const RuleCall *call;
  RuleFunction function;
};

std::vector<Active> activeRules(const Target &target, const LintOptions &options) {
  std::vector<Active> result;
  for (const Record &record : allRecords()) {
    if (options.measuredOnly && !record.isHarmful())
      continue;
    const RuleCall *call = options.measuredOnly ? target.measuredRuleOf(record) : target.ruleOf(record);
    if (!call)
      continue;
    if (RuleFunction function = findRule(call->name))
      result.push_back({&record, call, function});
  }
  return result;
}

bool isAbout(const Record &record, const FunctionView &view, const mil::Statement &statement) {
  bool named = std::find(record.ops.begin(), record.ops.end(), statement.op) != record.ops.end();
  // Weights are computed before the program runs; of those only the constexpr
  // ops are the engine's business.
  if (isWeightExpression(view, statement))
    return named && absl::StartsWith(statement.op, "constexpr_");
  return named || record.anyOp;
}

void lintFunction(const mil::Program &program, const mil::Function &function, const ProcedureDesc *procedure,
                  bool isFirst, const Target &target, const LintOptions &options, const std::vector<Active> &rules,
                  std::vector<Diagnostic> &out) {
  FunctionView view(function);
  RuleContext context(view, target, options, out);
  context.program = &program;
  context.procedure = procedure;
  context.isFirst = isFirst;
  auto run = [&](const Active &rule, const mil::Statement *statement) {
    context.record = rule.record;
    context.arguments = &rule.call->arguments;
    context.statement = statement;
    rule.function(context);
  };
  for (const Active &rule : rules) {
    if (!rule.record->perOp) {
      run(rule, nullptr);
      continue;
    }
    for (const mil::Statement &statement : function.statements)
      if (isAbout(*rule.record, view, statement))
        run(rule, &statement);
  }
}

} // namespace

std::vector<Diagnostic> lint(const mil::Program &program, const Target &target, const LintOptions &options) {
  std::vector<Diagnostic> result;
  std::vector<Active> rules = activeRules(target, options);
  bool isFirst = true;
  for (const mil::Function &function : program.functions) {
    const ProcedureDesc *procedure = nullptr;
    for (const ProcedureDesc &each : options.procedures)
      if (each.function == function.name)
        procedure = &each;
    if (!procedure && !options.procedures.empty())
      continue;
    lintFunction(program, function, procedure, isFirst, target, options, rules, result);
    isFirst = false;
  }
  auto key = [](const Diagnostic &d) { return std::tuple(d.loc.line, d.loc.column, d.code(), d.subject, d.actual); };
  std::sort(result.begin(), result.end(), [&](const Diagnostic &a, const Diagnostic &b) { return key(a) < key(b); });
  return result;
}

absl::StatusOr<LintReport> lintSource(const std::string &source, const std::string &fileName,
                                      const std::string &modelDir, const TargetSpelling &spelling, bool json) {
  absl::StatusOr<Target> target = Target::parse(spelling);
  if (!target.ok())
    return target.status();
  mil::ParseOptions parse;
  parse.fileName = fileName;
  absl::StatusOr<mil::Program> program = mil::parse(source, parse);
  if (!program.ok())
    return program.status();
  LintOptions options;
  absl::StatusOr<Folder> folder = Folder::open(modelDir);
  options.folder = folder.ok() ? &*folder : nullptr;
  options.source = source;
  std::vector<Diagnostic> found = lint(*program, *target, options);
  return LintReport{json ? printJson(found, *target, fileName) : printText(found, *target, fileName, source),
                    hasErrors(found)};
}

absl::Status lintStatus(absl::Span<const Diagnostic> diagnostics, const Target &target, std::string_view fileName,
                        std::string_view source) {
  constexpr size_t shown = 10;
  std::vector<Diagnostic> errors;
  for (const Diagnostic &diagnostic : diagnostics)
    if (!diagnostic.warning)
      errors.push_back(diagnostic);
  if (errors.empty())
    return absl::OkStatus();
  std::string rest;
  if (errors.size() > shown)
    rest = absl::StrCat("and ", errors.size() - shown, " more\n");
  errors.resize(std::min(errors.size(), shown));
  return absl::InvalidArgumentError(absl::StrCat("the program breaks rules of ", target.str(),
                                                 " (--emulator-mode=plain runs it all the same):\n",
                                                 printText(errors, target, fileName, source), rest));
}

} // namespace ane::rt::lint
