//===- ConstantRows.h - rows of constant elements --------------*- C++ -*-===//
//
// Elements of any type are computed on as doubles, a row at a time, so that the type is looked at once a row.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IR_CONSTANTROWS_H
#define ANE_LIB_IR_CONSTANTROWS_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::ane {

/// Reads elements `first`, `first + step`, ... of `data`: exact for every type up to 53 bits.
void loadRow(const char *data, Type type, int64_t first, int64_t step, MutableArrayRef<double> values);

/// Writes `values` from element `first` on, rounded to `type`: to nearest even for floats. Integers are what
/// integerOf() makes of them.
void storeRow(char *data, Type type, int64_t first, ArrayRef<double> values);

/// The type in which elements of `type` are held while they are computed with: halves in fp32, as by kernels.
RankedTensorType unrounded(RankedTensorType type);

/// Casts `count` integers at `source`, without a double between, which 64 bits do not fit.
void castIntegers(const char *source, Type from, char *target, Type to, int64_t count);

/// The fp16 bits of as many floats at `source`, rounded to nearest even. What fp16 can't hold, infinities among it,
/// becomes `overflow` with its sign; a NaN stays one.
void narrowRow(const char *source, float overflow, MutableArrayRef<uint16_t> halves);

} // namespace mlir::ane

#endif // ANE_LIB_IR_CONSTANTROWS_H
