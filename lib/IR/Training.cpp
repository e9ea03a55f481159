//===- Training.cpp - which ops of a plan compute gradients ---------------===//

#include "ane/IR/Training.h"
#include "ane/IR/DialectAttrs.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ane;

DenseSet<Value> mlir::ane::gradientInputs(func::FuncOp plan) {
  DenseSet<Value> found;
  auto training = plan->getParentOp()->getAttrOfType<DictionaryAttr>(trainingName);
  if (!training || training.getAs<StringAttr>("step") != plan.getSymNameAttr())
    return found;
  for (BlockArgument argument : plan.getArguments())
    if (attrs::ioName.ofArgument(plan, argument.getArgNumber()) == training.get("loss_scale"))
      found.insert(argument);
  return found;
}

DenseSet<Operation *> mlir::ane::gradientOps(func::FuncOp plan) {
  DenseSet<Operation *> found;
  DenseSet<Value> values = gradientInputs(plan);
  for (Operation &op : plan.front().without_terminator())
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return values.contains(operand); })) {
      found.insert(&op);
      values.insert(op.result_begin(), op.result_end());
    }
  return found;
}

DenseSet<Value> mlir::ane::parametersOf(func::FuncOp plan) {
  llvm::StringSet<> names;
  for (auto parameter : plan->getParentOfType<ModuleOp>().getOps<ParameterOp>())
    names.insert(parameter.getName());
  DenseSet<Value> found;
  for (BlockArgument argument : plan.getArguments())
    if (StringAttr name = attrs::ioName.ofArgument(plan, argument.getArgNumber()); name && names.contains(name))
      found.insert(argument);
  return found;
}
