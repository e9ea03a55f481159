//===- Constexpr.cpp - ops with arguments in brackets ---------------------===//

#include "Custom.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::mil;

FailureOr<text::Value> mlir::ane::mil::inlineOperand(MILSpellingOpInterface op, const MILArgument &argument,
                                                     Value operand) {
  if (Operation *constant = operand.getDefiningOp()) {
    FailureOr<std::optional<text::Value>> value = constantValue(constant);
    if (failed(value))
      return failure();
    if (*value)
      return std::move(**value);
  }
  return op->emitOpError() << "argument '" << argument.name << "' must be a constant";
}

bool mlir::ane::mil::isInlined(Operation *constant) {
  return !constant->use_empty() && llvm::all_of(constant->getUsers(), [](Operation *user) {
    auto mil = dyn_cast<MILSpellingOpInterface>(user);
    return mil && mil.hasArgumentsInBrackets();
  });
}
