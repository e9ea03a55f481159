//===- StateOrder.cpp - the order of accesses to states -------------------===//

#include "ane/Transforms/StateOrder.h"

using namespace mlir;
using namespace mlir::ane;

bool mlir::ane::isStateAccess(Operation *op) { return isa<ReadStateOp, WriteStateOp>(op); }

LogicalResult mlir::ane::verifyStateOrder(Block &body) {
  llvm::SmallDenseMap<StringAttr, WriteStateOp> writers;
  bool holds = true;
  auto fault = [&](Operation *op, WriteStateOp writer, const Twine &what) {
    InFlightDiagnostic error = op->emitOpError() << what;
    error.attachNote(writer.getLoc()) << "it is written here";
    holds = false;
  };
  for (Operation &op : body) {
    if (auto read = dyn_cast<ReadStateOp>(op)) {
      if (WriteStateOp writer = writers.lookup(read.getInputAttr().getAttr()))
        fault(read, writer,
              "reads state '" + read.getInput() +
                  "' behind a write: read it before, or use the value that was written");
    } else if (auto write = dyn_cast<WriteStateOp>(op)) {
      auto [entry, isFirst] = writers.try_emplace(write.getInputAttr().getAttr(), write);
      if (!isFirst)
        fault(write, entry->second, "writes state '" + write.getInput() + "' once more: write its last value only");
    }
  }
  return success(holds);
}
