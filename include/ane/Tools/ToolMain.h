//===- ToolMain.h - what the compiler's tools have in common ---*- C++ -*-===//
#ifndef ANE_TOOLS_TOOLMAIN_H
#define ANE_TOOLS_TOOLMAIN_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::ane {

/// The exit code of a tool that was used wrongly; 1 is for input that it can't take.
constexpr int usageError = 2;

/// Before a tool registers flags of its own: --version tells its name and versions, and --help leaves out the flags of
/// LLVM's libraries.
void describeTool(llvm::StringLiteral name);

/// Runs `body`, one of MLIR's mains, as that of tool `name`: described, and with `usageError` for a wrong command line.
int toolMain(llvm::StringLiteral name, llvm::function_ref<LogicalResult()> body);

} // namespace mlir::ane

#endif // ANE_TOOLS_TOOLMAIN_H
