//===- WeightBlocks.h - weights in blocks of integers ----------*- C++ -*-===//
//
// Weights that a model file stores in blocks (ane.constexpr_blocks) stay integers of 4 or 8 bits with a scale for each
// run of steps. They are packed into panels of 16 columns, group by group of 32 steps: scales, offsets, integers.
//
//   scales, offsets   [run][column], fp16 where the file has that, else fp32
//   4 bits, unsigned  [8 steps][column] 32 bits: steps 0, 2, 4, 6 from the lowest bits on, then steps 1, 3, 5, 7
//   8 bits, signed    [2 steps][column] 16 bits
//
// So the bits of a column and of two neighbouring steps are a pair of 16-bit integers after a shift and a mask, for
// tiles of any machine's registers: an element is scale * (integer - bias) + offset.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_WEIGHTBLOCKS_H
#define ANE_LIB_HOST_WEIGHTBLOCKS_H

#include "Access.h"
#include "ane/IR/ANE.h"

namespace mlir::ane::host {

/// The op whose value the constant `root` is, if it is nothing but blocks of a model file.
ConstexprBlocksOp blocksOf(Value root);

struct WeightBlocks {
  /// Of a panel, and steps of a group.
  static constexpr int64_t columns = 16, steps = 32;

  BlockType format;
  int64_t run;  ///< steps that share a scale: 16 or 32
  int64_t bits; ///< of an integer: 4 or 8
  int64_t bias;
  bool hasOffset, halfScales;

  /// How the product of x with `view` [1, steps, columns] of a constant reads blocks; nothing if the constant has none
  /// that are made of integers, or the view does not keep whole blocks of neighbouring steps.
  static std::optional<WeightBlocks> of(const Access &view);
  /// The view [1, steps, columns] of a table [columns, steps] whose rows are the columns of panels.
  static Access columnsOf(Value table);

  int64_t runs() const { return steps / run; }
  /// Of the scales of a run.
  int64_t scaleBytes() const { return columns * (halfScales ? 2 : 4); }
  /// Where in a group the offsets begin, where the integers begin, and where it ends.
  int64_t offsetsAt() const { return runs() * scaleBytes(); }
  int64_t integersAt() const { return offsetsAt() * (hasOffset ? 2 : 1); }
  int64_t groupBytes() const { return integersAt() + steps * columns * bits / 8; }
  /// Of the panel of `k` steps.
  int64_t panelBytes(int64_t k) const { return k / steps * groupBytes(); }

  /// Calls `receive` with the panels of `view`, one after the other, until it returns false. `data`: the bytes of the
  /// constant's operand. Columns beyond those of the view are 0.
  void pack(ArrayRef<char> data, const Access &view, function_ref<bool(ArrayRef<char>)> receive) const;
};

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_WEIGHTBLOCKS_H
