//===- Elementwise.cpp - ONNX arithmetic ----------------------------------===//

#include "../NodeBinder.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

template <typename OpTy>
static void unary(NodeBinder &n) {
  n.result(0, n.emit<OpTy>({n.input(0)}));
}

template <typename OpTy>
static void binary(NodeBinder &n) {
  Value x = n.input(0), y = n.input(1);
  if (n.since() < 7)
    n.ignoreAttr("consumed_inputs");
  n.result(0, n.emit<OpTy>({x, n.legacyBroadcast(x, y)}));
}

template <typename OpTy>
static Value combine(NodeBinder &n) {
  Value result;
  for (Value value : n.allInputs())
    result = result ? n.emit<OpTy>({result, value}) : value;
  return result;
}

template <typename OpTy>
static void variadic(NodeBinder &n) {
  n.result(0, combine<OpTy>(n));
}

static void meanOf(NodeBinder &n) {
  Value sum = combine<AddOp>(n);
  if (!n)
    return;
  n.result(0, n.emit<RealDivOp>({sum, n.scalar(n.elementType(sum), n.numInputs())}));
}

/// MIL's mod has the sign of the divisor, which is ONNX's integer mod. C's fmod has the sign of the dividend: of
/// integers it is what a quotient that is cut off leaves, as the lowest of them has no magnitude.
static void modulo(NodeBinder &n) {
  Value x = n.input(0), y = n.input(1);
  bool fmod = n.boolAttr("fmod", false);
  if (!n)
    return;
  if (!fmod) {
    if (n.isFloat(x))
      return n.error("attribute 'fmod' is 0, which is supported for integers only");
    return n.result(0, n.emit<ModOp>({x, y}));
  }
  if (!n.isFloat(x))
    return n.result(0, n.emit<SubOp>({x, n.emit<MulOp>({n.emit<RealDivOp>({x, y}), y})}));
  Value magnitude = n.emit<ModOp>({n.emit<AbsOp>({x}), n.emit<AbsOp>({y})});
  n.result(0, n.emit<MulOp>({n.emit<SignOp>({x}), magnitude}));
}

/// Whether a constant exponent of another kind of number than the base is a small whole number.
static bool isSmallExponent(NodeBinder &n, Value exponent) {
  if (!n.isConstantInput(1))
    return false;
  if (!n.isFloat(exponent))
    return llvm::all_of(n.ints(1, "Y"), [](int64_t value) { return std::abs(value) <= 64; });
  return llvm::all_of(n.floats(1, "Y"),
                      [](double value) { return value == std::trunc(value) && std::abs(value) <= 64; });
}

/// The result has the base's type, whatever the exponent's. It is computed in one that holds both: f64, which stays on
/// the CPU, where one is a float, and the wider of integers, of whose powers the low bits are the narrower one's.
static void power(NodeBinder &n) {
  Value x = n.input(0), y = n.input(1);
  if (!n)
    return;
  Type element = n.elementType(x), exponent = n.elementType(y), common = element;
  if (n.isFloat(x) != n.isFloat(y)) {
    if (!isSmallExponent(n, y))
      common = n.builder.getF64Type();
  } else if (!n.isFloat(x) && exponent.getIntOrFloatBitWidth() >= element.getIntOrFloatBitWidth()) {
    common = exponent;
  }
  if (!n)
    return;
  Value power = n.emit<PowOp>({n.cast(x, common), n.legacyBroadcast(x, n.cast(y, common))});
  n.result(0, n.cast(power, element));
}

static void naturalLog(NodeBinder &n) { n.result(0, n.emit<LogOp>({n.input(0)}, {{"epsilon", 0.0}})); }

void mlir::ane::onnx_import::registerElementwiseOps(Registry &registry) {
  registry.onOp("", "Abs", {6, 13}, unary<AbsOp>);
  registry.onOp("", "Acos", {7, 22}, unary<AcosOp>);
  registry.onOp("", "Acosh", {9, 22}, unary<AcoshOp>);
  registry.onOp("", "Add", {6, 7, 13, 14}, binary<AddOp>);
  registry.onOp("", "Asin", {7, 22}, unary<AsinOp>);
  registry.onOp("", "Asinh", {9, 22}, unary<AsinhOp>);
  registry.onOp("", "Atan", {7, 22}, unary<AtanOp>);
  registry.onOp("", "Atanh", {9, 22}, unary<AtanhOp>);
  registry.onOp("", "Ceil", {6, 13}, unary<CeilOp>);
  registry.onOp("", "Cos", {7, 22}, unary<CosOp>);
  registry.onOp("", "Cosh", {9, 22}, unary<CoshOp>);
  registry.onOp("", "Div", {6, 7, 13, 14}, binary<RealDivOp>);
  registry.onOp("", "Erf", {9, 13}, unary<ErfOp>);
  registry.onOp("", "Exp", {6, 13}, unary<ExpOp>);
  registry.onOp("", "Floor", {6, 13}, unary<FloorOp>);
  registry.onOp("", "Log", {6, 13}, naturalLog);
  registry.onOp("", "Max", {6, 8, 12, 13}, variadic<MaximumOp>);
  registry.onOp("", "Mean", {6, 8, 13}, meanOf);
  registry.onOp("", "Min", {6, 8, 12, 13}, variadic<MinimumOp>);
  registry.onOp("", "Mod", {10, 13, 28}, modulo);
  registry.onOp("", "Mul", {6, 7, 13, 14}, binary<MulOp>);
  registry.onOp("", "Neg", {6, 13}, unary<NegOp>);
  registry.onOp("", "Pow", {1, 7, 12, 13, 15}, power);
  registry.onOp("", "Reciprocal", {6, 13}, unary<ReciprocalOp>);
  registry.onOp("", "Round", {11, 22}, unary<RoundOp>);
  registry.onOp("", "Sign", {9, 13}, unary<SignOp>);
  registry.onOp("", "Sin", {7, 22}, unary<SinOp>);
  registry.onOp("", "Sinh", {9, 22}, unary<SinhOp>);
  registry.onOp("", "Sqrt", {6, 13}, unary<SqrtOp>);
  registry.onOp("", "Sub", {6, 7, 13, 14}, binary<SubOp>);
  registry.onOp("", "Sum", {6, 8, 13}, variadic<AddOp>);
  registry.onOp("", "Tan", {7, 22}, unary<TanOp>);
}
