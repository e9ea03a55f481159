//===- NormParameter.h - scales and shifts of norms ------------*- C++ -*-===//
#ifndef ANE_IR_NORMPARAMETER_H
#define ANE_IR_NORMPARAMETER_H

#include "ane/IR/Builders.h"

namespace mlir::ane {

/// `parameter`, of the shape of x along `axes`, in a shape that broadcasts against x.
Value alongAxes(Composer &c, Value parameter, Value x, ArrayRef<int64_t> axes);

} // namespace mlir::ane

#endif // ANE_IR_NORMPARAMETER_H
