//===- ConstantEvaluator.cpp - values of ops on small constants -----------===//

#include "ConstantEvaluator.h"
#include "ane/IR/ANE.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

DenseElementsAttr mlir::ane::denseFromBytes(RankedTensorType type, ArrayRef<char> bytes) {
  unsigned bits = type.getElementTypeBitWidth();
  size_t elements = type.getNumElements();
  if (elements == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (bits == 1) {
    SmallVector<bool> values(elements);
    for (size_t i = 0; i < elements; ++i)
      values[i] = bytes[i] != 0;
    return DenseElementsAttr::get(type, values);
  }
  if (bits == 4) {
    // A file packs the first element into the low half of a byte, MLIR gives each a byte.
    SmallVector<char> values(elements);
    for (size_t i = 0; i < elements; ++i)
      values[i] = (bytes[i / 2] >> (i % 2 ? 4 : 0)) & 0xf;
    return DenseElementsAttr::getFromRawBuffer(type, values);
  }
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

DenseElementsAttr mlir::ane::readConstant(Value value, int64_t maxElements) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return nullptr;
  auto weight = dyn_cast<WeightAttr>(attr);
  if (!weight)
    return dyn_cast<DenseElementsAttr>(attr);
  auto type = cast<RankedTensorType>(weight.getType());
  if (type.getNumElements() > maxElements)
    return nullptr;
  auto &weights = cast<ANEDialect>(weight.getDialect()).getWeights();
  auto bytes = weights.lookup(weight, [&] { return emitError(value.getLoc()); });
  return failed(bytes) ? nullptr : denseFromBytes(type, *bytes);
}

namespace {

/// The elements of a constant, row-major: integers (and bool) in `ints`, floats in `floats`.
struct Data {
  RankedTensorType type;
  std::vector<int64_t> ints;
  std::vector<double> floats;

  bool isFloat() const { return isa<FloatType>(type.getElementType()); }
  ArrayRef<int64_t> shape() const { return type.getShape(); }
};

using MaybeData = std::optional<Data>;
using MaybeInt = std::optional<int64_t>;

bool isUnsignedInteger(Type type) { return type.isUnsignedInteger() || type.isInteger(1); }

MaybeData read(Value value) {
  // Of the constants that stand in files, shape computations read integers only (position ids).
  bool isInteger = isa<IntegerType>(cast<RankedTensorType>(value.getType()).getElementType());
  DenseElementsAttr attr = readConstant(value, isInteger ? maxFoldedElements : 0);
  if (!attr || attr.getNumElements() > maxFoldedElements)
    return std::nullopt;
  Data data{cast<RankedTensorType>(attr.getType()), {}, {}};
  Type element = attr.getElementType();
  if (element.isF32() || element.isF64()) {
    for (APFloat number : attr.getValues<APFloat>()) {
      bool inexact;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
      data.floats.push_back(number.convertToDouble());
    }
    return data;
  }
  if (!isa<IntegerType>(element))
    return std::nullopt;
  for (const APInt &number : attr.getValues<APInt>()) {
    if (isUnsignedInteger(element) && number.getActiveBits() > 63)
      return std::nullopt;
    data.ints.push_back(isUnsignedInteger(element) ? int64_t(number.getZExtValue()) : number.getSExtValue());
  }
  return data;
}

/// Whether an integer of `type` can have the value.
bool fits(int64_t value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (isUnsignedInteger(type))
    return value >= 0 && (width >= 63 || value < int64_t(1) << width);
  return width == 64 || (value >= -(int64_t(1) << (width - 1)) && value < int64_t(1) << (width - 1));
}

DenseElementsAttr write(const Data &data) {
  Type element = data.type.getElementType();
  if (data.type.getNumElements() == 0)
    return DenseElementsAttr::get(data.type, ArrayRef<Attribute>());
  if (element.isF32())
    return DenseElementsAttr::get(data.type, ArrayRef<float>(SmallVector<float>(data.floats.begin(), data.floats.end())));
  if (element.isF64())
    return DenseElementsAttr::get(data.type, ArrayRef<double>(data.floats));
  SmallVector<APInt> numbers;
  for (int64_t value : data.ints) {
    if (!fits(value, element))
      return nullptr;
    numbers.push_back(APInt(element.getIntOrFloatBitWidth(), value, !isUnsignedInteger(element)));
  }
  return DenseElementsAttr::get(data.type, numbers);
}

//===-- movement ------------------------------------------------------------===//

SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// Calls `body` with every index of `shape`, row-major.
void forEachIndex(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  for (int64_t n = 0; n < count; ++n) {
    body(index);
    for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0 && ++index[axis] == shape[axis]; --axis)
      index[axis] = 0;
  }
}

/// A tensor of `type` whose element at an index is the element of `x` at position `source(index)`.
Data move(const Data &x, Type type, function_ref<int64_t(ArrayRef<int64_t>)> source) {
  Data result{cast<RankedTensorType>(type), {}, {}};
  forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
    int64_t from = source(index);
    if (x.isFloat())
      result.floats.push_back(x.floats[from]);
    else
      result.ints.push_back(x.ints[from]);
  });
  return result;
}

