//===- Recompute.cpp - what a backward pass keeps, and what it computes ---===//
//
// Ops that depend on no gradient are those of the forward pass and those that rules of gradients have built beside it.
// What gradients read of them is kept or computed anew. The cheapest choice is a minimum cut: each op has two nodes,
// "is needed" and "is computed anew", with edges
//
//     source -> needed(x)           never cut: a gradient reads x
//     needed(x) -> anew(x)          cut where x is needed and kept: the bytes that moves
//     anew(x) -> needed(operand)    never cut
//     anew(x) -> sink               cut where x is computed anew: the op's time, in bytes
//
//===----------------------------------------------------------------------===//

#include "MinimumCut.h"
#include "ane/Constraint/Constraints.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/StateAccess.h"
#include "ane/IR/Training.h"
#include "ane/Support/Diagnostics.h"
#include "ane/Transforms/Passes.h"
#include "ane/Transforms/RecomputeRules.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ane {
#define GEN_PASS_DEF_RECOMPUTE
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// Operations in whose time a byte of weights is read: on the one of the chips where they are fewest. If no source has
/// both numbers for one of them, of all chips.
static double flopsOfByte(ArrayRef<StringRef> chips) {
  std::optional<double> known, all;
  for (const ChipInfo &chip : allChips()) {
    auto peak = factOf(Fact::ProductPeak, chip), stream = factOf(Fact::WeightStream, chip);
    if (!peak || !stream)
      continue;
    double ratio = double(*peak) * 1e3 / double(*stream);
    all = std::min(all.value_or(ratio), ratio);
    if (llvm::is_contained(chips, chip.target))
      known = std::min(known.value_or(ratio), ratio);
  }
  return known ? *known : all.value();
}

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

static int64_t bytesOf(Operation *op) {
  int64_t bytes = 0;
  for (Value result : op->getResults())
    bytes += 2 * cast<RankedTensorType>(result.getType()).getNumElements();
  return bytes;
}

static int64_t flopsOf(Operation *op) {
  auto cost = dyn_cast<CostOpInterface>(op);
  return cost ? cost.getFlops() : 0;
}

/// Whether the engine can compute an op again: not what it gets from the CPU, such as integers.
static bool isRepeatable(Operation *op) {
  return !attrs::host.isOn(op) && !isStateAccess(op) && llvm::all_of(op->getResults(), isFloat) &&
         llvm::all_of(op->getOperands(), [](Value value) { return isFloat(value) || isConstantExpr(value); });
}

namespace {
class Chooser {
public:
  Chooser(func::FuncOp plan, DenseSet<Operation *> gradients, RecomputeRules &rules)
      : plan(plan), gradients(std::move(gradients)), rules(rules),
        flopsOfByte(::flopsOfByte(lookupTargetEnv(plan).getChips())) {
    for (Operation &op : plan.front().without_terminator())
      if (!isConstantExpr(&op) && !this->gradients.contains(&op))
        numbers[&op] = numbers.size();
    for (auto &[op, number] : llvm::reverse(numbers))
      if (llvm::any_of(op->getUsers(), [&](Operation *user) { return isEnd(user) || forward.contains(user); }))
        forward.insert(op);
    findBorders();
  }

  void run() {
    MinimumCut cut(2 + 2 * numbers.size());
    for (auto &[op, number] : numbers) {
      Cost cost = costOf(op);
      if (llvm::any_of(op->getUsers(), [&](Operation *user) { return gradients.contains(user); }))
        cut.addEdge(0, needed(number), MinimumCut::never);
      cut.addEdge(needed(number), anew(number), cost.keep);
      cut.addEdge(anew(number), 1, cost.compute);
      for (Value operand : op->getOperands())
        if (auto found = numbers.find(operand.getDefiningOp()); found != numbers.end())
          cut.addEdge(anew(number), needed(found->second), MinimumCut::never);
    }
    // What a rule has built is computed anew as a whole: records look at patterns, such as a division by the maximum
    // before squares are summed. Its ops hang together, and on others only by what the forward pass computes.
    llvm::EquivalenceClasses<Operation *> built;
    for (auto &[op, number] : numbers) {
      if (forward.contains(op) || !isRepeatable(op))
        continue;
      built.insert(op);
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && built.findValue(producer) != built.end())
          built.unionSets(producer, op);
    }
    for (auto &[op, number] : numbers) {
      auto member = built.findLeader(op);
      if (member == built.member_end() || *member == op)
        continue;
      unsigned first = numbers.lookup(*member);
      cut.addEdge(anew(first), anew(number), MinimumCut::never);
      cut.addEdge(anew(number), anew(first), MinimumCut::never);
    }
    llvm::BitVector side = cut.find();
    backward = gradients;
    for (auto &[op, number] : llvm::reverse(numbers))
      if (side[anew(number)])
        computeAnew(op);
    for (auto &[op, number] : numbers)
      if (!side[anew(number)] && !forward.contains(op) && !isStateAccess(op))
        computeEarly(op);
  }

private:
  struct Cost {
    int64_t keep, compute; // bytes
  };

