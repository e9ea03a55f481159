//===- FormIslands.cpp - group engine ops into islands --------------------===//
//
// Levels count the crossings between CPU and engine on the longest path to an op. All engine ops of one level form one
// island: no path between two of them leaves the island, because it would raise the level. The number of islands is
// the least possible, and each is as large as can be.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Softmax.h"
#include "ane/Constraint/WeightConstants.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Transforms/Passes.h"
#include "ane/Transforms/StateOrder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <numeric>

namespace mlir::ane {
#define GEN_PASS_DEF_FORMISLANDS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static int64_t bytesOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements() * 2; }

/// Where all inputs of a program have surfaces of one size, and all outputs (C18, C02), a small value beside a large
/// one takes as much memory. Programs with more of that are cut: this compiler's choice, as no record says how much
/// memory surfaces may take.
static constexpr int64_t mostPadding = int64_t(256) << 20;

namespace {
/// What a program holds, or how much of it a program may hold.
struct Load {
  int64_t bytes = 0, layers = 0, constants = 0, padding = 0;
  int64_t records = 0; // constants as C224 counts them
  int64_t passes = 0;  // through a layer: its gradients may compute its attention anew, and are one all the same

  bool exceeds(const Load &limit) const {
    return bytes > limit.bytes || layers > limit.layers || constants > limit.constants || padding > limit.padding ||
           passes > limit.passes || records > limit.records;
  }
  Load half() const { return {bytes / 2, layers / 2, constants / 2, padding / 2, records / 2, passes / 2}; }
};

/// Surfaces of one size, as large as the largest of them.
class EqualSurfaces {
public:
  void add(int64_t bytes) {
    ++count;
    sum += bytes;
    largest = std::max(largest, bytes);
  }
  int64_t padding() const { return count * largest - sum; }

private:
  int64_t count = 0, sum = 0, largest = 0;
};

/// Adds up what ops hold; constants, inputs and softmaxes count once.
class Meter {
public:
  /// `leaves` are the results that something reads which is for no program of these ops.
  explicit Meter(const llvm::DenseSet<Value> &leaves) : leaves(leaves) {}

  const Load &add(Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!seen.insert(operand).second)
        continue;
      if (!isConstantExpr(operand)) {
        inputs.add(bytesOf(operand));
        continue;
      }
      load.bytes += bytesOf(operand);
      load.constants += bytesOf(operand) >= 2 * inlineElements;
    }
    for (Value result : op->getResults()) {
      seen.insert(result);
      if (leaves.contains(result))
        outputs.add(bytesOf(result));
    }
    Value softmax = softmaxOf(op);
    bool isNew = softmax && softmaxes.insert(softmax).second;
    load.layers += isNew;
    load.passes += isNew && !(isa<ScaledDotProductAttentionOp>(op) && attrs::recomputed.isOn(op));
    load.padding = inputs.padding() + outputs.padding();
    constants.add(op);
    load.records = constants.count();
    return load;
  }

private:
  const llvm::DenseSet<Value> &leaves;
  Load load;
  EqualSurfaces inputs, outputs;
  WeightConstants constants;
  llvm::SmallPtrSet<Value, 16> seen, softmaxes;
};

/// Cuts ops, in topological order, into those of consecutive programs. A cut anywhere is convex; it is made where the
/// least data crosses it, in the second half of what fits.
class Cutter {
public:
  /// At most `layers` in a part, unless it is 0, and at most `constants`, if they count.
  Cutter(ArrayRef<Operation *> ops, const TargetEnv &env, int64_t layers, int64_t constants)
      : ops(ops), crossing(ops.size(), 0) {
    // A sixteenth of room for constants that legalisers add, and half of the files.
    limit = {env.limit(Limit::ProgramWeightBytes) / 16 * 15,
             env.limit(Limit::ChunkLayers),
             INT64_MAX,
             INT64_MAX,
             INT64_MAX,
             layers > 0 ? layers : INT64_MAX};
    if (isEnforced(ConstraintID::InputSizes, env) || isEnforced(ConstraintID::OutputSizes, env))
      limit.padding = mostPadding;
    if (isEnforced(ConstraintID::EarlyBlobs, env))
      limit.constants = env.limit(Limit::WeightFiles) / 2;
    if (isEnforced(ConstraintID::WeightConstants, env))
      limit.records = std::min(constants > 0 ? constants : INT64_MAX, env.limit(Limit::WeightConstants));
    llvm::DenseMap<Operation *, size_t> position;
    for (auto [i, op] : llvm::enumerate(ops))
      position[op] = i;
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !position.contains(user); }))
          leaves.insert(result);
    Meter meter(leaves);
    for (auto [i, op] : llvm::enumerate(ops)) {
      total = meter.add(op);
      for (Value result : op->getResults()) {
        size_t last = i;
        for (Operation *user : result.getUsers())
          if (auto found = position.find(user); found != position.end())
            last = std::max(last, found->second);
        crossing[i] += bytesOf(result);
        crossing[last] -= bytesOf(result);
      }
    }
    std::partial_sum(crossing.begin(), crossing.end(), crossing.begin());
  }

  /// What all ops hold together.
  const Load &load() const { return total; }

  using Parts = SmallVector<ArrayRef<Operation *>>;
  /// As few parts as fit, but at least `wanted`; as many layers, or bytes where there are none, in each.
  Parts cut(size_t wanted) const {
    Parts few = inParts(1);
    size_t count = std::max(wanted, few.size());
    if (count == 1)
      return few;
    Parts even = inParts(count);
    return even.size() == count || few.size() < wanted ? even : few;
  }

