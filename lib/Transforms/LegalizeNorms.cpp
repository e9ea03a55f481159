//===- LegalizeNorms.cpp - norms that fp16 can't overflow -----------------===//
//
// The mean of squares overflows fp16 from |x| = 256 up, and a sum of plain values soon after. Each token is therefore
// divided by its own maximum first. Sums run as products with a constant matrix, because matrix products accumulate
// wider than reductions do.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Origin.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/NormParameter.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZENORMS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Builds a norm over `axes` of `x`.
class NormBuilder {
public:
  NormBuilder(OpBuilder &builder, Location loc, Value x, SmallVector<int64_t> axes, const TargetEnv &env)
      : builder(builder), loc(loc), b(builder, loc), x(x), axes(std::move(axes)),
        floor(env.numeric(Numeric::SmallInput)) {
    auto shape = cast<RankedTensorType>(x.getType()).getShape();
    lastOnly = this->axes.size() == 1 && this->axes[0] == int64_t(shape.size()) - 1;
    for (int64_t axis : this->axes) {
      count *= shape[axis];
      power *= int64_t(llvm::PowerOf2Ceil(shape[axis]));
    }
  }

  /// (x - mean) / sqrt(variance + epsilon), times `count / power` under a root: see `scale`.
  Value normalize(bool center, double epsilon) {
    // Dividing by max/range puts the values into [-range, range], exactly as precise for a power of two. The range of
    // 16 keeps the variance of centred values above the floor of the root unless they are equal to within fp16's
    // precision.
    double range = center ? 16 : 1, rootEpsilon = std::sqrt(epsilon * count / power);
    // What epsilon decides needs no finer unit than one in which its square is finite.
    double least = std::max(smallestNormalHalf, rootEpsilon / 128);
    Value max = b.make<ReduceMaxOp>(b.make<AbsOp>(x), builder.getDenseI64ArrayAttr(axes), true);
    Value unit = maximum(center ? b.mul(max, 1 / range) : max, least);
    Value scaled = b.div(x, unit);
    if (center)
      scaled = b.sub(scaled, b.mul(sumOverPower(scaled), double(power) / count));
    Value variance = sumOverPower(b.mul(scaled, scaled));
    // epsilon in the units of `scaled`, squared last so that it does not underflow before the division.
    Value eps = b.div(b.scalar(x, rootEpsilon), unit);
    Value root = b.make<SqrtOp>(maximum(b.add(variance, b.mul(eps, eps)), floor));
    return b.div(scaled, root);
  }

  /// sqrt(sum of x^2), whose axes are kept as size 1.
  Value length() {
    Value unit =
        maximum(b.make<ReduceMaxOp>(b.make<AbsOp>(x), builder.getDenseI64ArrayAttr(axes), true), smallestNormalHalf);
    Value scaled = b.div(x, unit), mean = sumOverPower(b.mul(scaled, scaled));
    // fp16 holds the root of an even power of two.
    bool odd = llvm::Log2_64(power) % 2;
    if (odd)
      mean = b.mul(mean, 0.5);
    Value root = b.make<SqrtOp>(maximum(mean, floor));
    return b.mul(b.mul(root, std::sqrt(double(odd ? 2 * power : power))), unit);
  }

  /// The factor that the result of `normalize` still has to be multiplied with.
  double scale() const { return std::sqrt(double(count) / power); }

private:
  /// sum(value) / power over the axes, kept as size 1.
  Value sumOverPower(Value value) {
    if (!lastOnly) {
      // One axis after the other: short sums lose less (C57).
      for (int64_t axis : llvm::reverse(axes)) {
        int64_t dim = cast<RankedTensorType>(value.getType()).getDimSize(axis);
        if (dim != 1)
          value = b.make<ReduceSumOp>(b.mul(value, 1.0 / llvm::PowerOf2Ceil(dim)), builder.getDenseI64ArrayAttr({axis}),
                                      true);
      }
      return value;
    }
    auto type = RankedTensorType::get({1, count}, getElementTypeOrSelf(value));
    return b.make<LinearOp>(value, createSplat(builder, loc, type, 1.0 / power), Value());
  }

  Value maximum(Value value, double bound) { return b.make<MaximumOp>(value, b.scalar(value, bound)); }

  OpBuilder &builder;
  Location loc;
  Composer b;
  Value x;
  SmallVector<int64_t> axes;
  double floor;
  int64_t count = 1, power = 1;
  bool lastOnly = false;
};

