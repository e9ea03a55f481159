//===- rules_program.cpp - What a function contains and returns -----------===//

#include "runtime/device/emulator/lint/rules.h"

#include <algorithm>
#include <set>

namespace ane::rt::lint {
namespace {

void deadNames(RuleContext &context) {
  const mil::Function &function = context.view.function();
  std::set<std::string_view> seen;
  for (size_t i = 0; i < function.outputs.size(); ++i) {
    mil::Location loc = i < function.outputLocs.size() ? function.outputLocs[i]
                                                       : function.loc;
    std::string subject = absl::StrCat("output '", function.outputs[i], "'");
    if (!context.view.outputs()[i])
      context.reportAt(loc, subject, "the name is not defined");
    else if (!seen.insert(function.outputs[i]).second)
      context.reportAt(loc, subject, "the value is returned twice");
  }
  std::set<const mil::Statement *> live;
  for (const Definition &definition : context.view.definitions())
    if (definition.returned || !definition.users.empty())
      live.insert(definition.statement);
  for (const mil::Statement &statement : function.statements) {
    // States are written for their effect.
    if (live.count(&statement) || statement.results.empty() ||
        statement.op == "write_state" || statement.op == "coreml_update_state")
      continue;
    Diagnostic &diagnostic = context.reportAt(
        statement.loc,
        absl::StrCat("'", statement.results[0].name, "' of op '", statement.op,
                     "'"),
        "its value is not used");
    // The engine's compiler drops constants without harm.
    diagnostic.warning |= isWeightExpression(context.view, statement);
  }
}

void identityOutput(RuleContext &context) {
  std::vector<PortView> outputs = context.ports(false);
  if (outputs.size() != 1)
    return;
  const mil::Statement *statement = outputs[0].definition->statement;
  if (statement && statement->op == "identity")
    context.reportPort(outputs[0], outputs[0].subject(),
                       "an identity, and the only output");
}

void passThrough(RuleContext &context) {
  for (const PortView &output : context.ports(false)) {
    if (!output.definition->statement)
      context.reportPort(output, output.subject(),
                         "an input, not computed here");
    else if (output.definition->constant)
      context.reportPort(output, output.subject(), "a constant");
  }
}

void returnedAndUsed(RuleContext &context) {
  for (const PortView &output : context.ports(false))
    if (!output.definition->users.empty() && output.definition->statement)
      context.reportPort(
          output, output.subject(),
          absl::StrCat("also read by '", output.definition->users[0]->op,
                       "'"));
}

/// Programs of a process before this one count; the next one over the limit
/// does not compile.
void compileBudget(RuleContext &context) {
  int64_t limit = context.limit(Limit::LoadedPrograms);
  if (context.options.compiled >= limit)
    context.report("programs of this process",
                   std::to_string(context.options.compiled + 1),
                   std::to_string(limit));
}

void weightsUnchanged(RuleContext &context) {
  for (const std::string &file : context.options.changedFiles)
    context.report(absl::StrCat("weight file '", file, "'"),
                   "was changed after the program was loaded");
}

void milPath(RuleContext &context) {
  if (std::string chips = context.target.withoutMIL(); !chips.empty())
    context.report("", chips + " runs no MIL program");
}

constexpr RuleEntry kRules[] = {{"checkDeadNames", deadNames},
                                {"checkIdentityOutput", identityOutput},
                                {"checkPassThrough", passThrough},
                                {"checkReturnedAndUsed", returnedAndUsed},
                                {"checkMILPath", milPath},
                                {"compileBudget", compileBudget},
                                {"weightsUnchanged", weightsUnchanged}};

} // namespace

absl::Span<const RuleEntry> programRules() { return kRules; }

} // namespace ane::rt::lint
