//===- RowOps.h - ops of row programs --------------------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_ROWOPS_H
#define ANE_LIB_HOST_ROWOPS_H

#include "RowProgram.h"

namespace mlir::ane::host {

/// Collects the values of a row program.
class RowBuilder {
public:
  RowProgram program;
  /// The space before reduced axes are moved last, and which axes those are.
  SmallVector<int64_t> base, rowShape, perm;
  SmallVector<bool> reduced;
  /// Results computed by the program: value number, strides in the permuted space.
  DenseMap<Value, std::pair<unsigned, SmallVector<int64_t>>> members;

  LogicalResult setSpace(ArrayRef<Operation *> ops, Value accumulator);
  /// `access`, a tensor that broadcasts to `opShape`, in the permuted space. Fails where strides can't say it.
  FailureOr<Access> place(const Access &access, ArrayRef<int64_t> opShape) const;

  unsigned add(RowValue value);
  unsigned constant(Type element, double v);
  unsigned compute(Type element, ArrayRef<unsigned> operands, bool cheap, RowValue::Fn fn);
  unsigned reduce(StringRef kind, unsigned operand);
  FailureOr<unsigned> load(const Access &access, ArrayRef<int64_t> opShape);
  FailureOr<unsigned> operand(Value v, ArrayRef<int64_t> opShape);
  /// Fails where the result can't be computed in the order of the space.
  LogicalResult define(Value result, unsigned id);
  /// How a member, or a transpose of one, is written.
  FailureOr<RowOutput> output(Value written) const;
};

/// The one number of a constant whose elements are all equal.
std::optional<double> splatConstant(Value value);

bool isGather(Operation *op);
FailureOr<unsigned> buildGather(RowBuilder &b, Operation *op);

FailureOr<unsigned> buildRowReduction(RowBuilder &b, Operation *op);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_ROWOPS_H
