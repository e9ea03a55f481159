//===- ane-opt.cpp - runs passes on ane modules ---------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/IR/ANE.h"
#include "ane/InitAll.h"
#include "ane/Tools/ToolMain.h"
#include "mlir/IR/Action.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

/// test/Constraints/needed.test runs each test of a violation without its check, and each test of a legalisation
/// without its passes, to see that they fail.
static llvm::cl::list<std::string> switchedOff("ane-testing-switch-off", llvm::cl::ReallyHidden,
                                               llvm::cl::CommaSeparated, llvm::cl::value_desc("id or pass"),
                                               llvm::cl::desc("for tests: these checks and passes do nothing"));

static void switchOff(MLIRContext *context, ane::ANEDialect *) {
  if (switchedOff.empty())
    return;
  for (const std::string &name : switchedOff)
    if (std::optional<ane::ConstraintID> id = ane::findConstraint(name))
      ane::switchOffForTesting(*id);
  context->registerActionHandler([](llvm::function_ref<void()> run, const tracing::Action &action) {
    const auto *execution = dyn_cast<PassExecutionAction>(&action);
    if (!execution || !llvm::is_contained(switchedOff, execution->getPass().getArgument()))
      run();
  });
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  ane::registerDialects(registry);
  ane::registerPasses();
  registry.addExtension(switchOff);
  return ane::toolMain("ane-opt", [&] { return MlirOptMain(argc, argv, "Anemone: pass driver\n", registry); });
}
