//===- Partition.cpp - outline programs, twins and CPU functions ----------===//

#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"
#include "ane/Transforms/Holds.h"
#include "ane/Transforms/Passes.h"
#include "ane/Transforms/StateOrder.h"

namespace mlir::ane {
#define GEN_PASS_DEF_PARTITION
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Outlines the islands and the CPU ops of one plan function.
class Partitioner {
public:
  Partitioner(func::FuncOp plan) : plan(plan), module(plan->getParentOfType<ModuleOp>()), builder(plan.getContext()) {}

  void run() {
    // States stay in the plan. None is read behind a write.
    SmallVector<Operation *> writes;
    for (Operation &op : plan.front())
      if (stateAccessOf(&op).onlyWrites())
        writes.push_back(&op);
    for (Operation *write : writes)
      write->moveBefore(plan.front().getTerminator());
    SmallVector<Operation *> run;
    for (Operation &op : llvm::make_early_inc_range(plan.front().without_terminator())) {
      if (auto island = dyn_cast<IslandOp>(op)) {
        outlineHost(run);
        outlineIsland(island);
      } else if (stateAccessOf(&op).updates()) {
        outlineBefore(&op, run);
      } else if (!isConstantExpr(&op) && !isStateAccess(&op)) {
        run.push_back(&op);
      }
    }
    // A constant that is returned, or written to a state, has no other home than a CPU function. First: calls stand
    // where the last op of a run stood.
    llvm::SetVector<Operation *> constants;
    auto collect = [&](Operation *reader) {
      for (Value value : reader->getOperands())
        if (isConstantExpr(value))
          constants.insert(value.getDefiningOp());
    };
    llvm::for_each(writes, collect);
    collect(plan.front().getTerminator());
    run.insert(run.begin(), constants.rbegin(), constants.rend());
    outlineHost(run);
    eraseDeadConstants();
  }

private:
  /// Moves the body of `region` into a new function named `name`, whose types come from its block.
  func::FuncOp moveToFunction(Region &region, StringRef name, Location loc, Block *where) {
    builder.setInsertionPointToEnd(where);
    Block &block = region.front();
    auto type = builder.getFunctionType(block.getArgumentTypes(), block.getTerminator()->getOperandTypes());
    auto function = builder.create<func::FuncOp>(loc, name, type);
    function.getBody().takeBody(region);
    auto yield = cast<YieldOp>(function.front().getTerminator());
    builder.setInsertionPoint(yield);
    builder.create<func::ReturnOp>(yield.getLoc(), yield.getOperands());
    yield.erase();
    return function;
  }

  void outlineIsland(IslandOp island) {
    std::string name = (plan.getName() + "_" + Twine(programs++)).str();
    SmallVector<Attribute> holds, masks;
    for (unsigned i = 0; i < island.getInputs().size(); ++i) {
      holds.push_back(holdsOf(island, i));
      masks.push_back(maskRowsOf(island, i));
    }
    builder.setInsertionPointToEnd(module.getBody());
    auto program = builder.create<ProgramOp>(island.getLoc(), name);
    Block *body = builder.createBlock(&program.getBody());
    func::FuncOp procedure = moveToFunction(island.getEngine(), "main", island.getLoc(), body);
    setArgAttrs(procedure, attrs::layout, island.getInputLayouts().getValue());
    setArgAttrs(procedure, attrs::holds, holds);
    setArgAttrs(procedure, attrs::maskRows, masks);
    setResultAttrs(procedure, attrs::layout, island.getOutputLayouts().getValue());
    func::FuncOp twin = moveToFunction(island.getTwin(), name + "_twin", island.getLoc(), module.getBody());
    twin.setPrivate();
    attrs::role.set(twin, builder.getStringAttr("twin"));
    builder.setInsertionPoint(island);
    auto procedureRef = SymbolRefAttr::get(builder.getContext(), name,
                                           {FlatSymbolRefAttr::get(builder.getContext(), procedure.getName())});
    auto eval = builder.create<EvalOp>(island.getLoc(), island.getResultTypes(), procedureRef,
                                       FlatSymbolRefAttr::get(twin), island.getInputs());
    island.replaceAllUsesWith(eval.getResults());
    island.erase();
  }

  /// Outlines the run in front of an update of a state, with the constants that the update reads.
  void outlineBefore(Operation *update, SmallVector<Operation *> &run) {
    for (OpOperand &operand : update->getOpOperands())
      if (isConstantExpr(operand.get())) {
        builder.setInsertionPoint(update);
        IRMapping own; // others keep theirs
        operand.set(cloneConstantExpr(builder, operand.get(), own));
        run.push_back(operand.get().getDefiningOp());
      }
    outlineHost(run);
  }

  /// Outlines a run of CPU ops, which stand together in the plan, into one function.
  void outlineHost(SmallVector<Operation *> &run) {
    if (run.empty())
      return;
    llvm::SmallPtrSet<Operation *, 16> members(run.begin(), run.end());
    auto [inputValues, resultValues] = borderOf(run);
    auto type = builder.getFunctionType(ValueRange(inputValues).getTypes(), ValueRange(resultValues).getTypes());
    builder.setInsertionPointToEnd(module.getBody());
    std::string name = (plan.getName() + "_host_" + Twine(hosts++)).str();
    auto function = builder.create<func::FuncOp>(run.front()->getLoc(), name, type);
    function.setPrivate();
    attrs::role.set(function, builder.getStringAttr("host"));
    Block *body = function.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    mapping.map(inputValues, body->getArguments());
    for (Operation *op : run) {
      for (Value operand : op->getOperands())
        if (isConstantExpr(operand))
          cloneConstantExpr(builder, operand, mapping);
      // A returned constant may have been cloned as an operand before.
      if (op->getNumResults() == 0 || !mapping.contains(op->getResult(0)))
        builder.clone(*op, mapping);
    }
    SmallVector<Value> returned;
    for (Value result : resultValues)
      returned.push_back(mapping.lookup(result));
    builder.create<func::ReturnOp>(function.getLoc(), returned);

    builder.setInsertionPointAfter(run.back());
    auto call = builder.create<func::CallOp>(run.front()->getLoc(), function, inputValues);
    for (auto [result, replacement] : llvm::zip_equal(resultValues, call.getResults()))
      result.replaceUsesWithIf(replacement, [&](OpOperand &use) {
        // Constant expressions are copied to where they are read.
        return !members.contains(use.getOwner()) && !isConstantExpr(use.getOwner());
      });
    for (Operation *op : llvm::reverse(run))
      if (op->use_empty())
        op->erase();
    run.clear();
  }

  void eraseDeadConstants() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(plan.front())))
      if (op.use_empty() && isConstantExpr(&op))
        op.erase();
  }

  func::FuncOp plan;
  ModuleOp module;
  OpBuilder builder;
  unsigned programs = 0, hosts = 0;
};

struct Partition : mlir::ane::impl::PartitionBase<Partition> {
  using PartitionBase::PartitionBase;
  void runOnOperation() override {
    SmallVector<func::FuncOp> plans(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp plan : plans) {
      if (plan.isPrivate() || plan.isExternal() || !plan.getBody().hasOneBlock())
        continue;
      for (auto island : plan.getOps<IslandOp>())
        if (island.getEngine().empty()) {
          island.emitOpError("has no engine body: run ane-legalize-islands first");
          return signalPassFailure();
        }
      if (failed(verifyStateOrder(plan.front())))
        return signalPassFailure();
      Partitioner(plan).run();
      attrs::role.set(plan, StringAttr::get(&getContext(), "plan"));
    }
  }
};
} // namespace
