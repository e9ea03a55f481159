//===- PlaceTraining.cpp - programs of layers as other trainers have ------===//
//
// Orion and the static trainer of maderix/ANE have 6 programs for a layer, its dynamic one 10:
//
//     static                                        dynamic
//     norm, attention, output projection            attention | output projection
//     norm, MLP                                     MLP with the residual sum
//     backward: MLP                                 last projection | first projections
//     backward: output projection, dV, dP           output projection | dV, dP
//     backward: dS, dQ, dK                          dS, dQ, dK
//     backward: projections                         of queries | of keys and values
//
// The CPU has the rest. An op of the backward pass belongs to the op of the forward pass whose rule has built it: they
// have one location. Nothing here is needed to train: it shows what such a partition costs.
//
//===----------------------------------------------------------------------===//

#include "PlaceTraining.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/StateAccess.h"
#include "ane/IR/Training.h"

using namespace mlir;
using namespace mlir::ane;

bool mlir::ane::isShapeOp(Operation *op) { return isa<ReshapeOp, TransposeOp, CastOp, IdentityOp>(op); }
static bool isNorm(Operation *op) { return isa<RmsNormOp, LayerNormOp>(op); }

Value mlir::ane::origin(Value value) {
  while (Operation *producer = value.getDefiningOp()) {
    if (!isShapeOp(producer))
      break;
    value = producer->getOperand(0);
  }
  return value;
}

static bool isProduct(Operation *op) { return isa<LinearOp, MatmulOp>(op); }
namespace {
class TrainingPlacer {
public:
  TrainingPlacer(func::FuncOp plan, bool isDynamic)
      : plan(plan), isDynamic(isDynamic), gradients(gradientOps(plan)), parameters(parametersOf(plan)) {}

  void run() {
    SmallVector<Operation *> ops;
    for (Operation &op : plan.front().without_terminator())
      if (!isConstantExpr(&op) && !isStateAccess(&op))
        ops.push_back(&op);
    if (llvm::none_of(ops, [](Operation *op) { return isa<ScaledDotProductAttentionOp>(op); }))
      return;
    findForward(ops);
    for (Operation *op : ops)
      if (forward.contains(op) ? isForwardHost(op) : isBackwardHost(op))
        keep(op);
    for (Operation *op : llvm::reverse(ops))
      if (isShapeOp(op) && llvm::all_of(op->getUsers(), [](Operation *user) {
            return attrs::host.isOn(user) || user->hasTrait<OpTrait::IsTerminator>();
          }))
        keep(op);
    for (Operation *op : ops)
      if (gradients.contains(op))
        cutBackward(op);
  }

private:
  /// A weight that is trained, or a constant.
  bool isParameter(Value value) const {
    Value from = origin(value);
    return parameters.contains(from) || isConstantExpr(from);
  }
  bool isProjection(Operation *op) const {
    return isProduct(op) &&
           llvm::any_of(op->getOperands().take_front(2), [&](Value value) { return isParameter(value); });
  }
  /// Of two values that are computed.
  bool isSum(Operation *op) const {
    return isa<AddOp>(op) && llvm::none_of(op->getOperands(), [&](Value value) { return isParameter(value); });
  }

  void keep(Operation *op) {
    if (!attrs::host.isOn(op))
      attrs::host.set(op,
                      HostAttr::get(plan.getContext(), "partition", "is kept on the CPU between programs of layers"));
  }

  void cut(Operation *op, int64_t programs) {
    if (programs > 0 && !attrs::host.isOn(op))
      attrs::cut.set(op, OpBuilder(op).getI64IntegerAttr(programs));
  }

  //===-- forward -------------------------------------------------------------===//

