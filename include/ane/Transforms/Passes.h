//===- Passes.h - passes of the ane dialect --------------------*- C++ -*-===//
#ifndef ANE_TRANSFORMS_PASSES_H
#define ANE_TRANSFORMS_PASSES_H

#include "ane/IR/ANE.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ane {
#define GEN_PASS_DECL
#include "ane/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

#endif // ANE_TRANSFORMS_PASSES_H
