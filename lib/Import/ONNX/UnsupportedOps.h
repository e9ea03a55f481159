//===- UnsupportedOps.h - ops of a model without a handler -----*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_UNSUPPORTEDOPS_H
#define ANE_LIB_IMPORT_ONNX_UNSUPPORTEDOPS_H

#include "Functions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::ane::onnx_import {

class UnsupportedOps {
public:
  explicit UnsupportedOps(const FunctionLibrary &functions) : functions(functions) {}

  bool empty() const { return nodes.empty(); }
  /// Records the node `name`, whose op is taken from version `opset` of its domain.
  void add(const onnx::NodeProto &node, int64_t opset, const std::string &name);
  /// Records what `graph` needs and lacks, in inner graphs and called functions, too, without importing it.
  void addGraph(const onnx::GraphProto &graph, const Opsets &opsets);
  /// The same for the graphs that `node` holds and the function that it calls.
  void addInside(const onnx::NodeProto &node, const Opsets &opsets, const std::string &name);
  /// "op Unique (domain 'ai.onnx', opset 17): 2 nodes: 'a', 'b'", for each op.
  std::vector<std::string> describe() const;

private:
  void visitGraph(const onnx::GraphProto &graph, const Opsets &opsets, const std::string &prefix);
  void visitInside(const onnx::NodeProto &node, const Opsets &opsets, const std::string &name);
  void visitPending();

  const FunctionLibrary &functions;
  llvm::SmallPtrSet<const Function *, 8> seen;
  /// Functions that were seen, but not visited; the prefix of names inside.
  std::vector<std::pair<const Function *, std::string>> pending;
  /// {domain, op} and opset -> names of nodes.
  llvm::MapVector<std::pair<std::pair<std::string, std::string>, int64_t>, std::vector<std::string>,
                  std::map<std::pair<std::pair<std::string, std::string>, int64_t>, unsigned>>
      nodes;
};

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_UNSUPPORTEDOPS_H
