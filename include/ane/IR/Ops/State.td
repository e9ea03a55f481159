//===- State.td - access to states --------------------------------------===//
#ifndef ANE_IR_OPS_STATE_TD
#define ANE_IR_OPS_STATE_TD

include "ane/IR/ANEBase.td"

class ANE_StateAccessOp<string mnemonic, list<Trait> traits>
    : ANE_Op<mnemonic, [MILSpellingOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>] # traits> {
  let flops = "0";
  let extraClassDeclaration = costDeclaration # MILSpelling<mnemonic, arguments, "ios18">.declarations;
}

def ANE_ReadStateOp : ANE_StateAccessOp<"read_state", [MemoryEffects<[MemRead]>]> {
  let summary = "the value of a state";
  let description = "`input` names an `ane.state`, whose type the result has.";
  let arguments = (ins FlatSymbolRefAttr:$input);
  let results = (outs ANE_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def ANE_WriteStateOp : ANE_StateAccessOp<"write_state", [MemoryEffects<[MemWrite]>]> {
  let summary = "replaces the value of a state";
  let description = "`input` names an `ane.state`, whose type the data has.";
  let arguments = (ins FlatSymbolRefAttr:$input, ANE_Tensor:$data);
  let assemblyFormat = "$input `,` $data attr-dict `:` type($data)";
}

#endif // ANE_IR_OPS_STATE_TD
