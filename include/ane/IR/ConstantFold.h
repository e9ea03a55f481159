//===- ConstantFold.h - values of ops on small constants -------*- C++ -*-===//
//
// One evaluator for all ops that shape computations use: the dialect's folder and the importers call it. Large
// constants stay ops on weights, which are materialised when the bundle is written (ConstantEval.h).
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_CONSTANTFOLD_H
#define ANE_IR_CONSTANTFOLD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Operation.h"
#include <memory>
#include <optional>

namespace mlir::ane {

/// Whether there is a rule for the op.
bool hasFoldRule(Operation *op);

/// The results of `op` on constant `operands`, if there is a rule for the op and no operand or result has more than
/// `maxElements` elements, splats apart. Integer results are exact: nothing is returned where one would leave its
/// type's range, or for a division by zero. Float arithmetic is IEEE, rounded to the result's type; nothing is returned
/// where a finite value would become infinite, because what becomes of such constants is a decision of the target.
std::optional<SmallVector<DenseElementsAttr>> foldConstants(Operation *op, ArrayRef<DenseElementsAttr> operands,
                                                            int64_t maxElements);

/// Folds every op of the dialect on `DenseElementsAttr` constants; `#ane.weight` is never read.
std::unique_ptr<DialectInterface> createFoldInterface(Dialect *dialect);

} // namespace mlir::ane

#endif // ANE_IR_CONSTANTFOLD_H