struct LegalizeNorms : mlir::ane::impl::LegalizeNormsBase<LegalizeNorms> {
  using LegalizeNormsBase::LegalizeNormsBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    for (Operation &op : llvm::make_early_inc_range(getOperation().getEngine().front())) {
      if (auto norm = dyn_cast<LayerNormOp>(op))
        replace(norm, norm.getAxes(), norm.getGamma(), norm.getBeta(), /*center=*/true, /*plusOne=*/false, env);
      else if (auto norm = dyn_cast<RmsNormOp>(op))
        replace(norm, norm.getAxes(), norm.getGamma(), Value(), /*center=*/false, norm.getZeroCentered(), env);
      else if (auto norm = dyn_cast<InstanceNormOp>(op))
        replaceChannelNorm(norm, norm.getType().getDimSize(1), env);
      else if (auto norm = dyn_cast<GroupNormOp>(op))
        replaceChannelNorm(norm, norm.getNumGroups(), env);
      else if (auto norm = dyn_cast<ReduceL2NormOp>(op))
        replaceLength(norm, env);
    }
  }

  /// Norms of groups of channels: groups are rows, and what a row holds stands on axes that are short enough to sum.
  template <typename Op>
  void replaceChannelNorm(Op op, int64_t groups, const TargetEnv &env) {
    ArrayRef<int64_t> shape = op.getType().getShape();
    int64_t rows = shape[0] * groups, count = op.getType().getNumElements() / rows;
    std::optional<SmallVector<int64_t>> factors = shortFactors(count, env.limit(Limit::AccurateSumLength));
    if (!factors)
      return;
    SmallVector<int64_t> grouped(3 - factors->size(), 1);
    grouped.push_back(rows);
    int64_t first = grouped.size();
    llvm::append_range(grouped, *factors);
    EngineBuilder builder(op);
    Composer b(builder, op.getLoc());
    NormBuilder norm(builder, op.getLoc(), b.reshape(op.getX(), grouped),
                     llvm::to_vector(llvm::seq<int64_t>(first, grouped.size())), env);
    Value value = b.reshape(norm.normalize(/*center=*/true, op.getEpsilon().convertToDouble()), shape);
    SmallVector<int64_t> perChannel(shape.size(), 1);
    perChannel[1] = shape[1];
    if (Value gamma = op.getGamma())
      value = b.mul(value, b.mul(b.reshape(gamma, perChannel), norm.scale()));
    else if (norm.scale() != 1)
      value = b.mul(value, norm.scale());
    if (Value beta = op.getBeta())
      value = b.add(value, b.reshape(beta, perChannel));
    op.replaceAllUsesWith(value);
    op.erase();
  }

  /// At most three numbers below `limit` whose product is `count`.
  static std::optional<SmallVector<int64_t>> shortFactors(int64_t count, int64_t limit) {
    SmallVector<int64_t> factors;
    while (count >= limit && factors.size() < 2) {
      int64_t factor = limit - 1;
      while (count % factor != 0)
        --factor;
      factors.insert(factors.begin(), factor);
      count /= factor;
    }
    factors.insert(factors.begin(), count);
    return count < limit ? std::optional(factors) : std::nullopt;
  }

  void replaceLength(ReduceL2NormOp op, const TargetEnv &env) {
    EngineBuilder builder(op);
    Composer b(builder, op.getLoc());
    NormBuilder norm(builder, op.getLoc(), op.getX(), op.getReducedAxes(), env);
    op.replaceAllUsesWith(b.reshape(norm.length(), op.getType().getShape()));
    op.erase();
  }

  template <typename Op>
  void replace(Op op, std::optional<ArrayRef<int64_t>> given, Value gamma, Value beta, bool center, bool plusOne,
               const TargetEnv &env) {
    int64_t rank = cast<RankedTensorType>(op.getX().getType()).getRank();
    SmallVector<int64_t> axes{rank - 1};
    if (given || center)
      axes = *normalizeAxes(std::nullopt, given, rank);
    EngineBuilder builder(op);
    Composer b(builder, op.getLoc());
    NormBuilder norm(builder, op.getLoc(), op.getX(), axes, env);
    Value value = norm.normalize(center, op.getEpsilon().convertToDouble());
    // Parameters of the last axes, in their order, broadcast by themselves.
    bool areLast = llvm::all_of(llvm::enumerate(axes), [&](auto axis) {
      return axis.value() == rank - int64_t(axes.size()) + int64_t(axis.index());
    });
    for (Value *parameter : {&gamma, &beta})
      if (*parameter && !areLast)
        *parameter = alongAxes(b, *parameter, op.getX(), axes);
    if (gamma && plusOne)
      gamma = b.add(gamma, 1.0);
    // The scale goes into gamma, so that it costs neither an op nor a rounding.
    if (gamma)
      value = b.mul(value, norm.scale() == 1 ? gamma : b.mul(gamma, norm.scale()));
    else if (norm.scale() != 1)
      value = b.mul(value, norm.scale());
    if (beta)
      value = b.add(value, beta);
    op.replaceAllUsesWith(value);
    op.erase();
  }
};
} // namespace
