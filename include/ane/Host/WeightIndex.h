//===- WeightIndex.h - weights behind the CPU's weight file ----*- C++ -*-===//
#ifndef ANE_HOST_WEIGHTINDEX_H
#define ANE_HOST_WEIGHTINDEX_H

#include "ane/Host/Host.h"

namespace mlir::ane {

/// A tensor of the weight file, and the weights of the model that it is made from.
struct HostWeight {
  uint64_t offset = 0, bytes = 0;    ///< in the file
  std::vector<std::string> readers;  ///< functions
  SmallVector<Attribute, 1> sources; ///< #ane.weight
  /// As in manifest::StoredWeight.
  std::string fixed;
  Type elementType;
  int64_t base = 0;
  SmallVector<int64_t> shape, strides;
  int64_t columns = 0;
};

/// compileHost() that says, in the order in which the sink got them, what the tensors are.
FailureOr<HostBuild> compileHost(ModuleOp module, ArrayRef<func::FuncOp> functions, const HostOptions &options,
                                 HostWeightSink &sink, std::vector<HostWeight> &weights);

} // namespace mlir::ane

#endif // ANE_HOST_WEIGHTINDEX_H
