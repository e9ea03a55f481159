//===- BucketPlaces.cpp - what places behind an input's end do ------------===//

#include "BucketPlaces.h"
#include "ane/IR/ANE.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/ConstantFold.h"
#include "ane/IR/ShapeAlgebra.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr StringRef mixes = "op mixes places, also those behind the end of an input";
constexpr StringRef sums = "op adds up places, and no mask has made those behind the end of an input 0 just before";
constexpr StringRef compares =
    "op compares places, and no mask has made those behind the end of an input large and negative just before";

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Exporters add -10000 or more to scores that a mask hides.
static bool isLow(std::optional<double> value) { return value && *value <= -1e4; }
static bool isZero(std::optional<double> value) { return value && *value == 0; }
static bool isVarying(const PlaceAxis &axis) { return axis.varies; }

namespace {
/// An op of the smallest and of the largest size.
struct Access {
  Operation &one, &other;
  SmallVector<PlaceAxes> operands, results;

  PlaceAxes &x() { return operands.front(); }
  PlaceAxes &result() { return results.front(); }
};
} // namespace

/// Row-major elements as another shape: an axis that is one in both keeps its places, others have none.
static std::optional<PlaceAxes> reshaped(const PlaceAxes &axes, std::pair<RankedTensorType, RankedTensorType> from,
                                         PlaceAxes to, std::pair<RankedTensorType, RankedTensorType> toTypes) {
  auto before = [](RankedTensorType type, int64_t axis) {
    return ShapedType::getNumElements(type.getShape().take_front(axis));
  };
  int64_t kept = 0;
  for (auto [axis, place] : llvm::enumerate(to)) {
    if (!place.varies)
      continue;
    auto isSame = [&, axis = axis](RankedTensorType x, int64_t i, RankedTensorType y) {
      return x.getDimSize(i) == y.getDimSize(axis) && before(x, i) == before(y, axis);
    };
    bool isFound = false;
    for (int64_t i = 0; i < from.first.getRank() && !isFound; ++i)
      if (axes[i].varies && isSame(from.first, i, toTypes.first) && isSame(from.second, i, toTypes.second)) {
        place.behind = axes[i].behind;
        isFound = true;
      }
    if (!isFound)
      return std::nullopt;
    ++kept;
  }
  if (kept != llvm::count_if(axes, isVarying))
    return std::nullopt;
  return to;
}

/// Axes that differ between two sizes; nothing is known of what is behind.
static std::optional<PlaceAxes> varyingAxes(Value one, Value other) {
  RankedTensorType first = typeOf(one), last = typeOf(other);
  if (first.getRank() != last.getRank())
    return std::nullopt;
  PlaceAxes axes(first.getRank());
  for (int64_t i = 0; i < first.getRank(); ++i)
    axes[i].varies = first.getDimSize(i) != last.getDimSize(i);
  return axes;
}

/// Of a constant that is the beginning of itself for larger sizes: one number, or a triangle, as of a causal mask.
static void findBehind(Value value, PlaceAxes &axes) {
  SmallVector<size_t> varying;
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis.varies)
      varying.push_back(i);
  if (std::optional<double> splat = varying.empty() ? std::nullopt : getSplat(value)) {
    for (size_t i : varying)
      axes[i].behind = splat;
    return;
  }
  RankedTensorType type = typeOf(value);
  Type element = type.getElementType();
  if (varying.size() != 2 || type.getDimSize(varying[0]) != type.getDimSize(varying[1]))
    return;
  FailureOr<ConstantBuffer> buffer = evaluateConstant(value);
  if (failed(buffer))
    return;
  unsigned width = elementBytes(element);
  SmallVector<int64_t> strides = rowMajorStrides(type.getShape());
  for (auto [axis, rows] : {std::pair(varying[1], varying[0]), std::pair(varying[0], varying[1])}) {
    std::optional<double> all;
    bool isKnown = true;
    for (int64_t i = 0; i < type.getNumElements() && isKnown; ++i) {
      auto index = [&](size_t d) { return i / strides[d] % type.getDimSize(d); };
      if (index(axis) <= index(rows))
        continue;
      uint64_t bits = 0;
      std::memcpy(&bits, buffer->bytes().data() + i * width, width);
      auto floating = dyn_cast<FloatType>(element);
      double number = floating ? APFloat(floating.getFloatSemantics(), APInt(width * 8, bits)).convertToDouble()
                               : static_cast<double>(llvm::SignExtend64(bits, width * 8));
      number = isLow(number) ? -infinity : number;
      isKnown = !all || *all == number;
      all = number;
    }
    if (isKnown)
      axes[axis].behind = all;
  }
}

