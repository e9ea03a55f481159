//===- MergeAxes.h - the same ops on fewer axes ----------------*- C++ -*-===//
#ifndef ANE_LIB_TRANSFORMS_MERGEAXES_H
#define ANE_LIB_TRANSFORMS_MERGEAXES_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

/// Rewrites ops of `block` that read or make values of more axes than `limitOf` allows them, on reshaped operands,
/// where the op treats neighbouring axes alike. The others are declined.
void mergeAxes(Block &block, llvm::function_ref<int64_t(Operation *)> limitOf);

} // namespace mlir::ane

#endif // ANE_LIB_TRANSFORMS_MERGEAXES_H
