//===- RowProgram.h - fused element-wise, gather and row ops ---*- C++ -*-===//
//
// A row program computes a set of ops in one sweep over an index space "row dimensions x lane". Values are per lane or
// per row; reductions run along the lane and split the sweep of a row into passes. What a later pass needs is computed
// again if that is cheap, else kept in a row buffer. An epilogue of a matrix product is a row program without
// reductions whose leaf `Accumulator` is the product's tile.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_ROWPROGRAM_H
#define ANE_LIB_HOST_ROWPROGRAM_H

#include "Access.h"
#include "Scalar.h"
#include <functional>
#include <vector>

namespace mlir::ane::host {

struct RowValue {
  enum Kind { Load, Gather, Constant, Accumulator, Compute, Reduce };
  using Fn = std::function<Value(Scalar &, ValueRange)>;

  Kind kind = Compute;
  /// Element type in the IR.
  Type element;
  bool perLane = true, cheap = true;

  /// Load, Gather: what is read. Strides are those of the program's shape. A gather adds, for each of `operands`, the
  /// index (an integer value, negative counts from the end) times its stride.
  Access access;
  SmallVector<int64_t> gatherStrides, gatherSizes;
  /// Constant.
  double constant = 0;
  /// Compute, Gather, Reduce: values that come before this one.
  SmallVector<unsigned> operands;
  Fn fn;
  /// Reduce: "add", "mul", "max" or "min" of the operand along the lane.
  StringRef reduction;
};

struct RowOutput {
  unsigned value;
  /// The value that is written densely: the op's, or a transpose of it.
  Value result;
  /// Strides in the program's shape; 0 along the lane for a value per row.
  SmallVector<int64_t> strides;
};

struct RowProgram {
  /// Row dimensions, then the lane.
  SmallVector<int64_t> shape;
  std::vector<RowValue> values;
  std::vector<RowOutput> outputs;

  int64_t lanes() const { return shape.back(); }
  int64_t rows() const { return numElements(shape) / lanes(); }
  /// Roots of all loads, each once, in order of first use.
  SmallVector<Value> inputs() const;
  /// Merges dimensions where all accesses allow it, the last `reducedDims` into the lane (fails where they don't merge
  /// into one). One long row of a program without reductions is cut into even pieces for the threads.
  LogicalResult simplify(size_t reducedDims);
  /// Recomputes `perLane` of all values from the strides.
  void updateLanes();
};

/// Builds the row program of `ops` (in program order), or fails where they don't fit one.
/// `accumulator`, if given, is the matrix product whose tile is the leaf; its shape is the program's shape.
/// `written`, if given, are the values that are written; else all that other ops read.
FailureOr<RowProgram> buildRowProgram(ArrayRef<Operation *> ops, Value accumulator = {},
                                      std::optional<ValueRange> written = std::nullopt);

/// The program that writes `view`, which strides can express, row-major.
FailureOr<RowProgram> buildCopyProgram(Value view);

/// Whether `op` may be part of a row program.
bool isRowOp(Operation *op);
/// Whether `op` reduces along a row: softmax, norms, reductions along axes that can become the lane.
inline bool isRowReduction(Operation *op) { return isa<ReductionOpInterface>(op); }

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_ROWPROGRAM_H
