//===- BlockProduct.h - products of few rows with weights in blocks ------===//
#ifndef ANE_LIB_HOST_BLOCKPRODUCT_H
#define ANE_LIB_HOST_BLOCKPRODUCT_H

#include "Product.h"

namespace mlir::ane::host {

/// Emits a product whose weight is in blocks and whose rows are few, and the row program that follows it. Returns
/// nothing for any other product.
std::optional<FailureOr<Kernel>> emitBlockProduct(KernelContext &context, Location loc, const Product &product,
                                                  const RowProgram &program);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_BLOCKPRODUCT_H