  static unsigned needed(unsigned number) { return 2 + 2 * number; }
  static unsigned anew(unsigned number) { return 3 + 2 * number; }
  static bool isEnd(Operation *op) { return op->hasTrait<OpTrait::IsTerminator>(); }

  Cost costOf(Operation *op) {
    // What the CPU reads is moved there anyway.
    bool isMoved = llvm::any_of(op->getUsers(), [](Operation *user) { return attrs::host.isOn(user); });
    Cost cost{bytesOf(op) * (isMoved ? 1 : 2), int64_t(double(flopsOf(op)) / flopsOfByte)};
    bool isForward = forward.contains(op);
    Recomputing how = rules.of(nodeName(op->getLoc()));
    if (!isRepeatable(op) || borders.contains(op) || how == Recomputing::None ||
        (how == Recomputing::Attention && isForward))
      cost.compute = MinimumCut::never;
    else if (how == Recomputing::Attention || (how == Recomputing::All && !isForward))
      cost = {MinimumCut::never, 0};
    else if (how == Recomputing::All)
      cost.keep = MinimumCut::never;
    return cost;
  }

  /// The ops between layers: what they give is read by several, and nothing else that depends on parameters is read
  /// behind them. It is kept: computed anew it would have to go from one layer's gradients to the next one's as well.
  void findBorders() {
    DenseSet<Value> active = parametersOf(plan), live;
    for (auto &[op, number] : numbers)
      if (llvm::any_of(op->getOperands(), [&](Value operand) { return active.contains(operand); }))
        active.insert(op->result_begin(), op->result_end());
    for (auto &[op, number] : llvm::reverse(numbers)) {
      if (!forward.contains(op))
        continue;
      if (live.size() == 1 && op->getNumResults() == 1 && live.contains(op->getResult(0)) && isReadTwice(op))
        borders.insert(op);
      for (Value result : op->getResults())
        live.erase(result);
      for (Value operand : op->getOperands())
        if (operand.getDefiningOp() && active.contains(operand))
          live.insert(operand);
    }
  }

  bool isReadTwice(Operation *op) {
    SmallPtrSet<Operation *, 4> readers(op->user_begin(), op->user_end());
    return llvm::count_if(readers, [&](Operation *reader) { return forward.contains(reader); }) > 1;
  }

  void markAnew(Operation *op) {
    attrs::recomputed.set(op, UnitAttr::get(op->getContext()));
    backward.insert(op);
  }

  /// What reads it has been decided.
  void computeAnew(Operation *op) {
    if (!forward.contains(op))
      return markAnew(op);
    SmallVector<OpOperand *> readers;
    Operation *first = nullptr;
    for (OpOperand &use : op->getUses()) {
      Operation *user = use.getOwner();
      if (!backward.contains(user) || attrs::host.isOn(user))
        continue;
      readers.push_back(&use);
      first = !first || user->isBeforeInBlock(first) ? user : first;
    }
    if (!first)
      return;
    Operation *copy = OpBuilder(first).clone(*op);
    markAnew(copy);
    for (OpOperand *reader : readers)
      reader->set(copy->getResult(cast<OpResult>(reader->get()).getResultNumber()));
  }

  /// Beside what it is computed from, so that it is in the same program.
  void computeEarly(Operation *op) {
    Operation *last = nullptr;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        last = !last || last->isBeforeInBlock(producer) ? producer : last;
    if (last)
      op->moveAfter(last);
  }

  func::FuncOp plan;
  DenseSet<Operation *> gradients, backward; // with what is computed anew
  RecomputeRules &rules;
  double flopsOfByte;
  llvm::MapVector<Operation *, unsigned> numbers;
  DenseSet<Operation *> forward, borders;
};

struct Recompute : mlir::ane::impl::RecomputeBase<Recompute> {
  using RecomputeBase::RecomputeBase;
  void runOnOperation() override {
    auto rules = RecomputeRules::create(llvm::to_vector(how));
    if (!rules) {
      getOperation().emitError() << llvm::toString(rules.takeError());
      return signalPassFailure();
    }
    DenseSet<Operation *> gradients = gradientOps(getOperation());
    if (gradients.empty())
      return;
    Chooser(getOperation(), std::move(gradients), *rules).run();
    if (std::optional<StringRef> unused = rules->unused()) {
      getOperation().emitError() << "--recompute=" << *unused << ": no node of the model has such a name";
      return signalPassFailure();
    }
  }
};
} // namespace
