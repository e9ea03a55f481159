//===- LegalizePools.cpp - wide max pools as several (C220) ---------------===//
//
// The maximum of a wide window is that of narrower ones, which overlap: max pools one behind the other, exactly.
// Padding is the least of all values, so that the first pools take as much of it as their windows see beside an
// element, and pads of later ones stand for windows of padding alone. Strides along the width are of the last pool, all
// else of the first.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEPOOLS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

using Shape = SmallVector<int64_t>;

/// Widths of pools that together see `width` elements.
static Shape widthsOf(int64_t width, int64_t most) {
  Shape widths;
  for (; width > most; width -= most - 1)
    widths.push_back(most);
  widths.push_back(width);
  return widths;
}

static Value split(MaxPoolOp op, int64_t most) {
  EngineBuilder builder(op);
  Composer b(builder, op.getLoc());
  Window window = op.getWindow();
  size_t spatial = window.kernel.size(), last = spatial - 1;
  ArrayRef<int64_t> in = cast<RankedTensorType>(op.getX().getType()).getShape().drop_front(2);
  // What the windows read: ceil_mode may need more than the padding that is given, a rest behind the last window less.
  Shape before(window.padBegin), after;
  for (size_t axis = 0; axis < spatial; ++axis) {
    int64_t read = (window.output[axis] - 1) * window.strides[axis] + window.kernel[axis];
    after.push_back(std::max<int64_t>(0, read - before[axis] - in[axis]));
  }
  Value value = op.getX();
  Shape widths = widthsOf(window.kernel[last], most);
  for (auto [i, width] : llvm::enumerate(widths)) {
    bool isFirst = i == 0, isLast = i + 1 == widths.size();
    Shape kernel(spatial, 1), strides(spatial, 1), pad;
    for (size_t axis = 0; axis < spatial; ++axis) {
      bool isWidth = axis == last;
      if (isWidth || isFirst)
        kernel[axis] = isWidth ? width : window.kernel[axis];
      if (isWidth ? isLast : isFirst)
        strides[axis] = window.strides[axis];
      for (Shape *amount : {&before, &after}) {
        int64_t taken = isWidth ? std::min((*amount)[axis], width - 1) : isFirst ? (*amount)[axis] : 0;
        (*amount)[axis] -= taken;
        pad.push_back(taken);
      }
    }
    value = b.make<MaxPoolOp>(value, builder.getDenseI64ArrayAttr(kernel), builder.getDenseI64ArrayAttr(strides),
                              "custom", builder.getDenseI64ArrayAttr(pad), /*ceil_mode=*/false);
  }
  return value;
}

namespace {
struct LegalizePools : mlir::ane::impl::LegalizePoolsBase<LegalizePools> {
  using LegalizePoolsBase::LegalizePoolsBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    Block &body = getOperation().getEngine().front();
    for (MaxPoolOp op : llvm::make_early_inc_range(body.getOps<MaxPoolOp>()))
      if (check(ConstraintID::MaxPoolWidth, op, env)) {
        op.replaceAllUsesWith(split(op, env.limit(Limit::MaxPoolWidth)));
        op.erase();
      }
  }
};
} // namespace
