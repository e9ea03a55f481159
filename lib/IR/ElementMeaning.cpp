//===- ElementMeaning.cpp - what ops make of elements ---------------------===//

#include "ElementMeaning.h"
#include "ane/IR/ANE.h"
#include "ane/Support/Saturate.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

using MaybeInt = std::optional<int64_t>;

//===-- integers ----------------------------------------------------------===//

// Modulo 2^64, as kernels compute; only unsigned numbers may overflow in C++.
static int64_t sum(int64_t x, int64_t y) { return int64_t(uint64_t(x) + uint64_t(y)); }
static int64_t difference(int64_t x, int64_t y) { return int64_t(uint64_t(x) - uint64_t(y)); }
static int64_t product(int64_t x, int64_t y) { return int64_t(uint64_t(x) * uint64_t(y)); }

static MaybeInt negative(int64_t x) { return difference(0, x); }

static MaybeInt divide(int64_t x, int64_t y) {
  if (y == 0)
    return std::nullopt;
  return y == -1 ? negative(x) : x / y;
}

static MaybeInt floorDivide(int64_t x, int64_t y) {
  MaybeInt quotient = divide(x, y);
  return quotient && product(*quotient, y) != x && (x < 0) != (y < 0) ? MaybeInt(*quotient - 1) : quotient;
}

static MaybeInt modulo(int64_t x, int64_t y) {
  MaybeInt quotient = floorDivide(x, y);
  return quotient ? MaybeInt(difference(x, product(y, *quotient))) : std::nullopt;
}

static MaybeInt power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return std::nullopt;
  int64_t result = 1;
  for (; exponent; exponent >>= 1, base = product(base, base))
    if (exponent & 1)
      result = product(result, base);
  return result;
}

//===-- floats ------------------------------------------------------------===//

/// NaN where either is NaN.
static double larger(double x, double y) { return std::isnan(x) || x > y ? x : y; }
static double smaller(double x, double y) { return std::isnan(x) || x < y ? x : y; }
static double clamp(double x, double low, double high) { return smaller(larger(x, low), high); }

