//===- Elementwise.td - element-wise arithmetic -------------------------===//
#ifndef ANE_IR_OPS_ELEMENTWISE_TD
#define ANE_IR_OPS_ELEMENTWISE_TD

include "ane/IR/ANEBase.td"

class ANE_BinaryOp<string mnemonic, list<Trait> traits = []> : ANE_MILOp<mnemonic, traits> {
  let arguments = (ins ANE_Tensor:$x, ANE_Tensor:$y);
  let results = (outs ANE_Tensor:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x) `,` type($y)";
}

def ANE_AddOp : ANE_BinaryOp<"add", [Commutative]> {
  let summary = "x + y, with NumPy broadcasting";
}

#endif // ANE_IR_OPS_ELEMENTWISE_TD
