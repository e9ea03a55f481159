//===- Arithmetic.cpp - folding of element-wise ops -----------------------===//

#include "Data.h"
#include "ane/IR/ConstantEval.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::fold;

//===-- shapes of rules ---------------------------------------------------===//

using IntBinary = MaybeInt (*)(int64_t, int64_t);
using FloatBinary = double (*)(double, double);

/// x op y with broadcasting. Float functions are computed in double and rounded to the result's type; for arithmetic
/// that is the correctly rounded result. Without one the op is not folded for floats.
static MaybeData binary(ArrayRef<Data> in, RankedTensorType type, IntBinary ints, FloatBinary floats) {
  Data result{type, {}, {}};
  bool valid = type.getElementType() == in[0].type.getElementType() && (result.isFloat() ? bool(floats) : bool(ints));
  if (!valid)
    return std::nullopt;
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t i = broadcastPosition(in[0].shape(), index), j = broadcastPosition(in[1].shape(), index);
    if (result.isFloat()) {
      MaybeFloat value = roundTo(type.getElementType(), floats(in[0].floats[i], in[1].floats[j]));
      valid &= value.has_value();
      result.floats.push_back(value.value_or(0));
    } else {
      MaybeInt value = ints(in[0].ints[i], in[1].ints[j]);
      valid &= value.has_value();
      result.ints.push_back(value.value_or(0));
    }
  });
  return valid ? MaybeData(result) : std::nullopt;
}

template <typename OpTy>
static void addBinary(RuleTable &table, IntBinary ints, FloatBinary floats = nullptr) {
  table.add<OpTy>([=](OpTy, ArrayRef<Data> in, RankedTensorType type) { return binary(in, type, ints, floats); });
}

/// A comparison by what it says of less, equal and greater; all three are false where a NaN is compared.
template <typename OpTy>
static void addCompare(RuleTable &table, bool (*holds)(bool less, bool equal, bool greater)) {
  table.add<OpTy>([=](OpTy, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
    Data result{type, {}, {}};
    auto compare = [&](auto x, auto y) { return holds(x < y, x == y, x > y); };
    forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
      int64_t i = broadcastPosition(in[0].shape(), index), j = broadcastPosition(in[1].shape(), index);
      result.ints.push_back(in[0].isFloat() ? compare(in[0].floats[i], in[1].floats[j])
                                            : compare(in[0].ints[i], in[1].ints[j]));
    });
    return result;
  });
}

template <typename OpTy>
static void addUnary(RuleTable &table, MaybeInt (*ints)(int64_t), double (*floats)(double)) {
  table.add<OpTy>([=](OpTy, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
    Data result{type, {}, {}};
    if (result.isFloat() ? !floats : !ints)
      return std::nullopt;
    for (double value : in[0].floats) {
      MaybeFloat rounded = roundTo(type.getElementType(), floats(value));
      if (!rounded)
        return std::nullopt;
      result.floats.push_back(*rounded);
    }
    for (int64_t value : in[0].ints) {
      MaybeInt number = ints(value);
      if (!number)
        return std::nullopt;
      result.ints.push_back(*number);
    }
    return result;
  });
}

//===-- integers ----------------------------------------------------------===//

static bool divides(int64_t x, int64_t y) { return y != 0 && !(x == INT64_MIN && y == -1); }

static MaybeInt floorDivide(int64_t x, int64_t y) {
  if (!divides(x, y))
    return std::nullopt;
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static MaybeInt modulo(int64_t x, int64_t y) {
  MaybeInt quotient = floorDivide(x, y);
  return quotient ? MaybeInt(x - y * *quotient) : std::nullopt;
}

static MaybeInt power(int64_t base, int64_t exponent) {
  if (exponent < 0 || exponent > 64)
    return std::nullopt;
  MaybeInt result = 1;
  for (int64_t i = 0; i < exponent && result; ++i)
    result = llvm::checkedMul(*result, base);
  return result;
}

/// NaN where either is NaN.
static double larger(double x, double y) { return std::isnan(x) || x > y ? x : y; }

//===-- cast and select ---------------------------------------------------===//

static MaybeData castData(CastOp op, const Data &x, RankedTensorType type) {
  Data result{type, {}, {}};
  Type element = type.getElementType();
  bool toBool = element.isInteger(1);
  auto overflow = op->getAttrOfType<FloatAttr>(overflowAttrName);
  for (double value : x.floats) {
    if (overflow && std::abs(value) >= halfOverflow)
      result.floats.push_back(std::copysign(overflow.getValueAsDouble(), value));
    else if (result.isFloat())
      result.floats.push_back(value);
    else if (toBool)
      result.ints.push_back(value != 0);
    else if (std::abs(value) < 9e18)
      result.ints.push_back(int64_t(value));
    else // Outside the integer's range a conversion has no defined result.
      return std::nullopt;
  }
  for (int64_t value : x.ints) {
    if (!result.isFloat()) {
      result.ints.push_back(toBool ? value != 0 : value);
      continue;
    }
    // Not through a rounded double: that would round twice.
    APFloat number(cast<FloatType>(element).getFloatSemantics());
    number.convertFromAPInt(APInt(64, uint64_t(value)), /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    bool inexact;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
    if (number.isInfinity())
      return std::nullopt;
    result.floats.push_back(number.convertToDouble());
  }
  return result;
}

static MaybeData select(ArrayRef<Data> in, RankedTensorType type) {
  Data result{type, {}, {}};
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    const Data &chosen = in[0].ints[broadcastPosition(in[0].shape(), index)] ? in[1] : in[2];
    result.append(chosen, broadcastPosition(chosen.shape(), index));
  });
  return result;
}

