//===- Quantize.cpp - ONNX quantisation -----------------------------------===//
//
// Spelled with arithmetic in the scale's type; sums of products of quantised values are exact int32.
//
//===----------------------------------------------------------------------===//

#include "../Expr.h"
#include "../Registry.h"
#include "Window.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// A parameter of the whole tensor, of the indices along `axis`, or of blocks of `block` of them, as it broadcasts to
/// `shape`.
static Expr alongAxis(Expr parameter, ArrayRef<int64_t> shape, int64_t axis, int64_t block) {
  NodeBinder &n = parameter.binder();
  if (!n)
    return parameter;
  int64_t elements = n.type(parameter).getNumElements(), rank = shape.size();
  if (elements == 1 && parameter.rank() <= 1)
    return parameter.reshape({});
  axis = n.axis(axis, rank);
  if (!n)
    return parameter;
  if (parameter.rank() == 1 && elements == shape[axis]) {
    SmallVector<int64_t> wide(rank, 1);
    wide[axis] = elements;
    return parameter.reshape(wide);
  }
  if (parameter.rank() == rank && block > 0 && parameter.shape()[axis] * block >= shape[axis]) {
    SmallVector<int64_t> wide(parameter.shape()), flat(wide);
    flat[axis] *= block;
    wide.insert(wide.begin() + axis + 1, block);
    Expr repeated = parameter.expand(axis + 1).broadcast(wide).reshape(flat);
    return flat[axis] == shape[axis] ? repeated : repeated.slice(axis, 0, shape[axis]);
  }
  n.error("a scale or zero point of " + Twine(elements) + " elements and rank " + Twine(parameter.rank()) +
          " fits neither the tensor, its axis " + Twine(axis) + " nor blocks of " + Twine(block) + " along it");
  return parameter;
}

/// `x` (a float with whole values) as integer `type`, saturated.
static Expr saturate(Expr x, Type type) {
  NodeBinder &n = x.binder();
  auto integer = llvm::dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() < 8 || integer.getWidth() > 16) {
    std::string text;
    llvm::raw_string_ostream(text) << "quantisation to " << type << " is not supported";
    n.error(text);
    return x;
  }
  unsigned width = integer.getWidth();
  double low = integer.isUnsigned() ? 0 : -std::ldexp(1.0, width - 1);
  return clamp(x, low, low + std::ldexp(1.0, width) - 1).cast(type);
}

/// `single`: f64 that is to be rounded as f32, since the quotient of two f32 is that in f64 rounded once more.
static Expr quantise(Expr x, Expr scale, std::optional<Expr> zero, Type type, bool single = false) {
  Expr quotient = x / scale;
  if (single)
    quotient = quotient.cast(x.binder().builder.getF32Type()).cast(x.element());
  Expr whole = round(quotient);
  return saturate(zero ? whole + zero->cast(whole.element()) : whole, type);
}

static void quantizeLinear(NodeBinder &n) {
  Expr x(n, n.input(0)), scale(n, n.input(1));
  Value zeroPoint = n.optionalInput(2);
  int64_t axis = n.since() >= 13 ? n.intAttr("axis", 1) : 1, block = n.since() >= 21 ? n.intAttr("block_size", 0) : 0;
  n.ignoreAttr("saturate"); // Of float8 types.
  int64_t type = n.since() >= 21 ? n.intAttr("output_dtype", 0) : 0;
  int64_t precision = n.since() >= 23 ? n.intAttr("precision", 0) : 0;
  if (!n)
    return;
  Type output = zeroPoint ? n.elementType(zeroPoint) : n.builder.getIntegerType(8, false);
  if (type)
    output = elementType(int32_t(type), n.builder.getContext());
  Type compute = precision ? elementType(int32_t(precision), n.builder.getContext()) : scale.element();
  if (!output || !compute || !isa<FloatType>(compute))
    return n.error("attribute 'output_dtype' or 'precision' names a type that is not supported");
  // fp16 can't hold 16 bits, and no engine computes in f64.
  bool single = false;
  if (output.isInteger() && output.getIntOrFloatBitWidth() > 8) {
    single = !compute.isF64();
    compute = n.builder.getF64Type();
  }
  SmallVector<int64_t> shape(x.shape());
  std::optional<Expr> zero;
  if (zeroPoint)
    zero = alongAxis({n, zeroPoint}, shape, axis, block);
  n.result(0, quantise(x.cast(compute), alongAxis(scale, shape, axis, block).cast(compute), zero, output, single));
}

