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

/// An element-wise op with broadcasting. Kernels keep the precision of fp32 in between for halves: these have a value
/// here only where rounding loses nothing.
static MaybeData elementwise(const ElementMeaning &meaning, Operation *op, ArrayRef<Data> in, RankedTensorType type) {
  Data result{type, {}, {}};
  Type element = type.getElementType();
  bool ofFloats = in[0].isFloat();
  if (ofFloats ? !meaning.floats : !meaning.integers)
    return std::nullopt;
  bool valid = true;
  SmallVector<int64_t> integers(in.size());
  SmallVector<double> floats(in.size());
  auto views = llvm::map_to_vector(in, [&](const Data &x) { return x.broadcast(type.getShape()); });
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    for (auto [i, operand] : llvm::enumerate(in)) {
      int64_t position = views[i].at(index);
      if (ofFloats)
        floats[i] = operand.floats[position];
      else
        integers[i] = operand.ints[position];
    }
    if (!ofFloats) {
      result.ints.push_back(integerOf(meaning.integers(op, integers), element));
      return;
    }
    double exact = meaning.floats(op, floats);
    if (!result.isFloat()) {
      result.ints.push_back(integerOf(exact, element));
      return;
    }
    MaybeFloat value = roundTo(element, exact);
    valid &= value && (element.getIntOrFloatBitWidth() > 16 || *value == exact || std::isnan(exact));
    result.floats.push_back(value.value_or(0));
  });
  return valid ? MaybeData(result) : std::nullopt;
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
    double number = floatOf(value, x.type.getElementType(), cast<FloatType>(element));
    if (std::isinf(number))
      return std::nullopt;
    result.floats.push_back(number);
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

  table.add<CastOp>([](CastOp op, ArrayRef<Data> in, RankedTensorType type) { return castData(op, in[0], type); });
  table.add<SelectOp>([](SelectOp, ArrayRef<Data> in, RankedTensorType type) { return select(in, type); });
}