/// The position in a tensor of `shape` that an index of a broadcast result reads.
int64_t broadcastPosition(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t position = 0;
  index = index.take_back(shape.size());
  for (auto [dim, i] : llvm::zip(shape, index))
    position = position * dim + (dim == 1 ? 0 : i);
  return position;
}

int64_t dot(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  int64_t sum = 0;
  for (auto [x, y] : llvm::zip(a, b))
    sum += x * y;
  return sum;
}

MaybeData slice(SliceByIndexOp op, const Data &x) {
  SmallVector<SliceRange> ranges = op.getRanges();
  SmallVector<int64_t> strides = stridesOf(x.shape());
  return move(x, op.getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (size_t axis = 0, at = 0; axis < ranges.size(); ++axis)
      position += strides[axis] * (ranges[axis].begin + (ranges[axis].drop ? 0 : index[at++] * ranges[axis].stride));
    return position;
  });
}

MaybeData gather(GatherOp op, const Data &x, const Data &indices) {
  int64_t rank = x.shape().size(), axis = op.getAxis() < 0 ? op.getAxis() + rank : op.getAxis();
  int64_t dim = x.shape()[axis], indexRank = indices.shape().size();
  if (op.getBatchDims() != 0 || llvm::any_of(indices.ints, [&](int64_t i) { return i < 0 || i >= dim; }))
    return std::nullopt;
  SmallVector<int64_t> strides = stridesOf(x.shape()), indexStrides = stridesOf(indices.shape());
  return move(x, op.getType(), [&](ArrayRef<int64_t> index) {
    int64_t chosen = indices.ints[dot(index.slice(axis, indexRank), indexStrides)];
    return dot(index.take_front(axis), strides) + chosen * strides[axis] +
           dot(index.drop_front(axis + indexRank), ArrayRef(strides).drop_front(axis + 1));
  });
}

MaybeData concat(ConcatOp op, ArrayRef<Data> values) {
  if (op.getInterleave())
    return std::nullopt;
  int64_t rank = op.getType().getRank(), axis = op.getAxis() < 0 ? op.getAxis() + rank : op.getAxis();
  Data result{op.getType(), {}, {}};
  forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> local(index);
    const Data *part = values.begin();
    for (; local[axis] >= part->shape()[axis]; ++part)
      local[axis] -= part->shape()[axis];
    int64_t from = dot(local, stridesOf(part->shape()));
    if (part->isFloat())
      result.floats.push_back(part->floats[from]);
    else
      result.ints.push_back(part->ints[from]);
  });
  return result;
}

//===-- arithmetic ----------------------------------------------------------===//

