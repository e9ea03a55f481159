//===- State.cpp - access to states ---------------------------------------===//

#include "ane/IR/ANE.h"

using namespace mlir;
using namespace mlir::ane;

/// Fails unless `symbol` names a state of type `type`.
static LogicalResult verifyState(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr symbol, Type type) {
  auto state = symbols.lookupNearestSymbolFrom<StateOp>(op, symbol);
  if (!state)
    return op->emitOpError() << symbol << " is not an ane.state";
  if (state.getType() != type)
    return op->emitOpError() << "has type " << type << ", but state " << symbol << " has type " << state.getType();
  return success();
}

LogicalResult ReadStateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyState(*this, symbols, getInputAttr(), getResult().getType());
}

LogicalResult WriteStateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyState(*this, symbols, getInputAttr(), getData().getType());
}
