//===- LegalizeConcat.cpp - concat by algebra (C01) -----------------------===//
//
// A product over joined channels is the sum of the products over the parts. Any other concat is the sum of its parts,
// each among zeros: a part is moved along a row or a column by pad, along the channels by a convolution with a matrix
// of zeros and halves, and the sum is doubled: what leaves a convolution ends at half of fp16's range (C77). Both are
// exact, because every sum has one term that is not zero. Constant parts are one constant.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Declined.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Rebuild.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZECONCAT
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Where each part of a concat begins, and the end of the last one.
static SmallVector<int64_t> bordersOf(ConcatOp op) {
  SmallVector<int64_t> borders{0};
  for (Value part : op.getValues())
    borders.push_back(borders.back() + typeOf(part).getDimSize(op.getAxisFromFront()));
  return borders;
}

/// Input channels [begin, end) of a weight [out, in, ...].
static Value inputSlice(OpBuilder &builder, Location loc, Value weight, int64_t begin, int64_t end) {
  SmallVector<int64_t> offsets(typeOf(weight).getRank(), 0), sizes(typeOf(weight).getShape());
  offsets[1] = begin;
  sizes[1] = end - begin;
  return builder.create<SliceBySizeOp>(loc, weight, offsets, sizes);
}

/// op(concat(parts), w) = sum of op(part, slice of w), for a linear or convolution without groups.
template <typename Op>
static void distribute(Op op, int64_t channelAxis) {
  auto concat = op.getX().template getDefiningOp<ConcatOp>();
  if (!concat || concat.getAxisFromFront() != channelAxis || !isConstantExpr(op.getWeight()) ||
      concat.getInterleave() || llvm::any_of(concat.getValues(), [](Value part) { return isConstantExpr(part); }))
    return;
  EngineBuilder builder(op);
  Composer b(builder, op.getLoc());
  SmallVector<int64_t> borders = bordersOf(concat);
  Value sum;
  for (auto [i, part] : llvm::enumerate(concat.getValues())) {
    Value slice = inputSlice(builder, op.getLoc(), op.getWeight(), borders[i], borders[i + 1]);
    SmallVector<Value> operands{part, slice};
    if (i == 0 && op.getBias())
      operands.push_back(op.getBias());
    Operation *partial = rebuild(builder, op, operands);
    sum = sum ? b.add(sum, partial->getResult(0)) : partial->getResult(0);
  }
  op.replaceAllUsesWith(sum);
  op.erase();
}

namespace {
/// A layout in which the engine can move parts along the axis of a concat.
struct Placement {
  Relayout to;                   // from the concat's layout
  SmallVector<int64_t, 4> shape; // of the joined value, rank 4
  unsigned axis;                 // of `shape`: 1 (channels), 2 or 3
};

class ConcatSpeller {
public:
  explicit ConcatSpeller(ConcatOp op) : op(op), builder(op), b(builder, op.getLoc()), placement(choose()) {}

  static constexpr int64_t maxElements = int64_t(1) << 27;

  /// Whether the spelling is no remedy: the matrices of all parts together, or as many whole values as there are parts,
  /// have too many elements.
  bool isTooLarge() {
    int64_t total = placement.axis == 1 ? placement.shape[1] : typeOf(op).getNumElements();
    int64_t copies = placement.axis == 1 ? placement.shape[1] : int64_t(op.getValues().size());
    return total > maxElements / copies;
  }

  Value spell() {
    SmallVector<int64_t> borders = bordersOf(op);
    Value sum;
    bool constants = false;
    for (auto [i, part] : llvm::enumerate(op.getValues())) {
      if (isConstantExpr(part)) {
        constants |= getSplat(part) != 0.0;
        continue;
      }
      SmallVector<int64_t, 4> shape(placement.shape);
      shape[placement.axis] = borders[i + 1] - borders[i];
      Value moved =
          move(RelayoutOp::create(builder, op.getLoc(), part, layoutOf(part), shape), borders[i], borders[i + 1]);
      sum = sum ? b.add(sum, moved) : moved;
    }
    bool halved = placement.axis == 1;
    if (constants) {
      Value constant = halved ? b.mul(constantPart(), 0.5) : constantPart();
      sum = b.add(sum, RelayoutOp::create(builder, op.getLoc(), constant, placement.to, placement.shape));
    }
    if (halved)
      sum = b.mul(sum, 2.0);
    return RelayoutOp::create(builder, op.getLoc(), sum, placement.to.inverse(), typeOf(op).getShape());
  }

private:
  /// Tokens [1, S, C] become [1, C, 1, S], as linears want them; images stay; anything else is [1, outer, axis, inner].
  Placement choose() {
    ArrayRef<int64_t> shape = typeOf(op).getShape();
    int64_t rank = shape.size(), axis = op.getAxisFromFront(), elements = typeOf(op).getNumElements();
    if (rank == 4 && axis > 0)
      return {Relayout::reshape(elements), SmallVector<int64_t, 4>(shape), unsigned(axis)};
    bool tokens = rank == 2 || (rank == 3 && shape[0] == 1 && axis > 0);
    if (tokens) {
      int64_t channels = shape.back(), count = shape[rank - 2];
      return {{{count, channels}, {1, 0}}, {1, channels, 1, count}, axis == rank - 1 ? 1u : 3u};
    }
    return {Relayout::reshape(elements),
            {1, numElements(shape.take_front(axis)), shape[axis], numElements(shape.drop_front(axis + 1))},
            2};
  }

