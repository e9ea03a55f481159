//===- LegalizeSums.cpp - long sums and means (C57) -----------------------===//
//
// A reduction adds in fp16, a matrix product wider; but what leaves a product ends at half of fp16's range. Products
// therefore give half of the sum, which is doubled.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Inference.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

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

  /// The sum of `x` over `axes`, or its mean, in the shape `result`; null where a product would be too large.
  Value reduce(Value x, ArrayRef<int64_t> axes, bool isMean, ArrayRef<int64_t> result) {
    for (int64_t axis : axes)
      if (isLong(x, axis) && !fitsProduct(x, axis))
        return Value();
    double factor = 1;
    int64_t count = 1;
    for (int64_t axis : llvm::reverse(axes)) {
      int64_t extent = typeOf(x).getDimSize(axis);
      // A mean divides first by a power of two, which is exact, so that no sum exceeds what is summed.
      double power = isMean ? double(llvm::PowerOf2Ceil(extent)) : 1;
      count *= extent;
      factor *= power;
      if (isLong(x, axis)) {
        // fp16 loses bits of a smaller weight.
        double weight = std::max(0.5 / power, env.numeric(Numeric::SmallestNormal));
        if (double rest = 0.5 / power / weight; rest != 1)
          x = b.mul(x, rest);
        x = product(x, axis, weight);
        factor *= 2;
      } else if (extent != 1) {
        if (power != 1)
          x = b.mul(x, 1 / power);
        x = b.make<ReduceSumOp>(x, builder.getDenseI64ArrayAttr({axis}), true);
      }
    }
    if (isMean)
      factor /= double(count);
    return b.reshape(factor == 1 ? x : b.mul(x, factor), result);
  }

private:
  bool isLong(Value x, int64_t axis) const { return typeOf(x).getDimSize(axis) >= env.limit(Limit::AccurateSumLength); }

  bool keepsLayout(Value x, int64_t axis) const { return typeOf(x).getRank() == 4 && axis == 1; }

  /// The other axes of a product stand in one row, unless they may stay.
  bool fitsProduct(Value x, int64_t axis) const {
    int64_t extent = typeOf(x).getDimSize(axis);
    return extent <= env.limit(Limit::ConvChannels) &&
           (keepsLayout(x, axis) || typeOf(x).getNumElements() / extent <= env.limit(Limit::SpatialAxis));
  }

  /// The sum over one axis, which stays with size 1, times `weight`.
  Value product(Value x, int64_t axis, double weight) {
    RankedTensorType type = typeOf(x);
    int64_t rank = type.getRank(), extent = type.getDimSize(axis);
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

  EngineBuilder builder;
  Composer b;
  Location loc;
  const TargetEnv &env;
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
    if (Value value =
            SumBuilder(op, env).reduce(op.getX(), op.getReducedAxes(), isMean, typeOf(op.getResult()).getShape())) {
      op.replaceAllUsesWith(value);
      op.erase();
    }
  }
};
} // namespace
