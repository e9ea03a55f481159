//===- LegalizeGelu.cpp - GELU in its tanh form ---------------------------===//

#include "ane/IR/Builders.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEGELU
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct LegalizeGelu : ane::impl::LegalizeGeluBase<LegalizeGelu> {
  using LegalizeGeluBase::LegalizeGeluBase;
  void runOnOperation() override {
    SmallVector<GeluOp> ops(getOperation().getEngine().getOps<GeluOp>());
    for (GeluOp op : ops) {
      if (op.getMode() == "SIGMOID_APPROXIMATION")
        continue; // x * sigmoid(1.702 x): its own decomposition
      OpBuilder builder(op);
      Composer b(builder, op.getLoc());
      // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). x^2 comes first: where it overflows, tanh saturates.
      constexpr double scale = 0.7978845608028654, cubic = 0.044715;
      Value x = op.getX();
      Value inner = b.mul(x, b.add(b.mul(b.mul(x, x), scale * cubic), scale));
      Value gate = b.add(b.mul(b.make<TanhOp>(inner), 0.5), 0.5);
      op.replaceAllUsesWith(b.mul(x, gate));
      op.erase();
    }
  }
};
} // namespace
