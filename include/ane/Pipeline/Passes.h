//===- Passes.h - passes that belong to the phases -------------*- C++ -*-===//
#ifndef ANE_PIPELINE_PASSES_H
#define ANE_PIPELINE_PASSES_H

#include "ane/IR/ANE.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ane {
#define GEN_PASS_DECL
#include "ane/Pipeline/PipelinePasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "ane/Pipeline/PipelinePasses.h.inc"
} // namespace mlir::ane

#endif // ANE_PIPELINE_PASSES_H
