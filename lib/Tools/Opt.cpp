//===- Opt.cpp - the body of ane-opt -------------------------------------===//

#include "ane/Tools/Opt.h"
#include "ane/Autodiff/Autodiff.h"
#include "ane/Constraint/Constraints.h"
#include "ane/IR/ANE.h"
#include "ane/InitAll.h"
#include "ane/Support/InputFile.h"
#include "ane/Tools/ToolMain.h"
#include "mlir/IR/Action.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace mlir::ane;

/// test/Constraints/needed.test runs each test of a violation without its check, and each test of a legalisation
/// without its passes, to see that they fail.
static llvm::cl::list<std::string> switchedOff("ane-testing-switch-off", llvm::cl::ReallyHidden,
                                               llvm::cl::CommaSeparated, llvm::cl::value_desc("id or pass"),
                                               llvm::cl::desc("for tests: these checks and passes do nothing"));

static llvm::cl::opt<bool> listGradients("list-gradients",
                                         llvm::cl::desc("List how each op is differentiated, and exit"));

static void printGradients(const DialectRegistry &registry) {
  static constexpr StringLiteral kinds[] = {"rule", "nothing flows back", "refused"};
  MLIRContext context(registry);
  context.loadDialect<ANEDialect>();
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == ANEDialect::getDialectNamespace()) {
      auto *rule = name.getInterface<DifferentiableOpInterface>();
      llvm::outs() << name.stripDialect() << ": " << (rule ? kinds[unsigned(rule->getGradientKind())] : "unknown");
      if (rule && !rule->getRefusal().empty())
        llvm::outs() << ": " << rule->getRefusal();
      llvm::outs() << "\n";
    }
}

static void switchOff(MLIRContext *context, ANEDialect *) {
  if (switchedOff.empty())
    return;
  for (const std::string &name : switchedOff)
    if (std::optional<ConstraintID> id = findConstraint(name))
      switchOffForTesting(*id);
  context->registerActionHandler([](llvm::function_ref<void()> run, const tracing::Action &action) {
    const auto *execution = dyn_cast<PassExecutionAction>(&action);
    if (!execution || !llvm::is_contained(switchedOff, execution->getPass().getArgument()))
      run();
  });
}

LogicalResult mlir::ane::optimize(int argc, char **argv) {
  DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  registry.addExtension(switchOff);
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "Anemone: pass driver\n", registry);
  if (listGradients)
    return printGradients(registry), success();
  // MLIR's main would read pipes and devices.
  if (llvm::Error error = checkToolInput(input)) {
    printError(llvm::toString(std::move(error)));
    return failure();
  }
  return MlirOptMain(argc, argv, input, output, registry);
}
