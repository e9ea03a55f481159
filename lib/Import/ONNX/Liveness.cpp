//===- Liveness.cpp - nodes that contribute to a graph's outputs ----------===//

#include "Liveness.h"

using namespace mlir;
using namespace mlir::ane::onnx_import;

std::string mlir::ane::onnx_import::displayName(const onnx::NodeProto &node, int64_t index) {
  if (!node.name().empty())
    return node.name();
  for (const std::string &output : node.output())
    if (!output.empty())
      return output;
  return node.op_type() + "_" + std::to_string(index);
}

SmallVector<const onnx::GraphProto *> mlir::ane::onnx_import::graphsOf(const onnx::NodeProto &node) {
  SmallVector<const onnx::GraphProto *> graphs;
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      graphs.push_back(&attribute.g());
    for (const onnx::GraphProto &graph : attribute.graphs())
      graphs.push_back(&graph);
  }
  return graphs;
}

/// All names that `node` reads, those of outer graphs among them. The file's reader bounds the depth of nesting.
static void collectReads(const onnx::NodeProto &node, llvm::StringSet<> &names) {
  for (const std::string &input : node.input())
    names.insert(input);
  for (const onnx::GraphProto *graph : graphsOf(node)) {
    for (const onnx::NodeProto &inner : graph->node())
      collectReads(inner, names);
    for (const onnx::ValueInfoProto &output : graph->output())
      names.insert(output.name());
  }
}

Liveness::Liveness(const onnx::GraphProto &graph) : live(graph.node_size()) {
  for (const onnx::ValueInfoProto &output : graph.output())
    used.insert(output.name());
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    const onnx::NodeProto &node = graph.node(i);
    live[i] =
        llvm::any_of(node.output(), [&](const std::string &name) { return !name.empty() && used.contains(name); });
    if (live[i])
      collectReads(node, used);
  }
}
