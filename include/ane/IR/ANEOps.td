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

def ActivationDoc : OpDocGroup { let summary = "Activations"; }
let opDocGroup = ActivationDoc in { include "ane/IR/Ops/Activation.td" }

def LinearDoc : OpDocGroup { let summary = "Matrix products"; }
let opDocGroup = LinearDoc in { include "ane/IR/Ops/Linear.td" }

def NormDoc : OpDocGroup { let summary = "Normalisation"; }
let opDocGroup = NormDoc in { include "ane/IR/Ops/Norm.td" }

def ReduceDoc : OpDocGroup { let summary = "Reductions"; }
let opDocGroup = ReduceDoc in { include "ane/IR/Ops/Reduce.td" }

def ShapeDoc : OpDocGroup { let summary = "Shape and layout"; }
let opDocGroup = ShapeDoc in { include "ane/IR/Ops/Shape.td" }

def GatherDoc : OpDocGroup { let summary = "Indexing and ordering"; }
let opDocGroup = GatherDoc in { include "ane/IR/Ops/Gather.td" }

def AttentionDoc : OpDocGroup { let summary = "Attention"; }
let opDocGroup = AttentionDoc in { include "ane/IR/Ops/Attention.td" }

def ConversionDoc : OpDocGroup { let summary = "Casts and generated tensors"; }
let opDocGroup = ConversionDoc in { include "ane/IR/Ops/Conversion.td" }

#endif // ANE_IR_ANEOPS_TD
