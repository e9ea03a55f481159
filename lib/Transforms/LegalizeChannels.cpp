//===- LegalizeChannels.cpp - split too many output channels --------------===//

#include "ane/Constraint/Advice.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Rebuild.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZECHANNELS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Rows [begin, begin + size) of axis 0 of a constant.
static Value rows(OpBuilder &builder, Location loc, Value constant, int64_t begin, int64_t size) {
  SmallVector<int64_t> offsets(typeOf(constant).getRank(), 0), sizes(typeOf(constant).getShape());
  offsets[0] = begin;
  sizes[0] = size;
  return builder.create<SliceBySizeOp>(loc, constant, offsets, sizes);
}

namespace {
struct LegalizeChannels : mlir::ane::impl::LegalizeChannelsBase<LegalizeChannels> {
  using LegalizeChannelsBase::LegalizeChannelsBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    if (!env.hasMIL() || env.limit(Limit::Opset) < static_cast<int64_t>(env.getOpset()))
      return; // everything goes to the CPU, which takes any number of channels
    for (Operation &op : llvm::make_early_inc_range(getOperation().front())) {
      if (attrs::host.isOn(&op))
        continue;
      if (auto linear = dyn_cast<LinearOp>(op))
        legalise(linear, linear.getWeight(), linear.getBias(), typeOf(linear.getResult()).getRank() - 1, env);
      else if (auto conv = dyn_cast<ConvOp>(op); conv && conv.getGroups() == 1)
        legalise(conv, conv.getWeight(), conv.getBias(), 1, env);
    }
  }

  /// Parts of `op` with as many output channels each, at least `size` and a multiple of the cores that they are dealt
  /// to.
  static SmallVector<Value> split(OpBuilder &builder, Operation *op, Value weight, Value bias, int64_t size,
                                  const TargetEnv &env) {
    SmallVector<Value> parts;
    int64_t channels = typeOf(weight).getDimSize(0), most = env.limit(Limit::ConvChannelSlice);
    int64_t part = std::min<int64_t>(llvm::alignTo(size, env.limit(Limit::Cores)), most);
    for (int64_t begin = 0; begin < channels; begin += part) {
      int64_t own = std::min(part, channels - begin);
      SmallVector<Value> operands{op->getOperand(0), rows(builder, op->getLoc(), weight, begin, own)};
      if (bias)
        operands.push_back(rows(builder, op->getLoc(), bias, begin, own));
      parts.push_back(rebuild(builder, op, operands)->getResult(0));
    }
    return parts;
  }

  /// Splits `op`, whose output channels are axis 0 of `weight` and axis `axis` of the result.
  void legalise(Operation *op, Value weight, Value bias, int64_t axis, const TargetEnv &env) {
    // Too many input channels have no remedy: placing finds them.
    std::optional<Violation> violation = check(ConstraintID::C16, op, env);
    if (!violation || violation->finding.noRemedy || !isConstantExpr(weight))
      return;
    int64_t channels = typeOf(weight).getDimSize(0);
    std::string excess = violation->text();
    if (preferHost) {
      attrs::host.set(
          op, HostAttr::get(&getContext(), info(ConstraintID::C16).code, excess + "; --channels-on-host was given"));
      return;
    }
    OpBuilder builder(op);
    // A few parts more may be faster (C189).
    int64_t fewest = llvm::divideCeil(channels, env.limit(Limit::ConvChannelSlice)), most = fewest + 4;
    SmallVector<Value> parts;
    for (int64_t count = fewest; count <= most && parts.empty(); ++count) {
      parts = split(builder, op, weight, bias, llvm::divideCeil(channels, count), env);
      bool isSlow = llvm::any_of(
          parts, [&](Value part) { return isAdvisedAgainst(ConstraintID::WeightSlab, part.getDefiningOp(), env); });
      if (isSlow && count < most)
        for (Value part : std::exchange(parts, {}))
          part.getDefiningOp()->erase();
    }
    auto joined = builder.create<ConcatOp>(op->getLoc(), op->getResultTypes(), parts, axis, false);
    attrs::host.set(
        joined, HostAttr::get(&getContext(), info(ConstraintID::C16).code, "joins the parts of a split: " + excess));
    op->replaceAllUsesWith(joined);
    op->erase();
  }
};
} // namespace
