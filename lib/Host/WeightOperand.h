//===- WeightOperand.h - what a product multiplies with --------*- C++ -*-===//
//
// The right-hand side of a product, a constant in panels or a computed value. Here alone is known how its elements are
// stored: floats of any width, integers, which are weights without a scale of their own, and blocks of a model file.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_WEIGHTOPERAND_H
#define ANE_LIB_HOST_WEIGHTOPERAND_H

#include "Kernel.h"

namespace mlir::ane::host {

class WeightOperand {
public:
  WeightOperand(KernelContext &context, Location loc, Value root, std::optional<WeightBlocks> blocks = std::nullopt)
      : blocks(blocks), context(context), loc(loc), root(root) {}

  /// The blocks that it is packed in, if it is: panels of WeightBlocks::columns, which BlockReader loads.
  const std::optional<WeightBlocks> blocks;

  /// Enters it in a kernel; `panels`, if given, is the view [batch, steps.., columns] that is packed ahead of time.
  void addInput(KernelBuilder &builder, const std::optional<Access> &panels, int64_t columns) const;
  /// After the kernel began: the buffer.
  Value buffer(const KernelBuilder &builder) const { return builder.inputs.lookup(root); }
  /// Elements `at` .. of a buffer that holds them as memory does, or of one on the stack: `width` of them as a vector
  /// of the compute type, or one as a scalar.
  Value load(OpBuilder &b, Value buffer, Value at, int64_t width) const;
  static constexpr int64_t cacheLine = 64;
  /// Asks for the memory that lies a page behind elements `at` .. at + count. For weights that are read once:
  /// processors ask by themselves for what follows, but only up to the end of a page. Products of few rows hide no
  /// wait. (Not for attention's caches: SmolLM2's scores of 8 sequences then take a third more.)
  void prefetch(OpBuilder &b, Value buffer, Value at, int64_t count) const;

private:
  KernelContext &context;
  Location loc;
  Value root;
};

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_WEIGHTOPERAND_H
