//===- PlaceGradients.cpp - which device computes gradients of weights ----===//
//
// A weight's gradient g^T x has as many elements as the weight, which leave the engine, where the CPU wants the rows of
// g and x, which are few in a small batch. So each of the two costs arithmetic and what has to move for it:
//
//     engine    flops / ProductPeak + (what it gives + operands that only the CPU has) / WeightStream
//     CPU       flops / HostProduct + (operands that only the engine has) / WeightStream
//
// Nothing that computes on reads the gradient, so that no program is cut for it.
//
//===----------------------------------------------------------------------===//

#include "PlaceTraining.h"
#include "ane/Constraint/Constraints.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Training.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::ane {
#define GEN_PASS_DEF_PLACEGRADIENTS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static bool isHost(Operation *op) { return attrs::host.isOn(op); }
static bool isEnd(Operation *op) { return op->hasTrait<OpTrait::IsTerminator>(); }

/// As fp16.
static int64_t bytesOf(Value value) { return 2 * cast<RankedTensorType>(value.getType()).getNumElements(); }

/// Whether `isSuch` holds for some op that reads a value, whatever its shape.
static bool isReadBy(Value value, function_ref<bool(Operation *)> isSuch) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isSuch(user) || (isShapeOp(user) && !isHost(user) && isReadBy(user->getResult(0), isSuch));
  });
}

/// Whether a value goes to results of the function alone: moved, added to others, put together with them, or by way of
/// the CPU.
static bool leadsToResults(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isEnd(user))
      return true;
    bool isPassed = isShapeOp(user) || isa<AddOp, ConcatOp>(user) || isHost(user);
    return isPassed && llvm::all_of(user->getResults(), leadsToResults);
  });
}

namespace {
/// Milliseconds.
struct Times {
  double engine, host;
};

class GradientPlacer {
public:
  GradientPlacer(func::FuncOp plan, StringRef how) : plan(plan), how(how) {}

  void run() {
    DenseSet<Operation *> gradients = gradientOps(plan);
    for (Operation &op : plan.front().without_terminator())
      if (isa<MatmulOp, ConvOp, EinsumOp>(op) && gradients.contains(&op) && !isHost(&op) &&
          leadsToResults(op.getResult(0)))
        place(&op);
    if (!kept)
      return;
    for (Operation &op : plan.front().without_terminator())
      if (!isHost(&op) && (isShapeOp(&op) || isa<AddOp, ConcatOp>(op)) && gradients.contains(&op) &&
          leadsToResults(op.getResult(0)) && llvm::any_of(op.getOperands(), [](Value operand) {
            Operation *producer = operand.getDefiningOp();
            return producer && isHost(producer);
          }))
        keep(&op, "is behind a gradient that the CPU computes");
    for (Operation &op : llvm::reverse(plan.front().without_terminator()))
      if (!isHost(&op) && isShapeOp(&op) && !isConstantExpr(&op) && !op.use_empty() &&
          llvm::all_of(op.getUsers(), isHost))
        keep(&op, "is before a gradient that the CPU computes");
  }

private:
  void place(Operation *op) {
    if (how == "cpu")
      return keep(op, "gradients of weights are computed there (--weight-gradients=cpu)");
    std::string reason;
    for (StringRef chip : lookupTargetEnv(plan).getChips()) {
      std::optional<Times> times = timesOn(op, chip);
      if (!times)
        continue;
      if (times->engine <= times->host)
        return;
      reason = llvm::formatv("the gradient of a weight takes the CPU {0:F4} ms and the engine {1:F4} ms, by speeds "
                             "published of {2}",
                             times->host, times->engine, chip);
    }
    if (!reason.empty())
      keep(op, reason);
  }

  /// Nothing where a speed of a chip is not known.
  static std::optional<Times> timesOn(Operation *op, StringRef name) {
    const ChipInfo *chip = llvm::find_if(allChips(), [&](const ChipInfo &info) { return info.target == name; });
    if (chip == allChips().end())
      return std::nullopt;
    auto engine = factOf(Fact::ProductPeak, *chip), host = factOf(Fact::HostProduct, *chip),
         stream = factOf(Fact::WeightStream, *chip);
    if (!engine || !host || !stream)
      return std::nullopt;
    int64_t toHost = 0, toEngine = 0, given = bytesOf(op->getResult(0));
    for (Value operand : op->getOperands()) {
      Value value = origin(operand);
      Operation *producer = value.getDefiningOp();
      if (!producer || isConstantExpr(producer))
        continue;
      auto isOther = [&](Operation *user) { return user != op && !isShapeOp(user) && !isEnd(user) && !isHost(user); };
      if (!isHost(producer))
        toHost += isReadBy(value, [](Operation *user) { return isHost(user) || isEnd(user); }) ? 0 : bytesOf(value);
      else
        toEngine += isReadBy(value, isOther) ? 0 : bytesOf(value);
    }
    double gflop = double(cast<CostOpInterface>(op).getFlops()) / 1e9;
    auto moving = [&](int64_t bytes) { return double(bytes) / 1e6 / double(*stream); };
    return Times{1e3 * (gflop / double(*engine) + moving(given + toEngine)),
                 1e3 * (gflop / double(*host) + moving(toHost))};
  }

  void keep(Operation *op, const Twine &reason) {
    attrs::host.set(op, HostAttr::get(op->getContext(), "cost", reason.str()));
    kept = true;
  }

  func::FuncOp plan;
  StringRef how;
  bool kept = false;
};

struct PlaceGradients : mlir::ane::impl::PlaceGradientsBase<PlaceGradients> {
  using PlaceGradientsBase::PlaceGradientsBase;
  void runOnOperation() override {
    if (!llvm::is_contained({"auto", "engine", "cpu"}, how)) {
      getOperation().emitError() << "no place '" << how << "' for gradients of weights: auto, engine or cpu";
      return signalPassFailure();
    }
    if (how != "engine")
      GradientPlacer(getOperation(), how).run();
  }
};
} // namespace
