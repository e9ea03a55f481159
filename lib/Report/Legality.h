//===- Legality.h - what of a program nobody saw on its target -*- C++ -*-===//
#ifndef ANE_LIB_REPORT_LEGALITY_H
#define ANE_LIB_REPORT_LEGALITY_H

#include "ane/Report/Report.h"
#include "llvm/Support/JSON.h"

namespace mlir::ane {

/// Reads a module in phase emittable.
std::vector<InheritedLegality> inheritedLegality(ModuleOp module);
/// A table for people; nothing for no ops.
void printInheritedLegality(const std::vector<InheritedLegality> &ops, llvm::raw_ostream &os);
llvm::json::Array inheritedLegalityJSON(const std::vector<InheritedLegality> &ops);

} // namespace mlir::ane

#endif // ANE_LIB_REPORT_LEGALITY_H
