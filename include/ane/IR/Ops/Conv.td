//===- Conv.td - convolutions -------------------------------------------===//
#ifndef ANE_IR_OPS_CONV_TD
#define ANE_IR_OPS_CONV_TD

include "ane/IR/ANEBase.td"

class ANE_ConvBase<string mnemonic, dag parameters> : ANE_MILOp<mnemonic> {
  let arguments = !con((ins ANE_FloatTensor:$x, ANE_Tensor:$weight, Optional<ANE_FloatTensor>:$bias,
                            ANE_OptInts:$strides, ANE_DefaultStr<"valid">:$pad_type, ANE_OptInts:$pad,
                            ANE_OptInts:$dilations, ANE_DefaultInt<"1">:$groups), parameters);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$x `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, results)";
  let extraDeclarations = [{
    int64_t getFlops();
    /// Kernel, strides, dilations, padding and output size per spatial axis, resolved.
    ::mlir::ane::Window getWindow();
  }];
}

def ANE_ConvOp : ANE_ConvBase<"conv", (ins)> {
  let summary = "convolution; x [N, Cin, D...], weight [Cout, Cin / groups, K...], bias [Cout] -> [N, Cout, D'...]";
  let description = [{
    One to three spatial axes. `pad_type`: `valid` (no padding), `same` and `same_lower` (D' = ceil(D / stride), an odd
    element of padding after or before), `custom` (`pad` holds before and after, interleaved). Strides and dilations
    are 1 by default.
  }];
}

def ANE_ConvTransposeOp : ANE_ConvBase<"conv_transpose", (ins ANE_OptInts:$output_shape)> {
  let summary = "transposed convolution; x [N, Cin, D...], weight [Cin, Cout / groups, K...], bias [Cout]";
  let description = [{
    D' = (D - 1) stride + (K - 1) dilation + 1 - padding; `output_shape` ([N, Cout, D'...]) picks among the sizes that
    the strides allow, `same` without it means D stride.
  }];
}

#endif // ANE_IR_OPS_CONV_TD
