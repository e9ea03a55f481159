//===- MILArguments.h - operands of an op by MIL argument -------*- C++ -*-===//
#ifndef ANE_IR_MILARGUMENTS_H
#define ANE_IR_MILARGUMENTS_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

/// Whether the argument is given by operands, not by an attribute.
bool isValueArgument(const MILArgument &argument);

/// The operands of each row of the op's argument table, in its order: none for attributes and absent optional
/// operands, any number for variadic ones.
SmallVector<OperandRange> getOperandsByArgument(MILSpellingOpInterface op);

} // namespace mlir::ane

#endif // ANE_IR_MILARGUMENTS_H
