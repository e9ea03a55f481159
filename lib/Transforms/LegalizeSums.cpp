//===- LegalizeSums.cpp - long sums and means (C57) -----------------------===//
//
// A reduction adds in fp16, a matrix product wider; but what leaves a product ends at half of fp16's range. Products
// therefore give half of the sum, which is doubled. What is too large for a product is summed in parts.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Inference.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZESUMS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
class SumBuilder {
public:
  SumBuilder(Operation *op, const TargetEnv &env)
      : builder(op), b(builder, op->getLoc()), loc(op->getLoc()), env(env) {}

  /// The sum of `x` over `axes`, or its mean, in the shape `result`.
  Value reduce(Value x, ArrayRef<int64_t> axes, bool isMean, ArrayRef<int64_t> result) {
    int64_t count = 1;
    for (int64_t axis : llvm::reverse(axes)) {
      int64_t extent = typeOf(x).getDimSize(axis);
      count *= extent;
      if (!isLong(x, axis))
        x = reduction(x, axis, isMean);
      else if (fitsProduct(x, axis))
        x = product(x, axis, isMean);
      else
        x = inParts(x, axis, isMean);
    }
    if (isMean)
      factor /= double(count);
    return b.reshape(factor == 1 ? x : b.mul(x, factor), result);
  }

private:
  /// A mean divides first by a power of two, which is exact, so that no sum exceeds what is summed.
  static double divisor(int64_t extent, bool isMean) { return isMean ? double(llvm::PowerOf2Ceil(extent)) : 1; }

  bool isLong(Value x, int64_t axis) const { return typeOf(x).getDimSize(axis) >= env.limit(Limit::AccurateSumLength); }

  bool keepsLayout(Value x, int64_t axis) const { return typeOf(x).getRank() == 4 && axis == 1; }

  /// The other axes of a product stand in one row, unless they may stay.
  bool fitsProduct(Value x, int64_t axis) const {
    int64_t extent = typeOf(x).getDimSize(axis);
    return extent <= env.limit(Limit::ConvChannels) &&
           (keepsLayout(x, axis) || typeOf(x).getNumElements() / extent <= env.limit(Limit::SpatialAxis));
  }

  /// The sum over one axis, which stays with size 1; `factor` has what it is to be multiplied with.
  Value reduction(Value x, int64_t axis, bool isMean) {
    int64_t extent = typeOf(x).getDimSize(axis);
    if (extent == 1)
      return x;
    if (double power = divisor(extent, isMean); power != 1) {
      x = b.mul(x, 1 / power);
      factor *= power;
    }
    return b.make<ReduceSumOp>(x, builder.getDenseI64ArrayAttr({axis}), true);
  }

  /// As reduction().
  Value product(Value x, int64_t axis, bool isMean) {
    RankedTensorType type = typeOf(x);
    int64_t rank = type.getRank(), extent = type.getDimSize(axis);
    double half = 0.5 / divisor(extent, isMean);
    factor /= half;
    // fp16 loses bits of a smaller weight.
    double weight = std::max(half, env.numeric(Numeric::SmallestNormal));
    if (half != weight)
      x = b.mul(x, half / weight);
    SmallVector<int64_t> kept(type.getShape());
    kept[axis] = 1;
    auto weights = [&](ArrayRef<int64_t> shape) { return createSplat(builder, loc, type.clone(shape), weight); };
    if (keepsLayout(x, axis)) {
      auto ones = builder.getDenseI64ArrayAttr({1, 1});
      return b.make<ConvOp>(x, weights({1, extent, 1, 1}), Value(), ones, builder.getStringAttr("valid"),
                            builder.getDenseI64ArrayAttr({0, 0, 0, 0}), ones, builder.getI64IntegerAttr(1));
    }
    SmallVector<int64_t> perm;
    for (int64_t i = 0; i < rank; ++i)
      if (i != axis)
        perm.push_back(i);
    perm.push_back(axis);
    Value rows = RelayoutOp::create(builder, loc, x, Relayout::transpose(type.getShape(), perm),
                                    {type.getNumElements() / extent, extent});
    return b.reshape(b.make<LinearOp>(rows, weights({1, extent}), Value()), kept);
  }

