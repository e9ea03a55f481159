//===- Registry.h - handlers of ONNX ops -----------------------*- C++ -*-===//
//
// A handler emits the ane ops of one ONNX op. It is registered under the op's domain, name and all since-versions that
// it implements; a model gets the handler of the largest since-version that is not above its opset. Adding an op means
// adding a handler to the file of its family.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_ONNX_REGISTRY_H
#define ANE_LIB_IMPORT_ONNX_REGISTRY_H

#include "Signature.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <initializer_list>
#include <map>

namespace mlir::ane::onnx_import {

class NodeBinder;
using Handler = std::function<void(NodeBinder &)>;

class Registry {
public:
  struct Entry {
    int64_t since;
    Handler handler;
    const Signature *signature;
  };

  /// Registers `handler` for the versions of `opType` that began at each of `sinceVersions`: all from the first one on,
  /// which is at least the newest up to opset 7.
  void onOp(StringRef domain, StringRef opType, std::initializer_list<int64_t> sinceVersions, Handler handler);

  /// The entry for a model of `opset`; null if there is none.
  const Entry *lookup(StringRef domain, StringRef opType, int64_t opset) const;
  /// The since-versions registered for an op, ascending.
  SmallVector<int64_t> versions(StringRef domain, StringRef opType) const;

  /// The registry with the handlers of all families.
  static const Registry &get();

private:
  std::map<std::pair<std::string, std::string>, std::map<int64_t, Entry>> entries;
};

/// Opsets of the default domain that the handlers were written for. A newer opset may change what an op means.
constexpr int64_t minOpset = 1, maxOpset = 28;

void registerActivationOps(Registry &registry);
void registerAttentionOps(Registry &registry);
void registerBitOps(Registry &registry);
void registerCol2ImOps(Registry &registry);
void registerComparisonOps(Registry &registry);
void registerConstantOps(Registry &registry);
void registerContribActivationOps(Registry &registry);
void registerContribAttentionOps(Registry &registry);
void registerContribMatMulOps(Registry &registry);
void registerContribNormOps(Registry &registry);
void registerContribQuantizeOps(Registry &registry);
void registerControlFlowOps(Registry &registry);
void registerConvOps(Registry &registry);
void registerElementwiseOps(Registry &registry);
void registerGatherOps(Registry &registry);
void registerLossOps(Registry &registry);
void registerMatMulOps(Registry &registry);
void registerNormOps(Registry &registry);
void registerPadOps(Registry &registry);
void registerPoolOps(Registry &registry);
void registerQuantizeOps(Registry &registry);
void registerRecurrentOps(Registry &registry);
void registerReduceOps(Registry &registry);
void registerResizeOps(Registry &registry);
void registerSampleOps(Registry &registry);
void registerSelectionOps(Registry &registry);
void registerSequenceOps(Registry &registry);
void registerShapeOps(Registry &registry);
void registerSignalOps(Registry &registry);
void registerSliceOps(Registry &registry);
void registerSortOps(Registry &registry);

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_REGISTRY_H
