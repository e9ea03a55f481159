//===- HostLayout.cpp - order of dimensions in memory ---------------------===//

#include "Kernel.h"
#include "Rewrites.h"
#include "ane/Host/Passes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::ane {
#define GEN_PASS_DEF_HOSTLAYOUT
#include "ane/Host/HostPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

static void setOrder(Operation *op, ArrayRef<int64_t> order) {
  op->setAttr(orderMark, DenseI64ArrayAttr::get(op->getContext(), order));
}

/// Batch, space, channels.
static SmallVector<int64_t> channelsLast(int64_t rank) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  order.erase(order.begin() + 1);
  order.push_back(1);
  return order;
}

/// Inserts a copy of operand `i` before `op`, row-major or in the given order.
static void copyOperand(Operation *op, unsigned i, ArrayRef<int64_t> order = {}) {
  OpBuilder b(op);
  Value copy = createCopy(b, op->getLoc(), op->getOperand(i));
  if (!order.empty())
    setOrder(copy.getDefiningOp(), order);
  op->setOperand(i, copy);
}

/// The order in which the elements of `value`, perhaps a view, lie; nothing for row-major ones.
static std::optional<SmallVector<int64_t>> orderSeen(Value value) {
  Access access = trace(value);
  Operation *producer = access.root.getDefiningOp();
  if (!producer || !producer->hasAttr(orderMark))
    return std::nullopt;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, access.shape.size()));
  for (auto [dim, stride] : llvm::zip_equal(access.shape, access.strides))
    if (dim != 1 && stride <= 0)
      return std::nullopt;
  // Dimensions of one element stay in front: the last one is what vectors run over.
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    bool first = access.shape[a] == 1, second = access.shape[b] == 1;
    return first != second ? first : !first && access.strides[a] > access.strides[b];
  });
  if (llvm::is_sorted(order))
    return std::nullopt;
  return order;
}

/// Ops with loops of their own that write elements in any order.
static bool keepsOrder(Operation *op) {
  return isa<ConcatOp, PadOp, MaxPoolOp, AvgPoolOp, L2PoolOp, ConvTransposeOp, TileOp>(op);
}

static bool isChannelConv(Operation *op) { return isDirectConv(op) || isDepthwiseConv(op) || isDirectTransposed(op); }

static std::optional<SmallVector<int64_t>> wantedOrder(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getRank() < 3)
    return std::nullopt;
  if (isChannelConv(op))
    return channelsLast(type.getRank());
  // The padding or copy of a convolution's input is where the order of an image changes.
  for (Operation *user : op->getUsers())
    if (isChannelConv(user) && user->getOperand(0) == op->getResult(0) && keepsOrder(op))
      return channelsLast(type.getRank());
  if (!isRowOp(op) && !keepsOrder(op))
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (shapeOf(operand).size() == static_cast<size_t>(type.getRank()) &&
        (keepsOrder(op) || shapeOf(operand) == type.getShape()))
      if (auto order = orderSeen(operand))
        return order;
  return std::nullopt;
}

/// Whether `op` can't be expressed with its operands and result as they lie.
static bool isMisfit(Operation *op) { return isRowOp(op) && failed(buildRowProgram({op})); }

static void assign(Operation *op) {
  if (isView(op)) {
    if (!isStrided(op) && orderSeen(op->getOperand(0)) && !isView(op->getOperand(0).getDefiningOp()))
      copyOperand(op, 0);
    return;
  }
  // A copy is made for the order that it has.
  if (op->getNumResults() != 1 || isWeight(op) || op->hasAttr(orderMark) || isCopy(op))
    return;
  if (isChannelConv(op)) {
    // Channels of an image lie side by side.
    Access x = trace(op->getOperand(0));
    if (x.shape[1] != 1 && x.strides[1] != 1)
      copyOperand(op, 0, channelsLast(x.shape.size()));
  }
  if (auto order = wantedOrder(op))
    setOrder(op, *order);
  if (!isMisfit(op))
    return;
  op->removeAttr(orderMark);
  for (unsigned i = 0; i < op->getNumOperands() && isMisfit(op); ++i)
    if (orderSeen(op->getOperand(i)))
      copyOperand(op, i);
}

/// A returned value is written by its kernel directly where that is the only returned view of the kernel's result, and
/// shows it element for element.
static void insertCopies(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::SmallPtrSet<void *, 8> taken;
  OpBuilder b(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (numElements(shapeOf(operand.get())) == 0)
      continue; // Nothing is written.
    Access access = trace(operand.get());
    Operation *producer = access.root.getDefiningOp();
    bool direct =
        producer && !isWeight(producer) && access.isDense() && elementOf(access.root) == elementOf(operand.get());
    if (direct && taken.insert(access.root.getAsOpaquePointer()).second)
      continue;
    operand.set(createCopy(b, operand.get().getLoc(), operand.get()));
  }
}

namespace {
struct HostLayout : mlir::ane::impl::HostLayoutBase<HostLayout> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    for (Operation &op : llvm::make_early_inc_range(function.front().without_terminator()))
      assign(&op);
    insertCopies(function);
  }
};
} // namespace
