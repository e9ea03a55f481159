//===- ConstantEvaluator.h - values of ops on small constants --*- C++ -*-===//
//
// Importers fold shape computations away as they emit them: what the ops of a shape computation give for constants of
// at most `maxFoldedElements` elements. Large constants stay ops on weights, which are materialised when the bundle is
// written.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_CONSTANTEVALUATOR_H
#define ANE_LIB_IMPORT_CONSTANTEVALUATOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace mlir::ane {

constexpr int64_t maxFoldedElements = 4096;

/// The results of `op` if all its operands are small constants and the op is one that shape computations use. Integer
/// results are exact: nothing is returned where one would leave its type's range, or for a division by zero. Float
/// arithmetic is IEEE, rounded to the result's type.
std::optional<SmallVector<DenseElementsAttr>> evaluateConstants(Operation *op);

/// A constant from the raw little-endian bytes of `type`, packed as in a weight file (i1 takes a byte).
DenseElementsAttr denseFromBytes(RankedTensorType type, ArrayRef<char> bytes);

/// No list of parameters or indices that an op is given as a constant is longer.
constexpr int64_t maxListElements = 1 << 20;

/// The elements of a constant, those of a weight of at most `maxElements` among them; null for other values.
DenseElementsAttr readConstant(Value value, int64_t maxElements = maxListElements);

} // namespace mlir::ane

#endif // ANE_LIB_IMPORT_CONSTANTEVALUATOR_H
