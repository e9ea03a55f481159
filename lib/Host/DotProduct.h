//===- DotProduct.h - products of few rows with rows -----------*- C++ -*-===//
#ifndef ANE_LIB_HOST_DOTPRODUCT_H
#define ANE_LIB_HOST_DOTPRODUCT_H

#include "Product.h"

namespace mlir::ane::host {

/// Emits a product of few rows with a computed y whose columns are contiguous in memory, and the row program that
/// follows it. Returns nothing for any other product.
std::optional<FailureOr<Kernel>> emitDotProduct(KernelContext &context, Location loc, const Product &product,
                                                const RowProgram &program);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_DOTPRODUCT_H
