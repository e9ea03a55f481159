//===- Cluster.h - which ops become one kernel -----------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_CLUSTER_H
#define ANE_LIB_HOST_CLUSTER_H

#include "RowProgram.h"
#include "ane/Host/HostDialect.h"

namespace mlir::ane::host {

struct Cluster {
  KernelKind kind;
  /// In program order.
  SmallVector<Operation *> ops;
  /// The constant that a product holds packed.
  Value packed = {};

  bool isProduct() const { return kind == KernelKind::Product || kind == KernelKind::Depthwise; }
  /// Whether all ops form one row program. Until clusters are complete `Row` stands for `Elementwise`, too.
  bool isRow() const { return kind == KernelKind::Row || kind == KernelKind::Elementwise; }
  /// The row program of `ops`, which begin like the cluster's: all of them, or what follows the product.
  FailureOr<RowProgram> program(ArrayRef<Operation *> ops) const;
};

/// Partitions the computing ops of `function` (all but constants, views and the return) and orders the clusters so that
/// each comes after those whose results it reads. Greedy: an op joins the cluster of a producer where that is legal and
/// the fused program can be expressed. An error names an op that has no kernel.
FailureOr<std::vector<Cluster>> formClusters(func::FuncOp function);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_CLUSTER_H
