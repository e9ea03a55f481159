//===- Arithmetic.cpp - folding of element-wise ops -----------------------===//

#include "../ElementMeaning.h"
#include "Data.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/DialectAttrs.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::fold;

//===-- shapes of rules ---------------------------------------------------===//

/// An element-wise op with broadcasting.
static MaybeData elementwise(const ElementMeaning &meaning, Operation *op, ArrayRef<Data> in, RankedTensorType type) {
  Data result{type, {}, {}};
  bool sameType = llvm::all_of(in, [&](const Data &x) { return x.type.getElementType() == type.getElementType(); });
  if (!sameType || (result.isFloat() ? !meaning.floats : !meaning.integers))
    return std::nullopt;
  bool valid = true;
  SmallVector<int64_t> integers(in.size());
  SmallVector<double> floats(in.size());
  floats.append(meaning.parameters(op));
  auto views = llvm::map_to_vector(in, [&](const Data &x) { return x.broadcast(type.getShape()); });
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    for (auto [i, operand] : llvm::enumerate(in)) {
      int64_t position = views[i].at(index);
      if (result.isFloat())
        floats[i] = operand.floats[position];
      else
        integers[i] = operand.ints[position];
    }
    if (result.isFloat()) {
      MaybeFloat value = roundTo(type.getElementType(), meaning.floats(floats));
      valid &= value.has_value();
      result.floats.push_back(value.value_or(0));
    } else {
      MaybeInt value = meaning.integers(integers);
      valid &= value.has_value();
      result.ints.push_back(integerOf(value.value_or(0), type.getElementType()));
    }
  });
  return valid ? MaybeData(result) : std::nullopt;
}

/// A comparison by what it says of less, equal and greater; all three are false where a NaN is compared.
template <typename OpTy>
static void addCompare(RuleTable &table, bool (*holds)(bool less, bool equal, bool greater)) {
  table.add<OpTy>([=](OpTy, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
    Data result{type, {}, {}};
    auto compare = [&](auto x, auto y) { return holds(x < y, x == y, x > y); };
    StridedView x = in[0].broadcast(type.getShape()), y = in[1].broadcast(type.getShape());
    forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
      int64_t i = x.at(index), j = y.at(index);
      result.ints.push_back(in[0].isFloat() ? compare(in[0].floats[i], in[1].floats[j])
                                            : compare(in[0].ints[i], in[1].ints[j]));
    });
    return result;
  });
}

//===-- cast and select ---------------------------------------------------===//

static MaybeData castData(CastOp op, const Data &x, RankedTensorType type) {
  Data result{type, {}, {}};
  Type element = type.getElementType();
  auto overflow = attrs::overflow.get(op);
  for (double value : x.floats) {
    if (overflow && std::abs(value) >= halfOverflow)
      result.floats.push_back(std::copysign(overflow.getValueAsDouble(), value));
    else if (result.isFloat())
      result.floats.push_back(value);
    else
      result.ints.push_back(integerOf(value, element));
  }
  for (int64_t value : x.ints) {
    if (!result.isFloat()) {
      result.ints.push_back(integerOf(value, element));
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
  auto views = llvm::map_to_vector(in, [&](const Data &x) { return x.broadcast(type.getShape()); });
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    int chosen = in[0].ints[views[0].at(index)] ? 1 : 2;
    result.append(in[chosen], views[chosen].at(index));
  });
  return result;
}

void fold::addArithmeticRules(RuleTable &table) {
  for (auto &[id, meaning] : elementMeanings())
    table.add(id, [&meaning = meaning](Operation *op, ArrayRef<Data> in, RankedTensorType type) {
      return elementwise(meaning, op, in, type);
    });

  addCompare<EqualOp>(table, [](bool, bool equal, bool) { return equal; });
  addCompare<NotEqualOp>(table, [](bool, bool equal, bool) { return !equal; });
  addCompare<GreaterOp>(table, [](bool, bool, bool greater) { return greater; });
  addCompare<GreaterEqualOp>(table, [](bool, bool equal, bool greater) { return equal || greater; });
  addCompare<LessOp>(table, [](bool less, bool, bool) { return less; });
  addCompare<LessEqualOp>(table, [](bool less, bool equal, bool) { return less || equal; });

  table.add<CastOp>([](CastOp op, ArrayRef<Data> in, RankedTensorType type) { return castData(op, in[0], type); });
  table.add<SelectOp>([](SelectOp, ArrayRef<Data> in, RankedTensorType type) { return select(in, type); });
}
