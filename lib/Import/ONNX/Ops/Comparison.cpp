//===- Comparison.cpp - ONNX comparisons, logic and selection -------------===//

#include "../NodeBinder.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

template <typename OpTy>
static void binary(NodeBinder &n) {
  Value x = n.input(0), y = n.input(1);
  n.result(0, n.emit<OpTy>({x, n.legacyBroadcast(x, y)}));
}

static void logicalNot(NodeBinder &n) { n.result(0, n.emit<LogicalNotOp>({n.input(0)})); }

static void where(NodeBinder &n) { n.result(0, n.emit<SelectOp>({n.input(0), n.input(1), n.input(2)})); }

/// Only a NaN differs from itself.
static void isNaN(NodeBinder &n) {
  Value x = n.input(0);
  n.result(0, n.emit<NotEqualOp>({x, x}));
}

static void isInf(NodeBinder &n) {
  Value x = n.input(0);
  bool negative = n.boolAttr("detect_negative", true), positive = n.boolAttr("detect_positive", true);
  if (!n)
    return;
  double infinity = std::numeric_limits<double>::infinity();
  if (!negative && !positive)
    return n.result(0, n.splat(RankedTensorType::get(n.shape(x), n.builder.getI1Type()), 0));
  if (negative && positive)
    x = n.emit<AbsOp>({x});
  n.result(0, n.emit<EqualOp>({x, n.scalar(n.elementType(x), positive ? infinity : -infinity)}));
}

void mlir::ane::onnx_import::registerComparisonOps(Registry &registry) {
  registry.onOp("", "And", {1, 7}, binary<LogicalAndOp>);
  registry.onOp("", "Equal", {1, 7, 11, 13, 19}, binary<EqualOp>);
  registry.onOp("", "Greater", {1, 7, 9, 13}, binary<GreaterOp>);
  registry.onOp("", "GreaterOrEqual", {12, 16}, binary<GreaterEqualOp>);
  registry.onOp("", "IsInf", {10, 20}, isInf);
  registry.onOp("", "IsNaN", {9, 13, 20}, isNaN);
  registry.onOp("", "Less", {1, 7, 9, 13}, binary<LessOp>);
  registry.onOp("", "LessOrEqual", {12, 16}, binary<LessEqualOp>);
  registry.onOp("", "Not", {1}, logicalNot);
  registry.onOp("", "Or", {1, 7}, binary<LogicalOrOp>);
  registry.onOp("", "Where", {9, 16}, where);
  registry.onOp("", "Xor", {1, 7}, binary<LogicalXorOp>);
}