/// With the sign of the divisor.
static double floorRemainder(double x, double y) {
  double result = std::fmod(x, y);
  return result != 0 && std::signbit(result) != std::signbit(y) ? result + y : result;
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double softplus(double x) { return larger(x, 0) + std::log1p(std::exp(-std::abs(x))); }
static double hardSigmoid(double x, double alpha, double beta) { return clamp(alpha * x + beta, 0, 1); }
static double leaky(double x, double alpha) { return x >= 0 ? x : alpha * x; }

static double exactGelu(double x) { return 0.5 * x * (1 + std::erf(x * M_SQRT1_2)); }
static double tanhGelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

//===-- table -------------------------------------------------------------===//

namespace {
struct Table {
  llvm::DenseMap<TypeID, ElementMeaning> meanings;

  /// `getters` are those of the attributes behind the operands.
  template <typename OpTy, auto... getters, typename... Args>
  void add(double (*floats)(Args...), MaybeInt (*integers)(int64_t) = nullptr) {
    addFloats<OpTy, getters...>(floats);
    addIntegers<OpTy>(integers);
  }
  template <typename OpTy>
  void add(double (*floats)(double, double), MaybeInt (*integers)(int64_t, int64_t)) {
    addFloats<OpTy>(floats);
    addIntegers<OpTy>(integers);
  }
  template <typename OpTy, typename... Args>
  void addIntegers(MaybeInt (*integers)(Args...)) {
    ElementMeaning &meaning = meanings[TypeID::get<OpTy>()];
    if (!meaning.parameters)
      meaning.parameters = [](Operation *) { return SmallVector<double>(); };
    if (integers)
      meaning.integers = [=](ArrayRef<int64_t> x) { return apply(integers, x, std::index_sequence_for<Args...>()); };
  }

  Table();

private:
  template <typename OpTy, auto... getters, typename... Args>
  void addFloats(double (*floats)(Args...)) {
    ElementMeaning &meaning = meanings[TypeID::get<OpTy>()];
    meaning.parameters = [](Operation *op) {
      (void)op; // of an op without parameters
      return SmallVector<double>{(cast<OpTy>(op).*getters)().convertToDouble()...};
    };
    meaning.floats = [=](ArrayRef<double> x) { return apply(floats, x, std::index_sequence_for<Args...>()); };
  }
  template <typename Result, typename Number, typename... Args, size_t... indices>
  static Result apply(Result (*function)(Args...), ArrayRef<Number> x, std::index_sequence<indices...>) {
    return function(x[indices]...);
  }
};

Table::Table() {
  add<AddOp>(+[](double x, double y) { return x + y; }, +[](int64_t x, int64_t y) { return MaybeInt(sum(x, y)); });
  add<SubOp>(
      +[](double x, double y) { return x - y; }, +[](int64_t x, int64_t y) { return MaybeInt(difference(x, y)); });
  add<MulOp>(+[](double x, double y) { return x * y; }, +[](int64_t x, int64_t y) { return MaybeInt(product(x, y)); });
  add<RealDivOp>(+[](double x, double y) { return x / y; }, divide);
  add<FloorDivOp>(+[](double x, double y) { return std::floor(x / y); }, floorDivide);
  add<ModOp>(floorRemainder, modulo);
  add<PowOp>(+[](double x, double y) { return std::pow(x, y); }, power);
  add<MaximumOp>(larger, +[](int64_t x, int64_t y) { return MaybeInt(std::max(x, y)); });
  add<MinimumOp>(smaller, +[](int64_t x, int64_t y) { return MaybeInt(std::min(x, y)); });
  addIntegers<LogicalAndOp>(+[](int64_t x, int64_t y) { return MaybeInt(x && y); });
  addIntegers<LogicalOrOp>(+[](int64_t x, int64_t y) { return MaybeInt(x || y); });
  addIntegers<LogicalXorOp>(+[](int64_t x, int64_t y) { return MaybeInt(!x != !y); });
  addIntegers<LogicalNotOp>(+[](int64_t x) { return MaybeInt(!x); });
  addIntegers<BitwiseAndOp>(+[](int64_t x, int64_t y) { return MaybeInt(x & y); });
  addIntegers<BitwiseOrOp>(+[](int64_t x, int64_t y) { return MaybeInt(x | y); });
  addIntegers<BitwiseXorOp>(+[](int64_t x, int64_t y) { return MaybeInt(x ^ y); });

  add<AbsOp>(+[](double x) { return std::abs(x); }, +[](int64_t x) { return x < 0 ? negative(x) : MaybeInt(x); });
  add<NegOp>(+[](double x) { return -x; }, negative);
  // NaN and zeros keep their sign.
  add<SignOp>(
      +[](double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); },
      +[](int64_t x) { return MaybeInt((x > 0) - (x < 0)); });
  add<SquareOp>(+[](double x) { return x * x; }, +[](int64_t x) { return MaybeInt(product(x, x)); });
  add<CeilOp>(+[](double x) { return std::ceil(x); });
  add<FloorOp>(+[](double x) { return std::floor(x); });
  add<RoundOp>(+[](double x) { return std::nearbyint(x); });
  add<SqrtOp>(+[](double x) { return std::sqrt(x); });
  add<ReciprocalOp>(+[](double x) { return 1 / x; });
  add<InverseOp, &InverseOp::getEpsilon>(+[](double x, double epsilon) { return 1 / (x + epsilon); });
  add<RsqrtOp, &RsqrtOp::getEpsilon>(+[](double x, double epsilon) { return 1 / std::sqrt(x + epsilon); });
  add<LogOp, &LogOp::getEpsilon>(+[](double x, double epsilon) { return std::log(x + epsilon); });
  add<ClipOp, &ClipOp::getAlpha, &ClipOp::getBeta>(clamp);
  add<ThresholdOp, &ThresholdOp::getAlpha>(larger);

  add<AcosOp>(+[](double x) { return std::acos(x); });
  add<AcoshOp>(+[](double x) { return std::acosh(x); });
  add<AsinOp>(+[](double x) { return std::asin(x); });
  add<AsinhOp>(+[](double x) { return std::asinh(x); });
  add<AtanOp>(+[](double x) { return std::atan(x); });
  add<AtanhOp>(+[](double x) { return std::atanh(x); });
  add<CosOp>(+[](double x) { return std::cos(x); });
  add<CoshOp>(+[](double x) { return std::cosh(x); });
  add<ErfOp>(+[](double x) { return std::erf(x); });
  add<Exp2Op>(+[](double x) { return std::exp2(x); });
  add<ExpOp>(+[](double x) { return std::exp(x); });
  add<SinOp>(+[](double x) { return std::sin(x); });
  add<SinhOp>(+[](double x) { return std::sinh(x); });
  add<TanOp>(+[](double x) { return std::tan(x); });
  add<TanhOp>(+[](double x) { return std::tanh(x); });

  add<ReluOp>(+[](double x) { return larger(x, 0); });
  add<Relu6Op>(+[](double x) { return clamp(x, 0, 6); });
  add<LeakyReluOp, &LeakyReluOp::getAlpha>(leaky);
  add<ThresholdedReluOp, &ThresholdedReluOp::getAlpha>(+[](double x, double alpha) { return x >= alpha ? x : 0; });
  add<ClampedReluOp, &ClampedReluOp::getAlpha, &ClampedReluOp::getBeta>(
      +[](double x, double alpha, double beta) { return smaller(leaky(x, alpha), beta); });
  add<EluOp, &EluOp::getAlpha>(+[](double x, double alpha) { return x >= 0 ? x : alpha * std::expm1(x); });
  add<LinearActivationOp, &LinearActivationOp::getAlpha, &LinearActivationOp::getBeta>(
      +[](double x, double alpha, double beta) { return alpha * x + beta; });
  add<ScaledTanhOp, &ScaledTanhOp::getAlpha, &ScaledTanhOp::getBeta>(
      +[](double x, double alpha, double beta) { return alpha * std::tanh(beta * x); });
  add<SigmoidHardOp, &SigmoidHardOp::getAlpha, &SigmoidHardOp::getBeta>(hardSigmoid);
  add<HardSwishOp>(+[](double x) { return x * hardSigmoid(x, 1.0 / 6, 0.5); });
  add<SigmoidOp>(sigmoid);
  add<SiluOp>(+[](double x) { return x * sigmoid(x); });
  add<SoftplusOp>(softplus);
  add<SoftsignOp>(+[](double x) { return x / (1 + std::abs(x)); });
  add<MishOp>(+[](double x) { return x * std::tanh(softplus(x)); });
  ElementMeaning &gelu = meanings[TypeID::get<GeluOp>()];
  gelu.parameters = [](Operation *op) {
    StringRef mode = cast<GeluOp>(op).getMode();
    return SmallVector<double>{mode == "EXACT" ? 0.0 : mode == "TANH_APPROXIMATION" ? 1.0 : 2.0};
  };
  gelu.floats = [](ArrayRef<double> x) {
    return x[1] == 0 ? exactGelu(x[0]) : x[1] == 1 ? tanhGelu(x[0]) : x[0] * sigmoid(1.702 * x[0]);
  };
}
} // namespace

