//===- Liveness.h - nodes that contribute to a graph's outputs -*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_LIVENESS_H
#define ANE_LIB_IMPORT_ONNX_LIVENESS_H

#include "mlir/Support/LLVM.h"
#include "onnx.pb.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace mlir::ane::onnx_import {

/// Which nodes of a graph contribute to its outputs. Nothing that ONNX describes has side effects.
struct Liveness {
  explicit Liveness(const onnx::GraphProto &graph);

  std::vector<bool> live;
  /// What live nodes, those of inner graphs among them, and the outputs read.
  llvm::StringSet<> used;
};

/// The name that messages give a node: its own, or that of its first output.
std::string displayName(const onnx::NodeProto &node, int64_t index);

/// The graphs that `node` holds.
SmallVector<const onnx::GraphProto *> graphsOf(const onnx::NodeProto &node);

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_LIVENESS_H
