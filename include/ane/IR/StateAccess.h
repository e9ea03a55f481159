//===- StateAccess.h - what ops do to states -------------------*- C++ -*-===//
//
// Reads and writes of states are MLIR's memory effects, on a resource of their own; the symbol of an effect says which
// state it is about. So generic passes keep accesses of one state in order, and ours ask for effects, not for names of
// ops.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_STATEACCESS_H
#define ANE_IR_STATEACCESS_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

struct StateResource : SideEffects::Resource::Base<StateResource> {
  StringRef getName() final { return "ane.state"; }
};

/// What an op does to a state.
struct StateAccess {
  StringAttr state; ///< null: no state is accessed
  bool reads = false, writes = false;

  explicit operator bool() const { return bool(state); }
  bool onlyReads() const { return reads && !writes; }
  bool onlyWrites() const { return writes && !reads; }
  /// The new value follows from the old one, which is gone.
  bool updates() const { return reads && writes; }
};

/// The access of an op, by its effects. An op accesses one state at most.
StateAccess stateAccessOf(Operation *op);

/// Whether an op reads or writes a state. Such ops stand in the plan, and are neither for the engine nor for the CPU.
bool isStateAccess(Operation *op);

} // namespace mlir::ane

#endif // ANE_IR_STATEACCESS_H