/// What an element-wise op makes of one element of each operand, as far as they are known.
static std::optional<double> combine(Operation &op, ArrayRef<std::optional<double>> values) {
  auto isFinite = [](std::optional<double> value) { return value && std::isfinite(*value); };
  if (isa<IdentityOp>(op) ||
      (isa<CastOp>(op) && isLow(values[0]) && isa<FloatType>(getElementTypeOrSelf(op.getResult(0)))))
    return values[0];
  if (isa<SelectOp>(op)) {
    if (values[0])
      return values[*values[0] != 0 ? 1 : 2];
    return values[1] == values[2] ? values[1] : std::nullopt;
  }
  if (llvm::all_of(values, isFinite)) {
    SmallVector<DenseElementsAttr> constants;
    for (auto [operand, value] : llvm::zip_equal(op.getOperands(), values)) {
      Type element = getElementTypeOrSelf(operand);
      Attribute number = isa<FloatType>(element) ? Attribute(FloatAttr::get(element, *value))
                                                 : IntegerAttr::get(element, static_cast<int64_t>(*value));
      constants.push_back(DenseElementsAttr::get(typeOf(operand), number));
    }
    auto folded = foldConstants(&op, constants, 1);
    if (folded && folded->front().isSplat()) {
      auto number = folded->front().getSplatValue<Attribute>();
      if (auto floating = dyn_cast<FloatAttr>(number))
        return floating.getValueAsDouble();
      const APInt &integer = cast<IntegerAttr>(number).getValue();
      return static_cast<double>(integer.getBitWidth() == 1 ? integer.getZExtValue() : integer.getSExtValue());
    }
  }
  // An infinity and a division by 0 are no numbers.
  if (isa<MulOp, LogicalAndOp>(op) && llvm::any_of(values, isZero) &&
      llvm::all_of(values, [&](auto value) { return !value || isFinite(value); }))
    return 0;
  if (isa<RealDivOp>(op) && isZero(values[0]) && !values[1])
    return 0;
  if (isa<LogicalOrOp>(op) && llvm::any_of(values, [](auto value) { return value && *value != 0; }))
    return 1;
  if (isa<ExpOp>(op) && isLow(values[0]))
    return 0;
  if ((isa<AddOp, MinimumOp>(op) && llvm::any_of(values, isLow)) || (isa<SubOp>(op) && isLow(values[0])) ||
      (isa<MaximumOp>(op) && llvm::all_of(values, isLow)))
    return -infinity;
  return std::nullopt;
}

static StringRef followElementwise(Access &op) {
  PlaceAxes &result = op.result();
  for (size_t axis = 0; axis < result.size(); ++axis) {
    if (!result[axis].varies)
      continue;
    SmallVector<std::optional<double>> values;
    for (auto [operand, axes] : llvm::zip_equal(op.other.getOperands(), op.operands)) {
      int64_t own = int64_t(axis) - int64_t(result.size()) + int64_t(axes.size()); // the last axes are aligned
      values.push_back(own >= 0 && axes[own].varies ? axes[own].behind : getSplat(operand));
    }
    result[axis].behind = combine(op.other, values);
  }
  return "";
}

static StringRef followReduction(Access &op, ReductionOpInterface reduction) {
  SmallVector<int64_t> reduced = reduction.getReducedAxes(), over;
  for (int64_t axis : reduced)
    if (op.x()[axis].varies)
      over.push_back(axis);
  bool isSum = isa<ReduceSumOp, ReduceL1NormOp, ReduceL2NormOp, ReduceSumSquareOp, ReduceLogSumOp>(op.other);
  if (over.size() > 1)
    return mixes;
  for (int64_t axis : over) {
    if (isSum && !isZero(op.x()[axis].behind))
      return sums;
    if (isa<SoftmaxOp, ReduceMaxOp, ReduceLogSumExpOp>(op.other) && !isLow(op.x()[axis].behind))
      return compares;
    if (!isSum && !isa<SoftmaxOp, ReduceMaxOp, ReduceLogSumExpOp>(op.other))
      return mixes;
    if (isa<SoftmaxOp>(op.other))
      op.result()[axis].behind = 0;
  }
  // A sum of zeros; one over places takes such that are behind the ends of two axes, too.
  if (!isSum || isa<ReduceLogSumOp>(op.other) || !over.empty())
    return "";
  bool keepsRank = op.result().size() == op.x().size();
  for (int64_t axis = 0, to = 0; axis < int64_t(op.x().size()); ++axis) {
    bool isReduced = llvm::is_contained(reduced, axis);
    if (!isReduced && isZero(op.x()[axis].behind))
      op.result()[to].behind = 0;
    to += keepsRank || !isReduced;
  }
  return "";
}