MaybeInt floorDivide(int64_t x, int64_t y) {
  if (y == 0 || (x == INT64_MIN && y == -1))
    return std::nullopt;
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

MaybeInt power(int64_t base, int64_t exponent) {
  if (exponent < 0 || exponent > 64)
    return std::nullopt;
  MaybeInt result = 1;
  for (int64_t i = 0; i < exponent && result; ++i)
    result = llvm::checkedMul(*result, base);
  return result;
}

MaybeInt integerArithmetic(Operation *op, int64_t x, int64_t y) {
  return TypeSwitch<Operation *, MaybeInt>(op)
      .Case<AddOp>([&](auto) { return llvm::checkedAdd(x, y); })
      .Case<SubOp>([&](auto) { return llvm::checkedSub(x, y); })
      .Case<MulOp>([&](auto) { return llvm::checkedMul(x, y); })
      .Case<RealDivOp>([&](auto) {
        return y == 0 || (x == INT64_MIN && y == -1) ? std::nullopt : MaybeInt(x / y);
      })
      .Case<FloorDivOp>([&](auto) { return floorDivide(x, y); })
      .Case<ModOp>([&](auto) {
        MaybeInt quotient = floorDivide(x, y);
        return quotient ? MaybeInt(x - y * *quotient) : std::nullopt;
      })
      .Case<PowOp>([&](auto) { return power(x, y); })
      .Case<MaximumOp>([&](auto) { return std::max(x, y); })
      .Case<MinimumOp>([&](auto) { return std::min(x, y); })
      .Case<LogicalAndOp>([&](auto) { return int64_t(x && y); })
      .Case<LogicalOrOp>([&](auto) { return int64_t(x || y); })
      .Case<LogicalXorOp>([&](auto) { return int64_t(!x != !y); })
      .Default([](auto) { return std::nullopt; });
}

std::optional<double> floatArithmetic(Operation *op, double x, double y) {
  return TypeSwitch<Operation *, std::optional<double>>(op)
      .Case<AddOp>([&](auto) { return x + y; })
      .Case<SubOp>([&](auto) { return x - y; })
      .Case<MulOp>([&](auto) { return x * y; })
      .Case<RealDivOp>([&](auto) { return x / y; })
      .Case<FloorDivOp>([&](auto) { return std::floor(x / y); })
      .Default([](auto) { return std::nullopt; });
}

/// All three are false where a NaN is compared.
MaybeInt compare(Operation *op, bool less, bool equal, bool greater) {
  return TypeSwitch<Operation *, MaybeInt>(op)
      .Case<EqualOp>([&](auto) { return int64_t(equal); })
      .Case<NotEqualOp>([&](auto) { return int64_t(!equal); })
      .Case<GreaterOp>([&](auto) { return int64_t(greater); })
      .Case<GreaterEqualOp>([&](auto) { return int64_t(greater || equal); })
      .Case<LessOp>([&](auto) { return int64_t(less); })
      .Case<LessEqualOp>([&](auto) { return int64_t(less || equal); })
      .Default([](auto) { return std::nullopt; });
}

MaybeData binary(Operation *op, const Data &x, const Data &y) {
  Data result{cast<RankedTensorType>(op->getResult(0).getType()), {}, {}};
  bool valid = true, narrow = x.type.getElementType().isF32();
  forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
    int64_t i = broadcastPosition(x.shape(), index), j = broadcastPosition(y.shape(), index);
    if (result.isFloat()) {
      std::optional<double> value = floatArithmetic(op, x.floats[i], y.floats[j]);
      valid &= value.has_value();
      // A double rounded to float is the correctly rounded float result for these operations.
      result.floats.push_back(narrow ? float(value.value_or(0)) : value.value_or(0));
      return;
    }
    auto order = [&](auto a, auto b) { return compare(op, a < b, a == b, a > b); };
    MaybeInt value = x.isFloat() ? order(x.floats[i], y.floats[j]) : order(x.ints[i], y.ints[j]);
    if (!value && !x.isFloat())
      value = integerArithmetic(op, x.ints[i], y.ints[j]);
    valid &= value.has_value();
    result.ints.push_back(value.value_or(0));
  });
  return valid ? MaybeData(result) : std::nullopt;
}

MaybeData select(SelectOp op, const Data &cond, const Data &a, const Data &b) {
  Data result{op.getType(), {}, {}};
  forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
    const Data &chosen = cond.ints[broadcastPosition(cond.shape(), index)] ? a : b;
    int64_t from = broadcastPosition(chosen.shape(), index);
    if (chosen.isFloat())
      result.floats.push_back(chosen.floats[from]);
    else
      result.ints.push_back(chosen.ints[from]);
  });
  return result;
}

