//===- Gather.cpp - gradients of indexing and ordering --------------------===//
//
// What is gathered is scattered back and summed, and the other way round.
//
//===----------------------------------------------------------------------===//

#include "../Rules.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
struct GatherRules : RuleSet {
  using RuleSet::whyNot;

  //===-- gather ------------------------------------------------------------===//

  static void apply(GatherOp op, GradientBuilder &b) {
    Value x = op.getX();
    int64_t axis = op.getAxisFromFront(), shared = op.getBatchDims();
    if (shared == 0)
      return b.accumulateInto(
          x, [&](Value before) { return b.make<ScatterOp>(before, op.getIndices(), b.gradient(), axis); });
    // Each shared axis is one of the index tuples', so that slices of x stand behind them.
    ArrayRef<int64_t> shape = tensorOf(x).getShape(), indices = tensorOf(op.getIndices()).getShape();
    SmallVector<int64_t> order, gathered;
    for (int64_t i = 0; i < shared; ++i)
      order.push_back(i);
    order.push_back(axis);
    for (int64_t i = shared; i < int64_t(shape.size()); ++i)
      if (i != axis)
        order.push_back(i);
    // The result has the axes between, those of the indices, and those behind.
    int64_t own = indices.size() - shared, between = axis - shared;
    for (int64_t i = 0; i < shared; ++i)
      gathered.push_back(i);
    for (int64_t i = 0; i < own; ++i)
      gathered.push_back(axis + i);
    for (int64_t i = 0; i < between; ++i)
      gathered.push_back(shared + i);
    for (int64_t i = axis + own; i < tensorOf(op).getRank(); ++i)
      gathered.push_back(i);
    Value zeros = b.fill(tensorOf(x).clone(permuted(shape, order)));
    Value sum = b.make<ScatterNdOp>(zeros, tuples(op.getIndices(), shared, /*isTuple=*/false, b),
                                    b.transpose(b.gradient(), gathered));
    b.accumulate(x, b.transpose(sum, invertPermutationVector(order)));
  }
  static void apply(EmbeddingOp op, GradientBuilder &b) {
    b.accumulateInto(op.getTable(), [&](Value before) {
      return b.make<ScatterOp>(before, op.getIndices(), b.gradient(), int64_t(0));
    });
  }
  static void apply(GatherAlongAxisOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), scatterAlong(op.getX(), op.getIndices(), b.gradient(), op.getAxisFromFront(), b));
  }
  static void apply(GatherNdOp op, GradientBuilder &b) {
    Value indices = tuples(op.getIndices(), op.getBatchDims(), /*isTuple=*/true, b);
    b.accumulate(op.getX(), b.make<ScatterNdOp>(b.zerosLike(op.getX()), indices, b.gradient()));
  }

  //===-- scatter -----------------------------------------------------------===//

  static void apply(ScatterOp op, GradientBuilder &b) {
    int64_t axis = op.getAxisFromFront();
    scatterBack(op, b, b.make<GatherOp>(b.gradient(), op.getIndices(), axis),
                [&](Value g, Value zeros) { return b.make<ScatterOp>(g, op.getIndices(), zeros, axis, "update"); });
  }
  static void apply(ScatterAlongAxisOp op, GradientBuilder &b) {
    int64_t axis = op.getAxisFromFront();
    scatterBack(op, b, b.make<GatherAlongAxisOp>(b.gradient(), op.getIndices(), axis), [&](Value g, Value zeros) {
      return b.make<ScatterAlongAxisOp>(g, op.getIndices(), zeros, axis, "update");
    });
  }
  static void apply(ScatterNdOp op, GradientBuilder &b) {
    scatterBack(op, b, b.make<GatherNdOp>(b.gradient(), op.getIndices()),
                [&](Value g, Value zeros) { return b.make<ScatterNdOp>(g, op.getIndices(), zeros, "update"); });
  }
  static std::string whyNot(ScatterOp op, IsActive) { return whyNotMode(op.getMode()); }
  static std::string whyNot(ScatterAlongAxisOp op, IsActive) { return whyNotMode(op.getMode()); }
  static std::string whyNot(ScatterNdOp op, IsActive) { return whyNotMode(op.getMode()); }

  //===-- others ------------------------------------------------------------===//

  static void apply(OneHotOp op, GradientBuilder &b) {
    Value g = b.gradient();
    auto sumWhere = [&](Value value, double on, double off) {
      if (!b.wants(value))
        return;
      Value hot = b.make<OneHotOp>(op.getIndices(), b.scalar(g, on), b.scalar(g, off), op.getOneHotVectorSize(),
                                   op.getAxisFromFront());
      b.accumulate(value, b.reshape(b.sumTo(b.mul(g, hot), {}), tensorOf(value).getShape()));
    };
    sumWhere(op.getOnValue(), 1, 0);
    sumWhere(op.getOffValue(), 0, 1);
  }
  static void apply(TopkOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), scatterAlong(op.getX(), op.getIndices(), b.gradient(), op.getAxisFromFront(), b));
  }
  static std::string whyNot(TopkOp op, IsActive) {
    return op.getIndices() ? "" : "it returns no indices, by which gradients would find their way back";
  }

private:
  static std::string whyNotMode(StringRef mode) {
    if (mode == "add" || mode == "sub" || mode == "update")
      return "";
    return "mode '" + mode.str() + "' has no gradient where two updates meet one element";
  }

  static Value scatterAlong(Value x, Value indices, Value g, int64_t axis, GradientBuilder &b) {
    return b.make<ScatterAlongAxisOp>(b.zerosLike(x), indices, g, axis);
  }

  /// `gathered` is the gradient at the places of the updates; `overwrite` puts zeros there.
  template <typename OpTy>
  static void scatterBack(OpTy op, GradientBuilder &b, Value gathered, function_ref<Value(Value, Value)> overwrite) {
    b.accumulate(op.getUpdates(), op.getMode() == "sub" ? b.neg(gathered) : gathered);
    if (b.wants(op.getData()))
      b.accumulate(op.getData(),
                   op.getMode() == "update" ? overwrite(b.gradient(), b.zerosLike(op.getUpdates())) : b.gradient());
  }

  /// Index tuples, in a last axis of their own, that begin with the place along the first `shared` axes; `isTuple`:
  /// `indices` are tuples already.
  static Value tuples(Value indices, int64_t shared, bool isTuple, GradientBuilder &b) {
    if (shared == 0)
      return indices;
    SmallVector<int64_t> shape(tensorOf(indices).getShape());
    if (!isTuple) {
      shape.push_back(1);
      indices = b.reshape(indices, shape);
    }
    SmallVector<Value> entries;
    Type element = tensorOf(indices).getElementType();
    shape.back() = 1;
    for (int64_t i = 0; i < shared; ++i) {
      SmallVector<int64_t> along(shape.size(), 1);
      along[i] = shape[i];
      entries.push_back(b.broadcastTo(b.reshape(b.count(shape[i], element), along), shape));
    }
    entries.push_back(indices);
    return b.make<ConcatOp>(entries, int64_t(shape.size() - 1));
  }
};
} // namespace

void mlir::ane::attachGatherRules(MLIRContext *context) {
  attachRules<GatherRules, GatherOp, EmbeddingOp, GatherAlongAxisOp, GatherNdOp, ScatterOp, ScatterAlongAxisOp,
              ScatterNdOp, OneHotOp, TopkOp>(context);
}