  /// As reduction(): sums of parts, sums of these, and so on, each of fewer elements than is inaccurate. One reduction
  /// of all where there is no room for an axis of parts, or for zeros behind the last one.
  Value inParts(Value x, int64_t axis, bool isMean) {
    SmallVector<int64_t> kept(typeOf(x).getShape());
    int64_t extent = std::exchange(kept[axis], 1), before = 1, behind = 1;
    for (auto [i, size] : llvm::enumerate(kept))
      (int64_t(i) < axis ? before : behind) *= size;
    bool isLast = behind == 1; // rows stay rows
    auto whole = [&](int64_t extent) {
      return isLast ? SmallVector<int64_t, 4>{1, before, 1, extent}
                    : SmallVector<int64_t, 4>{1, before, extent, behind};
    };
    auto inTwo = [&](int64_t number, int64_t part) {
      return isLast ? SmallVector<int64_t, 4>{1, before, number, part}
                    : SmallVector<int64_t, 4>{before, number, part, behind};
    };
    // Sizes only shrink from here on.
    if (int64_t part = partOf(extent), number = llvm::divideCeil(extent, part);
        !fits(inTwo(number, part)) || (number * part != extent && !fits(whole(number * part))))
      return reduction(x, axis, isMean);
    while (extent != 1) {
      int64_t part = partOf(extent), number = llvm::divideCeil(extent, part), added = number * part - extent;
      if (added) {
        SmallVector<int64_t> border{0, added};
        if (!isLast)
          border.append({0, 0});
        x = b.make<PadOp>(b.reshape(x, whole(extent)), builder.getDenseI64ArrayAttr(border),
                          builder.getStringAttr("constant"), builder.getF64FloatAttr(0));
      }
      x = reduction(b.reshape(x, inTwo(number, part)), isLast ? 3 : 2, isMean);
      extent = number;
    }
    return b.reshape(x, kept);
  }

  /// How many elements a part has: few, as each addition in fp16 rounds; of these numbers the one that fills up the
  /// axis with the fewest zeros. All that are left, where they are few or no zeros would do.
  int64_t partOf(int64_t extent) const {
    constexpr int64_t smallest = 16, largest = 64;
    if (extent <= largest)
      return extent;
    int64_t best = largest;
    for (int64_t part = largest; part >= smallest; --part)
      if (llvm::alignTo(extent, part) < llvm::alignTo(extent, best))
        best = part;
    bool isAccurate = extent < env.limit(Limit::AccurateSumLength);
    return isAccurate && extent % best != 0 ? extent : best;
  }

  bool fits(ArrayRef<int64_t> shape) const {
    return shape[0] <= env.limit(Limit::BatchAxis) && shape[1] <= env.limit(Limit::ChannelAxis) &&
           shape[2] <= env.limit(Limit::SpatialAxis) && shape[3] <= env.limit(Limit::SpatialAxis);
  }

  EngineBuilder builder;
  Composer b;
  Location loc;
  const TargetEnv &env;
  /// What the sum is multiplied with in the end.
  double factor = 1;
};

struct LegalizeSums : mlir::ane::impl::LegalizeSumsBase<LegalizeSums> {
  using LegalizeSumsBase::LegalizeSumsBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    for (Operation &op : llvm::make_early_inc_range(getOperation().getEngine().front())) {
      if (auto sum = dyn_cast<ReduceSumOp>(op))
        rewrite(sum, /*isMean=*/false, env);
      else if (auto mean = dyn_cast<ReduceMeanOp>(op))
        rewrite(mean, /*isMean=*/true, env);
    }
  }

  template <typename Op>
  static void rewrite(Op op, bool isMean, const TargetEnv &env) {
    // A sum of squares that is not safe (C56) stays visible as one.
    if (isConstantExpr(op.getOperation()) || !isa<FloatType>(getElementTypeOrSelf(op.getType())) ||
        !wantsAccurate(ConstraintID::AccurateSum, op, env) || check(ConstraintID::OverflowSafeNorm, op, env))
      return;
    op.replaceAllUsesWith(
        SumBuilder(op, env).reduce(op.getX(), op.getReducedAxes(), isMean, typeOf(op.getResult()).getShape()));
    op.erase();
  }
};
} // namespace
