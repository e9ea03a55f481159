//===- LegalizeNeighbours.cpp - ops that fail beside certain others -------===//
//
// Each rewrite keeps two ops apart that the engine's compiler would join, or joins fewer values at once. All are exact.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZENEIGHBOURS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether a transpose swaps the last two axes and nothing else.
static bool swapsLastTwo(TransposeOp op) {
  SmallVector<int64_t> perm(op.getPerm());
  if (perm.size() < 2)
    return false;
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return llvm::equal(perm, llvm::seq<int64_t>(0, perm.size()));
}

/// One operand loses its transpose to a flag; or a product with ones of full shape, which no scale slot holds (Q07),
/// stands between.
static void separateTransposes(MatmulOp op) {
  auto x = op.getX().getDefiningOp<TransposeOp>(), y = op.getY().getDefiningOp<TransposeOp>();
  if (swapsLastTwo(y)) {
    op.getYMutable().assign(y.getX());
    op.setTransposeY(!op.getTransposeY());
  } else if (swapsLastTwo(x)) {
    op.getXMutable().assign(x.getX());
    op.setTransposeX(!op.getTransposeX());
  } else {
    EngineBuilder builder(op);
    Value ones = createSplat(builder, op.getLoc(), typeOf(x), 1.0);
    op.getXMutable().assign(builder.create<MulOp>(op.getLoc(), x, ones).getResult());
  }
}

/// The scalar constant of a product, of full shape.
static void widenFactor(MulOp op) {
  EngineBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isConstantExpr(operand.get()) && typeOf(operand.get()).getNumElements() == 1)
      if (std::optional<double> factor = getSplat(operand.get()))
        operand.set(createSplat(builder, op.getLoc(), typeOf(op), *factor));
}

/// x - x has the shape of x, and the zeros of the constant give it that of the product.
static Value zero(MulOp op) {
  EngineBuilder builder(op);
  Composer b(builder, op.getLoc());
  bool constantX = isConstantExpr(op.getX());
  Value x = constantX ? op.getY() : op.getX();
  Value difference = b.sub(x, x);
  return difference.getType() == op.getType() ? difference
                                              : b.add(difference, createSplat(builder, op.getLoc(), typeOf(op), 0.0));
}

/// Joins groups of at most `limit` values, then the groups.
static Value joinInGroups(ConcatOp op, int64_t limit) {
  EngineBuilder builder(op);
  SmallVector<Value> values(op.getValues());
  while (int64_t(values.size()) > limit) {
    SmallVector<Value> groups;
    for (ArrayRef<Value> rest = values; !rest.empty(); rest = rest.drop_front(std::min<size_t>(rest.size(), limit))) {
      ArrayRef<Value> group = rest.take_front(limit);
      groups.push_back(group.size() == 1 ? group[0]
                                         : builder.create<ConcatOp>(op.getLoc(), group, op.getAxis()).getResult());
    }
    values = groups;
  }
  return builder.create<ConcatOp>(op.getLoc(), values, op.getAxis());
}

namespace {
struct LegalizeNeighbours : mlir::ane::impl::LegalizeNeighboursBase<LegalizeNeighbours> {
  using LegalizeNeighboursBase::LegalizeNeighboursBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    for (Operation &op : llvm::make_early_inc_range(getOperation().getEngine().front())) {
      if (isConstantExpr(&op))
        continue;
      auto violates = [&](ConstraintID id) { return check(id, &op, env).has_value(); };
      Value value;
      if (auto matmul = dyn_cast<MatmulOp>(op); matmul && violates(ConstraintID::TransposedOperands)) {
        separateTransposes(matmul);
      } else if (auto mul = dyn_cast<MulOp>(op)) {
        if (violates(ConstraintID::ScaledToZero))
          value = zero(mul);
        else if (violates(ConstraintID::RoundThenScale))
          widenFactor(mul);
      } else if (auto square = dyn_cast<SquareOp>(op); square && violates(ConstraintID::SquareThenActivation)) {
        EngineBuilder builder(&op);
        value = builder.create<MulOp>(op.getLoc(), square.getX(), square.getX());
      } else if (auto concat = dyn_cast<ConcatOp>(op);
                 concat && !concat.getInterleave() && violates(ConstraintID::FanIn)) {
        value = joinInGroups(concat, env.limit(Limit::FanIn));
      }
      if (!value)
        continue;
      op.getResult(0).replaceAllUsesWith(value);
      op.erase();
    }
  }
};
} // namespace
