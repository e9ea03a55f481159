//===- ContribActivation.cpp - activation functions of com.microsoft ------===//

#include "../Expr.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static Value gelu(Expr x, bool isExact) {
  return x.make<GeluOp>({}, {{"mode", isExact ? "EXACT" : "TANH_APPROXIMATION"}});
}

static void exactGelu(NodeBinder &n) { n.result(0, gelu({n, n.input(0)}, true)); }

static void biasGelu(NodeBinder &n) { n.result(0, gelu(Expr(n, n.input(0)) + Expr(n, n.input(1)), true)); }

static void fastGelu(NodeBinder &n) {
  Expr x(n, n.input(0));
  if (Value bias = n.optionalInput(1))
    x = x + Expr(n, bias);
  n.result(0, gelu(x, false));
}

/// x sigmoid(alpha x)
static void quickGelu(NodeBinder &n) {
  Expr x(n, n.input(0));
  double alpha = n.floatAttr("alpha", 1.702f);
  n.result(0, alpha == 1 ? x.make<SiluOp>() : x * (x * alpha).make<SigmoidOp>());
}

/// The left half of the channels times the GELU of the right one.
static void biasSplitGelu(NodeBinder &n) {
  Expr x = Expr(n, n.input(0)) + Expr(n, n.input(1));
  if (!n)
    return;
  int64_t axis = x.rank() - 1, half = x.shape()[axis] / 2;
  n.result(0, x.slice(axis, 0, half) * Expr(n, gelu(x.slice(axis, half, half), true)));
}

/// softmax(x + bias) over the axes from `axis` on.
static void biasSoftmax(NodeBinder &n) {
  Expr x(n, n.input(0)), bias(n, n.input(1));
  int64_t given = n.intAttr("axis", 1);
  bool innerBroadcast = n.boolAttr("is_inner_broadcast", true);
  if (!n)
    return;
  int64_t axis = n.axis(given, x.rank());
  if (axis != x.rank() - 1 || (!innerBroadcast && bias.rank() != x.rank()))
    return n.error("axis " + Twine(given) + " with this bias is not supported; it must be the last axis");
  n.result(0, (x + bias).make<SoftmaxOp>({}, {{"axis", axis}}));
}

void mlir::ane::onnx_import::registerContribActivationOps(Registry &registry) {
  registry.onOp("com.microsoft", "BiasGelu", {1}, biasGelu);
  registry.onOp("com.microsoft", "BiasSoftmax", {1}, biasSoftmax);
  registry.onOp("com.microsoft", "BiasSplitGelu", {1}, biasSplitGelu);
  registry.onOp("com.microsoft", "FastGelu", {1}, fastGelu);
  registry.onOp("com.microsoft", "Gelu", {1}, exactGelu);
  registry.onOp("com.microsoft", "QuickGelu", {1}, quickGelu);
}
