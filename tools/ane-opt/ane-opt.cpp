//===- ane-opt.cpp - runs passes on ane modules ---------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/InitAll.h"
#include "ane/Tools/ToolMain.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

/// test/Constraints/needed.test runs each test of a violation without the check, to see that it fails.
static llvm::cl::opt<std::string> switchedOff("ane-testing-switch-off", llvm::cl::ReallyHidden,
                                              llvm::cl::value_desc("id"),
                                              llvm::cl::desc("for tests: the check of this record finds nothing"),
                                              llvm::cl::cb<void, std::string>([](const std::string &id) {
                                                if (auto found = mlir::ane::findConstraint(id))
                                                  mlir::ane::switchOffForTesting(*found);
                                              }));

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::ane::registerDialects(registry);
  mlir::ane::registerPasses();
  return mlir::ane::toolMain("ane-opt",
                             [&] { return mlir::MlirOptMain(argc, argv, "Anemone: pass driver\n", registry); });
}
