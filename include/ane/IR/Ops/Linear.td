//===- Linear.td - matrix products --------------------------------------===//
#ifndef ANE_IR_OPS_LINEAR_TD
#define ANE_IR_OPS_LINEAR_TD

include "ane/IR/ANEBase.td"

def ANE_MatmulOp : ANE_MILOp<"matmul"> {
  let summary = "matrix product of the last two axes, x [..., M, K], y [..., K, N] -> [..., M, N]";
  let description = [{
    Leading axes broadcast as in NumPy. `transpose_x` and `transpose_y` swap the last two axes first. Both operands have
    rank 2 or more: a vector is expanded before and the result squeezed after.
  }];
  let arguments = (ins ANE_NumberTensor:$x, ANE_NumberTensor:$y,
                       ANE_DefaultBool<"false">:$transpose_x, ANE_DefaultBool<"false">:$transpose_y);
  let results = (outs ANE_NumberTensor:$result);
  let extraDeclarations = [{
    int64_t getFlops();
    /// Products that one element of the result sums.
    int64_t getDepth();
  }];
  let range = "(x * y).times(getDepth())";
}

def ANE_LinearOp : ANE_MILOp<"linear", [ANE_Decomposable]> {
  let summary = "x W^T + b; x [..., Din], weight [Dout, Din], bias [Dout] -> [..., Dout]";
  let description = "Decomposes to `matmul` with transpose_y, and `add`.";
  let arguments = (ins ANE_NumberTensor:$x, ANE_NumberTensor:$weight, Optional<ANE_NumberTensor>:$bias);
  let results = (outs ANE_NumberTensor:$result);
  let assemblyFormat = [{
    $x `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraDeclarations = [{
    int64_t getFlops();
    /// Products that one element of the result sums.
    int64_t getDepth();
  }];
  let range = "getBias() ? (x * y).times(getDepth()) + ranges[2] : (x * y).times(getDepth())";
}

def ANE_EinsumOp : ANE_MILOp<"einsum", [ANE_Decomposable]> {
  let summary = "sum of products in Einstein's notation, of one or two tensors";
  let description = [{
    `equation` names each axis of each operand and of the result by a letter, `"nchw,nwhu->nchu"`; letters that the
    result lacks are summed. An operand doesn't repeat a letter. MIL itself takes two patterns only
    (`nchw,nwhu->nchu` and `chw,whr->chr`); everything else decomposes to transposes, reshapes and one `matmul`.
  }];
  let arguments = (ins Variadic<ANE_NumberTensor>:$values, ANE_Str:$equation);
  let results = (outs ANE_NumberTensor:$result);
  let extraDeclarations = [{ int64_t getFlops(); }];
}

#endif // ANE_IR_OPS_LINEAR_TD
