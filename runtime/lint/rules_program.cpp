//===- rules_program.cpp - What a function contains and returns -----------===//

#include "runtime/lint/rules.h"

#include <map>
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
  if (context.isFirst)
    context.atMost(context.options.compiled + 1, Limit::CompiledPrograms, "programs compiled by this process");
}

void weightsUnchanged(RuleContext &context) {
  for (const std::string &file : context.options.changedFiles)
    context.report(absl::StrCat("weight file '", file, "'"), "was changed after the program was loaded");
}

/// Programs and bytes that are loaded, with this one.
void loadedPrograms(RuleContext &context) {
  if (context.isFirst)
    context.atMost(context.options.loadedPrograms + 1, Limit::LoadedPrograms, "loaded programs");
}

template <typename Fn>
void forEachBlob(const mil::Function &function, Fn &&visit) {
  for (const mil::Statement &statement : function.statements)
    for (const auto *list : {&statement.arguments, &statement.attributes})
      for (const mil::NamedValue &named : *list)
        if (named.value.kind == mil::Value::Kind::Blob)
          visit(named.value);
}

/// Bytes of constants in files, each once.
class WeightBytes {
public:
  void add(const mil::Function &function) {
    forEachBlob(function, [&](const mil::Value &value) {
      if (!seen.insert({value.path, value.offset}).second)
        return;
      int64_t bits = 0;
      if (!__builtin_mul_overflow(elementsOf(value.type), bitWidth(value.type.dtype), &bits) &&
          __builtin_add_overflow(total, bits / 8 + (bits % 8 != 0), &total))
        total = INT64_MAX;
    });
  }
  int64_t total = 0;

private:
  std::set<std::pair<std::string_view, uint64_t>> seen;
};

/// Of all functions: the program is loaded as a whole.
int64_t programBytes(const RuleContext &context) {
  WeightBytes bytes;
  for (const mil::Function &function : context.program->functions)
    bytes.add(function);
  return bytes.total;
}

void loadedBytes(RuleContext &context) {
  if (!context.isFirst)
    return;
  int64_t bytes = 0;
  if (__builtin_add_overflow(context.options.loadedBytes, programBytes(context), &bytes))
    bytes = INT64_MAX;
  context.atMost(bytes, Limit::LoadedBytes, "bytes of loaded programs");
}

void programWeights(RuleContext &context) {
  if (context.isFirst)
    context.atMost(programBytes(context), Limit::ProgramWeightBytes, "bytes of weights");
}

/// Of what runs: one function.
void flightWeights(RuleContext &context) {
  WeightBytes bytes;
  bytes.add(context.view.function());
  context.atMost(bytes.total, Limit::FlightWeightBytes, "bytes of weights");
}

void weightFileCount(RuleContext &context) {
  if (!context.isFirst)
    return;
  std::set<std::string_view> files;
  for (const mil::Function &function : context.program->functions)
    forEachBlob(function, [&](const mil::Value &value) { files.insert(value.path); });
  context.atMost(static_cast<int64_t>(files.size()), Limit::WeightFiles, "weight files");
}

void programLayers(RuleContext &context) {
  std::set<const Definition *> found;
  for (const mil::Statement &statement : context.view.function().statements)
    if (const Definition *softmax = softmaxOf(context.view, statement))
      found.insert(softmax);
  context.atMost(static_cast<int64_t>(found.size()), Limit::ProgramLayers, "softmaxes");
}

void procedureCount(RuleContext &context) {
  if (context.isFirst)
    context.atMost(static_cast<int64_t>(context.program->functions.size()), Limit::Procedures, "procedures");
}

/// Names of inputs and outputs are symbols of the program.
void procedureSymbols(RuleContext &context) {
  std::map<std::string_view, std::string_view> taken; // by functions before this one
  for (const mil::Function &function : context.program->functions) {
    if (&function == &context.view.function())
      break;
    for (const mil::Variable &parameter : function.params)
      taken.emplace(parameter.name, function.name);
    for (const std::string &output : function.outputs)
      taken.emplace(output, function.name);
  }
  for (const PortView &port : context.ports())
    if (auto found = taken.find(port.name); found != taken.end())
      context.reportPort(port, port.subject(),
                         absl::StrCat("a name of procedure '", std::string(found->second), "', too"));
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
                                {"checkProcedures", procedureCount},
                                {"checkProcedureSymbols", procedureSymbols},
                                {"checkWeightFiles", weightFileCount},
                                {"checkProgramLayers", programLayers},
                                {"loadedPrograms", loadedPrograms},
                                {"loadedBytes", loadedBytes},
                                {"compileBudget", compileBudget},
                                {"weightsUnchanged", weightsUnchanged}};

} // namespace

absl::Span<const RuleEntry> programRules() { return kRules; }

} // namespace ane::rt::lint
