//===- BatchStatistics.h - batch norms that are trained --------*- C++ -*-===//
#ifndef ANE_LIB_AUTODIFF_BATCHSTATISTICS_H
#define ANE_LIB_AUTODIFF_BATCHSTATISTICS_H

#include "ane/IR/ANE.h"
#include <map>

namespace mlir::ane {

/// Has batch norms with `ane.batch_statistics` normalise by the mean and variance of the batch. `next` gets what their
/// running statistics become, by the names of the inputs that hold them. Fails, after an error, where a channel has one
/// value, or where what they hold is no input.
LogicalResult useBatchStatistics(func::FuncOp function, std::map<std::string, Value> &next);

} // namespace mlir::ane

#endif // ANE_LIB_AUTODIFF_BATCHSTATISTICS_H
