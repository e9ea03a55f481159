//===- TargetCompiler.h - one model for many targets -----------*- C++ -*-===//
#ifndef ANE_LIB_TOOLS_TARGETCOMPILER_H
#define ANE_LIB_TOOLS_TARGETCOMPILER_H

#include "ane/Pipeline/Pipelines.h"
#include "ane/Report/Matrix.h"

namespace mlir::ane {

/// A model in phase canonical, which depends on no target, that is compiled further for several.
class TargetCompiler {
public:
  TargetCompiler(ModuleOp canonical, const PhaseOptions &options) : canonical(canonical), options(options) {}

  /// A report for each chip. Chips with the same rules are compiled for once.
  FailureOr<Matrix> matrix(StringRef model, ArrayRef<const ChipInfo *> chips, Route route, int64_t os,
                           Strictness strictness, ArrayAttr keep);

  /// Adds the rules that were lifted for the report's target, and what each saved: the difference to a compilation that
  /// keeps it.
  LogicalResult addLifts(Report &report, TargetAttr target, ArrayAttr keep);

private:
  FailureOr<Report> report(TargetAttr target, ArrayAttr keep);

  ModuleOp canonical;
  PhaseOptions options;
};

} // namespace mlir::ane

#endif // ANE_LIB_TOOLS_TARGETCOMPILER_H
