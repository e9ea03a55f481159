//===- BatchStatistics.cpp - batch norms that are trained -----------------===//
//
// The channels of a batch are those of one example when batch and channels change places: an instance norm, which has
// a rule that fp16 takes.
//
//===----------------------------------------------------------------------===//

#include "BatchStatistics.h"
#include "Names.h"
#include "ane/IR/Builders.h"
#include "ane/IR/Inference.h"
#include "ane/IR/Training.h"
#include "ane/Support/Diagnostics.h"

using namespace mlir;
using namespace mlir::ane;

static Value normalised(Composer &c, OpBuilder &b, BatchNormOp op) {
  ArrayRef<int64_t> shape = tensorOf(op.getX()).getShape();
  SmallVector<int64_t> order(shape.size()), turned(shape);
  for (size_t axis = 0; axis < order.size(); ++axis)
    order[axis] = axis;
  std::swap(order[0], order[1]);
  std::swap(turned[0], turned[1]);
  Value x = c.make<TransposeOp>(op.getX(), order);
  x = c.reshape(x, {1, shape[1], tensorOf(op.getX()).getNumElements() / shape[1]});
  x = c.make<InstanceNormOp>(x, op.getGamma(), op.getBeta(), op.getEpsilonAttr());
  return c.make<TransposeOp>(c.reshape(x, turned), order);
}

LogicalResult mlir::ane::useBatchStatistics(func::FuncOp function, std::map<std::string, Value> &next) {
  for (auto op : llvm::make_early_inc_range(function.getOps<BatchNormOp>())) {
    FloatAttr share = attrs::batchStatistics.get(op);
    if (!share)
      continue;
    auto type = tensorOf(op.getX());
    int64_t count = type.getNumElements() / std::max<int64_t>(type.getDimSize(1), 1);
    if (count < 2) {
      InFlightDiagnostic error = op.emitOpError()
                                 << "has " << count << " value of each channel in a batch, which has no variance; "
                                 << "remedy: train with more examples in a batch, or keep the running statistics "
                                 << "(--batch-norm=running)";
      attachNodeNote(error, op);
      return error;
    }
    OpBuilder b(op);
    Composer c(b, op.getLoc());
    SmallVector<int64_t> axes;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (axis != 1)
        axes.push_back(axis);
    auto mean = [&](Value x, bool keeps) {
      return c.make<ReduceMeanOp>(x, b.getDenseI64ArrayAttr(axes), b.getBoolAttr(keeps));
    };
    Value wide = c.castLike(op.getX(), op.getMean()), centre = mean(wide, true), apart = c.sub(wide, centre);
    // Running variances are those of a sample.
    Value variance = c.mul(mean(c.mul(apart, apart), false), double(count) / double(count - 1));
    auto follow = [&](Value running, Value current) {
      return c.add(c.mul(running, 1 - share.getValueAsDouble()), c.mul(current, share.getValueAsDouble()));
    };
    for (auto [running, current] : {std::pair(op.getMean(), c.reshape(centre, tensorOf(op.getMean()).getShape())),
                                    {op.getVariance(), variance}}) {
      auto argument = dyn_cast<BlockArgument>(Value(running));
      if (!argument)
        continue; // of a function whose weights are constants, nothing follows
      std::string name = inputName(function, argument.getArgNumber());
      // A module that is called twice moves them twice.
      Value &moved = next[name];
      moved = follow(moved ? moved : Value(running), current);
    }
    op.getResult().replaceAllUsesWith(normalised(c, b, op));
    op.erase();
  }
  return success();
}
