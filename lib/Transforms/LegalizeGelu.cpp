//===- LegalizeGelu.cpp - GELU in its tanh form ---------------------------===//

#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEGELU
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct LegalizeGelu : mlir::ane::impl::LegalizeGeluBase<LegalizeGelu> {
  using LegalizeGeluBase::LegalizeGeluBase;
  void runOnOperation() override {
    SmallVector<GeluOp> ops(getOperation().getEngine().getOps<GeluOp>());
    for (GeluOp op : ops) {
      EngineBuilder builder(op);
      Composer b(builder, op.getLoc());
      // The gate is 0 or 1 in fp16 where the bounds cut x, and nothing overflows between them.
      bool sigmoid = op.getMode() == "SIGMOID_APPROXIMATION";
      double bound = sigmoid ? 20 : 10;
      Value x = op.getX(), inside = b.make<MaximumOp>(b.make<MinimumOp>(x, b.scalar(x, bound)), b.scalar(x, -bound));
      Value gate;
      if (sigmoid) {
        gate = b.make<SigmoidOp>(b.mul(inside, 1.702));
      } else {
        // 0.5 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
        constexpr double scale = 0.7978845608028654, cubic = 0.044715;
        Value inner = b.mul(inside, b.add(b.mul(b.mul(inside, inside), scale * cubic), scale));
        gate = b.add(b.mul(b.make<TanhOp>(inner), 0.5), 0.5);
      }
      op.replaceAllUsesWith(b.mul(x, gate));
      op.erase();
    }
  }
};
} // namespace