void fold::addArithmeticRules(RuleTable &table) {
  addBinary<AddOp>(
      table, [](int64_t x, int64_t y) { return llvm::checkedAdd(x, y); }, [](double x, double y) { return x + y; });
  addBinary<SubOp>(
      table, [](int64_t x, int64_t y) { return llvm::checkedSub(x, y); }, [](double x, double y) { return x - y; });
  addBinary<MulOp>(
      table, [](int64_t x, int64_t y) { return llvm::checkedMul(x, y); }, [](double x, double y) { return x * y; });
  addBinary<RealDivOp>(
      table, [](int64_t x, int64_t y) { return divides(x, y) ? MaybeInt(x / y) : std::nullopt; },
      [](double x, double y) { return x / y; });
  addBinary<FloorDivOp>(table, floorDivide);
  addBinary<ModOp>(table, modulo);
  addBinary<PowOp>(table, power, [](double x, double y) { return std::pow(x, y); });
  addBinary<MaximumOp>(table, [](int64_t x, int64_t y) { return MaybeInt(std::max(x, y)); }, larger);
  addBinary<MinimumOp>(
      table, [](int64_t x, int64_t y) { return MaybeInt(std::min(x, y)); },
      [](double x, double y) { return -larger(-x, -y); });
  addBinary<LogicalAndOp>(table, [](int64_t x, int64_t y) { return MaybeInt(x && y); });
  addBinary<LogicalOrOp>(table, [](int64_t x, int64_t y) { return MaybeInt(x || y); });
  addBinary<LogicalXorOp>(table, [](int64_t x, int64_t y) { return MaybeInt(!x != !y); });

  addCompare<EqualOp>(table, [](bool, bool equal, bool) { return equal; });
  addCompare<NotEqualOp>(table, [](bool, bool equal, bool) { return !equal; });
  addCompare<GreaterOp>(table, [](bool, bool, bool greater) { return greater; });
  addCompare<GreaterEqualOp>(table, [](bool, bool equal, bool greater) { return equal || greater; });
  addCompare<LessOp>(table, [](bool less, bool, bool) { return less; });
  addCompare<LessEqualOp>(table, [](bool less, bool equal, bool) { return less || equal; });

  addUnary<NegOp>(table, [](int64_t x) { return llvm::checkedSub<int64_t>(0, x); }, [](double x) { return -x; });
  addUnary<AbsOp>(
      table, [](int64_t x) { return x < 0 ? llvm::checkedSub<int64_t>(0, x) : MaybeInt(x); },
      [](double x) { return std::fabs(x); });
  addUnary<SignOp>(
      table, [](int64_t x) { return MaybeInt(int64_t(x > 0) - int64_t(x < 0)); },
      [](double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); });
  addUnary<SquareOp>(table, [](int64_t x) { return llvm::checkedMul(x, x); }, [](double x) { return x * x; });
  addUnary<LogicalNotOp>(table, [](int64_t x) { return MaybeInt(!x); }, nullptr);
  addUnary<FloorOp>(table, nullptr, [](double x) { return std::floor(x); });
  addUnary<CeilOp>(table, nullptr, [](double x) { return std::ceil(x); });
  addUnary<RoundOp>(table, nullptr, [](double x) { return std::nearbyint(x); });
  addUnary<SqrtOp>(table, nullptr, [](double x) { return std::sqrt(x); });
  addUnary<ReciprocalOp>(table, nullptr, [](double x) { return 1 / x; });
  // Buckets of relative positions (log), rotary and sinusoidal positions (exp, sin, cos), slopes of ALiBi (exp2).
  addUnary<CosOp>(table, nullptr, [](double x) { return std::cos(x); });
  addUnary<ExpOp>(table, nullptr, [](double x) { return std::exp(x); });
  addUnary<Exp2Op>(table, nullptr, [](double x) { return std::exp2(x); });
  addUnary<SinOp>(table, nullptr, [](double x) { return std::sin(x); });
  addUnary<TanhOp>(table, nullptr, [](double x) { return std::tanh(x); });
  table.add<LogOp>([](LogOp op, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
    double epsilon = op.getEpsilon().convertToDouble();
    Data result{type, {}, {}};
    for (double value : in[0].floats) {
      MaybeFloat rounded = roundTo(type.getElementType(), std::log(value + epsilon));
      if (!rounded)
        return std::nullopt;
      result.floats.push_back(*rounded);
    }
    return result;
  });

  table.add<CastOp>([](CastOp op, ArrayRef<Data> in, RankedTensorType type) { return castData(op, in[0], type); });
  table.add<SelectOp>([](SelectOp, ArrayRef<Data> in, RankedTensorType type) { return select(in, type); });
}
