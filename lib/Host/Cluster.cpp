//===- Cluster.cpp - which ops become one kernel --------------------------===//

#include "Cluster.h"
#include "Elementwise.h"
#include "Kernel.h"
#include "Product.h"
#include "RowOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

class ClusterBuilder {
public:
  FailureOr<std::vector<Cluster>> run(func::FuncOp function);

private:
  /// Fused programs beyond this size gain nothing and cost compile time.
  static constexpr size_t maxOps = 64;

  /// Clusters by number; a merged one is empty.
  std::vector<Cluster> clusters;
  /// Of each cluster: those that read its results (a merged one stands for what it has become), and a number above
  /// those of all clusters that it reads, so that a search for what it depends on ends where numbers get too small.
  std::vector<llvm::SmallSetVector<unsigned, 4>> readers;
  std::vector<uint64_t> rank;
  uint64_t highestRank = 0;
  DenseMap<Operation *, unsigned> clusterOf;
  DenseMap<Operation *, unsigned> order;

  SmallVector<unsigned> producers(Operation *op);
  unsigned open(Cluster cluster, ArrayRef<unsigned> operands);
  void join(Operation *op, unsigned cluster, ArrayRef<unsigned> operands);
  void raise(unsigned cluster);
  bool dependsOn(unsigned cluster, unsigned on);
  bool dependsOn(unsigned cluster, unsigned on, llvm::SmallDenseSet<unsigned> &seen);
  bool canJoin(Operation *op, unsigned cluster, ArrayRef<unsigned> operands);
  bool tryMerge(unsigned into, unsigned from);
  LogicalResult place(Operation *op);
  LogicalResult placeAlone(Operation *op);
  bool fits(const Cluster &cluster, ArrayRef<Operation *> ops);
};

} // namespace

/// Clusters whose results `op` reads, each once, the latest first.
SmallVector<unsigned> ClusterBuilder::producers(Operation *op) {
  llvm::SetVector<unsigned> result;
  // Through all views, also those that must be materialised.
  SmallVector<Value> work(op->getOperands());
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *producer = work[i].getDefiningOp();
    if (!producer)
      continue;
    if (isView(producer))
      work.append(producer->operand_begin(), producer->operand_end());
    else if (auto it = clusterOf.find(producer); it != clusterOf.end())
      result.insert(it->second);
  }
  SmallVector<unsigned> sorted = llvm::to_vector(result.getArrayRef());
  llvm::sort(sorted, std::greater<unsigned>());
  return sorted;
}

/// A new cluster, whose first op reads results of `operands`.
unsigned ClusterBuilder::open(Cluster cluster, ArrayRef<unsigned> operands) {
  unsigned number = clusters.size();
  for (Operation *op : cluster.ops)
    clusterOf[op] = number;
  clusters.push_back(std::move(cluster));
  readers.emplace_back();
  rank.push_back(++highestRank);
  for (unsigned operand : operands)
    readers[operand].insert(number);
  return number;
}

/// Adds `op`, which reads results of `operands`.
void ClusterBuilder::join(Operation *op, unsigned cluster, ArrayRef<unsigned> operands) {
  clusters[cluster].ops.push_back(op);
  clusterOf[op] = cluster;
  bool isAbove = true;
  for (unsigned operand : operands)
    if (operand != cluster) {
      readers[operand].insert(cluster);
      isAbove &= rank[operand] < rank[cluster];
    }
  if (!isAbove)
    raise(cluster);
}

/// Ranks a cluster above all but those that depend on it, which come behind it.
void ClusterBuilder::raise(unsigned cluster) {
  SmallVector<unsigned> order; // readers first
  llvm::SmallDenseSet<unsigned> seen;
  std::function<void(unsigned)> visit = [&](unsigned number) {
    if (!seen.insert(number).second)
      return;
    for (unsigned reader : readers[number])
      visit(reader);
    order.push_back(number);
  };
  visit(cluster);
  for (unsigned number : llvm::reverse(order))
    rank[number] = ++highestRank;
}

bool ClusterBuilder::dependsOn(unsigned cluster, unsigned on, llvm::SmallDenseSet<unsigned> &seen) {
  if (cluster == on)
    return true;
  if (rank[cluster] < rank[on] || !seen.insert(cluster).second)
    return false;
  for (Operation *op : clusters[cluster].ops)
    for (unsigned producer : producers(op))
      if (producer != cluster && dependsOn(producer, on, seen))
        return true;
  return false;
}

bool ClusterBuilder::dependsOn(unsigned cluster, unsigned on) {
  llvm::SmallDenseSet<unsigned> seen;
  return dependsOn(cluster, on, seen);
}

FailureOr<RowProgram> Cluster::program(ArrayRef<Operation *> ops) const {
  return isProduct() ? buildRowProgram(ops.drop_front(), ops.front()->getResult(0)) : buildRowProgram(ops);
}

