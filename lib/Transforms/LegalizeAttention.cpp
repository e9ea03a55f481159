//===- LegalizeAttention.cpp - long attention, small probabilities --------===//
//
// Of a module that trains, scores are clipped, too: weights change until a product gives infinity, of which softmax
// makes NaN. Clipped it is a probability of 1.
//
// Runs while softmax and products still have the model's layout: [..., queries, keys] x [..., keys, width].
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Rebuild.h"
#include "ane/IR/Training.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEATTENTION
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }

namespace {
class AttentionBuilder {
public:
  AttentionBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc), b(builder, loc) {}

  /// The softmax of `scores` (last axis) times `values`, in parts of `width` keys. The parts share one maximum and one
  /// sum, so that each probability is what softmax gives.
  Value inParts(Value scores, MatmulOp product, int64_t width, double scale) {
    int64_t keys = shapeOf(scores).back();
    auto [values, unit] = weighable(product, scale);
    SmallVector<Value> parts;
    Value maximum;
    for (int64_t begin = 0; begin < keys; begin += width) {
      parts.push_back(columns(scores, begin, std::min(width, keys - begin), /*depth=*/0));
      Value highest = b.make<ReduceMaxOp>(parts.back(), lastAxis(), true);
      maximum = maximum ? b.make<MaximumOp>(maximum, highest) : highest;
    }
    Value total;
    for (Value &part : parts) {
      part = b.make<ExpOp>(b.sub(part, maximum));
      Value sum = b.make<ReduceSumOp>(part, lastAxis(), true);
      total = total ? b.add(total, sum) : sum;
    }
    Value result;
    for (auto [i, part] : llvm::enumerate(parts)) {
      Value share = b.div(part, total);
      if (scale != 1)
        share = b.mul(share, scale);
      Value rows = slice(values, product.getTransposeY() ? 1 : 2, i * width, shapeOf(part).back());
      Value partial = b.make<MatmulOp>(share, rows, false, product.getTransposeY());
      result = result ? b.add(result, partial) : partial;
    }
    return restored(result, unit, scale);
  }

  /// `reader`, which reduces or multiplies the last axis of its operand `wide`, of parts of `width` columns. `builder`
  /// stands before it.
  Value ofColumns(Operation *reader, Value wide, int64_t width) {
    int64_t keys = shapeOf(wide).back();
    Value result;
    for (int64_t begin = 0; begin < keys; begin += width) {
      int64_t size = std::min(width, keys - begin);
      Value part = columns(wide, begin, size, /*depth=*/0);
      if (auto product = dyn_cast<MatmulOp>(reader)) {
        Value rows = slice(product.getY(), product.getTransposeY() ? 1 : 2, begin, size);
        part = b.make<MatmulOp>(part, rows, false, product.getTransposeY());
      } else {
        part = rebuild(builder, reader, part)->getResult(0);
      }
      if (!result)
        result = part;
      else
        result = isa<ReduceMaxOp>(reader) ? Value(b.make<MaximumOp>(result, part)) : b.add(result, part);
    }
    return result;
  }

  /// The softmax over an axis that is filled up to a power of two with elements `lowest`, which get no weight.
  Value widened(SoftmaxOp softmax, double lowest) {
    int64_t axis = softmax.getAxisFromFront(), extent = shapeOf(softmax.getX())[axis];
    int64_t fromRight = shapeOf(softmax.getX()).size() - axis;
    Value wide = padded(softmax.getX(), fromRight, llvm::PowerOf2Ceil(extent) - extent, lowest);
    return slice(b.make<SoftmaxOp>(wide, softmax.getAxis()), fromRight, 0, extent);
  }

  /// A product with the probabilities times `scale`.
  Value weighed(Value probabilities, MatmulOp product, double scale) {
    auto [values, unit] = weighable(product, scale);
    Value result = b.make<MatmulOp>(b.mul(probabilities, scale), values, false, product.getTransposeY());
    return restored(result, unit, scale);
  }

  /// `count` elements more along the axis that stands `fromRight` places from the right.
  Value padded(Value value, int64_t fromRight, int64_t count, double element = 0) {
    SmallVector<int64_t> amounts(2 * fromRight, 0);
    amounts[1] = count;
    return b.make<PadOp>(value, builder.getDenseI64ArrayAttr(amounts), builder.getStringAttr("constant"),
                         builder.getF64FloatAttr(element));
  }

private:
  /// What probabilities times `scale` are multiplied with: each column divided by its largest magnitude, so that the
  /// product is at most `scale`; and that magnitude [..., 1, columns].
  std::pair<Value, Value> weighable(MatmulOp product, double scale) {
    Value values = product.getY();
    if (scale == 1)
      return {values, Value()};
    int64_t keys = product.getTransposeY() ? -1 : -2;
    Value unit = b.make<ReduceMaxOp>(b.make<AbsOp>(values), builder.getDenseI64ArrayAttr({keys}), true);
    unit = b.make<MaximumOp>(unit, b.scalar(unit, smallestNormalHalf));
    values = b.div(values, unit);
    if (product.getTransposeY()) {
      SmallVector<int64_t> row(shapeOf(unit));
      std::swap(row[row.size() - 1], row[row.size() - 2]);
      unit = b.reshape(unit, row);
    }
    return {values, unit};
  }

