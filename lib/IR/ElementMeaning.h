//===- ElementMeaning.h - what element-wise ops compute --------*- C++ -*-===//
//
// The one place where the compiler says what an element-wise op makes of one element of each operand. The folder of
// small constants and the evaluation of weights both ask it, so that a constant has the same value whichever of them
// meets it. CPU kernels (lib/Host/Elementwise.cpp) emit code instead; test_meanings.py compares the two, and both with
// ONNX Runtime, on NaN, infinities, signed zeros and ties.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IR_ELEMENTMEANING_H
#define ANE_LIB_IR_ELEMENTMEANING_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <optional>

namespace mlir::ane {

struct ElementMeaning {
  /// Of the operands' elements and then the op's parameters, in double, to be rounded once to the result's type; for
  /// arithmetic that is the correctly rounded result. Null: there is none for floats.
  std::function<double(ArrayRef<double>)> floats;
  /// Of the operands' elements, exact. Nothing where the result leaves 64 bits, or nothing is defined, as for a
  /// division by zero. Null: there is none for integers.
  std::function<std::optional<int64_t>(ArrayRef<int64_t>)> integers;
  /// The attributes that `floats` takes behind the operands.
  SmallVector<double> (*parameters)(Operation *);
};

/// By the op's TypeID.
const llvm::DenseMap<TypeID, ElementMeaning> &elementMeanings();

/// Null for an op that is not element-wise, or is a comparison, a cast or a selection.
const ElementMeaning *meaningOf(Operation *op);

} // namespace mlir::ane

#endif // ANE_LIB_IR_ELEMENTMEANING_H
