//===- LegalizeConvBias.cpp - a convolution's bias as a separate add ------===//

#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZECONVBIAS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct LegalizeConvBias : mlir::ane::impl::LegalizeConvBiasBase<LegalizeConvBias> {
  using LegalizeConvBiasBase::LegalizeConvBiasBase;
  void runOnOperation() override {
    for (Operation &op : llvm::make_early_inc_range(getOperation().getEngine().front())) {
      if (auto conv = dyn_cast<ConvOp>(op))
        separate(conv);
      else if (auto conv = dyn_cast<ConvTransposeOp>(op))
        separate(conv);
    }
  }

  template <typename Op>
  void separate(Op op) {
    Value bias = op.getBias();
    if (!bias)
      return;
    EngineBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Composer b(builder, op.getLoc());
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> shape(type.getRank(), 1); // [1, C, 1, ...]
    shape[1] = type.getDimSize(1);
    Value rows = b.make<ReshapeOp>(bias, shape);
    op.getBiasMutable().clear();
    auto sum = builder.create<AddOp>(op.getLoc(), op.getResult(), rows);
    op.getResult().replaceAllUsesExcept(sum.getResult(), sum);
  }
};
} // namespace
