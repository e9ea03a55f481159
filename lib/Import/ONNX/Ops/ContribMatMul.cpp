//===- ContribMatMul.cpp - products and convolutions of com.microsoft -----===//

#include "../Expr.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// `transBatch`: the first axis is the rows', those in the middle are the batch's.
static Expr batchFirst(Expr x, bool transBatch) {
  NodeBinder &n = x.binder();
  if (!n || !transBatch || x.rank() < 3)
    return x;
  SmallVector<int64_t> perm;
  for (int64_t i = 1; i + 1 < x.rank(); ++i)
    perm.push_back(i);
  perm.push_back(0);
  perm.push_back(x.rank() - 1);
  return x.transpose(perm);
}

static void fusedMatMul(NodeBinder &n) {
  Expr a(n, n.input(0)), b(n, n.input(1));
  double alpha = n.floatAttr("alpha", 1.0);
  bool transA = n.boolAttr("transA", false), transB = n.boolAttr("transB", false);
  a = batchFirst(a, n.boolAttr("transBatchA", false));
  b = batchFirst(b, n.boolAttr("transBatchB", false));
  if (!n)
    return;
  if (a.rank() < 2 || b.rank() < 2)
    return n.error("operands must have rank 2 or more");
  Expr product = a.make<MatmulOp>({b}, {{"transpose_x", transA}, {"transpose_y", transB}});
  n.result(0, alpha == 1.0 ? product : product * alpha);
}

/// The activation that ONNX Runtime fused, by the name of its op; parameters in order: alpha and beta, or min and max.
static Value activated(NodeBinder &n, Value x, StringRef function, ArrayRef<double> parameters) {
  if (function.empty() || !n)
    return x;
  if (function == "Clip") {
    if (parameters.size() != 2)
      return n.error("activation Clip needs two parameters"), Value();
    return clamp(Expr(n, x), parameters[0], parameters[1]);
  }
  if (!llvm::is_contained({"Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid"}, function))
    return n.error("activation '" + function + "' is not supported"), Value();
  std::vector<onnx::AttributeProto> attributes;
  static constexpr const char *names[] = {"alpha", "beta"};
  size_t count = function == "LeakyRelu" ? 1 : function == "HardSigmoid" ? 2 : 0;
  for (size_t i = 0; i < std::min(count, parameters.size()); ++i) {
    onnx::AttributeProto &attribute = attributes.emplace_back();
    attribute.set_name(names[i]);
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(float(parameters[i]));
  }
  return n.delegate(function, x, attributes);
}

static std::string activationName(NodeBinder &n) {
  return n.hasAttr("activation")
             ? n.stringAttr("activation", "", {"Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid", "Clip"})
             : std::string();
}

/// activation(conv(x, w, b) + z)
static void fusedConv(NodeBinder &n) {
  SmallVector<Value> inputs{n.input(0), n.input(1)};
  if (Value bias = n.optionalInput(2))
    inputs.push_back(bias);
  Value added = n.optionalInput(3);
  std::string function = activationName(n);
  SmallVector<double> parameters = n.floatsAttr("activation_params").value_or(SmallVector<double>());
  Expr result(n, n.delegate("Conv", inputs,
                            n.attributes({"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"})));
  if (added)
    result = result + Expr(n, added);
  n.result(0, activated(n, result, function, parameters));
}

static void fusedGemm(NodeBinder &n) {
  SmallVector<Value> inputs{n.input(0), n.input(1)};
  if (Value c = n.optionalInput(2))
    inputs.push_back(c);
  std::string function = activationName(n);
  SmallVector<double> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (n.hasAttr(name))
      parameters.push_back(n.floatAttr(name));
  n.ignoreAttr("activation_gamma");
  Value result = n.delegate("Gemm", inputs, n.attributes({"alpha", "beta", "transA", "transB"}));
  n.result(0, activated(n, result, function, parameters));
}

//===-- quantised weights -----------------------------------------------------===//

/// x W^T, W [N, K] in blocks along K of `bits`-bit integers with a scale and a zero point each; the first element of a
/// byte stands in its low bits. The weight is computed from constants when the bundle is written.
static void matMulNBits(NodeBinder &n) {
  Expr x(n, n.input(0)), packed(n, n.input(1)), scales(n, n.input(2));
  Value zeros = n.optionalInput(3), bias = n.optionalInput(5);
  int64_t rows = n.intAttr("N"), columns = n.intAttr("K"), bits = n.intAttr("bits", 4), block = n.intAttr("block_size");
  n.ignoreAttr("accuracy_level");
  n.ignoreAttr("weight_prepacked");
  if (n.hasInput(4))
    return n.error("input 'g_idx' is not supported");
  if (!n)
    return;
  if ((bits != 4 && bits != 8) || block < 2 || block % 2 || rows < 1 || columns < 1 || rows > 1 << 24 ||
      columns > 1 << 24)
    return n.error("bits " + Twine(bits) + " and block_size " + Twine(block) + " are not supported; bits: 4 or 8");
  int64_t blocks = (columns + block - 1) / block, perByte = 8 / bits;
  if (n.type(packed).getNumElements() != rows * blocks * block / perByte ||
      n.type(scales).getNumElements() != rows * blocks)
    return n.error("B or scales don't fit N " + Twine(rows) + ", K " + Twine(columns) + ", block_size " + Twine(block));
  Type f32 = n.builder.getF32Type();
  // The bytes' halves as floats: exact, and known to the evaluator of constants.
  auto unpack = [&](Expr bytes, int64_t count) {
    Expr value = bytes.cast(f32);
    if (bits == 8)
      return value.reshape({rows, count});
    Expr high = floor(value * 0.0625), low = value - high * 16.0;
    SmallVector<Value> halves{low, high};
    return Expr(n, n.emit<StackOp>({ArrayRef<Value>(halves)}, {{"axis", low.rank()}})).reshape({rows, count});
  };
  Expr values = unpack(packed.reshape({rows, blocks * block / perByte}), blocks * block).reshape({rows, blocks, block});
  Expr offset = values.number(bits == 4 ? 8 : 128);
  if (zeros) {
    Expr zero(n, zeros);
    if (zero.element().isUnsignedInteger(8)) {
      int64_t bytes = (blocks + perByte - 1) / perByte;
      if (n.type(zeros).getNumElements() != rows * bytes)
        return n.error("zero_points has " + Twine(n.type(zeros).getNumElements()) + " bytes, needs " +
                       Twine(rows * bytes));
      zero = unpack(zero.reshape({rows, bytes}), bytes * perByte).slice(1, 0, blocks);
    }
    offset = zero.cast(f32).reshape({rows, blocks, 1});
  }
  Expr weight = ((values - offset) * scales.cast(f32).reshape({rows, blocks, 1})).reshape({rows, blocks * block});
  if (blocks * block != columns)
    weight = weight.slice(1, 0, columns);
  weight = weight.cast(x.element());
  n.result(0, n.emit<LinearOp>({Segment(x), Segment(weight), Segment::optional(bias)}));
}

void mlir::ane::onnx_import::registerContribMatMulOps(Registry &registry) {
  registry.onOp("com.microsoft", "FusedConv", {1}, fusedConv);
  registry.onOp("com.microsoft", "FusedGemm", {1}, fusedGemm);
  registry.onOp("com.microsoft", "FusedMatMul", {1}, fusedMatMul);
  registry.onOp("com.microsoft", "MatMulNBits", {1}, matMulNBits);
  registry.onOp("com.microsoft", "TransposeMatMul", {1}, fusedMatMul);
}
