//===- ElementMeaning.cpp - what ops make of elements ---------------------===//

#include "ElementMeaning.h"
#include "ane/IR/ANE.h"
#include "ane/IR/Number.h"
#include "ane/Support/Saturate.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

//===-- table -------------------------------------------------------------===//

// The names of expressions are those of Number.h.
namespace mlir::ane::number {
namespace {
using Signed = number::Integer<int64_t>;
using Unsigned = number::Integer<uint64_t>;

struct Table {
  llvm::DenseMap<TypeID, ElementMeaning> meanings;

  /// An op of `count` operands whose meaning is `function(op, x...)`: of floats, of integers, or of both.
  template <typename OpTy, int count, typename Function>
  void floats(Function function) {
    meanings[TypeID::get<OpTy>()].floats = [function](Operation *op, ArrayRef<double> x) {
      return double(apply(function, cast<OpTy>(op), x, std::make_index_sequence<count>()));
    };
  }
  template <typename OpTy, int count, typename Function>
  void integers(Function function) {
    meanings[TypeID::get<OpTy>()].integers = [function](Operation *op, ArrayRef<int64_t> x) {
      Type type = cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
      if (type.isUnsignedInteger() || type.isInteger(1))
        return ofIntegers<OpTy, Unsigned, count>(function, op, x, type);
      return ofIntegers<OpTy, Signed, count>(function, op, x, type);
    };
  }
  template <typename OpTy, int count, typename Function>
  void both(Function function) {
    floats<OpTy, count>(function);
    integers<OpTy, count>(function);
  }