/// A product that sums over axes, those of `letters` that the last of them, the result's, lacks.
static StringRef followProduct(Access &op, ArrayRef<SmallVector<int64_t>> letters) {
  ArrayRef<int64_t> ofResult = letters.back();
  auto isZeroAt = [&](int64_t letter) {
    for (auto [axes, names] : llvm::zip(op.operands, letters))
      for (auto [axis, name] : llvm::zip_equal(axes, names))
        if (name == letter && axis.varies && isZero(axis.behind))
          return true;
    return false;
  };
  llvm::SmallSetVector<int64_t, 2> summed;
  for (auto [axes, names] : llvm::zip(op.operands, letters))
    for (auto [axis, name] : llvm::zip_equal(axes, names))
      if (axis.varies && !llvm::is_contained(ofResult, name))
        summed.insert(name);
  if (summed.size() > 1)
    return mixes;
  if (!summed.empty() && !isZeroAt(summed[0]))
    return sums;
  for (auto [axis, letter] : llvm::zip_equal(op.result(), ofResult))
    if (axis.varies && summed.empty() && isZeroAt(letter))
      axis.behind = 0;
  return "";
}

static StringRef followMatmul(Access &op, MatmulOp matmul) {
  // Letters of leading axes count from the last one; then rows, columns and what is summed.
  enum : int64_t { Row = -1, Column = -2, Sum = -3 };
  auto name = [](size_t rank, int64_t last, int64_t lastButOne) {
    SmallVector<int64_t> letters;
    for (size_t i = 0; i + 2 < rank; ++i)
      letters.push_back(rank - i);
    letters.append({lastButOne, last});
    return letters;
  };
  bool turnsX = matmul.getTransposeX(), turnsY = matmul.getTransposeY();
  return followProduct(op, {name(op.operands[0].size(), turnsX ? Row : Sum, turnsX ? Sum : Row),
                            name(op.operands[1].size(), turnsY ? Sum : Column, turnsY ? Column : Sum),
                            name(op.result().size(), Column, Row)});
}

static StringRef followLinear(Access &op) {
  if (op.x().back().varies || op.operands[1].back().varies)
    return sums;
  for (auto [from, to] : llvm::zip(llvm::drop_end(op.x()), op.result()))
    if (op.operands.size() == 2 && isZero(from.behind))
      to.behind = 0;
  return "";
}

static StringRef followEinsum(Access &op, EinsumOp einsum) {
  auto [from, to] = einsum.getEquation().split("->");
  SmallVector<StringRef> texts;
  from.split(texts, ',');
  texts.push_back(to);
  SmallVector<SmallVector<int64_t>> letters;
  for (StringRef text : texts)
    letters.emplace_back(text.trim().begin(), text.trim().end());
  for (auto [names, axes] : llvm::zip(letters, op.operands))
    if (names.size() != axes.size())
      return mixes;
  return letters.back().size() == op.result().size() ? followProduct(op, letters) : mixes;
}

static StringRef followAttention(Access &op, ScaledDotProductAttentionOp attention) {
  PlaceAxes &key = op.operands[1], &value = op.operands[2];
  if (op.x().back().varies || key.back().varies || value.back().varies)
    return sums;
  if (!key[key.size() - 2].varies)
    return "";
  Value mask = attention.getAttnMask();
  std::optional<double> behind = mask ? op.operands[3].back().behind : std::nullopt;
  bool hides = mask && (getElementTypeOrSelf(mask).isInteger(1) ? isZero(behind) : isLow(behind));
  return hides ? "" : compares;
}

