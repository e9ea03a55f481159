//===- BlockTiles.h - tiles of products with weights in blocks -*- C++ -*-===//
//
// Rows of x, as integers in scratch memory, meet panels of a weight in blocks (WeightBlocks.h): tiles of rows x columns
// sum over the groups of a panel and go through the epilogue. What the integers are, and how they are multiplied, say
// BlockProduct.cpp and RoundedProduct.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_BLOCKTILES_H
#define ANE_LIB_HOST_BLOCKTILES_H

#include "BlockReader.h"
#include "Epilogue.h"
#include "Product.h"
#include "WeightOperand.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::ane::host {

class BlockTiles {
public:
  BlockTiles(KernelContext &context, Location loc, const Product &product, const WeightBlocks &blocks,
             const RowProgram &program)
      : context(context), loc(loc), p(product), w(blocks), lanes(context.tiles.registerLanesOf(context.compute)),
        vectors(WeightBlocks::columns / lanes), y(context, loc, product.y, blocks), epilogue(context, loc, program),
        tileRows(std::min(p.m, context.tiles.blockRows)) {}
  virtual ~BlockTiles() = default;
  FailureOr<Kernel> emit();

  /// Whether rows and steps lie as tiles read them.
  static bool reads(const Product &product);

protected:
  KernelContext &context;
  Location loc;
  const Product &p;
  const WeightBlocks &w;
  int64_t lanes, vectors; // of a register, of a panel
  Value xBuffer, yBuffer;

  /// The memory that the integers take.
  virtual int64_t scratchBytes() const = 0;
  /// Rows that a thread takes at a time, while all panels pass by.
  virtual int64_t chunkRows() const { return p.m; }
  /// Writes the integers of all rows to `scratch`.
  virtual void quantise(OpBuilder &b, Value scratch) = 0;
  /// `totals` [row][vector] and what group `number` of the panel, which begins at byte `group`, adds to them.
  virtual SmallVector<Value> addGroup(OpBuilder &b, Value group, Value number, Value firstRow, int64_t rows,
                                      ValueRange totals) = 0;

  Value index(OpBuilder &b, int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); }
  Value add(OpBuilder &b, Value x, int64_t y) { return b.create<arith::AddIOp>(loc, x, index(b, y)); }
  Value add(OpBuilder &b, Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value scaled(OpBuilder &b, Value v, int64_t factor) { return b.create<arith::MulIOp>(loc, v, index(b, factor)); }
  Value splat(OpBuilder &b, Value scalar, Type type) { return b.create<vector::BroadcastOp>(loc, type, scalar); }
  void forRange(OpBuilder &b, Value from, Value to, function_ref<void(OpBuilder &, Value)> body);
  void forRange(OpBuilder &b, int64_t count, function_ref<void(OpBuilder &, Value)> body) {
    forRange(b, index(b, 0), index(b, count), body);
  }
  int64_t runsOfRow() const { return p.k / w.run; }
  /// Part of the scratch memory.
  Value view(OpBuilder &b, Value scratch, int64_t at, int64_t count, Type type) {
    return b.create<memref::ViewOp>(loc, MemRefType::get({count}, type), scratch, index(b, at), ValueRange());
  }
  /// Elements `at` .. of x, `width` of them.
  Value loadX(OpBuilder &b, Value at, int64_t width);

private:
  WeightOperand y;
  Epilogue epilogue;
  int64_t tileRows;

  void emitTile(OpBuilder &b, Value panel, Value firstRow, int64_t rows, int64_t valid);
  void emitPanel(OpBuilder &b, Value panel, Value chunk, int64_t valid);
};

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_BLOCKTILES_H
