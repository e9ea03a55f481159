//===- CheckHelpers.h - vocabulary of predicate bodies ---------*- C++ -*-===//
//
// The bodies in Constraint.td and Catalog/*.td call these; each returns what was found where the predicate is false.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_CONSTRAINT_CHECKHELPERS_H
#define ANE_LIB_CONSTRAINT_CHECKHELPERS_H

#include "ane/Constraint/Constraints.h"
#include "ane/IR/ConstantExpr.h"

namespace mlir::ane {

/// The op is there, which is all that is wrong with it.
std::optional<Finding> present(Operation *op);

/// Name of an operand in messages: the MIL argument's name where the op has one operand for each, else its number.
std::string operandName(Operation *op, unsigned index);
/// The operand that MIL calls `name`; null when it is absent.
Value namedOperand(Operation *op, llvm::StringRef name);

std::optional<Finding> elementTypeIn(Operation *op, llvm::ArrayRef<llvm::StringRef> types);
std::optional<Finding> operandIsConstant(Operation *op, llvm::StringRef name);
std::optional<Finding> operandIsAbsent(Operation *op, llvm::StringRef name);

/// Value of a measure on all shaped operands and results, compared with a limit. Constants are blobs and do not count.
std::optional<Finding> typesAtMost(Operation *op, llvm::function_ref<int64_t(RankedTensorType)> measure, int64_t limit,
                                   llvm::StringRef subject);
std::optional<Finding> atMost(int64_t actual, int64_t limit, llvm::StringRef subject);

// Measures of a tensor type of at most four axes, aligned to the right of [N, C, H, W]. 0 for an axis that is not
// there.
int64_t rankOf(RankedTensorType type);
int64_t widthOf(RankedTensorType type);
int64_t heightOf(RankedTensorType type);
int64_t channelsOf(RankedTensorType type);
int64_t batchOf(RankedTensorType type);
int64_t spatialOf(RankedTensorType type); // the larger of height and width
int64_t longestOf(RankedTensorType type); // the longest axis

/// What convolutions and pools have in common.
struct WindowShape {
  llvm::ArrayRef<int64_t> kernel, strides; // one for each spatial axis; no strides are ones
  bool isStrided() const;
};
WindowShape windowOf(Operation *op);

} // namespace mlir::ane

#endif // ANE_LIB_CONSTRAINT_CHECKHELPERS_H