/// `ranges` of each axis of x, for both sizes.
static StringRef followSlice(Access &op, PlaceAxes &result, ArrayRef<SliceRange> one, ArrayRef<SliceRange> other) {
  RankedTensorType first = typeOf(op.one.getOperand(0)), last = typeOf(op.other.getOperand(0));
  for (int64_t axis = 0, to = 0; axis < int64_t(op.x().size()); ++axis) {
    const SliceRange &a = one[axis], &b = other[axis];
    if (a.begin != b.begin || a.stride != b.stride)
      return "op begins elsewhere for another size";
    if (op.x()[axis].varies) {
      // Of fewer places than the smallest size has, only the first is always there.
      if (b.stride < 1 || (a.size == b.size && b.begin + b.size > 1))
        return mixes;
      auto reachesEnd = [](const SliceRange &range, int64_t size) {
        return range.size == (size - range.begin + range.stride - 1) / range.stride;
      };
      if (a.size != b.size && reachesEnd(a, first.getDimSize(axis)) && reachesEnd(b, last.getDimSize(axis)))
        result[to].behind = op.x()[axis].behind;
    }
    to += !b.drop;
  }
  return "";
}

static StringRef followConcat(Access &op, ConcatOp concat) {
  for (auto [index, place] : llvm::enumerate(op.result())) {
    size_t axis = index;
    if (!place.varies)
      continue;
    if (int64_t(axis) != concat.getAxisFromFront()) {
      place.behind = op.x()[axis].behind;
      for (const PlaceAxes &axes : op.operands)
        if (axes[axis].behind != place.behind)
          place.behind = std::nullopt;
      continue;
    }
    // What comes behind places comes elsewhere for another size.
    if (concat.getInterleave() ||
        llvm::any_of(llvm::drop_end(op.operands), [&](const PlaceAxes &axes) { return axes[axis].varies; }))
      return mixes;
    place.behind = op.operands.back()[axis].behind;
  }
  return "";
}

