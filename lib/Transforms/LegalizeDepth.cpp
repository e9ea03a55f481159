//===- LegalizeDepth.cpp - products over a long axis as sums (C222) -------===//
//
// Parts of both operands along the axis that is summed, their products, and the sum of these. Each addition rounds once
// more to fp16, while each product adds fewer terms in the accumulator.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEDEPTH
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

static Value split(MatmulOp op, const TargetEnv &env) {
  EngineBuilder builder(op);
  Composer b(builder, op.getLoc());
  int64_t xAxis = shapeOf(op.getX()).size() - (op.getTransposeX() ? 2 : 1),
          yAxis = shapeOf(op.getY()).size() - (op.getTransposeY() ? 1 : 2);
  int64_t depth = shapeOf(op.getX())[xAxis], most = env.limit(Limit::ProductAxis);
  // As long as each other, and of whole units (C108).
  int64_t size = llvm::alignTo(llvm::divideCeil(depth, llvm::divideCeil(depth, most)), env.limit(Limit::ProductUnit));
  auto part = [&](Value value, int64_t axis, int64_t begin) {
    SmallVector<int64_t> offsets(shapeOf(value).size(), 0), sizes(shapeOf(value));
    offsets[axis] = begin;
    sizes[axis] = std::min(size, depth - begin);
    return b.make<SliceBySizeOp>(value, offsets, sizes);
  };
  Value sum;
  for (int64_t begin = 0; begin < depth; begin += size) {
    Value product = b.make<MatmulOp>(part(op.getX(), xAxis, begin), part(op.getY(), yAxis, begin), op.getTransposeX(),
                                     op.getTransposeY());
    sum = sum ? b.add(sum, product) : product;
  }
  return sum;
}

namespace {
struct LegalizeDepth : mlir::ane::impl::LegalizeDepthBase<LegalizeDepth> {
  using LegalizeDepthBase::LegalizeDepthBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    Block &body = getOperation().getEngine().front();
    for (MatmulOp op : llvm::make_early_inc_range(body.getOps<MatmulOp>()))
      if (check(ConstraintID::ProductAxis, op, env)) {
        op.replaceAllUsesWith(split(op, env));
        op.erase();
      }
  }
};
} // namespace
