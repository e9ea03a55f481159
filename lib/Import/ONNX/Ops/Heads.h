//===- Heads.h - heads of attention ----------------------------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_OPS_HEADS_H
#define ANE_LIB_IMPORT_ONNX_OPS_HEADS_H

#include "../Expr.h"

namespace mlir::ane::onnx_import {

/// [B, S, heads D] as [B, heads, S, D].
Expr splitHeads(Expr x, int64_t heads);
/// [B, heads, S, D] as [B, S, heads D].
Expr joinHeads(Expr x);
/// Each of the heads of key or value as often as query heads share it: [B, .., S, D] as [B, heads, S, D].
Expr repeatHeads(Expr x, int64_t heads);

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_OPS_HEADS_H