static void dequantizeLinear(NodeBinder &n) {
  Expr x(n, n.input(0)), scale(n, n.input(1));
  Value zeroPoint = n.optionalInput(2);
  int64_t axis = n.since() >= 13 ? n.intAttr("axis", 1) : 1, block = n.since() >= 21 ? n.intAttr("block_size", 0) : 0;
  int64_t type = n.since() >= 23 ? n.intAttr("output_dtype", 0) : 0;
  if (!n)
    return;
  Type output = type ? elementType(int32_t(type), n.builder.getContext()) : scale.element();
  if (!output || !isa<FloatType>(output))
    return n.error("attribute 'output_dtype' is " + Twine(type));
  SmallVector<int64_t> shape(x.shape());
  // Differences of 8 bits are exact in any float; wider ones are taken before the conversion.
  unsigned width = x.element().getIntOrFloatBitWidth();
  Expr difference = width > 16 ? x : x.cast(width > 8 ? Type(n.builder.getI32Type()) : output);
  if (zeroPoint)
    difference = difference - alongAxis({n, zeroPoint}, shape, axis, block).cast(difference.element());
  // The product of a number beyond fp16 and a small scale is none.
  Type wide = width > 8 && output.getIntOrFloatBitWidth() < 32 ? Type(n.builder.getF32Type()) : output;
  n.result(0, (difference.cast(wide) * alongAxis(scale, shape, axis, block).cast(wide)).cast(output));
}

static void dynamicQuantizeLinear(NodeBinder &n) {
  Expr x(n, n.input(0));
  if (!n)
    return;
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < x.rank(); ++i)
    axes.push_back(i);
  Expr high = maximum(axes.empty() ? x : x.reduce<ReduceMaxOp>(axes, false), 0.0);
  Expr low = minimum(axes.empty() ? x : x.reduce<ReduceMinOp>(axes, false), 0.0);
  Expr scale = (high - low) / 255.0;
  // Zeros only: any scale will do.
  scale = select(scale == 0.0, 1.0, scale);
  Type type = n.builder.getIntegerType(8, false);
  Expr zero = saturate(round(clamp(-low / scale, 0, 255)), type);
  n.result(0, quantise(x, scale, zero, type));
  n.result(1, scale);
  n.result(2, zero);
}

//===-- integer products ----------------------------------------------------===//

/// x - zero in int32. A vector of zero points is one per row (`axis` -2), per column (-1) or per index of another axis.
static Expr centred(Expr x, Value zeroPoint, int64_t axis) {
  NodeBinder &n = x.binder();
  Type i32 = n.builder.getI32Type();
  if (!n || !zeroPoint)
    return x.cast(i32);
  Expr zero(n, zeroPoint);
  if (zero.rank() == 1 && zero.shape()[0] != 1 && axis < 0 && x.rank() >= -axis) {
    SmallVector<int64_t> shape(-axis, 1);
    shape[0] = zero.shape()[0];
    zero = zero.reshape(shape);
  } else if (zero.rank() == 1 && zero.shape()[0] != 1) {
    zero = alongAxis(zero, x.shape(), axis, 0);
  } else if (n.type(zero).getNumElements() == 1) {
    zero = zero.reshape({});
  }
  return x.cast(i32) - zero.cast(i32);
}

/// Products of vectors and matrices, as numpy.matmul.
static Expr integerProduct(Expr x, Expr y) {
  NodeBinder &n = x.binder();
  if (!n || x.rank() == 0 || y.rank() == 0) {
    n.error("operands must have rank 1 or more");
    return x;
  }
  bool row = x.rank() == 1, column = y.rank() == 1;
  Expr product = matmul(row ? x.expand(0) : x, column ? y.expand(1) : y);
  SmallVector<int64_t> shape(product.shape());
  if (n && column)
    shape.pop_back();
  if (n && row)
    shape.erase(shape.end() - (column ? 1 : 2));
  return product.reshape(shape);
}

static void matMulInteger(NodeBinder &n) {
  Expr a(n, n.input(0)), b(n, n.input(1));
  Value aZero = n.optionalInput(2), bZero = n.optionalInput(3);
  n.result(0, integerProduct(centred(a, aZero, -2), centred(b, bZero, -1)));
}

/// A scale per row or column, as it broadcasts to the product.
static Expr scaleOf(NodeBinder &n, Value scale, int64_t axis) {
  Expr value(n, scale);
  if (!n)
    return value;
  if (n.type(value).getNumElements() == 1 && value.rank() <= 1)
    return value.reshape({});
  return value.rank() == 1 && axis == -2 ? value.expand(1) : value;
}

