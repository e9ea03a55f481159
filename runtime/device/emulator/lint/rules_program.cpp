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
    mil::Location loc = i < function.outputLocs.size() ? function.outputLocs[i] : function.loc;
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
    if (live.count(&statement) || statement.results.empty() || statement.op == "write_state" ||
        statement.op == "coreml_update_state")
      continue;
    Diagnostic &diagnostic =
        context.reportAt(statement.loc, absl::StrCat("'", statement.results[0].name, "' of op '", statement.op, "'"),
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
    context.reportPort(outputs[0], outputs[0].subject(), "an identity, and the only output");
}

void passThrough(RuleContext &context) {
  for (const PortView &output : context.ports(false)) {
    if (!output.definition->statement)
      context.reportPort(output, output.subject(), "an input, not computed here");
    else if (output.definition->constant)
      context.reportPort(output, output.subject(), "a constant");
  }
}

void returnedAndUsed(RuleContext &context) {
  for (const PortView &output : context.ports(false))
    if (!output.definition->users.empty() && output.definition->statement)
      context.reportPort(output, output.subject(),
                         absl::StrCat("also read by '", output.definition->users[0]->op, "'"));
}

/// Programs of a process before this one count; the next one over the limit
/// does not compile.
void compileBudget(RuleContext &context) {
  context.atMost(context.options.compiled + 1, Limit::CompiledPrograms, "programs compiled by this process");
}

void weightsUnchanged(RuleContext &context) {
  for (const std::string &file : context.options.changedFiles)
    context.report(absl::StrCat("weight file '", file, "'"), "was changed after the program was loaded");
}

/// Programs and bytes that are loaded, with this one.
void loadedPrograms(RuleContext &context) {
  context.atMost(context.options.loadedPrograms + 1, Limit::LoadedPrograms, "loaded programs");
}

/// Bytes of all constants in files that the function names, each once.
int64_t weightBytes(const mil::Function &function) {
  std::set<std::pair<std::string_view, uint64_t>> seen;
  int64_t total = 0;
  for (const mil::Statement &statement : function.statements)
    for (const auto *list : {&statement.arguments, &statement.attributes})
      for (const mil::NamedValue &named : *list) {
        const mil::Value &value = named.value;
        if (value.kind != mil::Value::Kind::Blob || !seen.insert({value.path, value.offset}).second)
          continue;
        int64_t bits = 0;
        if (!__builtin_mul_overflow(elementsOf(value.type), bitWidth(value.type.dtype), &bits) &&
            __builtin_add_overflow(total, bits / 8 + (bits % 8 != 0), &total))
          return INT64_MAX;
      }
  return total;
}

void loadedBytes(RuleContext &context) {
  int64_t bytes = 0;
  if (__builtin_add_overflow(context.options.loadedBytes, weightBytes(context.view.function()), &bytes))
    bytes = INT64_MAX;
  context.atMost(bytes, Limit::LoadedBytes, "bytes of loaded programs");
}

void programWeights(RuleContext &context) {
  context.atMost(weightBytes(context.view.function()), Limit::ProgramWeightBytes, "bytes of weights");
}

void flightWeights(RuleContext &context) {
  context.atMost(weightBytes(context.view.function()), Limit::FlightWeightBytes, "bytes of weights");
}

void weightFileCount(RuleContext &context) {
  std::set<std::string_view> files;
  for (const mil::Statement &statement : context.view.function().statements)
    for (const auto *list : {&statement.arguments, &statement.attributes})
      for (const mil::NamedValue &named : *list)
        if (named.value.kind == mil::Value::Kind::Blob)
          files.insert(named.value.path);
  context.atMost(static_cast<int64_t>(files.size()), Limit::WeightFiles, "weight files");
}

void programLayers(RuleContext &context) {
  int64_t layers = 0;
  for (const mil::Statement &statement : context.view.function().statements)
    layers += statement.op == "softmax";
  context.atMost(layers, Limit::ProgramLayers, "softmaxes");
}

void milPath(RuleContext &context) {
  if (std::string chips = context.target.withoutMIL(); !chips.empty())
    context.report("", chips + " runs no MIL program");
}

/// Of any text in MIL.
void netlistText(RuleContext &context) { context.report("program", "MIL text", "a property list of units"); }

constexpr RuleEntry kRules[] = {{"netlistText", netlistText},
                                {"checkDeadNames", deadNames},
                                {"checkIdentityOutput", identityOutput},
                                {"checkPassThrough", passThrough},
                                {"checkReturnedAndUsed", returnedAndUsed},
                                {"checkMILPath", milPath},
                                {"checkProgramWeights", programWeights},
                                {"checkFlightWeights", flightWeights},
                                {"checkWeightFiles", weightFileCount},
                                {"checkProgramLayers", programLayers},
                                {"loadedPrograms", loadedPrograms},
                                {"loadedBytes", loadedBytes},
                                {"compileBudget", compileBudget},
                                {"weightsUnchanged", weightsUnchanged}};

} // namespace

absl::Span<const RuleEntry> programRules() { return kRules; }

} // namespace ane::rt::lint
