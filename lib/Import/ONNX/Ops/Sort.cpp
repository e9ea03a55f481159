//===- Sort.cpp - ONNX order ----------------------------------------------===//

#include "../NodeBinder.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// Sorted even where ONNX leaves the order open.
static void topK(NodeBinder &n) {
  Value x = n.input(0);
  int64_t given = n.intAttr("axis", -1);
  int64_t k = n.since() < 10 ? n.intAttr("k") : n.intScalar(1, "K");
  bool largest = n.since() < 11 || n.boolAttr("largest", true);
  n.ignoreAttr("sorted");
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(x));
  if (!n)
    return;
  if (k < 0 || k > n.shape(x)[axis])
    return n.error("K is " + Twine(k) + ", axis " + Twine(axis) + " has size " + Twine(n.shape(x)[axis]));
  SmallVector<Value> results = n.emitAll<TopkOp>({x}, {{"k", k}, {"axis", axis}, {"ascending", !largest}});
  if (results.size() != 2)
    return;
  n.result(0, results[0]);
  n.result(1, n.cast(results[1], n.builder.getI64Type()));
}

void mlir::ane::onnx_import::registerSortOps(Registry &registry) { registry.onOp("", "TopK", {1, 10, 11, 24}, topK); }