static void qLinearMatMul(NodeBinder &n) {
  Expr a(n, n.input(0)), b(n, n.input(3));
  Value aScale = n.input(1), aZero = n.input(2), bScale = n.input(4), bZero = n.input(5);
  Expr scale(n, n.input(6)), zero(n, n.input(7));
  if (!n)
    return;
  Expr product = integerProduct(centred(a, aZero, -2), centred(b, bZero, -1));
  Expr factor = scaleOf(n, aScale, -2) * scaleOf(n, bScale, -1);
  // The sums need f32 whatever the scales are in.
  Type f32 = n.builder.getF32Type();
  Expr real = product.cast(f32) * factor.cast(f32);
  n.result(0, quantise(real, scaleOf(n, scale, -1).cast(f32), scaleOf(n, zero, -1), zero.element()));
}

/// A convolution of int32 tensors as a product with the windows.
static Expr integerConv(Expr x, Expr weight, NodeWindow &window, int64_t groups) {
  NodeBinder &n = x.binder();
  if (!n)
    return x;
  int64_t batch = x.shape()[0], channels = x.shape()[1], filters = weight.shape()[0];
  size_t axes = window.input.size();
  if (groups < 1 || channels % groups || filters % groups || weight.shape()[1] * groups != channels) {
    n.error("attribute 'group' is " + Twine(groups) + " for " + Twine(channels) + " input and " + Twine(filters) +
            " output channels");
    return x;
  }
  Expr windows(n, gatherWindows(n, x, window, 0)); // [N, C, O.., K..]
  SmallVector<int64_t> perm{0, 1}, shape{batch, filters};
  for (size_t i = 0; i < axes; ++i)
    perm.push_back(2 + axes + i);
  for (size_t i = 0; i < axes; ++i)
    perm.push_back(2 + i);
  if (!n)
    return x;
  int64_t positions = 1, taps = channels / groups;
  for (size_t i = 0; i < axes; ++i) {
    shape.push_back(windows.shape()[2 + i]);
    positions *= windows.shape()[2 + i];
    taps *= window.kernel[i];
  }
  Expr columns = windows.transpose(perm).reshape({batch, groups, taps, positions});
  return matmul(weight.reshape({1, groups, filters / groups, taps}), columns).reshape(shape);
}

static Expr convolved(NodeBinder &n, Expr x, Value xZero, Expr weight, Value weightZero) {
  int64_t groups = n.intAttr("group", 1);
  std::optional<NodeWindow> window = readConvWindow(n, x, weight);
  if (!window)
    return x;
  return integerConv(centred(x, xZero, 0), centred(weight, weightZero, 0), *window, groups);
}

static void convInteger(NodeBinder &n) {
  Expr x(n, n.input(0)), weight(n, n.input(1));
  Value xZero = n.optionalInput(2), weightZero = n.optionalInput(3);
  n.result(0, convolved(n, x, xZero, weight, weightZero));
}

static void qLinearConv(NodeBinder &n) {
  Expr x(n, n.input(0)), xScale(n, n.input(1)), weight(n, n.input(3)), weightScale(n, n.input(4));
  Value xZero = n.input(2), weightZero = n.input(5), bias = n.optionalInput(8);
  Expr scale(n, n.input(6)), zero(n, n.input(7));
  Expr sum = convolved(n, x, xZero, weight, weightZero);
  if (bias)
    sum = sum + alongAxis({n, bias}, sum.shape(), 1, 0);
  if (!n)
    return;
  Expr factor = alongAxis(xScale, sum.shape(), 1, 0) * alongAxis(weightScale, sum.shape(), 1, 0);
  n.result(0, quantise(sum.cast(factor.element()) * factor, scale.reshape({}), zero.reshape({}), zero.element()));
}

void mlir::ane::onnx_import::registerQuantizeOps(Registry &registry) {
  registry.onOp("", "ConvInteger", {10}, convInteger);
  registry.onOp("", "DequantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28}, dequantizeLinear);
  registry.onOp("", "DynamicQuantizeLinear", {11}, dynamicQuantizeLinear);
  registry.onOp("", "MatMulInteger", {10}, matMulInteger);
  registry.onOp("", "QLinearConv", {10}, qLinearConv);
  registry.onOp("", "QLinearMatMul", {10, 21}, qLinearMatMul);
  registry.onOp("", "QuantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28}, quantizeLinear);
}