private:
  /// At least `count`, if there are as many layers. Of the last of them nothing is asked but that it fits.
  Parts inParts(size_t count) const {
    Parts parts;
    Load rest = total;
    for (size_t begin = 0; begin < ops.size();) {
      Load most = limit;
      int64_t left = count > parts.size() ? count - parts.size() : 1;
      if (left > 1 && total.layers > 0)
        most.layers = std::min(most.layers, std::max<int64_t>(llvm::divideCeil(rest.layers, left), 1));
      else if (left > 1)
        most.bytes = std::min(most.bytes, int64_t(llvm::divideCeil(rest.bytes, left)));
      size_t end = endOf(begin, most);
      Meter meter(leaves);
      Load taken;
      for (Operation *op : ops.slice(begin, end - begin))
        taken = meter.add(op);
      rest.layers = std::max<int64_t>(rest.layers - taken.layers, 0);
      rest.bytes = std::max<int64_t>(rest.bytes - taken.bytes, 0);
      parts.push_back(ops.slice(begin, end - begin));
      begin = end;
    }
    return parts;
  }

  size_t endOf(size_t begin, const Load &most) const {
    Meter meter(leaves);
    size_t best = begin;
    for (size_t end = begin; end < ops.size(); ++end) {
      const Load &held = meter.add(ops[end]);
      if (end > begin && held.exceeds(most))
        return best;
      if (!held.exceeds(most.half()) || best == begin || crossing[end] <= crossing[best - 1])
        best = end + 1;
    }
    return ops.size();
  }

  ArrayRef<Operation *> ops;
  llvm::DenseSet<Value> leaves;
  SmallVector<int64_t> crossing; // bytes that are made up to op i and read after it
  Load limit, total;
};
} // namespace

/// Whether an op stands in no island. Updates of states are steps of the plan.
static bool isHost(Operation *op) { return attrs::host.isOn(op) || stateAccessOf(op).updates(); }

/// Builds an island from `ops`, which are in topological order and convex, before the first of them.
static void buildIsland(ArrayRef<Operation *> ops) {
  GroupBorder border = borderOf(ops);
  OpBuilder builder(ops.back());
  SmallVector<Type> types;
  SmallVector<Location> locs;
  for (Value result : border.results) {
    types.push_back(result.getType());
    locs.push_back(result.getLoc());
  }
  auto empty = builder.getArrayAttr({});
  auto island = builder.create<IslandOp>(FusedLoc::get(builder.getContext(), locs), types, border.inputs, empty, empty);
  Block *twin = builder.createBlock(&island.getTwin());
  IRMapping mapping;
  for (Value input : border.inputs)
    mapping.map(input, twin->addArgument(input.getType(), input.getLoc()));
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (isConstantExpr(operand))
        cloneConstantExpr(builder, operand, mapping);
    builder.clone(*op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value result : border.results)
    yielded.push_back(mapping.lookup(result));
  builder.create<YieldOp>(island.getLoc(), yielded);
  for (auto [i, result] : llvm::enumerate(border.results))
    result.replaceAllUsesWith(island.getResult(i));
  for (Operation *op : ops)
    op->dropAllReferences();
  for (Operation *op : ops)
    op->erase();
}

/// Where an op goes: in order, what stands in one place is an island or runs on the CPU.
using Places = llvm::DenseMap<Operation *, int64_t>;

/// Truth values exist inside a program only: each island computes those that it reads. An op that gives one goes where
/// it is read, and is copied for every further place.
static void sinkTruthValues(Block &body, Places &places) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body.without_terminator()))) {
    bool truth = op.getNumResults() == 1 && getElementTypeOrSelf(op.getResult(0)).isInteger(1);
    if (!truth || !places.count(&op) || isHost(&op))
      continue;
    // In order of places: that of uses depends on how the IR was made.
    std::map<int64_t, SmallVector<OpOperand *>> readers;
    bool onlyIslands = true;
    for (OpOperand &use : op.getUses())
      if (Operation *reader = use.getOwner(); places.count(reader) && !isHost(reader))
        readers[places[reader]].push_back(&use);
      else
        onlyIslands = false;
    if (onlyIslands && !readers.empty() && !readers.count(places[&op]))
      places[&op] = readers.begin()->first;
    for (auto &[place, uses] : readers) {
      if (place == places[&op])
        continue;
      Operation *copy = OpBuilder(&op).clone(op);
      places[copy] = place;
      for (OpOperand *use : uses)
        use->set(copy->getResult(0));
    }
  }
}