MaybeData unary(Operation *op, const Data &x) {
  Data result{cast<RankedTensorType>(op->getResult(0).getType()), {}, {}};
  bool valid = true;
  for (double value : x.floats) {
    auto number = TypeSwitch<Operation *, std::optional<double>>(op)
                      .Case<NegOp>([&](auto) { return -value; })
                      .Case<AbsOp>([&](auto) { return std::abs(value); })
                      .Case<FloorOp>([&](auto) { return std::floor(value); })
                      .Case<CeilOp>([&](auto) { return std::ceil(value); })
                      .Case<RoundOp>([&](auto) { return std::nearbyint(value); })
                      .Case<SqrtOp>([&](auto) { return std::sqrt(value); })
                      .Default([](auto) { return std::nullopt; });
    valid &= number.has_value();
    result.floats.push_back(number.value_or(0));
  }
  for (int64_t value : x.ints) {
    auto number = TypeSwitch<Operation *, MaybeInt>(op)
                      .Case<NegOp>([&](auto) { return llvm::checkedSub<int64_t>(0, value); })
                      .Case<AbsOp>([&](auto) { return value < 0 ? llvm::checkedSub<int64_t>(0, value) : value; })
                      .Case<SignOp>([&](auto) { return int64_t(value > 0) - int64_t(value < 0); })
                      .Case<LogicalNotOp>([&](auto) { return int64_t(!value); })
                      .Default([](auto) { return std::nullopt; });
    valid &= number.has_value();
    result.ints.push_back(number.value_or(0));
  }
  return valid ? MaybeData(result) : std::nullopt;
}

MaybeData castData(CastOp op, const Data &x) {
  Data result{op.getType(), {}, {}};
  Type element = result.type.getElementType();
  bool toBool = element.isInteger(1);
  if (result.isFloat() && !element.isF32() && !element.isF64())
    return std::nullopt;
  for (double value : x.floats) {
    // Outside the integer's range a conversion has no defined result.
    if (!result.isFloat() && !toBool && !(std::abs(value) < 9e18))
      return std::nullopt;
    if (result.isFloat())
      result.floats.push_back(element.isF32() ? float(value) : value);
    else
      result.ints.push_back(toBool ? value != 0 : int64_t(value));
  }
  for (int64_t value : x.ints) {
    if (result.isFloat())
      result.floats.push_back(element.isF32() ? float(value) : double(value));
    else
      result.ints.push_back(toBool ? value != 0 : value);
  }
  return result;
}

MaybeData reduceIntegers(Operation *op, const Data &x, std::optional<ArrayRef<int64_t>> axes, bool keepDims) {
  if (x.isFloat() || x.ints.empty())
    return std::nullopt;
  Data result{cast<RankedTensorType>(op->getResult(0).getType()), {}, {}};
  int64_t rank = x.shape().size();
  SmallVector<bool> reduced(rank, !axes);
  for (int64_t axis : axes.value_or(ArrayRef<int64_t>()))
    reduced[axis < 0 ? axis + rank : axis] = true;
  SmallVector<int64_t> strides = stridesOf(result.shape()), positions;
  std::vector<MaybeInt> totals(result.type.getNumElements());
  std::vector<bool> seen(totals.size());
  size_t next = 0;
  bool valid = true;
  forEachIndex(x.shape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> kept;
    for (auto [i, at] : llvm::enumerate(index))
      if (!reduced[i] || keepDims)
        kept.push_back(reduced[i] ? 0 : at);
    int64_t to = dot(kept, strides), value = x.ints[next++];
    if (!seen[to]) {
      seen[to] = true;
      totals[to] = value;
      return;
    }
    totals[to] = !totals[to] ? std::nullopt
                             : TypeSwitch<Operation *, MaybeInt>(op)
                                   .Case<ReduceSumOp>([&](auto) { return llvm::checkedAdd(*totals[to], value); })
                                   .Case<ReduceProdOp>([&](auto) { return llvm::checkedMul(*totals[to], value); })
                                   .Case<ReduceMaxOp>([&](auto) { return std::max(*totals[to], value); })
                                   .Case<ReduceMinOp>([&](auto) { return std::min(*totals[to], value); })
                                   .Default([](auto) { return std::nullopt; });
  });
  for (MaybeInt total : totals) {
    valid &= total.has_value();
    result.ints.push_back(total.value_or(0));
  }
  return valid ? MaybeData(result) : std::nullopt;
}

