//===- InitAll.cpp - registration of everything ---------------------------===//

#include "ane/InitAll.h"
#include "ane/Autodiff/Autodiff.h"
#include "ane/Autodiff/Passes.h"
#include "ane/Constraint/Passes.h"
#include "ane/Host/Passes.h"
#include "ane/IR/ANE.h"
#include "ane/Pipeline/Passes.h"
#include "ane/Pipeline/Pipelines.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mlir::ane::registerDialects(DialectRegistry &registry) {
  registry.insert<ANEDialect, func::FuncDialect, host::HostDialect>();
  registerGradients(registry);
}

void mlir::ane::registerPasses() {
  registerANEAutodiffPasses();
  registerANEConstraintPasses();
  registerANEHostPasses();
  registerANEPipelinePasses();
  registerANETransformsPasses();
  registerPipelines();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
}