  Value restored(Value result, Value unit, double scale) {
    return unit ? b.mul(b.mul(result, 1 / scale), unit) : result;
  }

  DenseI64ArrayAttr lastAxis() { return builder.getDenseI64ArrayAttr({-1}); }

  Value slice(Value value, int64_t fromRight, int64_t begin, int64_t size) {
    SmallVector<int64_t> begins(shapeOf(value).size(), 0), sizes(shapeOf(value));
    begins[begins.size() - fromRight] = begin;
    sizes[sizes.size() - fromRight] = size;
    return b.make<SliceBySizeOp>(value, begins, sizes);
  }

  /// Columns of a matrix of scores, computed from those of its operands: no wider value is left, but at the end of a
  /// long chain. A value with many readers is computed once.
  Value columns(Value value, int64_t begin, int64_t size, unsigned depth) {
    if (Value known = made.lookup({value, begin}))
      return known;
    Value part = makeColumns(value, begin, size, depth);
    made[{value, begin}] = part;
    return part;
  }

  Value makeColumns(Value value, int64_t begin, int64_t size, unsigned depth) {
    constexpr unsigned longest = 32;
    if (shapeOf(value).empty() || shapeOf(value).back() == 1)
      return value;
    Operation *op = value.getDefiningOp();
    if (!op || depth == longest || isConstantExpr(op))
      return slice(value, 1, begin, size);
    if (isa<AddOp, SubOp, MulOp, RealDivOp, SelectOp, TanhOp, ExpOp, ClipOp>(op)) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(columns(operand, begin, size, depth + 1));
      return rebuild(builder, op, operands)->getResult(0);
    }
    if (auto reshape = dyn_cast<ReshapeOp>(op);
        reshape && !shapeOf(reshape.getX()).empty() && shapeOf(reshape.getX()).back() == shapeOf(value).back()) {
      SmallVector<int64_t> shape(shapeOf(value));
      shape.back() = size;
      return b.reshape(columns(reshape.getX(), begin, size, depth + 1), shape);
    }
    if (auto matmul = dyn_cast<MatmulOp>(op))
      return b.make<MatmulOp>(matmul.getX(), slice(matmul.getY(), matmul.getTransposeY() ? 2 : 1, begin, size),
                              matmul.getTransposeX(), matmul.getTransposeY());
    return slice(value, 1, begin, size);
  }

  OpBuilder &builder;
  Location loc;
  Composer b;
  DenseMap<std::pair<Value, int64_t>, Value> made; // columns from an index on
};

struct LegalizeAttention : mlir::ane::impl::LegalizeAttentionBase<LegalizeAttention> {
  using LegalizeAttentionBase::LegalizeAttentionBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    Block &body = getOperation().getEngine().front();
    if (auto module = getOperation()->getParentOfType<ModuleOp>(); module && module->hasAttr(trainingName))
      clipScores(body, env.numeric(Numeric::Fp16Max));
    for (MatmulOp op : llvm::make_early_inc_range(body.getOps<MatmulOp>())) {
      if (isConstantExpr(op.getOperation()))
        continue;
      if (auto softmax = op.getX().getDefiningOp<SoftmaxOp>())
        weigh(op, softmax, env);
    }
    SmallVector<RealDivOp> shares(body.getOps<RealDivOp>());
    for (RealDivOp share : shares)
      if (!isConstantExpr(share.getOperation()) && check(ConstraintID::DirectAttention, share, env))
        spellInParts(share, env.limit(Limit::AttentionKeys));
    for (SoftmaxOp op : llvm::make_early_inc_range(body.getOps<SoftmaxOp>()))
      if (!isConstantExpr(op.getOperation()) && wantsUndisputed(ConstraintID::SoftmaxExtent, op, env)) {
        EngineBuilder builder(op);
        AttentionBuilder attention(builder, op.getLoc());
        op.replaceAllUsesWith(attention.widened(op, -env.numeric(Numeric::Fp16Max)));
        op.erase();
      }
    for (MatmulOp op : llvm::make_early_inc_range(body.getOps<MatmulOp>()))
      if (!isConstantExpr(op.getOperation()) && check(ConstraintID::ProductDepth, op, env))
        deepen(op, env.limit(Limit::ProductUnit));
  }

