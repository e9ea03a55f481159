//===- Matrix.cpp - one model on many targets -----------------------------===//

#include "ane/Report/Matrix.h"
#include "Legality.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mlir;
using namespace mlir::ane;

/// "C23: add, cast 2, less; C31: gather".
static std::string hostOpsText(const Report &report) {
  std::map<std::string, llvm::MapVector<StringRef, unsigned>> byRecord;
  for (const ReportedOp &op : report.ops)
    if (!op.engine)
      ++byRecord[op.constraint][op.op];
  std::vector<std::string> records;
  for (auto &[record, ops] : byRecord) {
    auto names = llvm::map_range(ops, [](auto &entry) {
      return entry.second == 1 ? entry.first.str() : llvm::formatv("{0} {1}", entry.first, entry.second).str();
    });
    records.push_back(record + ": " + llvm::join(names, ", "));
  }
  return llvm::join(records, "; ");
}

std::string Matrix::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (rows.empty())
    return text;
  const Report &first = rows.front().report;
  os << model << ": route " << first.route << ", macOS " << first.os << ", strictness " << first.strictness << "\n\n";
  constexpr const char *row = "{0,-7} {1,-6} {2,8} {3,10} {4,9} {5,11} {6,9} {7,8}  {8}\n";
  os << llvm::formatv(row, "target", "tier", "GFLOP", "on engine", "programs", "operations", "inherited", "CPU ops",
                      "on the CPU, by the record");
  for (const Row &entry : rows) {
    ReportTotals totals = entry.report.totals();
    os << llvm::formatv(row, entry.chip->target, tierName(entry.chip->tier),
                        llvm::formatv("{0:F3}", entry.report.flops / 1e9).str(),
                        percentText(entry.report.engineFlops, entry.report.flops), totals.programs, totals.operations,
                        entry.report.inherited.size(), totals.hostOps, hostOpsText(entry.report));
  }
  os << "\ninherited: kinds of ops in the programs that were not seen on this tier and route; --json and --report name "
        "them\n";
  return text;
}

std::string Matrix::json() const {
  llvm::json::Array targets;
  for (const Row &entry : rows) {
    const Report &report = entry.report;
    ReportTotals totals = report.totals();
    llvm::json::Array hostOps;
    for (const ReportedOp &op : report.ops)
      if (!op.engine)
        hostOps.push_back(llvm::json::Object{{"node", op.node},
                                             {"op", op.op},
                                             {"flops", op.flops},
                                             {"constraint", op.constraint},
                                             {"reason", op.reason}});
    targets.push_back(llvm::json::Object{{"target", entry.chip->target},
                                         {"tier", tierName(entry.chip->tier)},
                                         {"engine_share", report.engineShare()},
                                         {"flops", report.flops},
                                         {"engine_flops", report.engineFlops},
                                         {"programs", totals.programs},
                                         {"operations", totals.operations},
                                         {"weight_bytes", totals.weightBytes},
                                         {"surface_bytes", totals.surfaceBytes},
                                         {"evaluations_per_inference", report.evaluations},
                                         {"inherited_legality", inheritedLegalityJSON(report.inherited)},
                                         {"cpu_ops", std::move(hostOps)}});
  }
  llvm::json::Object root{{"schema", 1}, {"model", model}};
  if (!rows.empty()) {
    const Report &first = rows.front().report;
    root["route"] = first.route;
    root["os"] = first.os;
    root["strictness"] = first.strictness;
  }
  root["targets"] = std::move(targets);
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(root)));
}