  Table();

private:
  template <typename OpTy, typename Number, int count, typename Function>
  static std::optional<int64_t> ofIntegers(Function function, Operation *op, ArrayRef<int64_t> x, Type type) {
    SmallVector<Number, 2> numbers;
    for (int64_t value : x) {
      Number number;
      numbers.push_back({decltype(number.value)(value), true, type.getIntOrFloatBitWidth()});
    }
    auto result = apply(function, cast<OpTy>(op), ArrayRef<Number>(numbers), std::make_index_sequence<count>());
    if constexpr (std::is_same_v<decltype(result), bool>)
      return int64_t(result);
    else
      return result.isNumber ? std::optional<int64_t>(int64_t(result.value)) : std::nullopt;
  }
  template <typename Function, typename OpTy, typename Number, size_t... indices>
  static auto apply(Function function, OpTy op, ArrayRef<Number> x, std::index_sequence<indices...>) {
    return function(op, x[indices]...);
  }
};

double valueOf(const APFloat &attribute) { return attribute.convertToDouble(); }

Table::Table() {
  both<AddOp, 2>([](auto, auto x, auto y) { return x + y; });
  both<SubOp, 2>([](auto, auto x, auto y) { return x - y; });
  both<MulOp, 2>([](auto, auto x, auto y) { return x * y; });
  both<RealDivOp, 2>([](auto, auto x, auto y) { return x / y; });
  both<FloorDivOp, 2>([](auto, auto x, auto y) { return floorQuotient(x, y); });
  both<ModOp, 2>([](auto, auto x, auto y) { return floorRemainder(x, y); });
  both<PowOp, 2>([](auto, auto x, auto y) { return power(x, y); });
  both<MaximumOp, 2>([](auto, auto x, auto y) { return larger(x, y); });
  both<MinimumOp, 2>([](auto, auto x, auto y) { return smaller(x, y); });
  both<EqualOp, 2>([](auto, auto x, auto y) { return x == y; });
  both<NotEqualOp, 2>([](auto, auto x, auto y) { return x != y; });
  both<GreaterOp, 2>([](auto, auto x, auto y) { return x > y; });
  both<GreaterEqualOp, 2>([](auto, auto x, auto y) { return x >= y; });
  both<LessOp, 2>([](auto, auto x, auto y) { return x < y; });
  both<LessEqualOp, 2>([](auto, auto x, auto y) { return x <= y; });
  integers<LogicalAndOp, 2>([](auto, auto x, auto y) { return x & y; });
  integers<LogicalOrOp, 2>([](auto, auto x, auto y) { return x | y; });
  integers<LogicalXorOp, 2>([](auto, auto x, auto y) { return x ^ y; });
  integers<LogicalNotOp, 1>([](auto, auto x) { return ~x; });
  integers<BitwiseAndOp, 2>([](auto, auto x, auto y) { return x & y; });
  integers<BitwiseOrOp, 2>([](auto, auto x, auto y) { return x | y; });
  integers<BitwiseXorOp, 2>([](auto, auto x, auto y) { return x ^ y; });
  integers<BitwiseNotOp, 1>([](auto, auto x) { return ~x; });
  integers<ShiftLeftOp, 2>([](auto, auto x, auto y) { return shiftLeft(x, y); });
  integers<ShiftRightOp, 2>([](auto, auto x, auto y) { return shiftRight(x, y); });

  both<AbsOp, 1>([](auto, auto x) { return abs(x); });
  both<NegOp, 1>([](auto, auto x) { return -x; });
  both<SignOp, 1>([](auto, auto x) { return sign(x); });
  both<SquareOp, 1>([](auto, auto x) { return x * x; });
  floats<CeilOp, 1>([](auto, auto x) { return ceil(x); });
  floats<FloorOp, 1>([](auto, auto x) { return floor(x); });
  floats<RoundOp, 1>([](auto, auto x) { return round(x); });
  floats<SqrtOp, 1>([](auto, auto x) { return sqrt(x); });
  floats<ReciprocalOp, 1>([](auto, auto x) { return 1.0 / x; });
  floats<InverseOp, 1>([](auto op, auto x) { return 1.0 / (x + valueOf(op.getEpsilon())); });
  floats<RsqrtOp, 1>([](auto op, auto x) { return 1.0 / sqrt(x + valueOf(op.getEpsilon())); });
  floats<LogOp, 1>([](auto op, auto x) { return log(x + valueOf(op.getEpsilon())); });
  floats<ClipOp, 1>([](auto op, auto x) { return clamp(x, valueOf(op.getAlpha()), valueOf(op.getBeta())); });
  floats<ThresholdOp, 1>([](auto op, auto x) { return larger(x, valueOf(op.getAlpha())); });

  floats<AcosOp, 1>([](auto, auto x) { return acos(x); });
  floats<AcoshOp, 1>([](auto, auto x) { return acosh(x); });
  floats<AsinOp, 1>([](auto, auto x) { return asin(x); });
  floats<AsinhOp, 1>([](auto, auto x) { return asinh(x); });
  floats<AtanOp, 1>([](auto, auto x) { return atan(x); });
  floats<AtanhOp, 1>([](auto, auto x) { return atanh(x); });
  floats<CosOp, 1>([](auto, auto x) { return cos(x); });
  floats<CoshOp, 1>([](auto, auto x) { return cosh(x); });
  floats<ErfOp, 1>([](auto, auto x) { return erf(x); });
  floats<Exp2Op, 1>([](auto, auto x) { return exp2(x); });
  floats<ExpOp, 1>([](auto, auto x) { return exp(x); });
  floats<SinOp, 1>([](auto, auto x) { return sin(x); });
  floats<SinhOp, 1>([](auto, auto x) { return sinh(x); });
  floats<TanOp, 1>([](auto, auto x) { return tan(x); });
  floats<TanhOp, 1>([](auto, auto x) { return tanh(x); });

  floats<ReluOp, 1>([](auto, auto x) { return larger(x, 0.0); });
  floats<Relu6Op, 1>([](auto, auto x) { return clamp(x, 0.0, 6.0); });
  floats<LeakyReluOp, 1>([](auto op, auto x) { return leaky(x, valueOf(op.getAlpha())); });
  floats<ThresholdedReluOp, 1>([](auto op, auto x) { return choose(x >= valueOf(op.getAlpha()), x, 0.0); });
  floats<ClampedReluOp, 1>(
      [](auto op, auto x) { return smaller(leaky(x, valueOf(op.getAlpha())), valueOf(op.getBeta())); });
  floats<EluOp, 1>([](auto op, auto x) { return choose(x >= 0.0, x, valueOf(op.getAlpha()) * expm1(x)); });
  floats<LinearActivationOp, 1>([](auto op, auto x) { return valueOf(op.getAlpha()) * x + valueOf(op.getBeta()); });
  floats<ScaledTanhOp, 1>([](auto op, auto x) { return valueOf(op.getAlpha()) * tanh(valueOf(op.getBeta()) * x); });
  floats<SigmoidHardOp, 1>(
      [](auto op, auto x) { return clamp(valueOf(op.getAlpha()) * x + valueOf(op.getBeta()), 0.0, 1.0); });
  floats<HardSwishOp, 1>([](auto, auto x) { return x * clamp(1.0 / 6 * x + 0.5, 0.0, 1.0); });
  floats<SigmoidOp, 1>([](auto, auto x) { return sigmoid(x); });
  floats<SiluOp, 1>([](auto, auto x) { return x * sigmoid(x); });
  floats<SoftplusOp, 1>([](auto, auto x) { return softplus(x); });
  floats<SoftsignOp, 1>([](auto, auto x) { return x / (1.0 + abs(x)); });
  floats<MishOp, 1>([](auto, auto x) { return x * tanh(softplus(x)); });
  floats<GeluOp, 1>([](auto op, auto x) {
    if (op.getMode() == "SIGMOID_APPROXIMATION")
      return x * sigmoid(1.702 * x);
    if (op.getMode() == "TANH_APPROXIMATION")
      return 0.5 * x * (1.0 + tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * (x * x * x))));
    return 0.5 * x * (1.0 + erf(x * M_SQRT1_2));
  });
}
} // namespace
} // namespace mlir::ane::number

const llvm::DenseMap<TypeID, ElementMeaning> &mlir::ane::elementMeanings() {
  static const number::Table table;
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
  add(TypeID::get<ReduceSumOp>(),
      {0, plus, same, +[](int64_t total, int64_t x, bool) { return int64_t(uint64_t(total) + uint64_t(x)); }});
  add(TypeID::get<ReduceProdOp>(),
      {1, +[](double total, double x) { return total * x; }, same,
       +[](int64_t total, int64_t x, bool) { return int64_t(uint64_t(total) * uint64_t(x)); }});
  add(TypeID::get<ReduceMaxOp>(), {-infinity, number::larger, same, +[](int64_t total, int64_t x, bool isUnsigned) {
                                     return isUnsigned ? int64_t(std::max(uint64_t(total), uint64_t(x)))
                                                       : std::max(total, x);
                                   }});
  add(TypeID::get<ReduceMinOp>(), {infinity, number::smaller, same, +[](int64_t total, int64_t x, bool isUnsigned) {
                                     return isUnsigned ? int64_t(std::min(uint64_t(total), uint64_t(x)))
                                                       : std::min(total, x);
                                   }});
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

double mlir::ane::floatOf(int64_t value, Type from, FloatType to) {
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1), inexact;
  APFloat number(to.isBF16() ? APFloat::IEEEsingle() : to.getFloatSemantics());
  number.convertFromAPInt(APInt(64, uint64_t(value)), !isUnsigned, APFloat::rmNearestTiesToEven);
  number.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return number.convertToDouble();
}