private:
  /// Clips what softmax reads, before a mask is added to it, so that of two infinite scores the masked one is less.
  static void clipScores(Block &body, double bound) {
    llvm::SetVector<Value> scores;
    DenseSet<Value> seen;
    for (SoftmaxOp op : body.getOps<SoftmaxOp>())
      if (!isConstantExpr(op.getOperation()))
        findScores(op.getX(), scores, seen);
    for (Value score : scores) {
      EngineBuilder builder(score.getDefiningOp());
      builder.setInsertionPointAfterValue(score);
      Composer b(builder, score.getLoc());
      Value clipped = b.make<ClipOp>(score, builder.getF64FloatAttr(-bound), builder.getF64FloatAttr(bound));
      score.replaceAllUsesExcept(clipped, clipped.getDefiningOp());
    }
  }

  /// Products, also divided or multiplied, behind sums with masks.
  static void findScores(Value value, llvm::SetVector<Value> &scores, DenseSet<Value> &seen) {
    Operation *op = value.getDefiningOp();
    if (!op || isConstantExpr(op) || !seen.insert(value).second)
      return;
    if (isa<AddOp, SubOp, SelectOp, ReshapeOp>(op))
      for (Value operand : op->getOperands())
        findScores(operand, scores, seen);
    else if (isa<MatmulOp, MulOp, RealDivOp>(op) && isProduct(value))
      scores.insert(value);
  }

  static bool isProduct(Value value) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<MatmulOp>(op))
      return true;
    if (!isa_and_nonnull<MulOp, RealDivOp, ReshapeOp>(op))
      return false;
    const bool isFactor = isa<MulOp>(op) && isConstantExpr(op->getOperand(0));
    return isProduct(op->getOperand(isFactor ? 1 : 0));
  }

  /// A product with probabilities.
  static void weigh(MatmulOp op, SoftmaxOp softmax, const TargetEnv &env) {
    int64_t rank = shapeOf(softmax.getX()).size();
    if (op.getTransposeX() || softmax.getAxisFromFront() != rank - 1)
      return;
    double scale =
        wantsAccurate(ConstraintID::SmallProbabilities, op, env) ? env.numeric(Numeric::ProbabilityScale) : 1;
    EngineBuilder builder(op);
    AttentionBuilder attention(builder, op.getLoc());
    Value value;
    if (check(ConstraintID::DirectAttention, softmax, env))
      value = attention.inParts(softmax.getX(), op, env.limit(Limit::AttentionKeys), scale);
    else if (scale != 1)
      value = attention.weighed(softmax, op, scale);
    if (!value)
      return;
    op.replaceAllUsesWith(value);
    op.erase();
    if (softmax->use_empty())
      softmax.erase();
  }

  /// A softmax that is spelled out, exp(scores - maximum) / sum: whatever reads its wide values gets columns of them.
  static void spellInParts(RealDivOp share, int64_t width) {
    auto power = share.getX().getDefiningOp<ExpOp>();
    auto distance = power.getX().getDefiningOp<SubOp>();
    SmallVector<std::pair<Operation *, Value>> readers;
    SmallVector<Value> wides{power.getResult(), share.getResult()};
    if (distance)
      wides.push_back(distance.getX());
    for (Value wide : wides)
      for (Operation *user : wide.getUsers())
        if (overLastAxis(user, wide))
          readers.push_back({user, wide});
    llvm::sort(readers, [](auto &a, auto &b) { return a.first->isBeforeInBlock(b.first); });
    if (readers.empty())
      return;
    EngineBuilder builder(share);
    AttentionBuilder attention(builder, share.getLoc());
    for (auto [reader, wide] : readers) {
      builder.setInsertionPoint(reader);
      Value value = attention.ofColumns(reader, wide, width);
      reader->getResult(0).replaceAllUsesWith(value);
      reader->erase();
    }
  }

  static bool overLastAxis(Operation *op, Value wide) {
    if (auto product = dyn_cast<MatmulOp>(op))
      return product.getX() == wide && product.getY() != wide && !product.getTransposeX();
    auto isLast = [&](auto reduction) {
      return reduction &&
             llvm::equal(reduction.getAxesFromFront(), ArrayRef<int64_t>(int64_t(shapeOf(wide).size()) - 1));
    };
    return isLast(dyn_cast<ReduceMaxOp>(op)) || isLast(dyn_cast<ReduceSumOp>(op));
  }

  /// Zeros add nothing to a sum.
  static void deepen(MatmulOp op, int64_t unit) {
    int64_t x = op.getTransposeX() ? 2 : 1, y = op.getTransposeY() ? 1 : 2;
    int64_t depth = shapeOf(op.getX()).rbegin()[x - 1], missing = llvm::alignTo(depth, unit) - depth;
    EngineBuilder builder(op);
    AttentionBuilder attention(builder, op.getLoc());
    op.getXMutable().assign(attention.padded(op.getX(), x, missing));
    op.getYMutable().assign(attention.padded(op.getY(), y, missing));
  }
};
} // namespace
