//===- Product.h - matrix products and convolutions ------------*- C++ -*-===//
//
// out[batch, row, column] = sum over steps of x[batch, row, step] * y[batch, step, column]. A matrix product is that
// with one dimension each; in a convolution rows are output positions, steps are (tap, input channel) and columns are
// output channels, and x is read where it lies: no windows are gathered. A transposed convolution whose windows don't
// overlap has a batch per tap, each of which writes some of the rows.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_PRODUCT_H
#define ANE_LIB_HOST_PRODUCT_H

#include "Kernel.h"

namespace mlir::ane::host {

/// Steps of a block of a product: a panel of 16 columns fills three quarters of a first-level cache of 32 KB.
inline constexpr int64_t blockLength = 384;

/// The dimensions that one index runs over, outermost first.
struct Span {
  SmallVector<int64_t> shape, strides;

  int64_t count() const { return numElements(shape); }
  void append(int64_t size, int64_t stride) {
    shape.push_back(size);
    strides.push_back(stride);
  }
  /// Joins dimensions that are one, also in `along`, other strides of the same dimensions.
  void simplify(SmallVector<int64_t> *along = nullptr);
};

struct Product {
  /// Roots. A constant y is packed ahead of time: `weight` says how, and yBatch, ySteps and columns are not used.
  Value x, y;
  int64_t xOffset = 0, yOffset = 0;
  SmallVector<int64_t> batch, xBatch, yBatch;
  Span rows, xSteps, ySteps, columns;
  std::optional<Access> weight; // [batch, steps.., columns]
  int64_t m = 0, n = 0, k = 0;
  /// Positions in the rows of the result, per dimension of `batch` and of `rows`; columns of the result per batch.
  SmallVector<int64_t> batchRows, resultRows;
  int64_t columnsPerBatch = 0;
  /// What of it a mask makes superfluous (attrs::masked).
  enum { None, Scores, Values } masked = None;

  int64_t batches() const { return numElements(batch); }
  /// Whether y is read in place by tiles of this machine: nothing is packed, by whomever.
  bool isDirect(const TileTable &tiles, FloatType compute) const;
  /// Whether there are many rows, both operands are computed, and tiles are not to read them where they lie: blocks of
  /// them are packed. The same for all machines.
  bool isPacked() const;
  /// The tile that wastes the fewest columns: weights are packed into them, so the rows have no say. `given`: its
  /// columns, if they can't be chosen.
  RegisterTile tileOf(const TileTable &tiles, FloatType compute, int64_t given = 0) const;
  /// The blocks that y stays in; the reference build, in double, computes with their elements.
  std::optional<WeightBlocks> blocks(FloatType compute) const;
  /// Whether what of y is packed at run time fits on a thread's stack. The same for all machines, whose tiles have the
  /// same columns.
  bool fits() const;
};

/// Describes a matmul, linear, direct or direct transposed convolution. Fails where strides can't say what is read.
FailureOr<Product> describeProduct(Operation *op);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_PRODUCT_H
