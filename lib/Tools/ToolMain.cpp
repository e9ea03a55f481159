//===- ToolMain.cpp - what the compiler's tools have in common ------------===//

#include "ane/Tools/ToolMain.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::ane;

void mlir::ane::describeTool(llvm::StringLiteral name) {
  llvm::cl::SetVersionPrinter([name](llvm::raw_ostream &os) {
    os << name << " (Anemone) " ANE_PROJECT_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
  // Flags that exist already are those of libraries.
  llvm::cl::HideUnrelatedOptions(ArrayRef<const llvm::cl::OptionCategory *>());
}

/// MLIR's mains return after every error but that of the command line, for which LLVM's parser calls exit(1).
static bool isInside = false;
static void endAfterUsageError(int code, void *) {
  if (!isInside || code != EXIT_FAILURE)
    return;
  llvm::errs().flush();
  std::_Exit(usageError);
}

int mlir::ane::toolMain(llvm::StringLiteral name, llvm::function_ref<LogicalResult()> body) {
  describeTool(name);
  on_exit(endAfterUsageError, nullptr);
  isInside = true;
  LogicalResult result = body();
  isInside = false;
  return failed(result);
}