/// Whether a value is one of a state in another order.
static bool isOfState(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<ReadStateOp, UpdateStateOp>(op))
      return true;
    if (!isa<TransposeOp, ReshapeOp, ExpandDimsOp, SqueezeOp, IdentityOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Each rule trusts that axes of the results that vary do so for the reason that it is about.
static StringRef follow(Access &op) {
  auto varies = [&](unsigned operand) { return llvm::any_of(op.operands[operand], isVarying); };
  auto alongAxis = [&](auto only) -> StringRef { return op.x()[only.getAxisFromFront()].varies ? mixes : ""; };
  Operation *other = &op.other;
  if (other->hasTrait<BroadcastElementwise>())
    return followElementwise(op);
  return llvm::TypeSwitch<Operation *, StringRef>(other)
      .Case([&](ReductionOpInterface reduction) { return followReduction(op, reduction); })
      .Case([&](TransposeOp transpose) -> StringRef {
        for (auto [to, from] : llvm::enumerate(transpose.getPerm()))
          op.result()[to].behind = op.x()[from].behind;
        return "";
      })
      .Case<ExpandDimsOp, SqueezeOp, Flatten2dOp>([&](auto) -> StringRef {
        auto types = [](Value a, Value b) { return std::pair(typeOf(a), typeOf(b)); };
        auto axes = reshaped(op.x(), types(op.one.getOperand(0), other->getOperand(0)), op.result(),
                             types(op.one.getResult(0), other->getResult(0)));
        if (!axes)
          return mixes;
        op.result() = *axes;
        return "";
      })
      .Case([&](MatmulOp matmul) { return followMatmul(op, matmul); })
      .Case([&](LinearOp) { return followLinear(op); })
      .Case([&](EinsumOp einsum) { return followEinsum(op, einsum); })
      .Case([&](ScaledDotProductAttentionOp attention) { return followAttention(op, attention); })
      .Case<SliceBySizeOp, SliceByIndexOp>([&](auto slice) {
        auto first = cast<decltype(slice)>(&op.one);
        return followSlice(op, op.result(), first.getRanges(), slice.getRanges());
      })
      .Case([&](SplitOp split) -> StringRef {
        auto first = cast<SplitOp>(&op.one);
        for (auto [i, result] : llvm::enumerate(op.results))
          if (StringRef how = followSlice(op, result, first.getRanges(i), split.getRanges(i)); !how.empty())
            return how;
        return "";
      })
      .Case([&](ConcatOp concat) { return followConcat(op, concat); })
      .Case([&](TileOp tile) -> StringRef {
        for (auto [from, to, times] : llvm::zip_equal(op.x(), op.result(), tile.getReps())) {
          if (from.varies && times != 1)
            return mixes;
          to.behind = from.behind;
        }
        return "";
      })
      .Case([&](PadOp pad) -> StringRef {
        for (auto [from, border, own] : llvm::zip_equal(op.x(), pad.getBorder(), cast<PadOp>(op.one).getBorder())) {
          if ((from.varies && border != std::pair<int64_t, int64_t>()) || border.first != own.first)
            return mixes;
        }
        return "";
      })
      .Case([&](CumsumOp cumsum) -> StringRef { return cumsum.getReverse() ? alongAxis(cumsum) : ""; })
      .Case<TopkOp, ArgsortOp, ReduceArgmaxOp, ReduceArgminOp>([&](auto one) { return alongAxis(one); })
      .Case([&](LogSoftmaxOp softmax) { return alongAxis(softmax); })
      // A place that an index says; the results have the places of the indices.
      .Case<GatherOp, GatherAlongAxisOp, GatherNdOp, EmbeddingOp, OneHotOp, StackOp>([](auto) { return ""; })
      .Case([&](RopeOp) { return op.x().back().varies ? mixes : ""; })
      .Case<PreluOp, BatchNormOp>([&](auto) { return op.x().size() < 2 || op.x()[1].varies ? mixes : ""; })
      .Case<QuantizeOp, DequantizeOp>([&](auto) {
        for (size_t i = 1; i < op.operands.size(); ++i)
          if (varies(i))
            return mixes;
        return StringRef();
      })
      .Case<ReadStateOp, WriteStateOp>([](auto) { return ""; })
      .Case([&](UpdateStateOp update) -> StringRef {
        for (auto [axis, place] : llvm::enumerate(op.x()))
          if (place.varies && int64_t(axis) != update.getAxis())
            return mixes;
        return "";
      })
      // The entries that are written into a state: those behind the end are not, which the bundle's manifest shows or a
      // run.
      .Case<ScatterOp, ScatterAlongAxisOp, ScatterNdOp>(
          [&](auto scatter) { return !varies(0) && isOfState(scatter.getData()) ? "" : mixes; })
      .Case([&](func::ReturnOp) { return ""; })
      .Default([&](Operation *) { return mixes; });
}

void BucketPlaces::addArgument(Value one, Value other, bool isMask) {
  PlaceAxes axes = *varyingAxes(one, other);
  for (PlaceAxis &axis : axes)
    if (axis.varies && isMask)
      axis.behind = 0;
  known[other] = {one, axes};
}

std::optional<PlaceAxes> BucketPlaces::axesOf(Value one, Value other) {
  auto found = known.find(other);
  if (found != known.end() && found->second.first == one)
    return found->second.second;
  if (isConstantExpr(one) && isConstantExpr(other))
    if (std::optional<PlaceAxes> axes = varyingAxes(one, other)) {
      findBehind(other, *axes);
      known[other] = {one, *axes};
      return axes;
    }
  Value from = one, otherFrom = other;
  while (auto reshape = from.getDefiningOp<ReshapeOp>())
    from = reshape.getX();
  while (auto reshape = otherFrom.getDefiningOp<ReshapeOp>())
    otherFrom = reshape.getX();
  std::optional<PlaceAxes> to = varyingAxes(one, other);
  if (!to || (from == one && otherFrom == other))
    return std::nullopt;
  std::optional<PlaceAxes> axes = axesOf(from, otherFrom);
  if (axes)
    axes = reshaped(*axes, {typeOf(from), typeOf(otherFrom)}, *to, {typeOf(one), typeOf(other)});
  return axes;
}

StringRef BucketPlaces::visit(Operation &one, Operation &other) {
  Access op{one, other, {}, {}};
  for (auto [a, b] : llvm::zip_equal(one.getOperands(), other.getOperands())) {
    std::optional<PlaceAxes> axes = axesOf(a, b);
    if (!axes)
      return mixes;
    op.operands.push_back(*axes);
  }
  for (auto [a, b] : llvm::zip_equal(one.getResults(), other.getResults())) {
    std::optional<PlaceAxes> axes = varyingAxes(a, b);
    if (!axes)
      return "is another op for another size";
    op.results.push_back(*axes);
  }
  bool reads = llvm::any_of(op.operands, [](const PlaceAxes &axes) { return llvm::any_of(axes, isVarying); });
  bool makes = llvm::any_of(op.results, [](const PlaceAxes &axes) { return llvm::any_of(axes, isVarying); });
  bool isSource = isa<FillOp, Range1dOp>(other);
  if (!isSource && (reads || makes))
    if (StringRef how = follow(op); !how.empty())
      return how;
  for (auto [a, b, axes] : llvm::zip_equal(one.getResults(), other.getResults(), op.results))
    known[b] = {a, axes};
  return "";
}
