//===- Cluster.h - which ops become one kernel -----------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_CLUSTER_H
#define ANE_LIB_HOST_CLUSTER_H

#include "ane/IR/ANE.h"

namespace mlir::ane::host {

struct Cluster {
  enum Kind {
    Gemm,   // the first op is a matrix product, the others its epilogue
    Row,    // all ops form one row program
    Generic // one op, through linalg
  } kind;
  /// In program order.
  SmallVector<Operation *> ops;
};

/// Partitions the computing ops of `function` (all but constants, views and the return) and orders the clusters so that
/// each comes after those whose results it reads. Greedy: an op joins the cluster of a producer where that is legal and
/// the fused program can be expressed.
std::vector<Cluster> formClusters(func::FuncOp function);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_CLUSTER_H
