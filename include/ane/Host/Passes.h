//===- Passes.h - passes of the CPU code generator -------------*- C++ -*-===//
#ifndef ANE_HOST_PASSES_H
#define ANE_HOST_PASSES_H

#include "ane/Host/HostDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ane {
#define GEN_PASS_DECL
#include "ane/Host/HostPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "ane/Host/HostPasses.h.inc"

/// The stages that come before the loops of kernels; `f64`: for the reference build, `f32`: without float64.
void buildHostStages(OpPassManager &pm, bool f64, bool f32);
} // namespace mlir::ane

#endif // ANE_HOST_PASSES_H
