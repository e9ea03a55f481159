//===- Custom.h - spellings that the argument table can't say --*- C++ -*-===//
#ifndef ANE_LIB_TARGET_MIL_CUSTOM_CUSTOM_H
#define ANE_LIB_TARGET_MIL_CUSTOM_CUSTOM_H

#include "../Convert.h"

namespace mlir::ane::mil {

/// An op that becomes a `const` statement.
bool isConstant(Operation *op);

/// The value of a constant op, nullopt for any other op.
FailureOr<std::optional<text::Value>> constantValue(Operation *op);

/// The op that holds the constant of a BLOBFILE: `type` in the record at `offset` of `path`, `weightsDir` standing for
/// @model_path.
FailureOr<Value> buildBlob(OpBuilder &builder, Location loc, const text::Value &value, RankedTensorType type,
                           StringRef weightsDir);

/// The elements of a BLOBFILE as a literal, for parameters that are attributes here.
FailureOr<text::Value> readBlob(const text::Value &value, RankedTensorType type, StringRef weightsDir, Location loc);

/// The literal for an operand of an op whose arguments stand in brackets; an error if it is not a constant.
FailureOr<text::Value> inlineOperand(MILSpellingOpInterface op, const MILArgument &argument, Value operand);

/// A constant that only such ops use needs no statement of its own.
bool isInlined(Operation *constant);

/// Whether the attribute is written: it is there, and the opset has the argument. An error if the opset lacks an
/// argument that matters.
FailureOr<bool> isSpelled(MILSpellingOpInterface op, const MILArgument &argument, Opset opset);

/// The literal for a compile-time parameter, or a tuple of literals.
FailureOr<text::Value> parameterValue(MILSpellingOpInterface op, const MILArgument &argument);

/// Text may count the axes of `perm` from the end, the dialect does not.
void countFromFront(OperationState &state);

} // namespace mlir::ane::mil

#endif // ANE_LIB_TARGET_MIL_CUSTOM_CUSTOM_H
