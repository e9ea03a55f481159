//===- ToolMain.h - what the compiler's tools have in common ---*- C++ -*-===//
#ifndef ANE_TOOLS_TOOLMAIN_H
#define ANE_TOOLS_TOOLMAIN_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace mlir::ane {

/// The exit code of a tool that was used wrongly; 1 is for input that it can't take, and for output that it can't
/// write.
constexpr int usageError = 2;

/// First of all in a tool, and before it registers flags of its own. --version tells its name and versions, and --help
/// leaves out the flags of LLVM's libraries. A reader of the output that goes away changes neither messages nor the
/// exit code; that the output can't be written is said once, at the end.
void describeTool(llvm::StringLiteral name);

/// Runs `body`, one of MLIR's mains, as that of tool `name`: described, and with `usageError` for a wrong command line.
int toolMain(llvm::StringLiteral name, llvm::function_ref<LogicalResult()> body);

/// Parses the flags that are registered; ends the process after --help, and with `usageError` after wrong ones. If
/// --json is among them, also these errors and those of printError() are JSON.
void parseFlags(int argc, char **argv, StringRef overview);

/// One line of JSON on standard error.
void printJSON(llvm::json::Object object);

/// "ane-opt: error: ..." on standard error, or {"message":"...","severity":"error"}.
void printError(const Twine &message);

/// For a body that finds out by itself that the tool was used wrongly: prints the error, and toolMain returns
/// `usageError`.
LogicalResult usedWrongly(const Twine &message);

} // namespace mlir::ane

#endif // ANE_TOOLS_TOOLMAIN_H
