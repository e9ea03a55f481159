//===- Rewrites.h - ops written with ops that have kernels -----*- C++ -*-===//
#ifndef ANE_LIB_HOST_REWRITES_H
#define ANE_LIB_HOST_REWRITES_H

#include "Access.h"
#include "ane/IR/Builders.h"

namespace mlir::ane::host {

/// Attribute of an identity that is a copy, not a view.
inline constexpr StringLiteral copyMark = "host.copy";

/// Whether `op` is such a copy.
inline bool isCopy(Operation *op) { return op && op->hasAttr(copyMark); }

/// Attribute of a cast of fp16 or bf16 to fp32 that is a view: kernels widen elements where they load them.
inline constexpr StringLiteral widenMark = "host.widen";

/// Whether `op` is such a cast; whether it may become one.
inline bool isWidening(Operation *op) { return op && op->hasAttr(widenMark); }
inline bool canWiden(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  return cast && (elementOf(cast.getX()).isF16() || elementOf(cast.getX()).isBF16()) &&
         elementOf(cast.getResult()).isF32();
}

/// A copy of `x`.
Value createCopy(OpBuilder &b, Location loc, Value x);

struct BuilderBefore {
  OpBuilder b;
};
/// Builds what replaces `op`.
struct Maker : BuilderBefore, Composer {
  explicit Maker(Operation *op) : BuilderBefore{OpBuilder(op)}, Composer(b, op->getLoc()), op(op) {}
  Operation *op;

  Value copy(Value x) { return createCopy(b, op->getLoc(), x); }
  Value cast(Value x, Type element) { return elementOf(x) == element ? x : make<CastOp>(x, element); }
  Value slice(Value x, ArrayRef<int64_t> begin, ArrayRef<int64_t> size) { return make<SliceBySizeOp>(x, begin, size); }
  Value pad(Value x, ArrayRef<int64_t> amounts) { return make<PadOp>(x, amounts, "constant", APFloat(0.0)); }
  void replace(Value result) {
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
};

/// The part of rewriteForKernels() for parameters per channel, quantisation and blocks of images.
bool rewriteChannelOp(Operation *op);

/// The part for images in another size.
bool rewriteResize(Operation *op);

/// The part for recurrent networks.
bool rewriteRecurrent(Operation *op);

/// Replaces `op` by ops that have kernels, if it is one of those that are best written so.
bool rewriteForKernels(Operation *op);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_REWRITES_H