  void findForward(ArrayRef<Operation *> ops) {
    for (Operation *op : llvm::reverse(ops)) {
      bool isRead = llvm::any_of(op->getUsers(), [&](Operation *user) {
        return forward.contains(user) || user->hasTrait<OpTrait::IsTerminator>();
      });
      if (!gradients.contains(op) && isRead)
        forward.insert(op);
    }
    Operation *lastSum = nullptr;
    for (Operation *op : ops) {
      if (!forward.contains(op))
        continue;
      byPlace[op->getLoc()].push_back(op);
      if (isa<ScaledDotProductAttentionOp>(op)) {
        readsAttention.insert(op->getResult(0));
        // Which of the projections makes the queries: all between has one computed operand.
        Value query = op->getOperand(0);
        while (Operation *producer = query.getDefiningOp()) {
          if (isProjection(producer))
            queries.insert(producer->getLoc());
          if (isProjection(producer) || producer->getNumOperands() == 0)
            break;
          query = producer->getOperand(0);
        }
      } else if (isProjection(op) && readsAttention.contains(origin(op->getOperand(0)))) {
        mixed.insert(op->getResult(0));
        if (isDynamic)
          cut(op, 1);
      }
      if (isSum(op))
        lastSum = op;
    }
    for (Operation *op : ops)
      if (forward.contains(op) && lastSum && lastSum->isBeforeInBlock(op))
        tail.insert(op->getLoc());
  }

  bool isForwardHost(Operation *op) {
    if (tail.contains(op->getLoc()) || (isDynamic && isNorm(op)))
      return true;
    bool closesAttention =
        llvm::any_of(op->getOperands(), [&](Value operand) { return mixed.contains(origin(operand)); });
    return isSum(op) && (!isDynamic || closesAttention);
  }

  //===-- backward ------------------------------------------------------------===//

  bool isOf(Operation *op, function_ref<bool(Operation *)> isSuch) {
    return llvm::any_of(byPlace[op->getLoc()], isSuch);
  }
  bool isOfAttention(Operation *op) {
    return isOf(op, [](Operation *of) { return isa<ScaledDotProductAttentionOp>(of); });
  }

  bool isBackwardHost(Operation *op) {
    if (tail.contains(op->getLoc()) || isOf(op, isNorm))
      return true;
    if (isOfAttention(op) || isShapeOp(op) || isProjection(op))
      return false;
    if (isProduct(op)) // of a weight's gradient
      return true;
    if (isa<AddOp>(op) && llvm::all_of(op->getOperands(), [&](Value value) {
          Operation *producer = origin(value).getDefiningOp();
          return producer && (isProjection(producer) || isa<AddOp>(producer)) && !attrs::host.isOn(producer);
        }))
      return false; // joins what projections of one value give
    return isDynamic || isSum(op);
  }

  /// Counts programs behind the output projection: 1 has the gradients of values and probabilities, 2 of queries and
  /// keys, 3 and 4 projections. A stay on the CPU between ends a program, too.
  void cutBackward(Operation *op) {
    int64_t before = 0;
    for (Value operand : op->getOperands())
      before = std::max(before, programs.lookup(operand));
    int64_t here = before;
    if (attrs::host.isOn(op)) {
      here = before == 0 || isOf(op, isNorm) ? 0 : before + 1;
    } else if (isOfAttention(op)) {
      // The gradient of the scores is p (dP - sum of dP p) by the rule of attention (lib/Autodiff/Rules), which has the
      // only difference there: the second program begins with it.
      here = std::max<int64_t>(before, isa<SubOp>(op) ? 2 : 1);
      cut(op, here - std::max<int64_t>(before, isDynamic ? 0 : 1));
    } else if (isProjection(op) && before > 0) {
      here = isDynamic && !queries.contains(op->getLoc()) ? 4 : 3;
      cut(op, here - before);
    }
    for (Value result : op->getResults())
      programs[result] = here;
  }

  func::FuncOp plan;
  bool isDynamic;
  DenseSet<Operation *> gradients, forward;
  DenseSet<Value> parameters;
  DenseMap<Location, SmallVector<Operation *, 1>> byPlace; // the ops of the forward pass
  DenseSet<Location> tail, queries;                        // of what is behind the last layer; of projections
  DenseSet<Value> readsAttention, mixed;                   // what attention gives; what its output projection does
  DenseMap<Value, int64_t> programs;
};
} // namespace

void mlir::ane::placeTraining(func::FuncOp plan, bool isDynamic) { TrainingPlacer(plan, isDynamic).run(); }
