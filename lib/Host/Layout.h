//===- Layout.h - order of dimensions in memory ----------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_LAYOUT_H
#define ANE_LIB_HOST_LAYOUT_H

#include "ane/IR/ANE.h"

namespace mlir::ane::host {

/// Gives the ops of `function` their orderMark: convolutions keep channels last, so that their vectors run over
/// channels, and what follows element by element or window by window keeps the order of its operand. No value changes
/// its shape; only where strides can't say what an op reads, a row-major copy is inserted.
void assignLayouts(func::FuncOp function);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_LAYOUT_H
