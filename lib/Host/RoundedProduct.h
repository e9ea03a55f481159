//===- RoundedProduct.h - products of rows as bytes ------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_ROUNDEDPRODUCT_H
#define ANE_LIB_HOST_ROUNDEDPRODUCT_H

#include "Product.h"

namespace mlir::ane::host {

/// Emits a product whose weight is in blocks with rows of bytes: one, if rows are rounded to 8 bits
/// (KernelContext::isRounding), or three for few rows that stay exact. Then comes the row program that follows it.
/// Returns nothing for any other product, and where the machine has nothing for bytes (KernelContext::bytes).
std::optional<FailureOr<Kernel>> emitRoundedProduct(KernelContext &context, Location loc, const Product &product,
                                                    const RowProgram &program);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_ROUNDEDPRODUCT_H
