//===- Activation.cpp - ONNX activation functions -------------------------===//

#include "../Expr.h"
#include "../Registry.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

template <typename OpTy>
static void unary(NodeBinder &n) {
  n.result(0, n.emit<OpTy>({n.input(0)}));
}

static void relu(NodeBinder &n) {
  Value x = n.input(0);
  if (!n)
    return;
  n.result(0, n.isFloat(x) ? n.emit<ReluOp>({x}) : n.emit<MaximumOp>({x, n.scalar(n.elementType(x), 0)}));
}

static void leakyRelu(NodeBinder &n) {
  n.result(0, n.emit<LeakyReluOp>({n.input(0)}, {{"alpha", n.floatAttr("alpha", 0.01f)}}));
}

static SmallVector<int64_t> legacySlope(NodeBinder &n, Value slope, int64_t rank) {
  SmallVector<int64_t> shape(rank - 1, 1);
  shape[0] = n.shape(slope)[0];
  return shape;
}

/// MIL's prelu has one constant factor per channel; other slopes are spelled out.
static void prelu(NodeBinder &n) {
  Value x = n.input(0), slope = n.input(1);
  if (!n)
    return;
  int64_t rank = n.rank(x), channelFromEnd = rank - 2;
  // Before opset 7 a vector of slopes belongs to the channels.
  if (n.since() < 7 && n.rank(slope) == 1 && rank > 2)
    slope = n.reshape(slope, legacySlope(n, slope, rank));
  bool perChannel = rank >= 3 && n.isFloat(x) && n.isConstantInput(1) && n.rank(slope) > channelFromEnd &&
                    n.shape(slope)[n.rank(slope) - 1 - channelFromEnd] == n.shape(x)[1] &&
                    n.type(slope).getNumElements() == n.shape(x)[1];
  if (perChannel)
    return n.result(0, n.emit<PreluOp>({x, n.reshape(slope, {n.shape(x)[1]})}));
  Value negative = n.emit<LessOp>({x, n.scalar(n.elementType(x), 0)});
  n.result(0, n.emit<SelectOp>({negative, n.emit<MulOp>({x, slope}), x}));
}

static void elu(NodeBinder &n) { n.result(0, n.emit<EluOp>({n.input(0)}, {{"alpha", n.floatAttr("alpha", 1.0)}})); }

static void selu(NodeBinder &n) {
  Value x = n.input(0);
  double alpha = n.floatAttr("alpha", 1.67326319217681884765625),
         gamma = n.floatAttr("gamma", 1.05070102214813232421875);
  if (!n)
    return;
  n.result(0, n.emit<MulOp>({n.emit<EluOp>({x}, {{"alpha", alpha}}), n.scalar(n.elementType(x), gamma)}));
}

/// max(0, x) + min(0, alpha (e^(x / alpha) - 1))
static void celu(NodeBinder &n) {
  Value x = n.input(0);
  double alpha = n.floatAttr("alpha", 1.0);
  if (!(alpha > 0))
    n.error("attribute 'alpha' is " + llvm::formatv("{0}", alpha).str() + "; supported: above 0");
  if (!n)
    return;
  // x / alpha only where it is small: e^-40 is 0 beside 1.
  Value factor = n.scalar(n.elementType(x), alpha), zero = n.scalar(n.elementType(x), 0);
  Value inside = n.emit<MinimumOp>({n.emit<MaximumOp>({x, n.scalar(n.elementType(x), -40 * alpha)}), zero});
  Value scaled = n.emit<EluOp>({n.emit<RealDivOp>({inside, factor})}, {{"alpha", 1.0}});
  n.result(0, n.emit<AddOp>({n.emit<MaximumOp>({x, zero}), n.emit<MulOp>({scaled, factor})}));
}

static void hardSigmoid(NodeBinder &n) {
  n.result(0, n.emit<SigmoidHardOp>({n.input(0)},
                                    {{"alpha", n.floatAttr("alpha", 0.2f)}, {"beta", n.floatAttr("beta", 0.5)}}));
}

/// ONNX's function has 1/6 as an attribute, which is a float; only a double shows the difference.
static void hardSwish(NodeBinder &n) {
  Value x = n.input(0);
  if (!n || !n.elementType(x).isF64())
    return unary<HardSwishOp>(n);
  Value gate = n.emit<SigmoidHardOp>({x}, {{"alpha", double(1.0f / 6)}, {"beta", 0.5}});
  n.result(0, n.emit<MulOp>({x, gate}));
}

static void gelu(NodeBinder &n) {
  bool tanh = n.stringAttr("approximate", "none", {"none", "tanh"}) == "tanh";
  n.result(0, n.emit<GeluOp>({n.input(0)}, {{"mode", tanh ? "TANH_APPROXIMATION" : "EXACT"}}));
}

static void swish(NodeBinder &n) {
  Value x = n.input(0);
  double alpha = n.floatAttr("alpha", 1.0);
  if (!n)
    return;
  if (alpha == 1.0)
    return n.result(0, n.emit<SiluOp>({x}));
  Value gate = n.emit<SigmoidOp>({n.emit<MulOp>({x, n.scalar(n.elementType(x), alpha)})});
  n.result(0, n.emit<MulOp>({x, gate}));
}

/// x in the type in which bounds, which ONNX has as fp32, are compared with it: fp16 would round them.
static Expr forBounds(NodeBinder &n) {
  Expr x(n, n.input(0));
  return n && x.element().isF64() ? x : x.cast(n.builder.getF32Type());
}

