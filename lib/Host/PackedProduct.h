//===- PackedProduct.h - products of computed matrices ---------*- C++ -*-===//
#ifndef ANE_LIB_HOST_PACKEDPRODUCT_H
#define ANE_LIB_HOST_PACKEDPRODUCT_H

#include "Product.h"

namespace mlir::ane::host {

/// Emits a product with a computed y that is packed, or read in blocks of steps, and the row program that follows it.
/// Returns nothing for a product without Product::isPacked().
std::optional<FailureOr<Kernel>> emitPackedProduct(KernelContext &context, Location loc, const Product &product,
                                                   const RowProgram &program);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_PACKEDPRODUCT_H
