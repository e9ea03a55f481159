//===- Sweeps.h - functions over a part of all parameters ------*- C++ -*-===//
#ifndef ANE_LIB_AUTODIFF_SWEEPS_H
#define ANE_LIB_AUTODIFF_SWEEPS_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

/// Sums of squares are sums of rows first, which threads share: a sweep has a multiple of so many elements.
inline constexpr int64_t sweepRow = 1024;

/// Adds the sweeps over arrays of `elements` floats at the end of the module, and returns the fields of `ane.training`
/// that name them: `squares`, `add` and `optimizers`. manifest::Training says what each computes. All of them run on
/// the CPU, in fp32.
SmallVector<NamedAttribute> createSweeps(ModuleOp module, int64_t elements);

} // namespace mlir::ane

#endif // ANE_LIB_AUTODIFF_SWEEPS_H
