//===- UnsupportedOps.cpp - ops of a model without a handler --------------===//

#include "UnsupportedOps.h"
#include "Liveness.h"
#include "Registry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane::onnx_import;

void UnsupportedOps::add(const onnx::NodeProto &node, int64_t opset, const std::string &name) {
  nodes[{{node.domain(), node.op_type()}, opset}].push_back(name);
}

void UnsupportedOps::addInside(const onnx::NodeProto &node, const Opsets &opsets, const std::string &name) {
  visitInside(node, opsets, name);
  visitPending();
}

void UnsupportedOps::addGraph(const onnx::GraphProto &graph, const Opsets &opsets) {
  visitGraph(graph, opsets, "");
  visitPending();
}

void UnsupportedOps::visitPending() {
  while (!pending.empty()) {
    auto [function, prefix] = pending.back();
    pending.pop_back();
    visitGraph(function->body, function->opsets, prefix);
  }
}

void UnsupportedOps::visitInside(const onnx::NodeProto &node, const Opsets &opsets, const std::string &name) {
  // Each function once, which also ends recursion; later, because a chain of calls may be of any length.
  const Function *function = functions.lookup(node);
  if (function && seen.insert(function).second)
    pending.push_back({function, name + "/"});
  for (const onnx::GraphProto *graph : graphsOf(node))
    visitGraph(*graph, opsets, name + "/");
}

void UnsupportedOps::visitGraph(const onnx::GraphProto &graph, const Opsets &opsets, const std::string &prefix) {
  Liveness liveness(graph);
  for (int i = 0; i < graph.node_size(); ++i) {
    if (!liveness.live[i])
      continue;
    const onnx::NodeProto &node = graph.node(i);
    std::string name = prefix + displayName(node, i);
    int64_t opset = opsetOf(opsets, node.domain());
    if (!functions.lookup(node) && !Registry::get().lookup(node.domain(), node.op_type(), opset))
      add(node, opset, name);
    visitInside(node, opsets, name);
  }
}

std::vector<std::string> UnsupportedOps::describe() const {
  constexpr size_t maxNames = 8;
  std::vector<std::string> lines;
  for (const auto &[key, names] : nodes) {
    const auto &[op, opset] = key;
    std::string line = "op " + op.second + " (domain '" + (op.first.empty() ? "ai.onnx" : op.first) + "', opset " +
                       std::to_string(opset) + "): " + std::to_string(names.size()) +
                       (names.size() == 1 ? " node: '" : " nodes: '");
    size_t shown = std::min(names.size(), maxNames);
    line += llvm::join(names.begin(), names.begin() + shown, "', '") + "'";
    if (names.size() > shown)
      line += " and " + std::to_string(names.size() - shown) + " more";
    SmallVector<int64_t> versions = Registry::get().versions(op.first, op.second);
    if (!versions.empty())
      line += " (supported from opset " + std::to_string(versions.front()) + ")";
    lines.push_back(line);
  }
  return lines;
}
