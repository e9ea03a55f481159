//===- Generic.cpp - ops lowered through linalg ---------------------------===//

#include "Generic.h"
#include "Kernel.h"
#include "OpView.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

bool host::hasGenericLowering(Operation *op) { return false; }

FailureOr<Kernel> host::emitGenericKernel(KernelContext &context, Operation *op) {
  return op->emitOpError() << "has no CPU lowering (operands " << op->getOperandTypes() << ", results "
                           << op->getResultTypes() << ")",
         failure();
}
