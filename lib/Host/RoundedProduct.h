//===- RoundedProduct.h - products of rows in 8 bits -----------*- C++ -*-===//
#ifndef ANE_LIB_HOST_ROUNDEDPRODUCT_H
#define ANE_LIB_HOST_ROUNDEDPRODUCT_H

#include "Product.h"

namespace mlir::ane::host {

/// Emits a product whose weight is in blocks, with its rows rounded to 8 bits, and the row program that follows it.
/// Returns nothing for any other product, and where rows shall stay exact (KernelContext::bytes).
std::optional<FailureOr<Kernel>> emitRoundedProduct(KernelContext &context, Location loc, const Product &product,
                                                    const RowProgram &program);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_ROUNDEDPRODUCT_H
