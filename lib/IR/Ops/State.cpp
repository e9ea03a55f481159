//===- State.cpp - access to states ---------------------------------------===//

#include "ane/IR/StateAccess.h"

using namespace mlir;
using namespace mlir::ane;

//===-- effects -----------------------------------------------------------===//

StateAccess mlir::ane::stateAccessOf(Operation *op) {
  StateAccess access;
  auto effecting = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effecting)
    return access;
  SmallVector<MemoryEffects::EffectInstance, 2> effects;
  effecting.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getResource() != StateResource::get())
      continue;
    access.state = effect.getSymbolRef().getLeafReference();
    access.reads |= isa<MemoryEffects::Read>(effect.getEffect());
    access.writes |= isa<MemoryEffects::Write>(effect.getEffect());
  }
  return access;
}

bool mlir::ane::isStateAccess(Operation *op) { return bool(stateAccessOf(op)); }

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

template <typename Effect>
static void addEffect(Effects &effects, FlatSymbolRefAttr state) {
  effects.emplace_back(Effect::get(), SymbolRefAttr(state), StateResource::get());
}

void ReadStateOp::getEffects(Effects &effects) { addEffect<MemoryEffects::Read>(effects, getInputAttr()); }

void WriteStateOp::getEffects(Effects &effects) { addEffect<MemoryEffects::Write>(effects, getInputAttr()); }

void UpdateStateOp::getEffects(Effects &effects) {
  addEffect<MemoryEffects::Read>(effects, getInputAttr());
  addEffect<MemoryEffects::Write>(effects, getInputAttr());
}

//===-- symbols -----------------------------------------------------------===//

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

LogicalResult UpdateStateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyState(*this, symbols, getInputAttr(), getResult().getType())))
    return failure();
  auto state = cast<RankedTensorType>(getResult().getType()), window = cast<RankedTensorType>(getWindow().getType());
  int64_t rank = state.getRank(), axis = getAxis();
  if (axis < 0 || axis >= rank)
    return emitOpError() << "axis is " << axis << ", the state has rank " << rank;
  SmallVector<int64_t> expected(state.getShape());
  if (window.getRank() == rank && window.getDimSize(axis) <= expected[axis])
    expected[axis] = window.getDimSize(axis);
  if (window != RankedTensorType::get(expected, state.getElementType()))
    return emitOpError() << "window has type " << window << ", the state " << state << ": they may differ along axis "
                         << axis << " only, where the window is not larger";
  int64_t positions = cast<RankedTensorType>(getPosition().getType()).getNumElements();
  if (positions != 1 && positions != window.getDimSize(axis))
    return emitOpError() << "position has type " << getPosition().getType()
                         << ", expected one number, or one for each of the " << window.getDimSize(axis) << " entries";
  if (getSkipOutside() && window.getDimSize(axis) != 1)
    return emitOpError() << "skip_outside is for windows of one entry, this one has " << window.getDimSize(axis);
  return success();
}
