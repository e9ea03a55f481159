//===- Report.h - where each op runs, and why ------------------*- C++ -*-===//
#ifndef ANE_REPORT_REPORT_H
#define ANE_REPORT_REPORT_H

#include "ane/Constraint/Constraints.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::ane {

/// One op of the canonical module.
struct ReportedOp {
  std::string node;  // the model's node, empty if unknown
  std::string op;    // mnemonic
  bool engine;       // on the engine, or on the CPU
  std::string where; // program (procedureName) or CPU function
  int64_t flops;
  bool recomputed;        // for the backward pass of training
  std::string constraint; // CPU only: id of the record, and the sentence
  std::string reason;
  std::vector<std::string> origins; // nodes that a recognised composite was made of, else empty
};

struct ReportedProcedure {
  std::string name;
  int64_t operations = 0; // MIL statements without constants
  int64_t inputBytes = 0, outputBytes = 0;
};

/// Sums over its procedures, with each weight once.
struct ReportedProgram : ReportedProcedure {
  int64_t weightBytes = 0;
  std::vector<ReportedProcedure> procedures; // if there are several
};

/// What published speeds of a chip (Facts.td) let expect of a run, in milliseconds; nothing where no source has the
/// number.
struct Prediction {
  std::string chip;
  std::optional<double> dispatch;   // of all evaluations
  std::optional<double> weights;    // to be read once an evaluation
  std::optional<double> arithmetic; // as fast as the fastest product that was seen

  /// Dispatch, and the longer of the others, which overlap. Surfaces, the CPU's work and anything slower than the best
  /// that was seen come on top.
  std::optional<double> total() const;
};

/// A function of the bundle.
struct ReportedFunction {
  std::string name;
  int64_t evaluations = 0; // engine evaluations per inference
  int64_t flops = 0, engineFlops = 0;
  int64_t weightBytes = 0, surfaceBytes = 0;    // that these evaluations read, or write
  int64_t statesUpdated = 0, statesWritten = 0; // in place, and as a whole
  /// Of a step of training: values, as fp16, that the backward pass reads of the forward pass, and what it computes
  /// anew.
  int64_t keptBytes = 0, recomputedFlops = 0;
  std::vector<Prediction> predicted; // for each chip of the target

  /// Share of the floating-point operations that run on the engine; 0 if there are none.
  double engineShare() const { return flops ? double(engineFlops) / double(flops) : 0; }
  /// Whether at least this share of the FLOPs, from 0 to 1, runs on the engine. A model without FLOPs misses nothing.
  bool reaches(double share) const { return !flops || engineShare() >= share; }
};

/// A kind of op in the programs that was not seen on the target's tier and route.
struct InheritedLegality {
  std::string op; // mnemonic
  int64_t count;
  std::string status; // "native"
  std::string from;   // "tier H15", "the compiler's tables"
};

/// Sums over all programs, and the ops outside of them.
struct ReportTotals {
  int64_t operations = 0, weightBytes = 0, surfaceBytes = 0, programs = 0, hostOps = 0;
  ReportTotals operator-(const ReportTotals &other) const;
};

/// A published rule that was not enforced, because it was measured to be false on all of the target's chips.
struct ReportedLift {
  ConstraintID id;
  std::vector<std::string> reasons;
  std::vector<EvidenceInfo> evidence; // measured on the target's tiers and route
  /// What a compilation that keeps this rule alone has more than this one.
  ReportTotals saved;
};

/// What a record about speed or accuracy found in a program, or a disputed one.
struct ReportedAdvice {
  std::string constraint; // id and slug of the record
  std::string node;       // the model's node, or the op where that is unknown
  std::string text;
};

struct Report {
  std::string target;
  std::vector<std::string> chips;
  std::string route, strictness;
  int64_t os = 0;
  std::vector<ReportedOp> ops;
  std::vector<ReportedProgram> programs;
  std::vector<InheritedLegality> inherited;
  bool prefersSpeed = false;
  std::string activations = "exact"; // of the CPU's products with weights in blocks, or int8
  std::vector<ReportedAdvice> advice;
  /// What programs have otherwise than rounded to fp16, by the reason (ane.narrow), and what is looked at in each run.
  std::vector<ReportedAdvice> values;
  std::vector<ReportedAdvice> doubts; // what relies on a disputed record being false
  std::vector<ReportedFunction> functions;
  int64_t evaluations = 0; // of all functions, as are the FLOPs
  int64_t flops = 0, engineFlops = 0;
  /// strictness=evidence only, and what a compilation that keeps them all has more.
  std::vector<ReportedLift> lifts;
  ReportTotals saved;

  double engineShare() const { return flops ? double(engineFlops) / double(flops) : 0; }
  /// The first function with a smaller share of its FLOPs on the engine; null if there is none.
  const ReportedFunction *findBelow(double share) const;
  ReportTotals totals() const;
  /// A table for people.
  std::string text() const;
  /// The same as JSON, one object.
  std::string json() const;
  /// The ops that keep the FLOPs off the engine, one a line, the largest first, and the share of each.
  std::string culprits() const;
};

/// "main_0", or "bank_0.decode_0" where the program has other procedures.
std::string procedureName(func::FuncOp procedure);

/// Reads a module in phase emittable.
Report makeReport(ModuleOp module);

/// Calls `visit` on each op of the canonical bodies, in the order of the plan, with the name of the program or CPU
/// function that it is in. Constant expressions are left out.
void visitPlacedOps(ModuleOp module, llvm::function_ref<void(Operation *op, StringRef where, bool engine)> visit);

/// "12.34 %", rounded down: "100.00 %" is all of it.
std::string percentText(int64_t part, int64_t whole);

} // namespace mlir::ane

#endif // ANE_REPORT_REPORT_H
