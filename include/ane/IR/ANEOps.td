//===- ANEOps.td - all ops of the ane dialect ---------------------------===//
// One file per family under Ops/; this file only includes them.
#ifndef ANE_IR_ANEOPS_TD
#define ANE_IR_ANEOPS_TD

// Included before the groups: `let opDocGroup` may meet ops only.
include "ane/IR/ANEBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def StructureDoc : OpDocGroup { let summary = "Constants and containers"; }
let opDocGroup = StructureDoc in { include "ane/IR/Ops/Structure.td" }

def ElementwiseDoc : OpDocGroup { let summary = "Element-wise arithmetic"; }
let opDocGroup = ElementwiseDoc in { include "ane/IR/Ops/Elementwise.td" }

#endif // ANE_IR_ANEOPS_TD
