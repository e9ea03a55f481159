//===- MILArguments.cpp - operands of an op by MIL argument ---------------===//

#include "ane/IR/MILArguments.h"

using namespace mlir;
using namespace mlir::ane;

bool mlir::ane::isValueArgument(const MILArgument &argument) {
  return argument.kind == MILArgumentKind::Value || argument.kind == MILArgumentKind::OptionalValue ||
         argument.kind == MILArgumentKind::VariadicValue;
}

SmallVector<OperandRange> mlir::ane::getOperandsByArgument(MILSpellingOpInterface op) {
  ArrayRef<MILArgument> arguments = op.getMILArguments();
  // With several groups of variable size the op holds the sizes; with one it takes what the others leave.
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  unsigned fixed = llvm::count_if(arguments, [](const MILArgument &a) { return a.kind == MILArgumentKind::Value; });
  SmallVector<OperandRange> groups;
  unsigned next = 0, group = 0;
  for (const MILArgument &argument : arguments) {
    unsigned size = 0;
    if (isValueArgument(argument)) {
      if (segments)
        size = segments[group];
      else
        size = argument.kind == MILArgumentKind::Value ? 1 : op->getNumOperands() - fixed;
      ++group;
    }
    groups.push_back(op->getOperands().slice(next, size));
    next += size;
  }
  return groups;
}
