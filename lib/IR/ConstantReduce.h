//===- ConstantReduce.h - reductions and norms of constants ----*- C++ -*-===//
#ifndef ANE_LIB_IR_CONSTANTREDUCE_H
#define ANE_LIB_IR_CONSTANTREDUCE_H

#include "ane/IR/ConstantEval.h"

namespace mlir::ane {

/// Whether `op` reduces floats along axes to one each.
bool canReduce(Operation *op);

/// The value of such a reduction, in double.
ConstantBuffer reduce(Operation *op, const ConstantBuffer &in);

} // namespace mlir::ane

#endif // ANE_LIB_IR_CONSTANTREDUCE_H
