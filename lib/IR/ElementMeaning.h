//===- ElementMeaning.h - what ops make of elements ------------*- C++ -*-===//
//
// What an element-wise op makes of one element of each operand, which is field `meaning` of its record, what a
// reduction makes of its elements, and what a cast makes of one. The folder of small constants and the evaluation of
// weights both ask it, so that a constant has the same value whichever of them meets it. CPU kernels are made from the
// same records (lib/Host/Elementwise.cpp); reductions and casts have code of their own there (RowOps.cpp,
// Scalar::convert). test_meanings.py compares all with NumPy and ONNX Runtime, for every op and every element type.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IR_ELEMENTMEANING_H
#define ANE_LIB_IR_ELEMENTMEANING_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <optional>
#include <vector>

namespace mlir::ane {

struct ElementMeaning {
  /// Of the operands' elements, in double for f64, else in fp32 at each step, to be rounded to the result's type. Null:
  /// there is none for floats.
  double (*floats)(Operation *op, ArrayRef<double> x) = nullptr;
  /// The same of many elements: `rows` has those of each operand.
  void (*rowOfFloats)(Operation *op, ArrayRef<std::vector<double>> rows, MutableArrayRef<double> results) = nullptr;
  /// Of the operands' elements, those of unsigned types as their bits, modulo 2^64; integerOf() makes of it what the
  /// result's type holds. Null: there is none for integers.
  int64_t (*integers)(Operation *op, ArrayRef<int64_t> x) = nullptr;
};

/// By the op's TypeID.
const llvm::DenseMap<TypeID, ElementMeaning> &elementMeanings();

/// Null for an op that is not element-wise, or is a cast or a selection.
const ElementMeaning *meaningOf(Operation *op);

/// From a start, each element changes the total. NaN where the largest or smallest of elements is asked for and one is
/// NaN, as MaximumOp has it.
struct ReductionMeaning {
  double start;
  double (*step)(double total, double x);
  /// Makes the result of the total and of the number of elements.
  double (*finish)(double total, double count);
  /// Of integers, modulo 2^64. Null: there is none for integers.
  using OfIntegers = int64_t (*)(int64_t total, int64_t x, bool isUnsigned);
  OfIntegers integers;
};

/// Null for other ops.
const ReductionMeaning *reductionOf(Operation *op);

/// What a cast to integer type `type` makes of a float: it loses its fraction, then is the nearest number that the type
/// has; 0 of NaN. A bool is whether it is not 0. (No standard says what becomes of numbers beyond the type, and every
/// processor has an answer of its own: ours is the same on all of them.)
int64_t integerOf(double value, Type type);

/// The same of an integer: its low bits, as two's complement.
int64_t integerOf(int64_t value, Type type);

/// What a cast to float type `to` makes of an integer of type `from`, rounded once; to bf16 by way of fp32, as
/// processors and other runtimes do.
double floatOf(int64_t value, Type from, FloatType to);

} // namespace mlir::ane

#endif // ANE_LIB_IR_ELEMENTMEANING_H
