//===- ReportPrinting.cpp - reports as text and as JSON -------------------===//

#include "Legality.h"
#include "ane/Report/Report.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ane;

/// "69.3 MB", "384 KB", "64 B".
static std::string size(int64_t bytes) {
  if (bytes < 0)
    return "-" + size(-bytes);
  if (bytes >= 10'000'000)
    return llvm::formatv("{0:F1} MB", bytes / 1e6);
  if (bytes >= 10'000)
    return llvm::formatv("{0:F1} KB", bytes / 1e3);
  return llvm::formatv("{0} B", bytes);
}

std::string mlir::ane::percentText(int64_t part, int64_t whole) {
  if (!whole)
    return "-";
  auto hundredths = static_cast<int64_t>(1e4 * static_cast<double>(part) / static_cast<double>(whole));
  if (part < whole) // doubles round, too
    hundredths = std::min<int64_t>(hundredths, 9999);
  return llvm::formatv("{0}.{1}{2} %", hundredths / 100, hundredths / 10 % 10, hundredths % 10);
}

/// The rules that were lifted: what each saved, and who measured that it is false.
static void printLifts(const Report &report, llvm::raw_ostream &os) {
  if (report.strictness != stringifyStrictness(Strictness::Evidence))
    return;
  if (report.lifts.empty()) {
    os << "\nno rule is lifted: none was measured to be false on all of " << report.target << "\n";
    return;
  }
  constexpr const char *row = "{0,-24} {1,10} {2,12} {3,12} {4,9} {5,8}\n";
  auto print = [&](StringRef name, const ReportTotals &saved) {
    os << llvm::formatv(row, name, saved.operations, size(saved.weightBytes), size(saved.surfaceBytes), saved.programs,
                        saved.hostOps);
  };
  os << "\n" << llvm::formatv(row, "lifted, and so saved:", "operations", "weights", "surfaces", "programs", "CPU ops");
  for (const ReportedLift &lift : report.lifts) {
    const ConstraintInfo &record = info(lift.id);
    print((record.code + " " + record.slug).str(), lift.saved);
    for (const std::string &reason : lift.reasons)
      os << "  " << reason << "\n";
    for (const EvidenceInfo &evidence : lift.evidence)
      os << "  " << evidenceText(evidence) << "\n";
  }
  if (report.lifts.size() > 1)
    print("all of them", report.saved);
}

/// The end of a long name of a node, from the start of a scope: ".../attention/self/MatMul". JSON has the whole name.
static std::string shortened(StringRef name) {
  constexpr size_t most = 40;
  if (name.size() <= most)
    return name.str();
  size_t cut = name.find('/', name.size() - most);
  return ("..." + name.substr(cut == StringRef::npos ? name.size() - most : cut)).str();
}

/// Nodes that became one op, their common scope once: ".../attention/self/ MatMul, Softmax, MatMul_1".
static std::string nodesText(ArrayRef<std::string> nodes) {
  StringRef scope = StringRef(nodes.front()).take_front(StringRef(nodes.front()).rfind('/') + 1);
  while (!llvm::all_of(nodes, [&](StringRef node) { return node.starts_with(scope); }))
    scope = scope.drop_back().take_front(scope.drop_back().rfind('/') + 1);
  SmallVector<StringRef> leaves;
  for (StringRef node : nodes)
    leaves.push_back(node.drop_front(scope.size()));
  return (scope.empty() ? "" : shortened(scope) + " ") + llvm::join(leaves, ", ");
}

/// One line for each record, with the first thing that it found.
static void printAdvice(StringRef title, ArrayRef<ReportedAdvice> advice, raw_ostream &os) {
  llvm::MapVector<StringRef, SmallVector<const ReportedAdvice *>> byRecord;
  for (const ReportedAdvice &found : advice)
    byRecord[found.constraint].push_back(&found);
  if (!byRecord.empty())
    os << "\n" << llvm::formatv("{0,-34} {1,6}  {2}\n", title, "count", "for instance");
  for (auto &[record, found] : byRecord)
    os << llvm::formatv("{0,-34} {1,6}  {2}: {3}\n", record, found.size(), shortened(found[0]->node), found[0]->text);
}

/// Recognised composites by kind, in the order of the model.
static llvm::MapVector<StringRef, std::vector<const ReportedOp *>> recognised(const Report &report) {
  llvm::MapVector<StringRef, std::vector<const ReportedOp *>> kinds;
  for (const ReportedOp &op : report.ops)
    if (!op.origins.empty())
      kinds[op.op].push_back(&op);
  return kinds;
}

/// What a function does to states, if anything.
static std::string statesText(const ReportedFunction &function) {
  std::string text;
  for (auto [count, how] : {std::pair(function.statesUpdated, " updated in place"),
                            std::pair(function.statesWritten, " written as a whole")})
    if (count)
      text += ", " + std::to_string(count) + (count == 1 ? " state" : " states") + how;
  return text;
}

static std::string bytesText(const ReportedFunction &function) {
  if (function.evaluations == 0)
    return "";
  return "; " + size(function.weightBytes) + " of weights and " + size(function.surfaceBytes) + " of surfaces";
}

/// ", 75.5 MB kept for gradients and 1.234 GFLOP computed anew for them".
static std::string recomputeText(const ReportedFunction &function) {
  if (function.keptBytes == 0 && function.recomputedFlops == 0)
    return "";
  return llvm::formatv(", {0} kept for gradients and {1:F3} GFLOP computed anew for them", size(function.keptBytes),
                       function.recomputedFlops / 1e9);
}

/// ", by published speeds 3.69 ms on h16".
static std::string predictionText(const ReportedFunction &function) {
  std::string text;
  for (const Prediction &prediction : function.predicted)
    if (std::optional<double> time = prediction.total())
      text +=
          llvm::formatv("{0}{1:F2} ms on {2}", text.empty() ? ", by published speeds " : ", ", *time, prediction.chip);
  return text;
}

static llvm::json::Object predictionJSON(const ReportedFunction &function) {
  llvm::json::Object byChip;
  auto number = [](std::optional<double> time) { return time ? llvm::json::Value(*time) : llvm::json::Value(nullptr); };
  for (const Prediction &prediction : function.predicted)
    byChip[prediction.chip] = llvm::json::Object{{"dispatch", number(prediction.dispatch)},
                                                 {"weights", number(prediction.weights)},
                                                 {"arithmetic", number(prediction.arithmetic)},
                                                 {"total", number(prediction.total())}};
  return byChip;
}

std::string Report::text() const {
  std::string out;
  llvm::raw_string_ostream os(out);
  os << "target " << target << "\n";
  if (chips.size() > 1)
    os << "legal on " << llvm::join(chips, ", ") << "\n";
  if (activations != "exact")
    os << "CPU products with weights in blocks round their rows to " << activations << " (--activations)\n";
  os << "\n";
  // On the engine ops are counted by kind, on the CPU each is named with its reason.
  os << llvm::formatv("{0,-34} {1,-7} {2,6} {3,10}  {4}\n", "op", "device", "count", "FLOPs", "why");
  struct Row {
    int64_t count = 0, flops = 0;
  };
  std::vector<std::pair<std::string, Row>> rows; // in the order of the model
  for (const ReportedOp &op : ops) {
    std::string why = op.engine ? "program " + op.where : op.constraint + ": " + op.reason;
    std::string key = llvm::formatv("{0,-34} {1,-7}\t{2}", op.op, op.engine ? "engine" : "cpu", why);
    auto found = llvm::find_if(rows, [&](auto &row) { return row.first == key; });
    if (found == rows.end())
      found = rows.insert(rows.end(), {key, Row()});
    ++found->second.count;
    found->second.flops += op.flops;
  }
  for (auto &[key, row] : rows) {
    auto [label, why] = StringRef(key).split('\t');
    os << label << llvm::formatv(" {0,6} {1,10}  ", row.count, percentText(row.flops, flops)) << why << "\n";
  }
  auto composites = recognised(*this);
  if (!composites.empty())
    os << llvm::formatv("\n{0,-34} {1,14}  {2}\n", "recognised", "count", "nodes of the first");
  for (auto &[kind, found] : composites)
    os << llvm::formatv("{0,-34} {1,14}  {2}\n", kind, found.size(), nodesText(found.front()->origins));
  os << "\n"
     << llvm::formatv("{0,-20} {1,10} {2,12} {3,12} {4,12}\n", "program", "operations", "weights", "inputs", "outputs");
  for (const ReportedProgram &program : programs) {
    auto row = [&](const std::string &name, const ReportedProcedure &what, const std::string &weights) {
      os << llvm::formatv("{0,-20} {1,10} {2,12} {3,12} {4,12}\n", name, what.operations, weights,
                          size(what.inputBytes), size(what.outputBytes));
    };
    row(program.name, program, size(program.weightBytes));
    for (const ReportedProcedure &procedure : program.procedures)
      row("  ." + procedure.name, procedure, "");
  }
  printInheritedLegality(inherited, os);
  printAdvice(prefersSpeed ? "kept, as speed is preferred" : "speed and accuracy", advice, os);
  printAdvice("values", values, os);
  printAdvice("disputed, and taken to be false", doubts, os);
  os << "\n";
  for (const ReportedFunction &function : functions)
    os << (functions.size() > 1 ? "function " + function.name + ": " : "") << "engine share of FLOPs "
       << percentText(function.engineFlops, function.flops) << " of " << llvm::formatv("{0:F3}", function.flops / 1e9)
       << " GFLOP, " << function.evaluations << " evaluation" << (function.evaluations == 1 ? "" : "s")
       << " per inference" << statesText(function) << bytesText(function) << recomputeText(function)
       << predictionText(function) << "\n";
  printLifts(*this, os);
  return out;
}

std::string Report::culprits() const {
  SmallVector<const ReportedOp *> rows;
  for (const ReportedOp &op : ops)
    if (!op.engine && op.flops)
      rows.push_back(&op);
  llvm::stable_sort(rows, [](const ReportedOp *a, const ReportedOp *b) { return a->flops > b->flops; });
  constexpr size_t shown = 20;
  std::string out;
  llvm::raw_string_ostream os(out);
  for (const ReportedOp *op : ArrayRef(rows).take_front(shown))
    os << llvm::formatv("{0,9}  {1} '{2}': {3}: {4}\n", percentText(op->flops, flops), op->op, op->node, op->constraint,
                        op->reason);
  if (rows.size() > shown) {
    int64_t rest = 0;
    for (const ReportedOp *op : ArrayRef(rows).drop_front(shown))
      rest += op->flops;
    os << llvm::formatv("{0,9}  {1} more\n", percentText(rest, flops), rows.size() - shown);
  }
  return out;
}

static llvm::json::Object totalsJSON(const ReportTotals &totals) {
  return llvm::json::Object{{"operations", totals.operations},
                            {"weight_bytes", totals.weightBytes},
                            {"surface_bytes", totals.surfaceBytes},
                            {"programs", totals.programs},
                            {"cpu_ops", totals.hostOps}};
}

static llvm::json::Object liftJSON(const ReportedLift &lift) {
  const ConstraintInfo &record = info(lift.id);
  return llvm::json::Object{{"constraint", record.code},
                            {"name", record.slug},
                            {"summary", record.summary},
                            {"reasons", llvm::json::Array(lift.reasons)},
                            {"evidence", evidenceJSON(lift.evidence)},
                            {"saved", totalsJSON(lift.saved)}};
}

static llvm::json::Array adviceJSON(ArrayRef<ReportedAdvice> advice) {
  llvm::json::Array list;
  for (const ReportedAdvice &found : advice)
    list.push_back(llvm::json::Object{{"constraint", found.constraint}, {"node", found.node}, {"finding", found.text}});
  return list;
}

static llvm::json::Array valuesJSON(ArrayRef<ReportedAdvice> values) {
  llvm::json::Array list;
  for (const ReportedAdvice &found : values)
    list.push_back(llvm::json::Object{{"reason", found.constraint}, {"node", found.node}, {"finding", found.text}});
  return list;
}

std::string Report::json() const {
  llvm::json::Array opList, programList, functionList;
  for (const ReportedOp &op : ops) {
    llvm::json::Object row{{"node", op.node},
                           {"op", op.op},
                           {"device", op.engine ? "engine" : "cpu"},
                           {"where", op.where},
                           {"flops", op.flops}};
    if (!op.engine) {
      row["constraint"] = op.constraint;
      row["reason"] = op.reason;
    }
    opList.push_back(std::move(row));
  }
  auto procedureRow = [](const ReportedProcedure &procedure) {
    return llvm::json::Object{{"name", procedure.name},
                              {"operations", procedure.operations},
                              {"input_bytes", procedure.inputBytes},
                              {"output_bytes", procedure.outputBytes}};
  };
  for (const ReportedProgram &program : programs) {
    llvm::json::Object row = procedureRow(program);
    row["weight_bytes"] = program.weightBytes;
    if (!program.procedures.empty()) {
      llvm::json::Array procedures;
      for (const ReportedProcedure &procedure : program.procedures)
        procedures.push_back(procedureRow(procedure));
      row["procedures"] = std::move(procedures);
    }
    programList.push_back(std::move(row));
  }
  for (const ReportedFunction &function : functions) {
    llvm::json::Object row{{"name", function.name},
                           {"flops", function.flops},
                           {"engine_flops", function.engineFlops},
                           {"engine_share", function.engineShare()},
                           {"evaluations_per_inference", function.evaluations},
                           {"weight_bytes", function.weightBytes},
                           {"surface_bytes", function.surfaceBytes},
                           {"predicted_ms", predictionJSON(function)}};
    if (function.keptBytes || function.recomputedFlops) {
      row["kept_bytes"] = function.keptBytes;
      row["recomputed_flops"] = function.recomputedFlops;
    }
    if (function.statesUpdated || function.statesWritten) {
      row["states_updated"] = function.statesUpdated;
      row["states_written"] = function.statesWritten;
    }
    functionList.push_back(std::move(row));
  }
  llvm::json::Object composites;
  for (auto &[kind, found] : recognised(*this)) {
    llvm::json::Array each;
    for (const ReportedOp *op : found)
      each.push_back(llvm::json::Array(op->origins));
    composites[kind] = std::move(each);
  }
  llvm::json::Object root{{"schema", 1},
                          {"target", target},
                          {"chips", llvm::json::Array(chips)},
                          {"route", route},
                          {"os", os},
                          {"strictness", strictness},
                          {"flops", flops},
                          {"engine_flops", engineFlops},
                          {"engine_share", engineShare()},
                          {"evaluations_per_inference", evaluations},
                          {"functions", std::move(functionList)},
                          {"recognised", std::move(composites)},
                          {"programs", std::move(programList)},
                          {"inherited_legality", inheritedLegalityJSON(inherited)},
                          {"prefer", prefersSpeed ? "speed" : "accuracy"},
                          {"activations", activations},
                          {"advice", adviceJSON(advice)},
                          {"values", valuesJSON(values)},
                          {"disputed", adviceJSON(doubts)},
                          {"ops", std::move(opList)}};
  if (strictness == stringifyStrictness(Strictness::Evidence)) {
    llvm::json::Array lifted;
    for (const ReportedLift &lift : lifts)
      lifted.push_back(liftJSON(lift));
    root["lifted"] = std::move(lifted);
    root["saved"] = totalsJSON(saved);
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(root)));
}