bool ClusterBuilder::fits(const Cluster &cluster, ArrayRef<Operation *> ops) {
  if (ops.size() > maxOps)
    return false;
  FailureOr<RowProgram> program = cluster.program(ops);
  // What is packed can't be read as it is.
  return succeeded(program) && !(cluster.packed && llvm::is_contained(program->inputs(), cluster.packed));
}

bool ClusterBuilder::canJoin(Operation *op, unsigned number, ArrayRef<unsigned> operands) {
  const Cluster &cluster = clusters[number];
  if (!(cluster.isRow() || (cluster.isProduct() && lookupElementwise(op))))
    return false;
  // An operand that is computed from the cluster outside of it would close a cycle.
  for (unsigned other : operands)
    if (other != number && dependsOn(other, number))
      return false;
  SmallVector<Operation *> ops(cluster.ops);
  ops.push_back(op);
  return fits(cluster, ops);
}

bool ClusterBuilder::tryMerge(unsigned into, unsigned from) {
  if (!clusters[into].isRow() || !clusters[from].isRow())
    return false;
  auto pathBetween = [&](unsigned a, unsigned b) {
    // From a to b through a third cluster.
    for (Operation *op : clusters[a].ops)
      for (unsigned producer : producers(op))
        if (producer != a && producer != b && dependsOn(producer, b))
          return true;
    return false;
  };
  if (pathBetween(into, from) || pathBetween(from, into))
    return false;
  SmallVector<Operation *> ops(clusters[into].ops);
  ops.append(clusters[from].ops);
  llvm::sort(ops, [&](Operation *a, Operation *b) { return order[a] < order[b]; });
  if (!fits(clusters[into], ops))
    return false;
  for (Operation *op : clusters[from].ops)
    clusterOf[op] = into;
  clusters[into].ops = ops;
  clusters[from].ops.clear();
  // Whose results `from` read, `into` reads now; it keeps a number there, as a step on the way.
  for (unsigned reader : readers[from])
    if (reader != into)
      readers[into].insert(reader);
  readers[from].clear();
  readers[from].insert(into);
  readers[into].remove(from);
  raise(into);
  return true;
}

/// Products, and ops with loops of their own.
LogicalResult ClusterBuilder::placeAlone(Operation *op) {
  Cluster cluster{KernelKind::Product, {op}};
  std::optional<KernelKind> kind = productKind(op);
  if (kind == KernelKind::Product) {
    FailureOr<Product> product = describeProduct(op);
    if (failed(product) || !product->fits())
      kind = std::nullopt;
    else if (product->weight)
      cluster.packed = product->y;
  } else if (kind == KernelKind::Depthwise) {
    cluster.packed = trace(op->getOperand(1)).root;
  }
  if (!kind)
    kind = loopKind(op);
  if (!kind)
    return op->emitOpError() << "has no CPU lowering (operands " << op->getOperandTypes() << ", results "
                             << op->getResultTypes() << ")";
  cluster.kind = *kind;
  open(std::move(cluster), producers(op));
  return success();
}

LogicalResult ClusterBuilder::place(Operation *op) {
  if (!isRowOp(op) || !fits({KernelKind::Row, {}}, op))
    return placeAlone(op);
  SmallVector<unsigned> operands = producers(op);
  // A matrix product first: its result is still in registers.
  llvm::stable_sort(operands,
                    [&](unsigned a, unsigned b) { return clusters[a].isProduct() > clusters[b].isProduct(); });
  for (unsigned number : operands)
    if (canJoin(op, number, operands)) {
      join(op, number, operands);
      for (unsigned other : operands)
        if (other != number)
          tryMerge(number, other);
      return success();
    }
  open({KernelKind::Row, {op}}, operands);
  return success();
}

FailureOr<std::vector<Cluster>> ClusterBuilder::run(func::FuncOp function) {
  for (Operation &op : function.getBody().front().without_terminator()) {
    order[&op] = order.size();
    if (!isWeight(&op) && !isView(&op) && failed(place(&op)))
      return failure();
  }
  // Depth first, producers before consumers.
  std::vector<Cluster> result;
  SmallVector<bool> done(clusters.size(), false);
  std::function<void(unsigned)> visit = [&](unsigned number) {
    if (done[number] || clusters[number].ops.empty())
      return;
    done[number] = true;
    for (Operation *op : clusters[number].ops) {
      SmallVector<unsigned> first = producers(op);
      for (unsigned producer : llvm::reverse(first))
        visit(producer);
    }
    Cluster &cluster = result.emplace_back(std::move(clusters[number]));
    if (cluster.isRow() && llvm::none_of(cluster.ops, isRowReduction))
      cluster.kind = KernelKind::Elementwise;
  };
  for (unsigned number = 0; number < clusters.size(); ++number)
    visit(number);
  return result;
}

FailureOr<std::vector<Cluster>> host::formClusters(func::FuncOp function) { return ClusterBuilder().run(function); }
