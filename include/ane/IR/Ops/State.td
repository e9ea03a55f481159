//===- State.td - access to states --------------------------------------===//
#ifndef ANE_IR_OPS_STATE_TD
#define ANE_IR_OPS_STATE_TD

include "ane/IR/ANEBase.td"

/// Its effects are on the resource of states, each with the symbol of the state (ane/IR/StateAccess.h).
class ANE_StateAccessOp<string mnemonic, list<Trait> traits = []>
    : ANE_Op<mnemonic, [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>] # traits> {
  let flops = "0";
}

class ANE_MILStateAccessOp<string mnemonic> : ANE_StateAccessOp<mnemonic, [MILSpellingOpInterface]> {
  let extraClassDeclaration = MILSpelling<mnemonic, arguments, "ios18">.declarations # ownDeclarations;
}

def ANE_ReadStateOp : ANE_MILStateAccessOp<"read_state"> {
  let summary = "the value of a state";
  let description = "`input` names an `ane.state`, whose type the result has.";
  let arguments = (ins FlatSymbolRefAttr:$input);
  let results = (outs ANE_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def ANE_WriteStateOp : ANE_MILStateAccessOp<"write_state"> {
  let summary = "replaces the value of a state";
  let description = "`input` names an `ane.state`, whose type the data has.";
  let arguments = (ins FlatSymbolRefAttr:$input, ANE_Tensor:$data);
  let assemblyFormat = "$input `,` $data attr-dict `:` type($data)";
}

def ANE_UpdateStateOp : ANE_StateAccessOp<"update_state"> {
  let summary = "replaces a window of a state in place, and gives the state's new value";
  let description = [{
    Along `axis` the elements from `position` on become those of `window`, whose other sizes are the state's; or, with a position
    for each entry of the window, those there, in their order. Where an entry would stand out the run fails, with all states as they were; with `skip_outside`, for one entry only, nothing is written.
    The result is the state's memory and no copy, so that nothing may use the old value behind this op (`ane-verify-phase`).

    ```mlir
    %keys = ane.update_state @past.0.key, %new at %position axis 2
        : (tensor<1x4x1x8xf32>, tensor<i64>) -> tensor<1x4x64x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$input, ANE_Tensor:$window, ANE_IndexTensor:$position, ANE_Int:$axis,
                       UnitAttr:$skip_outside);
  let results = (outs ANE_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $window `at` $position `axis` $axis attr-dict `:` functional-type(operands, results)
  }];
}

#endif // ANE_IR_OPS_STATE_TD
