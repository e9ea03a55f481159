//===- ane-tblgen.cpp - generators for constraint and target records ------===//

#include "ane/Tools/ToolMain.h"
#include "mlir/TableGen/GenInfo.h"
#include "mlir/TableGen/GenNameParser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/Main.h"

using namespace mlir;

static const GenInfo *generator = nullptr;

int main(int argc, char **argv) {
  ane::describeTool("ane-tblgen");
  llvm::InitLLVM init(argc, argv);
  llvm::cl::opt<const GenInfo *, true, GenNameParser> flag("", llvm::cl::desc("Generator to run"),
                                                           llvm::cl::location(generator));
  ane::parseFlags(argc, argv, "Anemone: generators for constraint and target records\n");
  if (!generator) {
    ane::printError("no generator given; see --help");
    return ane::usageError;
  }
  return llvm::TableGenMain(
      argv[0], [](llvm::raw_ostream &os, llvm::RecordKeeper &records) { return generator->invoke(records, os); });
}
