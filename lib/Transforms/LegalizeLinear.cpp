//===- LegalizeLinear.cpp - linear as 1x1 convolution ---------------------===//

#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZELINEAR
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct LegalizeLinear : mlir::ane::impl::LegalizeLinearBase<LegalizeLinear> {
  using LegalizeLinearBase::LegalizeLinearBase;
  void runOnOperation() override {
    SmallVector<LinearOp> ops(getOperation().getEngine().getOps<LinearOp>());
    for (LinearOp op : ops) {
      if (isConstantExpr(op.getOperation()))
        continue;
      if (isConstantExpr(op.getWeight()))
        rewrite(op);
      else
        makeProduct(op);
    }
  }

  /// MIL's linear takes constant weights only. A weight of run time, as in training, is an operand of a product (Q86).
  void makeProduct(LinearOp op) {
    EngineBuilder builder(op);
    if (auto values = op.decompose(builder); succeeded(values)) {
      op.replaceAllUsesWith(values->front());
      op.erase();
    }
  }

  void rewrite(LinearOp op) {
    EngineBuilder builder(op);
    Composer b(builder, op.getLoc());
    auto xType = cast<RankedTensorType>(op.getX().getType());
    auto weightType = cast<RankedTensorType>(op.getWeight().getType());
    int64_t in = weightType.getDimSize(1), out = weightType.getDimSize(0), tokens = xType.getNumElements() / in;
    // Channels first: [..., in] -> [1, in, 1, tokens].
    Relayout toChannels{{tokens, in}, {1, 0}}, fromChannels{{out, tokens}, {1, 0}};
    Value x = RelayoutOp::create(builder, op.getLoc(), op.getX(), toChannels, {1, in, 1, tokens});
    Value weight = b.make<ReshapeOp>(op.getWeight(), ArrayRef<int64_t>{out, in, 1, 1});
    Value y = b.make<ConvOp>(x, weight, Value(), builder.getDenseI64ArrayAttr({1, 1}), builder.getStringAttr("valid"),
                             builder.getDenseI64ArrayAttr({0, 0, 0, 0}), builder.getDenseI64ArrayAttr({1, 1}),
                             builder.getI64IntegerAttr(1));
    if (op.getBias())
      y = b.add(y, b.make<ReshapeOp>(op.getBias(), ArrayRef<int64_t>{1, out, 1, 1}));
    auto type = cast<RankedTensorType>(op.getType());
    op.replaceAllUsesWith(RelayoutOp::create(builder, op.getLoc(), y, fromChannels, type.getShape()).getResult());
    op.erase();
  }
};
} // namespace
