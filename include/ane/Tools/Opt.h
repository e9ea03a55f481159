//===- Opt.h - the body of ane-opt -----------------------------*- C++ -*-===//
#ifndef ANE_TOOLS_OPT_H
#define ANE_TOOLS_OPT_H

#include "mlir/Support/LLVM.h"

namespace mlir::ane {
/// Parses the command line and runs passes; for toolMain().
LogicalResult optimize(int argc, char **argv);
} // namespace mlir::ane

#endif // ANE_TOOLS_OPT_H