/// ONNX keeps x above alpha, MIL's thresholded_relu at alpha, too.
static void thresholdedRelu(NodeBinder &n) {
  double alpha = n.floatAttr("alpha", 1.0);
  Expr x = forBounds(n);
  if (n)
    n.result(0, select(x > alpha, Expr(n, n.input(0)), 0.0));
}

static void shrink(NodeBinder &n) {
  double bias = n.floatAttr("bias", 0.0), lambda = n.floatAttr("lambd", 0.5);
  Expr x = forBounds(n);
  if (n)
    n.result(0, select(x < -lambda, x + bias, select(x > lambda, x - bias, 0.0)).cast(n.elementType(n.input(0))));
}

/// Up to opset 12 the axes from `axis` on form one.
template <typename OpTy>
static void softmax(NodeBinder &n) {
  Value x = n.input(0);
  bool flattens = n.since() < 13;
  int64_t given = n.intAttr("axis", flattens ? 1 : -1);
  if (!n)
    return;
  int64_t rank = n.rank(x);
  // An axis equal to the rank is allowed in the old form only where the flattened matrix exists: rank 1 and axis 0.
  int64_t axis = rank == 0 ? 0 : n.axis(given, rank);
  if (!n)
    return;
  if (rank == 0 || (flattens && axis != rank - 1)) {
    SmallVector<int64_t> shape(n.shape(x));
    Value flat = n.emit<OpTy>({n.reshape(x, flattenedAt(shape, axis))}, {{"axis", 1}});
    return n.result(0, n.reshape(flat, shape));
  }
  n.result(0, n.emit<OpTy>({x}, {{"axis", axis}}));
}

/// 1 at the first maximum along `axis`, 0 elsewhere. Up to opset 12 the axes from `axis` on form one.
static void hardmax(NodeBinder &n) {
  Expr x(n, n.input(0));
  bool flattens = n.since() < 13;
  int64_t given = n.intAttr("axis", flattens ? 1 : -1);
  if (!n)
    return;
  SmallVector<int64_t> shape(x.shape());
  int64_t axis = n.axis(given, std::max<int64_t>(x.rank(), 1));
  if (!n)
    return;
  if (flattens || x.rank() == 0) {
    x = x.reshape(flattenedAt(shape, axis));
    axis = 1;
  }
  SmallVector<int64_t> line(x.rank(), 1);
  line[axis] = x.shape()[axis];
  Expr best = x.make<ReduceArgmaxOp>({}, {{"axis", axis}, {"keep_dims", true}});
  Expr hot = best == iota(n, x.shape()[axis], best.element()).reshape(line);
  n.result(0, hot.cast(x.element()).reshape(shape));
}

/// Bounds are attributes before opset 11, optional inputs since.
static void clip(NodeBinder &n) {
  Value x = n.input(0);
  if (!n)
    return;
  Value low, high;
  if (n.since() < 11) {
    if (n.hasAttr("min"))
      low = n.scalar(n.elementType(x), n.floatAttr("min"));
    if (n.hasAttr("max"))
      high = n.scalar(n.elementType(x), n.floatAttr("max"));
  } else {
    low = n.optionalInput(1);
    high = n.optionalInput(2);
  }
  // One op where MIL's needs (constant bounds in order) are met.
  if (n && low && high && n.isFloat(x) && matchPattern(low, m_Constant()) && matchPattern(high, m_Constant())) {
    double alpha = n.constantScalar(low), beta = n.constantScalar(high);
    if (alpha < beta)
      return n.result(0, n.emit<ClipOp>({x}, {{"alpha", alpha}, {"beta", beta}}));
  }
  Value result = x;
  if (low)
    result = n.emit<MaximumOp>({result, low});
  if (high)
    result = n.emit<MinimumOp>({result, high});
  n.result(0, result);
}

void mlir::ane::onnx_import::registerActivationOps(Registry &registry) {
  registry.onOp("", "Celu", {12, 28}, celu);
  registry.onOp("", "Clip", {6, 11, 12, 13}, clip);
  registry.onOp("", "Elu", {6, 22}, elu);
  registry.onOp("", "Gelu", {20}, gelu);
  registry.onOp("", "HardSigmoid", {6, 22}, hardSigmoid);
  registry.onOp("", "HardSwish", {14, 22}, hardSwish);
  registry.onOp("", "Hardmax", {1, 11, 13}, hardmax);
  registry.onOp("", "LeakyRelu", {6, 16}, leakyRelu);
  registry.onOp("", "LogSoftmax", {1, 11, 13}, softmax<LogSoftmaxOp>);
  registry.onOp("", "Mish", {18, 22}, unary<MishOp>);
  registry.onOp("", "PRelu", {6, 7, 9, 16}, prelu);
  registry.onOp("", "Relu", {6, 13, 14}, relu);
  registry.onOp("", "Selu", {6, 22}, selu);
  registry.onOp("", "Shrink", {9}, shrink);
  registry.onOp("", "Sigmoid", {6, 13}, unary<SigmoidOp>);
  registry.onOp("", "Softmax", {1, 11, 13}, softmax<SoftmaxOp>);
  registry.onOp("", "Softplus", {1, 22}, unary<SoftplusOp>);
  registry.onOp("", "Softsign", {1, 22}, unary<SoftsignOp>);
  registry.onOp("", "Swish", {24}, swish);
  registry.onOp("", "Tanh", {6, 13}, unary<TanhOp>);
  registry.onOp("", "ThresholdedRelu", {10, 22}, thresholdedRelu);
}
