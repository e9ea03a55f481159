//===- HostCluster.cpp - ops into kernels ---------------------------------===//

#include "Cluster.h"
#include "RowOps.h"
#include "ane/Host/Passes.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::ane {
#define GEN_PASS_DEF_HOSTCLUSTER
#include "ane/Host/HostPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

/// Moves clusters into kernels at the end of a function, one after the other.
class KernelMaker {
public:
  explicit KernelMaker(func::FuncOp function) : block(function.front()), builder(block.getTerminator()) {}
  /// `clusters` in the order in which they run.
  void run(ArrayRef<Cluster> clusters);

private:
  Block &block;
  OpBuilder builder;
  /// Views that are copied, since strides can't express what reads them.
  DenseMap<Value, Value> copies;

  /// A kernel that grows: values from outside are mapped to arguments, and the views on them are cloned.
  struct Draft {
    KernelKind kind;
    Location loc;
    Region region;
    SmallVector<Value> inputs;
    IRMapping inside;
    Draft(KernelKind kind, Location loc) : kind(kind), loc(loc) { region.emplaceBlock(); }
  };
  Value argument(Draft &draft, Value value);
  Value inside(Draft &draft, Value value, bool inCode);
  void readCopy(Operation *view);
  KernelOp finish(Draft &draft, ValueRange written);
  void make(const Cluster &cluster);
};

} // namespace

Value KernelMaker::argument(Draft &draft, Value value) {
  draft.inputs.push_back(value);
  Value argument = draft.region.addArgument(value.getType(), value.getLoc());
  draft.inside.map(value, argument);
  return argument;
}

/// What stands for `value` in the kernel. `inCode`: a number that all elements of a constant are is part of the code.
Value KernelMaker::inside(Draft &draft, Value value, bool inCode) {
  if (Value known = draft.inside.lookupOrNull(value))
    return known;
  Operation *producer = value.getDefiningOp();
  if (!isView(producer) && !(inCode && splatConstant(value)))
    return argument(draft, value);
  if (isView(producer))
    readCopy(producer);
  for (Value operand : producer->getOperands())
    inside(draft, operand, inCode);
  Operation *clone = producer->clone(draft.inside);
  draft.region.front().push_back(clone);
  draft.inside.map(producer->getResults(), clone->getResults());
  return draft.inside.lookup(value);
}

/// Lets `view` read a copy of its operand where strides can't express both.
void KernelMaker::readCopy(Operation *view) {
  Value operand = view->getOperand(0);
  if (!isView(operand.getDefiningOp()) || isStrided(view))
    return;
  if (!copies.contains(operand)) {
    Draft draft(KernelKind::Copy, operand.getLoc());
    inside(draft, operand, /*inCode=*/true);
    copies[operand] = finish(draft, operand).getResult(0);
  }
  view->setOperand(0, copies[operand]);
}

KernelOp KernelMaker::finish(Draft &draft, ValueRange written) {
  SmallVector<Value> yielded;
  for (Value value : written)
    yielded.push_back(inside(draft, value, /*inCode=*/false));
  OpBuilder end(builder.getContext());
  end.setInsertionPointToEnd(&draft.region.front());
  end.create<KernelYieldOp>(draft.loc, yielded);
  auto kernel = builder.create<KernelOp>(draft.loc, written.getTypes(), draft.kind, draft.inputs);
  kernel.getBody().takeBody(draft.region);
  return kernel;
}

void KernelMaker::make(const Cluster &cluster) {
  SmallVector<Value> written(cluster.ops.front()->getResults());
  if (cluster.isRow() || cluster.isProduct()) {
    written.clear();
    FailureOr<RowProgram> program = cluster.program(cluster.ops);
    for (const RowOutput &output : program->outputs)
      written.push_back(output.result);
  }
  Draft draft(cluster.kind, cluster.ops.front()->getLoc());
  for (Operation *op : cluster.ops) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(inside(draft, operand.get(), /*inCode=*/isRowOp(op) && !isGather(op)));
    op->remove();
    draft.region.front().push_back(op);
    draft.inside.map(op->getResults(), op->getResults());
  }
  KernelOp kernel = finish(draft, written);
  for (auto [value, result] : llvm::zip_equal(written, kernel.getResults()))
    value.replaceUsesWithIf(result, [&](OpOperand &use) { return use.getOwner()->getBlock() != &kernel.getBlock(); });
}

void KernelMaker::run(ArrayRef<Cluster> clusters) {
  for (const Cluster &cluster : clusters)
    make(cluster);
  Operation *end = block.getTerminator();
  for (Value result : end->getOperands())
    for (Operation *op = result.getDefiningOp(); isView(op); op = op->getOperand(0).getDefiningOp())
      readCopy(op);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && (isView(&op) || isWeight(&op)))
      op.erase();
  for (KernelOp kernel : block.getOps<KernelOp>())
    if (Value data = kernel.getScattered())
      kernel.setInPlace(data.getDefiningOp<KernelOp>() && data.hasOneUse() &&
                        memoryOrder(data) == memoryOrder(kernel.getResult(0)));
  // What is left are views of what is returned.
  SmallVector<Operation *> views;
  for (Operation &op : block)
    if (isView(&op))
      views.push_back(&op);
  for (Operation *op : views)
    op->moveBefore(end);
}

namespace {
struct HostCluster : mlir::ane::impl::HostClusterBase<HostCluster> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getOps<KernelOp>().empty())
      return; // done before
    FailureOr<std::vector<Cluster>> clusters = formClusters(function);
    if (failed(clusters))
      return signalPassFailure();
    KernelMaker(function).run(*clusters);
  }
};
} // namespace
