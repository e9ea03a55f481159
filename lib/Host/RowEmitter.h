//===- RowEmitter.h - loops of a row program -------------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_ROWEMITTER_H
#define ANE_LIB_HOST_ROWEMITTER_H

#include "RowProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::ane::host {

/// Emits the values of a row program at an insertion point. Buffers are one-dimensional memrefs.
class RowEmitter {
public:
  /// `inputs` maps roots, `outputs` result values (in the program's order) to memrefs. `lanes`: vector length.
  RowEmitter(const RowProgram &program, FloatType compute, int64_t lanes, const DenseMap<Value, Value> &inputs,
             ValueRange outputs)
      : program(program), compute(compute), vectorLanes(lanes), inputs(inputs),
        outputs(outputs.begin(), outputs.end()) {}

  /// Emits all passes over the row with the given row indices (one per row dimension).
  void emitRow(OpBuilder &b, Location loc, ValueRange rowIndices);

  /// Emits the row values of a program without reductions; emitLane may follow in the same or an inner block.
  void beginRow(OpBuilder &b, Location loc, ValueRange rowIndices);
  /// Emits `width` lanes from `lane` (an index) on and stores the outputs; width 1 means scalars.
  void emitLane(OpBuilder &b, Location loc, Value lane, int64_t width, Value accumulator);

  /// Whether some access is not contiguous along the lane, or of blocks: then every width is 1.
  bool needsScalars() const;
  /// Bytes of row buffers in f64, an upper bound.
  int64_t lanes() const { return program.lanes(); }

private:
  struct Plan; // what each pass computes
  const RowProgram &program;
  FloatType compute;
  int64_t vectorLanes;
  const DenseMap<Value, Value> &inputs;
  SmallVector<Value> outputs;

  /// Per value: scalar of the current row; element offset of the row in its buffer; row buffer of a kept value.
  SmallVector<Value> rowValues, rowOffsets, kept;
  SmallVector<Value> outputOffsets;
  SmallVector<int> levels;

  void computeLevels();
  Value rowValue(OpBuilder &b, Location loc, unsigned id);
  Value linear(OpBuilder &b, Location loc, ValueRange indices, ArrayRef<int64_t> strides, int64_t offset);
  Value gatherOffset(Scalar &s, const RowValue &v, Value base, ArrayRef<Value> indices);
  Value laneValue(OpBuilder &b, Location loc, unsigned id, Value lane, int64_t width, int pass,
                  SmallVectorImpl<Value> &memo, Value accumulator);
  Value loadAt(OpBuilder &b, Location loc, Value buffer, Value index, int64_t width, Type element);
  Value loadGathered(OpBuilder &b, Location loc, const RowValue &v, Value index, int64_t width);
  bool readsBlocks(const RowValue &v) const;
  void storeAt(OpBuilder &b, Location loc, Value value, Value buffer, Value index, int64_t width, Type element);
  void emitPass(OpBuilder &b, Location loc, int pass, ArrayRef<unsigned> reductions, ArrayRef<unsigned> keep);
  Value combine(Scalar &s, const RowValue &v, Value x, Value y);
  Value neutral(Scalar &s, const RowValue &v, int64_t width);
  Value horizontal(Scalar &s, const RowValue &v, Value x);
};

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_ROWEMITTER_H