  /// `placement.to` for the shape of one part.
  Relayout layoutOf(Value part) {
    int64_t elements = typeOf(part).getNumElements();
    if (placement.to.isReshape())
      return Relayout::reshape(elements);
    ArrayRef<int64_t> shape = typeOf(part).getShape();
    return {{elements / shape.back(), shape.back()}, {1, 0}};
  }

  /// `part` at [begin, end) of the axis, zeros elsewhere; half of it along the channels.
  Value move(Value part, int64_t begin, int64_t end) {
    int64_t total = placement.shape[placement.axis];
    if (placement.axis != 1) {
      SmallVector<int64_t> pad{begin, total - end};
      if (placement.axis == 2)
        pad.append({0, 0});
      return b.make<PadOp>(part, builder.getDenseI64ArrayAttr(pad), builder.getStringAttr("constant"),
                           builder.getF64FloatAttr(0.0));
    }
    Value identity =
        b.make<PadOp>(b.mul(unit(end - begin), 0.5), builder.getDenseI64ArrayAttr({begin, total - end, 0, 0}),
                      builder.getStringAttr("constant"), builder.getF64FloatAttr(0.0));
    Value weight = b.reshape(identity, {total, end - begin, 1, 1});
    auto ones = builder.getDenseI64ArrayAttr({1, 1});
    return b.make<ConvOp>(part, weight, Value(), ones, builder.getStringAttr("valid"),
                          builder.getDenseI64ArrayAttr({0, 0, 0, 0}), ones, builder.getI64IntegerAttr(1));
  }

  /// The unit matrix [size, size].
  Value unit(int64_t size) {
    Value index =
        createIndices(builder, op.getLoc(), llvm::to_vector(llvm::seq<int64_t>(0, size)), builder.getI32Type());
    Value equal = b.make<EqualOp>(b.reshape(index, {size, 1}), b.reshape(index, {1, size}));
    return b.castLike(equal, op.getResult());
  }

  /// The joined value with zeros in place of what is computed.
  Value constantPart() {
    SmallVector<Value> parts;
    for (Value part : op.getValues())
      parts.push_back(isConstantExpr(part) ? part : createSplat(builder, op.getLoc(), typeOf(part), 0.0));
    return b.make<ConcatOp>(op.getType(), parts, op.getAxisAttr(), op.getInterleaveAttr());
  }

  ConcatOp op;
  EngineBuilder builder;
  Composer b;
  Placement placement;
};

struct LegalizeConcat : mlir::ane::impl::LegalizeConcatBase<LegalizeConcat> {
  using LegalizeConcatBase::LegalizeConcatBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    Block &body = getOperation().getEngine().front();
    bool banned = isEnforced(ConstraintID::Concat, env);
    for (Operation &op : llvm::make_early_inc_range(body)) {
      if (!banned)
        break;
      if (auto linear = dyn_cast<LinearOp>(op))
        distribute(linear, typeOf(linear.getX()).getRank() - 1);
      else if (auto conv = dyn_cast<ConvOp>(op); conv && conv.getGroups() == 1)
        distribute(conv, 1);
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
      auto concat = dyn_cast<ConcatOp>(op);
      if (!concat || isConstantExpr(&op) || !(banned || check(ConstraintID::RopeConcat, concat, env)))
        continue;
      if (!concat->use_empty()) {
        ConstraintID broken = banned ? ConstraintID::Concat : ConstraintID::RopeConcat;
        if (concat.getInterleave() || !isa<FloatType>(typeOf(concat).getElementType())) {
          decline(concat, broken, "only floats that are not interleaved are joined by sums");
          continue;
        }
        ConcatSpeller speller(concat);
        if (speller.isTooLarge()) {
          decline(concat, broken,
                  "joined by sums it would take more than " + Twine(ConcatSpeller::maxElements) + " elements");
          continue;
        }
        concat.replaceAllUsesWith(speller.spell());
      }
      concat.erase();
    }
  }
};
} // namespace
