//===- StateOrder.cpp - the order of accesses to states -------------------===//

#include "ane/Transforms/StateOrder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Walks a body once; every fault is one error.
class Order {
public:
  LogicalResult verify(Block &body) {
    for (Operation &op : body) {
      for (Value operand : op.getOperands())
        if (auto read = operand.getDefiningOp<ReadStateOp>())
          checkUse(op, stateOf(read));
      if (!isStateAccess(&op))
        continue;
      Operation *changer = changers.lookup(stateOf(&op));
      if (changer && isa<ReadStateOp>(op))
        fault(op, changer, "reads", "behind a write: read it before, or use the value that was written");
      else if (changer)
        fault(op, changer, "writes", "once more: write its last value only");
      else if (!isa<ReadStateOp>(op))
        changers[stateOf(&op)] = &op;
    }
    for (auto [op, state] : atEnd)
      if (Operation *changer = changers.lookup(state); isa_and_nonnull<UpdateStateOp>(changer))
        fault(*op, changer, "uses the old value of", "that is updated in place: use the new one");
    return success(holds);
  }

private:
  /// Of the old value of `state`. Writes are moved to the end, where the runtime makes them.
  void checkUse(Operation &op, StringAttr state) {
    Operation *changer = changers.lookup(state);
    if (isa<WriteStateOp>(op) || op.hasTrait<OpTrait::IsTerminator>())
      atEnd.insert({&op, state});
    else if (isa_and_nonnull<UpdateStateOp>(changer))
      fault(op, changer, "uses the old value of", "behind its update in place: use it before, or the new one");
  }

  void fault(Operation &op, Operation *changer, StringRef does, StringRef why) {
    InFlightDiagnostic error = op.emitOpError() << does << " state '" << stateOf(changer).getValue() << "' " << why;
    error.attachNote(changer->getLoc()) << "it is " << (isa<UpdateStateOp>(changer) ? "updated" : "written") << " here";
    holds = false;
  }

  llvm::SmallDenseMap<StringAttr, Operation *> changers;
  llvm::SmallSetVector<std::pair<Operation *, StringAttr>, 4> atEnd;
  bool holds = true;
};
} // namespace

LogicalResult mlir::ane::verifyStateOrder(Block &body) { return Order().verify(body); }
