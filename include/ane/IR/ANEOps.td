//===- ANEOps.td - all ops of the ane dialect ---------------------------===//
// One file per family under Ops/; this file only includes them.
#ifndef ANE_IR_ANEOPS_TD
#define ANE_IR_ANEOPS_TD

// Included before the groups: `let opDocGroup` may meet ops only.
include "ane/IR/ANEBase.td"
include "ane/IR/BlockType.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

/// A chapter of docs/generated/ops.md. The generator wants a description, too.
class ANE_DocGroup<string text> : OpDocGroup {
  let summary = text;
  let description = "";
}

def StructureDoc : ANE_DocGroup<"Constants and containers">;
let opDocGroup = StructureDoc in { include "ane/IR/Ops/Structure.td" }

def ElementwiseDoc : ANE_DocGroup<"Element-wise arithmetic">;
let opDocGroup = ElementwiseDoc in { include "ane/IR/Ops/Elementwise.td" }

def ActivationDoc : ANE_DocGroup<"Activations">;
let opDocGroup = ActivationDoc in { include "ane/IR/Ops/Activation.td" }

def LinearDoc : ANE_DocGroup<"Matrix products">;
let opDocGroup = LinearDoc in { include "ane/IR/Ops/Linear.td" }

def ConvDoc : ANE_DocGroup<"Convolutions">;
let opDocGroup = ConvDoc in { include "ane/IR/Ops/Conv.td" }

def PoolDoc : ANE_DocGroup<"Pooling">;
let opDocGroup = PoolDoc in { include "ane/IR/Ops/Pool.td" }

def NormDoc : ANE_DocGroup<"Normalisation">;
let opDocGroup = NormDoc in { include "ane/IR/Ops/Norm.td" }

def ReduceDoc : ANE_DocGroup<"Reductions">;
let opDocGroup = ReduceDoc in { include "ane/IR/Ops/Reduce.td" }

def ShapeDoc : ANE_DocGroup<"Shape and layout">;
let opDocGroup = ShapeDoc in { include "ane/IR/Ops/Shape.td" }

def GatherDoc : ANE_DocGroup<"Indexing and ordering">;
let opDocGroup = GatherDoc in { include "ane/IR/Ops/Gather.td" }

def AttentionDoc : ANE_DocGroup<"Attention">;
let opDocGroup = AttentionDoc in { include "ane/IR/Ops/Attention.td" }

def ConversionDoc : ANE_DocGroup<"Casts and generated tensors">;
let opDocGroup = ConversionDoc in { include "ane/IR/Ops/Conversion.td" }

def ImageDoc : ANE_DocGroup<"Image resizing">;
let opDocGroup = ImageDoc in { include "ane/IR/Ops/Image.td" }

def RecurrentDoc : ANE_DocGroup<"Recurrent networks">;
let opDocGroup = RecurrentDoc in { include "ane/IR/Ops/Recurrent.td" }

def QuantDoc : ANE_DocGroup<"Quantisation and compressed constants">;
let opDocGroup = QuantDoc in { include "ane/IR/Ops/Quant.td" }

def BlocksDoc : ANE_DocGroup<"Constants in the blocks of model files">;
let opDocGroup = BlocksDoc in { include "ane/IR/Ops/Blocks.td" }

def StateDoc : ANE_DocGroup<"States">;
let opDocGroup = StateDoc in { include "ane/IR/Ops/State.td" }

def LayoutDoc : ANE_DocGroup<"Relayouts and blobs">;
let opDocGroup = LayoutDoc in { include "ane/IR/Ops/Layout.td" }

#endif // ANE_IR_ANEOPS_TD
