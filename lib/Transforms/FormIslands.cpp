//===- FormIslands.cpp - group engine ops into islands --------------------===//
//
// Levels count the crossings between CPU and engine on the longest path to an op. All engine ops of one level form one
// island: no path between two of them leaves the island, because it would raise the level. The number of islands is
// the least possible, and each is as large as can be.
//
//===----------------------------------------------------------------------===//

#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ane {
#define GEN_PASS_DEF_FORMISLANDS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static bool isHost(Operation *op) { return op->hasAttr("ane.host"); }

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
  auto island = builder.create<IslandOp>(FusedLoc::get(builder.getContext(), locs), types, border.inputs, empty,
                                         empty);
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

namespace {
struct FormIslands : ane::impl::FormIslandsBase<FormIslands> {
  using FormIslandsBase::FormIslandsBase;
  void runOnOperation() override;
};
} // namespace

void FormIslands::runOnOperation() {
  Block &body = getOperation().front();
  llvm::DenseMap<Operation *, int64_t> levels;
  llvm::MapVector<int64_t, SmallVector<Operation *>> byLevel;
  SmallVector<Operation *> constants;
  for (Operation &op : body.without_terminator()) {
    if (isa<IslandOp>(op)) {
      op.emitOpError("is there already: islands are formed once");
      return signalPassFailure();
    }
    if (isConstantExpr(&op)) {
      constants.push_back(&op);
      continue;
    }
    // CPU levels are even, engine levels odd.
    int64_t parity = isHost(&op) ? 0 : 1, level = parity;
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && levels.count(producer)) {
        int64_t other = levels[producer];
        level = std::max(level, other % 2 == parity ? other : other + 1);
      }
    levels[&op] = level;
    byLevel[level].push_back(&op);
  }
  // Constants first, then level by level: a valid order, because levels never fall along an edge.
  auto sorted = byLevel.takeVector();
  llvm::sort(sorted, [](auto &a, auto &b) { return a.first < b.first; });
  Operation *terminator = body.getTerminator();
  for (Operation *op : constants)
    op->moveBefore(terminator);
  for (auto &[level, ops] : sorted)
    for (Operation *op : ops)
      op->moveBefore(terminator);
  for (auto &[level, ops] : sorted) {
    if (level % 2 == 0)
      continue;
    buildIsland(ops);
  }
}
