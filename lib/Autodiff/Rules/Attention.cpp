//===- Attention.cpp - gradients of attention -----------------------------===//

#include "../Rules.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

namespace {
struct AttentionRules : RuleSet {
  using RuleSet::whyNot;

  /// With S = scale Q K^T + mask, P = softmax(S), O = P V and G the gradient of O:
  ///
  ///     dV = P^T G,  dP = G V^T,  dS = P (dP - rowsum(G O)),  dQ = scale dS K,  dK = scale dS^T Q
  ///
  /// P is computed anew: it is the largest value of a layer. rowsum(G O) is rowsum(P dP), over fewer elements.
  static void apply(ScaledDotProductAttentionOp op, GradientBuilder &b) {
    Value key = op.getKey(), value = op.getValue(), mask = op.getAttnMask();
    ArrayRef<int64_t> shape = tensorOf(op.getQuery()).getShape(), keyShape = tensorOf(key).getShape();
    int64_t rank = shape.size(), length = shape[rank - 2], positions = keyShape[rank - 2];
    double scale = 1 / std::sqrt(double(shape[rank - 1]));
    // Queries that share a key are more rows of one product, which sums their gradients by itself.
    int64_t rows = length * (shape[rank - 3] / keyShape[rank - 3]);
    auto grouped = [&](Value x) {
      SmallVector<int64_t> to(keyShape);
      to[rank - 2] = rows;
      to[rank - 1] = tensorOf(x).getShape().back();
      return b.reshape(x, to);
    };
    SmallVector<int64_t> scoresShape(shape);
    scoresShape[rank - 1] = positions;
    Value g = grouped(b.gradient()), query = b.mul(grouped(op.getQuery()), scale);
    Value scores = b.reshape(product(b, query, key, false, true), scoresShape);
    if (mask && tensorOf(mask).getElementType().isInteger(1))
      scores = b.where(mask, scores, -INFINITY);
    else if (mask)
      scores = b.add(scores, mask);
    Value weights = grouped(b.make<SoftmaxOp>(scores));
    b.accumulate(value, product(b, weights, g, true, false));
    Value dot = b.sum(b.mul(g, grouped(op)), rank - 1);
    Value dScores = b.mul(weights, b.sub(product(b, g, value, false, true), dot));
    b.accumulate(op.getQuery(), b.reshape(b.mul(product(b, dScores, key, false, false), scale), shape));
    b.accumulate(key, product(b, dScores, query, true, false));
    if (b.wants(mask))
      b.accumulate(mask, b.reshape(dScores, scoresShape));
  }

  /// A rotation the other way round.
  static void apply(RopeOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.make<RopeOp>(b.gradient(), op.getCos(), b.neg(op.getSin()), op.getLayout()));
  }
  static std::string whyNot(RopeOp op, IsActive isActive) {
    return isActive(op.getCos()) || isActive(op.getSin()) ? "its angles are taken for constants" : "";
  }

private:
  static Value product(GradientBuilder &b, Value x, Value y, bool transposeX, bool transposeY) {
    return b.make<MatmulOp>(x, y, transposeX, transposeY);
  }
};
} // namespace

void mlir::ane::attachAttentionRules(MLIRContext *context) {
  attachRules<AttentionRules, ScaledDotProductAttentionOp, RopeOp>(context);
}
