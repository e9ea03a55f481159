//===- ContribQuantize.cpp - quantised ops of com.microsoft ---------------===//
//
// An op on quantised tensors is the op on floats between DequantizeLinear and QuantizeLinear, which is how ONNX Runtime
// defines it; sums of products of integers are exact.
//
//===----------------------------------------------------------------------===//

#include "../Expr.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// The float that inputs `first`, `first` + 1 (scale) and `first` + 2 (zero point, optional) mean.
static Expr dequantised(NodeBinder &n, unsigned first) {
  SmallVector<Value> operands{n.input(first), n.input(first + 1)};
  if (Value zero = n.optionalInput(first + 2))
    operands.push_back(zero);
  return {n, n.delegate("DequantizeLinear", operands)};
}

/// `x` with the scale and zero point of inputs `first` and `first` + 1, in the type of the zero point or of input 0.
static Value quantised(Expr x, unsigned first) {
  NodeBinder &n = x.binder();
  Value scale = n.input(first), zero = n.optionalInput(first + 1);
  if (n && !zero)
    zero = n.splat(RankedTensorType::get({}, n.elementType(n.input(0))), 0);
  return n.delegate("QuantizeLinear", {x, scale, zero});
}

template <typename OpTy>
static void binary(NodeBinder &n) {
  n.result(0, quantised(dequantised(n, 0).make<OpTy>({dequantised(n, 3)}), 6));
}

static void sigmoid(NodeBinder &n) { n.result(0, quantised(dequantised(n, 0).make<SigmoidOp>(), 3)); }

static void leakyRelu(NodeBinder &n) {
  double alpha = n.floatAttr("alpha", 0.01f);
  n.result(0, quantised(dequantised(n, 0).make<LeakyReluOp>({}, {{"alpha", alpha}}), 3));
}

/// The softmax of ONNX's opset `opset`: up to 12 the axes from `axis` on form one.
static void softmax(NodeBinder &n) {
  Expr x = dequantised(n, 0);
  int64_t opset = n.intAttr("opset", 13), given = n.intAttr("axis", -1);
  if (!n)
    return;
  SmallVector<int64_t> shape(x.shape()), matrix{1, 1};
  int64_t axis = n.axis(given, x.rank());
  if (!n)
    return;
  if (opset < 13) {
    for (int64_t i = 0; i < x.rank(); ++i)
      matrix[i >= axis] *= shape[i];
    x = x.reshape(matrix);
    axis = 1;
  }
  n.result(0, quantised(x.make<SoftmaxOp>({}, {{"axis", axis}}).reshape(shape), 3));
}

static Expr moved(Expr x, bool channelsLast, bool back) {
  NodeBinder &n = x.binder();
  if (!n || !channelsLast || x.rank() < 3)
    return x;
  SmallVector<int64_t> perm{0};
  if (!back)
    perm.push_back(x.rank() - 1);
  for (int64_t i = back ? 2 : 1; i < x.rank() - !back; ++i)
    perm.push_back(i);
  if (back)
    perm.push_back(1);
  return x.transpose(perm);
}

/// Pooling of images whose channels may be last.
static void globalAveragePool(NodeBinder &n) {
  bool last = n.boolAttr("channels_last", false);
  Expr pooled(n, n.delegate("GlobalAveragePool", {moved(dequantised(n, 0), last, false)}));
  n.result(0, quantised(moved(pooled, last, true), 3));
}

static void averagePool(NodeBinder &n) {
  bool last = n.boolAttr("channels_last", false);
  Expr pooled(
      n, n.delegate("AveragePool", {moved(dequantised(n, 0), last, false)},
                    n.attributes({"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"})));
  n.result(0, quantised(moved(pooled, last, true), 3));
}

/// Inputs: scale and zero point of the result, then a tensor with its own, and so on.
static void concat(NodeBinder &n) {
  int64_t given = n.intAttr("axis");
  SmallVector<Value> parts;
  for (unsigned i = 2; i + 2 < n.numInputs(); i += 3)
    parts.push_back(dequantised(n, i));
  if (n && (parts.empty() || (n.numInputs() - 2) % 3))
    return n.error("needs a scale and a zero point for each tensor");
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(parts[0]));
  Value scale = n.input(0), zero = n.input(1);
  n.result(0, n.delegate("QuantizeLinear", {join(parts, axis, n), scale, zero}));
}

static void where(NodeBinder &n) {
  Expr condition(n, n.input(0)), x = dequantised(n, 1), y = dequantised(n, 4);
  Value scale = n.input(7), zero = n.input(8);
  n.result(0, n.delegate("QuantizeLinear", {select(condition, x, y), scale, zero}));
}

