//===- Values.h - what programs have in place of values --------*- C++ -*-===//
#ifndef ANE_LIB_REPORT_VALUES_H
#define ANE_LIB_REPORT_VALUES_H

#include "ane/Report/Report.h"

namespace mlir::ane {

/// What the programs of a module in phase emittable have otherwise than rounded to fp16, what their inputs must hold,
/// and the steps that are taken on rounded activations, each with the bound of its error.
std::vector<ReportedAdvice> narrowedValues(ModuleOp module);

} // namespace mlir::ane

#endif // ANE_LIB_REPORT_VALUES_H
