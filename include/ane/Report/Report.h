//===- Report.h - where each op runs, and why ------------------*- C++ -*-===//
#ifndef ANE_REPORT_REPORT_H
#define ANE_REPORT_REPORT_H

#include "ane/IR/ANE.h"
#include <string>
#include <vector>

namespace mlir::ane {

/// One op of the canonical module.
struct ReportedOp {
  std::string node;       // the model's node, empty if unknown
  std::string op;         // mnemonic
  bool engine;            // on the engine, or on the CPU
  std::string where;      // program or CPU function
  int64_t flops;
  std::string constraint; // CPU only: id of the record, and the sentence
  std::string reason;
};

struct ReportedProgram {
  std::string name;
  int64_t operations = 0; // MIL statements without constants
  int64_t weightBytes = 0, inputBytes = 0, outputBytes = 0;
};

/// A kind of op in the programs that was not seen on the target's tier and route.
struct InheritedLegality {
  std::string op; // mnemonic
  int64_t count;
  std::string status; // "native"
  std::string from;   // "tier A15", "the compiler's tables"
};

struct Report {
  std::string target;
  std::vector<ReportedOp> ops;
  std::vector<ReportedProgram> programs;
  std::vector<InheritedLegality> inherited;
  int64_t evaluations = 0; // engine evaluations per inference
  int64_t flops = 0, engineFlops = 0;

  /// Share of the floating-point operations that run on the engine; 0 if there are none.
  double engineShare() const { return flops ? double(engineFlops) / double(flops) : 0; }
  /// A table for people.
  std::string text() const;
  /// The same as JSON, one object.
  std::string json() const;
};

/// Reads a module in phase emittable.
Report makeReport(ModuleOp module);

} // namespace mlir::ane

#endif // ANE_REPORT_REPORT_H