MaybeData evaluate(Operation *op, ArrayRef<Data> in) {
  Type type = op->getResult(0).getType();
  auto sameData = [&](auto) { return move(in[0], type, [next = int64_t(0)](ArrayRef<int64_t>) mutable { return next++; }); };
  auto reduceOp = [&](auto reduce) { return reduceIntegers(op, in[0], reduce.getAxes(), reduce.getKeepDims()); };
  return TypeSwitch<Operation *, MaybeData>(op)
      .Case<ReshapeOp, ExpandDimsOp, SqueezeOp, IdentityOp>(sameData)
      .Case<TransposeOp>([&](TransposeOp transpose) {
        SmallVector<int64_t> strides = stridesOf(in[0].shape()), permuted;
        for (int64_t axis : transpose.getPerm())
          permuted.push_back(strides[axis]);
        return move(in[0], type, [&](ArrayRef<int64_t> index) { return dot(index, permuted); });
      })
      .Case<TileOp>([&](auto) {
        SmallVector<int64_t> strides = stridesOf(in[0].shape());
        return move(in[0], type, [&](ArrayRef<int64_t> index) {
          int64_t position = 0;
          for (auto [i, at] : llvm::enumerate(index))
            position += at % in[0].shape()[i] * strides[i];
          return position;
        });
      })
      .Case<SliceByIndexOp>([&](SliceByIndexOp slicing) { return slice(slicing, in[0]); })
      .Case<GatherOp>([&](GatherOp gathering) { return gather(gathering, in[0], in[1]); })
      .Case<ConcatOp>([&](ConcatOp joining) { return concat(joining, in); })
      .Case<CastOp>([&](CastOp conversion) { return castData(conversion, in[0]); })
      .Case<SelectOp>([&](SelectOp selection) { return select(selection, in[0], in[1], in[2]); })
      .Case<ReduceSumOp, ReduceProdOp, ReduceMaxOp, ReduceMinOp>(reduceOp)
      .Case<NegOp, AbsOp, FloorOp, CeilOp, RoundOp, SqrtOp, SignOp, LogicalNotOp>([&](auto) { return unary(op, in[0]); })
      .Case<AddOp, SubOp, MulOp, RealDivOp, FloorDivOp, ModOp, PowOp, MaximumOp, MinimumOp, EqualOp, NotEqualOp,
            GreaterOp, GreaterEqualOp, LessOp, LessEqualOp, LogicalAndOp, LogicalOrOp, LogicalXorOp>(
          [&](auto) { return binary(op, in[0], in[1]); })
      .Default([](auto) { return std::nullopt; });
}

/// The parts of a split, each a slice along the axis.
std::optional<SmallVector<DenseElementsAttr>> evaluateSplit(SplitOp op, const Data &x) {
  SmallVector<DenseElementsAttr> parts;
  int64_t rank = x.shape().size(), axis = op.getAxis() < 0 ? op.getAxis() + rank : op.getAxis(), begin = 0;
  SmallVector<int64_t> strides = stridesOf(x.shape());
  for (Type type : op.getResultTypes()) {
    parts.push_back(
        write(move(x, type, [&](ArrayRef<int64_t> index) { return dot(index, strides) + begin * strides[axis]; })));
    begin += cast<RankedTensorType>(type).getDimSize(axis);
  }
  return parts;
}

} // namespace

std::optional<SmallVector<DenseElementsAttr>> mlir::ane::evaluateConstants(Operation *op) {
  if (op->getNumOperands() == 0)
    return std::nullopt;
  for (Type type : op->getResultTypes())
    if (cast<RankedTensorType>(type).getNumElements() > maxFoldedElements)
      return std::nullopt;
  SmallVector<Data> operands;
  for (Value operand : op->getOperands()) {
    MaybeData data = read(operand);
    if (!data)
      return std::nullopt;
    operands.push_back(std::move(*data));
  }
  if (auto split = dyn_cast<SplitOp>(op))
    return evaluateSplit(split, operands[0]);
  MaybeData result = evaluate(op, operands);
  DenseElementsAttr attr = result ? write(*result) : nullptr;
  return attr ? std::optional(SmallVector<DenseElementsAttr>{attr}) : std::nullopt;
}
