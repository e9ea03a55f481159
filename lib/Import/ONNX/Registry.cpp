//===- Registry.cpp - handlers of ONNX ops --------------------------------===//

#include "Registry.h"

using namespace mlir;
using namespace mlir::ane::onnx_import;

static std::pair<std::string, std::string> keyOf(StringRef domain, StringRef opType) {
  return {domain == "ai.onnx" ? std::string() : domain.str(), opType.str()};
}

void Registry::onOp(StringRef domain, StringRef opType, std::initializer_list<int64_t> sinceVersions, Handler handler) {
  auto key = keyOf(domain, opType);
  for (int64_t since : sinceVersions)
    entries[key][since] = Entry{since, handler, Signature::lookup(key.first, opType, since)};
}

const Registry::Entry *Registry::lookup(StringRef domain, StringRef opType, int64_t opset) const {
  auto op = entries.find(keyOf(domain, opType));
  if (op == entries.end())
    return nullptr;
  auto above = op->second.upper_bound(opset);
  return above == op->second.begin() ? nullptr : &std::prev(above)->second;
}

SmallVector<int64_t> Registry::versions(StringRef domain, StringRef opType) const {
  SmallVector<int64_t> result;
  if (auto op = entries.find(keyOf(domain, opType)); op != entries.end())
    for (const auto &[since, entry] : op->second)
      result.push_back(since);
  return result;
}

const Registry &Registry::get() {
  static const Registry registry = [] {
    Registry all;
    registerActivationOps(all);
    registerAttentionOps(all);
    registerBitOps(all);
    registerCol2ImOps(all);
    registerComparisonOps(all);
    registerConstantOps(all);
    registerContribActivationOps(all);
    registerContribAttentionOps(all);
    registerContribMatMulOps(all);
    registerContribNormOps(all);
    registerContribQuantizeOps(all);
    registerControlFlowOps(all);
    registerConvOps(all);
    registerElementwiseOps(all);
    registerGatherOps(all);
    registerLossOps(all);
    registerMatMulOps(all);
    registerNormOps(all);
    registerPadOps(all);
    registerPoolOps(all);
    registerQuantizeOps(all);
    registerRecurrentOps(all);
    registerReduceOps(all);
    registerResizeOps(all);
    registerSampleOps(all);
    registerSelectionOps(all);
    registerSequenceOps(all);
    registerShapeOps(all);
    registerSignalOps(all);
    registerSliceOps(all);
    registerSortOps(all);
    return all;
  }();
  return registry;
}