/// The product of integer matrices as floats, plus bias.
static Expr scaledProduct(NodeBinder &n, Value a, Value aZero, Value b, Value bZero, Expr scale, Value bias) {
  if (!n)
    return scale;
  auto zeroOf = [&](Value zero, Value x) {
    return zero ? zero : n.splat(RankedTensorType::get({}, n.elementType(x)), 0);
  };
  Expr product(n, n.delegate("MatMulInteger", {a, b, zeroOf(aZero, a), zeroOf(bZero, b)}));
  Expr result = product.cast(scale.element()) * scale;
  return bias ? result + Expr(n, bias) : result;
}

static void matMulIntegerToFloat(NodeBinder &n) {
  Value a = n.input(0), b = n.input(1);
  Expr scale = Expr(n, n.input(2)) * Expr(n, n.input(3));
  Value aZero = n.optionalInput(4), bZero = n.optionalInput(5), bias = n.optionalInput(6);
  n.result(0, scaledProduct(n, a, aZero, b, bZero, scale, bias));
}

static void dynamicQuantizeMatMul(NodeBinder &n) {
  Value x = n.input(0), b = n.input(1);
  Expr bScale(n, n.input(2));
  Value bZero = n.optionalInput(3), bias = n.optionalInput(4);
  SmallVector<Value> quantised = n.delegateAll("DynamicQuantizeLinear", {x}, {}, 3);
  if (n)
    n.result(0, scaledProduct(n, quantised[0], quantised[2], b, bZero, Expr(n, quantised[1]) * bScale, bias));
}

/// alpha a b + c, quantised where an output scale is given. The bias has the scale of the product.
static void gemm(NodeBinder &n) {
  Expr a(n, n.input(0)), b(n, n.input(3));
  Expr scale = Expr(n, n.input(1)) * Expr(n, n.input(4));
  Value aZero = n.input(2), bZero = n.input(5), c = n.optionalInput(6);
  double alpha = n.floatAttr("alpha", 1.0);
  bool transA = n.boolAttr("transA", false), transB = n.boolAttr("transB", false);
  if (!n)
    return;
  if (a.rank() != 2 || b.rank() != 2)
    return n.error("A and B must be matrices");
  if (transA)
    a = a.transpose({1, 0});
  if (transB)
    b = b.transpose({1, 0});
  Expr product(n, n.delegate("MatMulInteger", {a, b, aZero, bZero}));
  Expr factor = alpha == 1.0 ? scale : scale * alpha;
  Expr result = product.cast(scale.element()) * factor;
  if (c) // Not scaled by alpha.
    result = result + Expr(n, c).cast(scale.element()) * factor;
  n.result(0, n.hasInput(7) ? quantised(result, 7) : Value(result));
}

/// The default domain's op on images whose channels are last.
static void conv(NodeBinder &n) {
  bool last = n.boolAttr("channels_last", false);
  SmallVector<Value> operands{moved({n, n.input(0)}, last, false)};
  for (unsigned i = 1; i < 8; ++i)
    operands.push_back(n.input(i));
  if (Value bias = n.optionalInput(8))
    operands.push_back(bias);
  Value result = n.delegate("QLinearConv", operands,
                            n.attributes({"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}));
  n.result(0, moved({n, result}, last, true));
}

/// 16-bit types and the rest are what newer versions of the default domain have.
static void quantizeLinear(NodeBinder &n) {
  SmallVector<Value> operands{n.input(0), n.input(1)};
  if (Value zero = n.optionalInput(2))
    operands.push_back(zero);
  n.result(0, n.delegate(n.node.op_type(), operands, n.attributes({"axis"})));
}

void mlir::ane::onnx_import::registerContribQuantizeOps(Registry &registry) {
  registry.onOp("com.microsoft", "DequantizeLinear", {1}, quantizeLinear);
  registry.onOp("com.microsoft", "DynamicQuantizeMatMul", {1}, dynamicQuantizeMatMul);
  registry.onOp("com.microsoft", "MatMulIntegerToFloat", {1}, matMulIntegerToFloat);
  registry.onOp("com.microsoft", "QGemm", {1}, gemm);
  registry.onOp("com.microsoft", "QLinearAdd", {1}, binary<AddOp>);
  registry.onOp("com.microsoft", "QLinearAveragePool", {1}, averagePool);
  registry.onOp("com.microsoft", "QLinearConcat", {1}, concat);
  registry.onOp("com.microsoft", "QLinearConv", {1}, conv);
  registry.onOp("com.microsoft", "QLinearGlobalAveragePool", {1}, globalAveragePool);
  registry.onOp("com.microsoft", "QLinearLeakyRelu", {1}, leakyRelu);
  registry.onOp("com.microsoft", "QLinearMul", {1}, binary<MulOp>);
  registry.onOp("com.microsoft", "QLinearSigmoid", {1}, sigmoid);
  registry.onOp("com.microsoft", "QLinearSoftmax", {1}, softmax);
  registry.onOp("com.microsoft", "QLinearWhere", {1}, where);
  registry.onOp("com.microsoft", "QuantizeLinear", {1}, quantizeLinear);
}
