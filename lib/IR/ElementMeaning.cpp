//===- ElementMeaning.cpp - what ops make of elements ---------------------===//

#include "ElementMeaning.h"
#include "ane/IR/ANE.h"
#include "ane/IR/Number.h"
#include "ane/Support/Saturate.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

//===-- table -------------------------------------------------------------===//

// The expressions of the records, whose functions are those of Number.h.
namespace mlir::ane::number {
#define GET_MEANINGS
#include "ane/IR/Meanings.h.inc"

template <typename OpTy, typename Number, size_t... indices>
static auto apply(OpTy op, ArrayRef<Number> x, std::index_sequence<indices...>) {
  return meaningOf(op, x[indices]...);
}

template <typename OpTy, size_t count, typename Number>
static void ofRow(OpTy op, ArrayRef<std::vector<double>> rows, MutableArrayRef<double> results) {
  std::array<Number, count> x;
  for (size_t i = 0; i < results.size(); ++i) {
    for (size_t k = 0; k < count; ++k)
      x[k] = Number(rows[k][i]);
    results[i] = double(apply(op, ArrayRef<Number>(x), std::make_index_sequence<count>()));
  }
}

template <typename OpTy, size_t count>
static void rowOfFloats(Operation *op, ArrayRef<std::vector<double>> rows, MutableArrayRef<double> results) {
  bool isDouble = cast<RankedTensorType>(op->getOperand(0).getType()).getElementType().isF64();
  auto function = isDouble ? ofRow<OpTy, count, double> : ofRow<OpTy, count, Single>;
  function(cast<OpTy>(op), rows, results);
}

template <typename OpTy, size_t count>
static double ofFloats(Operation *op, ArrayRef<double> x) {
  constexpr std::make_index_sequence<count> indices;
  if (cast<RankedTensorType>(op->getOperand(0).getType()).getElementType().isF64())
    return double(apply(cast<OpTy>(op), x, indices));
  SmallVector<Single, 2> singles(x.begin(), x.end());
  return double(apply(cast<OpTy>(op), ArrayRef<Single>(singles), indices));
}

template <typename OpTy, size_t count, typename Number>
static int64_t ofNumbers(Operation *op, ArrayRef<int64_t> x, unsigned width) {
  std::array<Number, count> numbers;
  for (auto [number, value] : llvm::zip_equal(numbers, x))
    number = Number{decltype(Number::value)(value), width};
  auto result = apply(cast<OpTy>(op), ArrayRef<Number>(numbers), std::make_index_sequence<count>());
  if constexpr (std::is_same_v<decltype(result), bool>)
    return result;
  else
    return int64_t(result.value);
}

template <typename OpTy, size_t count>
static int64_t ofIntegers(Operation *op, ArrayRef<int64_t> x) {
  Type type = cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  auto function = isUnsigned ? ofNumbers<OpTy, count, Integer<uint64_t>> : ofNumbers<OpTy, count, Integer<int64_t>>;
  return function(op, x, type.getIntOrFloatBitWidth());
}

template <typename OpTy, size_t count, bool floats, bool integers>
static ElementMeaning makeMeaning() {
  ElementMeaning meaning;
  if constexpr (floats) {
    meaning.floats = ofFloats<OpTy, count>;
    meaning.rowOfFloats = rowOfFloats<OpTy, count>;
  }
  if constexpr (integers)
    meaning.integers = ofIntegers<OpTy, count>;
  return meaning;
}
} // namespace mlir::ane::number

static llvm::DenseMap<TypeID, ElementMeaning> makeMeanings() {
  llvm::DenseMap<TypeID, ElementMeaning> table;
#define MEANING(OpTy, count, floats, integers, isCheap)                                                                \
  table[TypeID::get<OpTy>()] = number::makeMeaning<OpTy, count, floats, integers>();
#define GET_MEANING_LIST
#include "ane/IR/Meanings.h.inc"
#undef MEANING
  return table;
}

const llvm::DenseMap<TypeID, ElementMeaning> &mlir::ane::elementMeanings() {
  static const llvm::DenseMap<TypeID, ElementMeaning> table = makeMeanings();
  return table;
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
