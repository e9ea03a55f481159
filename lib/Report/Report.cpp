//===- Report.cpp - where each op runs, and why ---------------------------===//

#include "ane/Report/Report.h"
#include "Legality.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Support/Diagnostics.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::ane;

//===-- collecting --------------------------------------------------------===//

static void addOps(Report &report, func::FuncOp function, StringRef where, bool engine) {
  for (Operation &op : function.front().without_terminator()) {
    if (isConstantExpr(&op))
      continue;
    ReportedOp row{nodeName(op.getLoc()), op.getName().stripDialect().str(), engine, where.str(), 0, "", ""};
    if (auto cost = dyn_cast<CostOpInterface>(op))
      row.flops = cost.getFlops();
    if (auto host = op.getAttrOfType<HostAttr>("ane.host")) {
      row.constraint = host.getConstraint().str();
      row.reason = host.getReason().str();
    }
    report.flops += row.flops;
    report.engineFlops += engine ? row.flops : 0;
    report.ops.push_back(std::move(row));
  }
}

static ReportedProgram describe(ProgramOp program) {
  ReportedProgram row;
  row.name = program.getName().str();
  llvm::DenseMap<int64_t, int64_t> records; // records may be shared
  for (auto procedure : program.getBody().getOps<func::FuncOp>()) {
    for (Operation &op : procedure.front().without_terminator()) {
      if (auto blob = dyn_cast<BlobOp>(op)) {
        auto type = cast<RankedTensorType>(blob.getType());
        records[blob.getOffset()] = type.getNumElements() * elementBytes(type.getElementType());
      } else if (!isConstantExpr(&op)) {
        ++row.operations;
      }
    }
    for (unsigned i = 0; i < procedure.getNumArguments(); ++i)
      if (auto surface = procedure.getArgAttrOfType<SurfaceAttr>(i, "ane.surface"))
        row.inputBytes += surface.getBytes();
    for (unsigned i = 0; i < procedure.getNumResults(); ++i)
      if (auto surface = procedure.getResultAttrOfType<SurfaceAttr>(i, "ane.surface"))
        row.outputBytes += surface.getBytes();
  }
  for (auto [offset, bytes] : records)
    row.weightBytes += bytes;
  return row;
}

Report mlir::ane::makeReport(ModuleOp module) {
  Report report;
  report.target = lookupTargetEnv(module).str();
  SymbolTable symbols(module);
  for (auto plan : module.getOps<func::FuncOp>()) {
    if (plan.isPrivate() || plan.isExternal())
      continue;
    for (Operation &op : plan.front().without_terminator()) {
      if (auto eval = dyn_cast<EvalOp>(op)) {
        ++report.evaluations;
        addOps(report, symbols.lookup<func::FuncOp>(eval.getTwin()), eval.getProcedure().getRootReference(), true);
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        addOps(report, symbols.lookup<func::FuncOp>(call.getCallee()), call.getCallee(), false);
      }
    }
  }
  for (auto program : module.getOps<ProgramOp>())
    report.programs.push_back(describe(program));
  report.inherited = inheritedLegality(module);
  return report;
}

//===-- printing ----------------------------------------------------------===//

/// "69.3 MB", "384 KB", "64 B".
static std::string size(int64_t bytes) {
  if (bytes >= 10'000'000)
    return llvm::formatv("{0:F1} MB", bytes / 1e6);
  if (bytes >= 10'000)
    return llvm::formatv("{0:F1} KB", bytes / 1e3);
  return llvm::formatv("{0} B", bytes);
}

static std::string percent(int64_t part, int64_t whole) {
  return whole ? llvm::formatv("{0:F2} %", 100.0 * part / whole).str() : "-";
}

std::string Report::text() const {
  std::string out;
  llvm::raw_string_ostream os(out);
  os << "target " << target << "\n\n";
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
    os << label << llvm::formatv(" {0,6} {1,10}  ", row.count, percent(row.flops, flops)) << why << "\n";
  }
  os << "\n" << llvm::formatv("{0,-20} {1,10} {2,12} {3,12} {4,12}\n", "program", "operations", "weights", "inputs",
                              "outputs");
  for (const ReportedProgram &program : programs)
    os << llvm::formatv("{0,-20} {1,10} {2,12} {3,12} {4,12}\n", program.name, program.operations,
                        size(program.weightBytes), size(program.inputBytes), size(program.outputBytes));
  printInheritedLegality(inherited, os);
  os << "\nengine share of FLOPs " << percent(engineFlops, flops) << " of " << llvm::formatv("{0:F3}", flops / 1e9)
     << " GFLOP, " << evaluations << " evaluation" << (evaluations == 1 ? "" : "s") << " per inference\n";
  return out;
}

std::string Report::json() const {
  llvm::json::Array opList, programList;
  for (const ReportedOp &op : ops) {
    llvm::json::Object row{{"node", op.node},   {"op", op.op},       {"device", op.engine ? "engine" : "cpu"},
                           {"where", op.where}, {"flops", op.flops}};
    if (!op.engine) {
      row["constraint"] = op.constraint;
      row["reason"] = op.reason;
    }
    opList.push_back(std::move(row));
  }
  for (const ReportedProgram &program : programs)
    programList.push_back(llvm::json::Object{{"name", program.name},
                                             {"operations", program.operations},
                                             {"weight_bytes", program.weightBytes},
                                             {"input_bytes", program.inputBytes},
                                             {"output_bytes", program.outputBytes}});
  llvm::json::Object root{{"schema", 1},
                          {"target", target},
                          {"flops", flops},
                          {"engine_flops", engineFlops},
                          {"engine_share", engineShare()},
                          {"evaluations_per_inference", evaluations},
                          {"programs", std::move(programList)},
                          {"inherited_legality", inheritedLegalityJSON(inherited)},
                          {"ops", std::move(opList)}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(root)));
}
