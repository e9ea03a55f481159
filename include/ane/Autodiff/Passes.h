//===- Passes.h - passes that differentiate --------------------*- C++ -*-===//
#ifndef ANE_AUTODIFF_PASSES_H
#define ANE_AUTODIFF_PASSES_H

#include "ane/IR/ANE.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ane {
#define GEN_PASS_DECL
#include "ane/Autodiff/AutodiffPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "ane/Autodiff/AutodiffPasses.h.inc"
} // namespace mlir::ane

#endif // ANE_AUTODIFF_PASSES_H
