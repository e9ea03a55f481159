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
        if (StringAttr state = oldValues.lookup(operand))
          checkUse(op, state);
      StateAccess access = stateAccessOf(&op);
      if (!access)
        continue;
      Operation *changer = changers.lookup(access.state);
      if (changer && access.onlyReads())
        fault(op, changer, "reads", "behind a write: read it before, or use the value that was written");
      else if (changer)
        fault(op, changer, "writes", "once more: write its last value only");
      else if (access.writes)
        changers[access.state] = &op;
      if (access.onlyReads())
        for (Value value : op.getResults())
          oldValues[value] = access.state;
    }
    for (auto [op, state] : atEnd)
      if (Operation *changer = changers.lookup(state); changer && stateAccessOf(changer).updates())
        fault(*op, changer, "uses the old value of", "that is updated in place: use the new one");
    return success(holds);
  }

private:
  /// Of the old value of `state`. Writes are moved to the end, where the runtime makes them.
  void checkUse(Operation &op, StringAttr state) {
    Operation *changer = changers.lookup(state);
    if (stateAccessOf(&op).onlyWrites() || op.hasTrait<OpTrait::IsTerminator>())
      atEnd.insert({&op, state});
    else if (changer && stateAccessOf(changer).updates())
      fault(op, changer, "uses the old value of", "behind its update in place: use it before, or the new one");
  }

  void fault(Operation &op, Operation *changer, StringRef does, StringRef why) {
    StateAccess access = stateAccessOf(changer);
    InFlightDiagnostic error = op.emitOpError() << does << " state '" << access.state.getValue() << "' " << why;
    error.attachNote(changer->getLoc()) << "it is " << (access.updates() ? "updated" : "written") << " here";
    holds = false;
  }

  llvm::SmallDenseMap<StringAttr, Operation *> changers;
  llvm::SmallDenseMap<Value, StringAttr> oldValues; // what was read of a state
  llvm::SmallSetVector<std::pair<Operation *, StringAttr>, 4> atEnd;
  bool holds = true;
};
} // namespace

LogicalResult mlir::ane::verifyStateOrder(Block &body) { return Order().verify(body); }
