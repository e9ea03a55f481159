//===- Activation.cpp - gelu, silu, hard swish ----------------------------===//

#include "Raise.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::raise;

/// x if `value` is 1 + erf(x / sqrt 2).
static Value matchErfGate(Value value) {
  Value other = matchWithSplat<AddOp>(value, 1.0);
  auto erf = other ? other.getDefiningOp<ErfOp>() : ErfOp();
  if (!erf)
    return nullptr;
  Product inner;
  inner.collect(erf.getX(), /*root=*/false);
  return inner.factors.size() == 1 && isClose(inner.constant, M_SQRT1_2) ? inner.factors[0] : Value();
}

/// x if `value` is 0.044715 x^3.
static Value matchCubicTerm(Value value) {
  Product term;
  term.collect(value, /*root=*/true);
  if (!isClose(term.constant, 0.044715))
    return nullptr;
  if (term.factors.size() == 1) {
    auto pow = term.factors[0].getDefiningOp<PowOp>();
    return pow && getSplat(pow.getY()) == 3.0 ? pow.getX() : Value();
  }
  if (term.factors.size() == 2) // x^2 x
    for (unsigned i = 0; i < 2; ++i)
      if (Value x = matchSquare(term.factors[i]); x && x == term.factors[1 - i])
        return x;
  return term.factors.size() == 3 && llvm::all_equal(term.factors) ? term.factors[0] : Value();
}

/// x if `value` is 1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)), or the same with x taken out.
static Value matchTanhGate(Value value) {
  Value other = matchWithSplat<AddOp>(value, 1.0);
  auto tanh = other ? other.getDefiningOp<TanhOp>() : TanhOp();
  if (!tanh)
    return nullptr;
  Product inner;
  inner.collect(tanh.getX(), /*root=*/false);
  if (!isClose(inner.constant, M_2_SQRTPI * M_SQRT1_2))
    return nullptr;
  if (inner.factors.size() == 1)
    if (auto sum = inner.factors[0].getDefiningOp<AddOp>())
      for (auto [x, cubic] : {std::pair(sum.getX(), sum.getY()), std::pair(sum.getY(), sum.getX())})
        if (matchCubicTerm(cubic) == x)
          return x;
  if (inner.factors.size() == 2)
    for (unsigned i = 0; i < 2; ++i)
      if (Value term = matchWithSplat<AddOp>(inner.factors[i], 1.0)) {
        Product square;
        square.collect(term, /*root=*/true);
        Value x = inner.factors[1 - i];
        bool matches = isClose(square.constant, 0.044715) &&
                       ((square.factors.size() == 1 && matchSquare(square.factors[0]) == x) ||
                        (square.factors.size() == 2 && llvm::all_equal(square.factors) && square.factors[0] == x));
        if (matches)
          return x;
      }
  return nullptr;
}

/// x if `value` is min(max(x + 3, 0), 6).
static Value matchHardGate(Value value) {
  auto clip = value.getDefiningOp<ClipOp>();
  if (!clip || clip.getAlpha().convertToDouble() != 0 || clip.getBeta().convertToDouble() != 6)
    return nullptr;
  return matchWithSplat<AddOp>(clip.getX(), 3.0);
}

namespace {
/// A product of x and a gate.
struct RaiseGate : RewritePattern {
  RaiseGate(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa<MulOp, RealDivOp>(op) || isConstantExpr(op))
      return failure();
    Value result = op->getResult(0);
    Product product;
    product.collect(result, /*root=*/true);
    if (product.factors.size() != 2)
      return failure();
    for (auto [x, gate] :
         {std::pair(product.factors[0], product.factors[1]), std::pair(product.factors[1], product.factors[0])}) {
      if (x.getType() != result.getType())
        continue;
      Location loc = FusedLoc::get(op->getContext(), product.locs);
      auto replace = [&](Operation *composite) {
        rewriter.replaceOp(op, composite);
        return success();
      };
      if (isClose(product.constant, 0.5) && matchErfGate(gate) == x)
        return replace(rewriter.create<GeluOp>(loc, x, "EXACT"));
      if (isClose(product.constant, 0.5) && matchTanhGate(gate) == x)
        return replace(rewriter.create<GeluOp>(loc, x, "TANH_APPROXIMATION"));
      if (isClose(product.constant, 1.0 / 6) && matchHardGate(gate) == x) {
        Value hard =
            rewriter.create<SigmoidHardOp>(loc, x, rewriter.getF64FloatAttr(1.0 / 6), rewriter.getF64FloatAttr(0.5));
        return replace(rewriter.create<MulOp>(loc, x, hard));
      }
      auto sigmoid = gate.getDefiningOp<SigmoidOp>();
      if (product.constant != 1 || !sigmoid)
        continue;
      if (sigmoid.getX() == x)
        return replace(rewriter.create<SiluOp>(loc, x));
      Product inner;
      inner.collect(sigmoid.getX(), /*root=*/false);
      if (inner.factors.size() == 1 && inner.factors[0] == x && isClose(inner.constant, 1.702))
        return replace(rewriter.create<GeluOp>(loc, x, "SIGMOID_APPROXIMATION"));
    }
    return failure();
  }
};
} // namespace

void raise::populateActivations(RewritePatternSet &patterns) { patterns.add<RaiseGate>(patterns.getContext()); }