const llvm::DenseMap<TypeID, ElementMeaning> &mlir::ane::elementMeanings() {
  static const Table table;
  return table.meanings;
}

const ElementMeaning *mlir::ane::meaningOf(Operation *op) {
  auto it = elementMeanings().find(op->getName().getTypeID());
  return it == elementMeanings().end() ? nullptr : &it->second;
}

//===-- reductions --------------------------------------------------------===//

static llvm::DenseMap<TypeID, ReductionMeaning> makeReductions() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto plus = +[](double total, double x) { return total + x; };
  auto square = +[](double total, double x) { return total + x * x; };
  auto same = +[](double total, double) { return total; };
  llvm::DenseMap<TypeID, ReductionMeaning> table;
  auto add = [&](TypeID id, ReductionMeaning meaning) { table.try_emplace(id, meaning); };
  add(TypeID::get<ReduceSumOp>(), {0, plus, same, sum});
  add(TypeID::get<ReduceProdOp>(), {1, +[](double total, double x) { return total * x; }, same, product});
  add(TypeID::get<ReduceMaxOp>(),
      {-infinity, larger, same, +[](int64_t total, int64_t x) { return std::max(total, x); }});
  add(TypeID::get<ReduceMinOp>(),
      {infinity, smaller, same, +[](int64_t total, int64_t x) { return std::min(total, x); }});
  add(TypeID::get<ReduceMeanOp>(), {0, plus, +[](double total, double count) { return total / count; }, nullptr});
  add(TypeID::get<ReduceSumSquareOp>(), {0, square, same, nullptr});
  add(TypeID::get<ReduceL1NormOp>(), {0, +[](double total, double x) { return total + std::abs(x); }, same, nullptr});
  add(TypeID::get<ReduceL2NormOp>(), {0, square, +[](double total, double) { return std::sqrt(total); }, nullptr});
  return table;
}

const ReductionMeaning *mlir::ane::reductionOf(Operation *op) {
  static const llvm::DenseMap<TypeID, ReductionMeaning> table = makeReductions();
  auto it = table.find(op->getName().getTypeID());
  return it == table.end() ? nullptr : &it->second;
}

//===-- casts -------------------------------------------------------------===//

int64_t mlir::ane::integerOf(double value, Type type) {
  if (type.isInteger(1))
    return value != 0;
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger()) {
    if (value >= std::ldexp(1.0, int(width)))
      return width == 64 ? -1 : (int64_t(1) << width) - 1;
    // The upper half of 64 bits is what the same bits are.
    return value >= std::ldexp(1.0, 63) ? int64_t(uint64_t(value)) : std::max<int64_t>(saturatingInt(value), 0);
  }
  int64_t most = int64_t(~uint64_t(0) >> (65 - width));
  return std::clamp(saturatingInt(value), -most - 1, most);
}

int64_t mlir::ane::integerOf(int64_t value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isInteger(1))
    return value != 0;
  if (width == 64)
    return value;
  uint64_t bits = uint64_t(value) << (64 - width);
  return type.isUnsignedInteger() ? int64_t(bits >> (64 - width)) : int64_t(bits) >> (64 - width);
}
