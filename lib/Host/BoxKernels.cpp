//===- BoxKernels.cpp - ops on boxes --------------------------------------===//

#include "LoopKernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

using FPred = arith::CmpFPredicate;

/// (centre x, centre y, width, height)
using Box = std::array<Value, 4>;

/// Whether the shared area of two boxes is more than `threshold` of what they cover together.
static Value overlap(Scalar &s, const Box &p, const Box &q, double threshold) {
  auto shared = [&](int centre, int size) {
    Value reachP = s.mul(p[size], 0.5), reachQ = s.mul(q[size], 0.5);
    Value end = s.min(s.add(p[centre], reachP), s.add(q[centre], reachQ));
    Value begin = s.max(s.sub(p[centre], reachP), s.sub(q[centre], reachQ));
    return s.max(s.sub(end, begin), s.constant(end, 0));
  };
  Value both = s.mul(shared(0, 2), shared(1, 3));
  Value all = s.sub(s.add(s.mul(p[2], p[3]), s.mul(q[2], q[3])), both);
  Value covers = s.compare(FPred::OGT, all, 0.0);
  return s.b.create<arith::AndIOp>(s.loc, covers, s.compare(FPred::OGT, s.div(both, all), threshold));
}

/// Boxes are taken in the order (score falling, index). Each search looks for the next one that overlaps none taken
/// before; boxes are compared only where a score is the best so far, which keeps it short of quadratic without any
/// buffer.
LogicalResult host::emitBoxes(LoopKernel &k) {
  ArrayRef<int64_t> shape = k.shape(1);
  if (shape[2] != 1)
    return k.op->emitOpError()
           << "has no CPU lowering with scores of " << shape[2]
           << " classes, limit 1; remedy: suppress each class by itself, as one more entry of the batch";
  int64_t count = shape[1], most = k.resultShape(2)[1];
  auto op = cast<NonMaximumSuppressionOp>(k.op);
  double threshold = op.getIouThreshold().convertToDouble();
  double lowest = op.getScoreThreshold().value_or(APFloat::getInf(APFloat::IEEEdouble(), true)).convertToDouble();
  k.forAll(
      k.context.builder, shape.take_front(1),
      [&](OpBuilder &b, ValueRange at) {
        Value batch = at[0], zero = k.index(b, 0), none = k.index(b, -1);
        Type number = k.scalar(b).computeType(k.element(1));
        auto constant = [&](double v) { return k.scalar(b).constantOf(number, v); };
        auto before = constant(std::numeric_limits<double>::infinity());
        auto after = constant(-std::numeric_limits<double>::infinity());
        auto search = [&](OpBuilder &b, Value step, ValueRange last) {
          SmallVector<Value> best = k.fold(b, count, {after, none}, [&](OpBuilder &b, Value i, ValueRange found) {
            Scalar s = k.scalar(b);
            Value x = k.load(b, 1, {batch, i, zero});
            Value tied =
                k.both(b, s.compare(FPred::OEQ, x, last[0]), k.compare(b, arith::CmpIPredicate::sgt, i, last[1]));
            Value behind = b.create<arith::OrIOp>(k.loc, s.compare(FPred::OLT, x, last[0]), tied);
            Value better = k.both(b, s.compare(FPred::OGT, x, found[0]), s.compare(FPred::OGE, x, lowest));
            auto choice = b.create<scf::IfOp>(
                k.loc, k.both(b, behind, better),
                [&](OpBuilder &b, Location loc) {
                  Box box;
                  for (int64_t d = 0; d < 4; ++d)
                    box[d] = k.load(b, 0, {batch, i, k.index(b, d)});
                  Value no = b.create<arith::ConstantIntOp>(loc, 0, 1);
                  auto taken = b.create<scf::ForOp>(loc, zero, last[2], k.index(b, 1), ValueRange(no),
                                                    [&](OpBuilder &b, Location loc, Value j, ValueRange hit) {
                                                      Scalar s = k.scalar(b);
                                                      Box other;
                                                      for (int64_t d = 0; d < 4; ++d)
                                                        other[d] = k.loadResult(b, {batch, j, k.index(b, d)}, 0);
                                                      Value more = b.create<arith::OrIOp>(
                                                          loc, hit[0], overlap(s, box, other, threshold));
                                                      b.create<scf::YieldOp>(loc, more);
                                                    });
                  Value hit = taken.getResult(0);
                  b.create<scf::YieldOp>(loc, ValueRange{k.select(b, hit, found[0], x), k.select(b, hit, found[1], i)});
                },
                [&](OpBuilder &b, Location loc) { b.create<scf::YieldOp>(loc, found); });
            return SmallVector<Value>(choice.getResults());
          });
          Scalar s = k.scalar(b);
          Value exists = k.compare(b, arith::CmpIPredicate::sge, best[1], zero);
          Value box = b.create<arith::MaxSIOp>(k.loc, best[1], zero);
          for (int64_t d = 0; d < 4; ++d) {
            Value side = k.load(b, 0, {batch, box, k.index(b, d)});
            k.store(b, k.select(b, exists, side, s.constant(side, 0)), {batch, step, k.index(b, d)}, 0);
          }
          k.store(b, k.select(b, exists, best[0], s.constant(best[0], 0)), {batch, step, zero}, 1);
          k.store(b, k.fromIndex(b, best[1], k.resultElement(2)), {batch, step}, 2);
          // Nothing is behind the last index of the lowest score.
          return SmallVector<Value>{best[0], k.select(b, exists, best[1], k.index(b, count)),
                                    k.select(b, exists, k.add(b, last[2], k.index(b, 1)), last[2])};
        };
        SmallVector<Value> last = k.fold(b, most, {before, none, zero}, search);
        k.store(b, k.fromIndex(b, last[2], k.resultElement(3)), {batch}, 3);
      },
      count * most);
  return success();
}