/// What is computed anew stands in the first island that reads it: as early as its operands are there, it would have to
/// be kept like any other value.
static void sinkRecomputed(Block &body, Places &levels) {
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (!attrs::recomputed.isOn(&op) || isHost(&op))
      continue;
    std::optional<int64_t> first;
    for (Operation *user : op.getUsers()) {
      auto found = levels.find(user);
      if (found == levels.end())
        continue;
      int64_t latest = found->second - (found->second % 2 == 0 ? 1 : 0);
      first = std::min(first.value_or(latest), latest);
    }
    if (first)
      levels[&op] = std::max(levels[&op], *first);
  }
}

/// The ops of each place, in topological order; they are moved behind the others in that order.
static SmallVector<std::pair<int64_t, SmallVector<Operation *>>> sortByPlace(Block &body, const Places &places) {
  llvm::MapVector<int64_t, SmallVector<Operation *>> byPlace;
  for (Operation &op : body.without_terminator())
    if (auto place = places.find(&op); place != places.end())
      byPlace[place->second].push_back(&op);
  auto sorted = byPlace.takeVector();
  llvm::sort(sorted, [](auto &a, auto &b) { return a.first < b.first; });
  for (auto &[place, ops] : sorted)
    for (Operation *op : ops)
      op->moveBefore(body.getTerminator());
  return {sorted.begin(), sorted.end()};
}

namespace {
struct FormIslands : mlir::ane::impl::FormIslandsBase<FormIslands> {
  using FormIslandsBase::FormIslandsBase;
  void runOnOperation() override;
};
} // namespace

void FormIslands::runOnOperation() {
  TargetEnv env = lookupTargetEnv(getOperation());
  Block &body = getOperation().front();
  if (failed(verifyStateOrder(body)))
    return signalPassFailure();
  Places levels;
  SmallVector<Operation *> constants, writes;
  llvm::SmallDenseMap<StringAttr, SmallVector<Operation *, 1>> reads; // of a state
  for (Operation &op : body.without_terminator()) {
    if (isa<IslandOp>(op)) {
      op.emitOpError("is there already: islands are formed once");
      return signalPassFailure();
    }
    StateAccess access = stateAccessOf(&op);
    if (access.onlyWrites()) {
      writes.push_back(&op);
      continue;
    }
    // A state's value is there from the beginning, as an argument.
    if (isConstantExpr(&op) || access.onlyReads()) {
      constants.push_back(&op);
      if (access)
        reads[access.state].push_back(&op);
      continue;
    }
    // CPU levels are even, engine levels odd.
    int64_t parity = isHost(&op) ? 0 : 1, level = parity;
    auto standBehind = [&](Operation *before) {
      if (auto found = levels.find(before); found != levels.end())
        level = std::max(level, found->second % 2 == parity ? found->second : found->second + 1);
    };
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        standBehind(producer);
    // An update overwrites what its state's reads have given.
    if (access)
      for (Operation *read : reads.lookup(access.state))
        llvm::for_each(read->getUsers(), standBehind);
    if (IntegerAttr cut = attrs::cut.get(&op))
      level += 2 * cut.getInt();
    levels[&op] = level;
  }
  sinkRecomputed(body, levels);
  // Constants and values of states first, then level by level, and writes of states last: a valid order, because levels
  // never fall along an edge, and no state is read behind a write.
  for (Operation *op : constants)
    op->moveBefore(body.getTerminator());
  auto sortedLevels = sortByPlace(body, levels);
  SmallVector<Cutter> cutters;
  int64_t allBytes = 0;
  for (auto &[level, ops] : sortedLevels) {
    cutters.emplace_back(ops, env, layers, constantsPerProgram);
    allBytes += level % 2 == 1 ? cutters.back().load().bytes : 0;
  }
  Places places;
  int64_t place = 0;
  for (auto [cutter, found] : llvm::zip_equal(cutters, sortedLevels)) {
    SmallVector<ArrayRef<Operation *>> parts{found.second};
    // Levels that hold more get more of the programs that are asked for.
    if (found.first % 2 == 1)
      parts = cutter.cut(allBytes == 0 ? 1 : (cutter.load().bytes * chunks + allBytes / 2) / allBytes);
    for (ArrayRef<Operation *> part : parts) {
      for (Operation *op : part)
        places[op] = place;
      ++place;
    }
  }
  sinkTruthValues(body, places);
  auto sorted = sortByPlace(body, places);
  for (Operation *op : writes)
    op->moveBefore(body.getTerminator());
  for (auto &[_, ops] : sorted)
    if (!isHost(ops.front()))
      buildIsland(ops);
}
