//===- Epilogue.h - from register tiles to memory --------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_EPILOGUE_H
#define ANE_LIB_HOST_EPILOGUE_H

#include "Kernel.h"

namespace mlir::ane::host {

/// Writes the sums of products through the row program that follows them.
class Epilogue {
public:
  Epilogue(KernelContext &context, Location loc, const RowProgram &program)
      : context(context), loc(loc), program(program) {}

  /// Adds inputs and outputs of the program; fails where one is a constant that the kernel holds `packed`.
  LogicalResult addInputs(KernelBuilder &builder, ArrayRef<Value> packed);
  /// After the kernel began.
  void bind(const KernelBuilder &builder) { kernel = &builder; }

  /// Makes room on the stack for the sums of a tile; not in a loop.
  void allocate(OpBuilder &b, int64_t elements);
  /// Writes a tile: `sums` holds `vectors` vectors for each row, of which the first `columns` lanes are valid.
  /// `rowAt(r)` and `firstColumn` are positions in the program's rows and lane.
  using RowAt = function_ref<Value(OpBuilder &, Value r)>;
  void write(OpBuilder &b, ArrayRef<Value> sums, int64_t vectors, int64_t columns, RowAt rowAt, Value firstColumn);
  /// Writes one row, whose sums are elements `at` .. of `tile()`, in vectors of up to `widest` lanes.
  void writeRow(OpBuilder &b, Value row, int64_t columns, Value firstColumn, Value at, int64_t widest);
  /// What `allocate` made.
  Value tile() const { return buffer; }

private:
  KernelContext &context;
  Location loc;
  const RowProgram &program;
  const KernelBuilder *kernel = nullptr;
  Value buffer;

  bool isLight() const;
  Value index(OpBuilder &b, int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); }
  Value add(OpBuilder &b, Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
};

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_EPILOGUE_H
