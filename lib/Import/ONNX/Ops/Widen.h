//===- Widen.h - formulas in a wider type -----------------------*- C++ -*-===//
//
// ONNX rounds what an op gives to its type, not what a formula for it computes on the way, which fp16 may not hold.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_ONNX_OPS_WIDEN_H
#define ANE_LIB_IMPORT_ONNX_OPS_WIDEN_H

#include "../Expr.h"

namespace mlir::ane::onnx_import {

/// `x` in float32 if its type is narrower.
inline Expr widened(Expr x) {
  NodeBinder &n = x.binder();
  return n && x.element().getIntOrFloatBitWidth() < 32 ? x.cast(n.builder.getF32Type()) : x;
}

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_OPS_WIDEN_H
