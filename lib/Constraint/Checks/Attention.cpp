//===- Attention.cpp - checks on products of computed values --------------===//

#include "../CheckHelpers.h"
#include "ane/Constraint/Softmax.h"
#include "ane/IR/ConstantExpr.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ane;

namespace mlir::ane {

std::optional<Finding> checkMatmulDepth(Operation *op, const TargetEnv &env) {
  auto matmul = cast<MatmulOp>(op);
  if (isConstantExpr(matmul.getX()) || isConstantExpr(matmul.getY()))
    return std::nullopt;
  RankedTensorType x = tensorOf(matmul.getX());
  int64_t depth = x.getDimSize(x.getRank() - (matmul.getTransposeX() ? 2 : 1));
  int64_t unit = env.limit(Limit::ProductUnit);
  if (depth % unit == 0)
    return std::nullopt;
  return Finding{"axis that is summed", std::to_string(depth), "a multiple of " + std::to_string(unit)};
}

std::optional<Finding> checkRankFourConstant(Operation *op, const TargetEnv &) {
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    RankedTensorType type = tensorOf(value);
    if (type.getRank() < 4 || type.getNumElements() == 1 || type.getNumElements() == type.getDimSize(1) ||
        !isConstantExpr(value))
      continue;
    std::string shape;
    llvm::raw_string_ostream os(shape);
    llvm::interleaveComma(type.getShape(), os);
    return Finding{operandName(op, i), "a constant [" + shape + "]", "of rank 3 or less, or [1, C, 1, 1]"};
  }
  return std::nullopt;
}

std::optional<Finding> checkDirectAttention(Operation *op, const TargetEnv &env) {
  bool isAttention = llvm::any_of(op->getUsers(), [](Operation *user) { return isa<MatmulOp>(user); });
  if (!isAttention || !softmaxOf(op))
    return std::nullopt;
  RankedTensorType type = tensorOf(op->getResult(0));
  auto softmax = dyn_cast<SoftmaxOp>(op);
  return atMost(type.getDimSize(softmax ? softmax.getAxisFromFront() : type.getRank() - 1),
                env.limit(Limit::AttentionKeys), "keys");
}

std::optional<Finding> checkAttentionExtent(Operation *op, const TargetEnv &env) {
  auto attention = cast<ScaledDotProductAttentionOp>(op);
  int64_t queries = heightOf(tensorOf(attention.getQuery())), keys = heightOf(tensorOf(attention.getKey()));
  if (auto finding = atMost(keys, env.limit(Limit::NetlistAttention), "keys"))
    return finding;
  return atMost(std::min(queries, keys), env.limit(Limit::NetlistAttentionSquare), "queries and keys");
}

} // namespace mlir::ane
