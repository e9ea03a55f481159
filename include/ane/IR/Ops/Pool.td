//===- Pool.td - pooling ------------------------------------------------===//
#ifndef ANE_IR_OPS_POOL_TD
#define ANE_IR_OPS_POOL_TD

include "ane/IR/ANEBase.td"

class ANE_PoolOp<string kind, string text, dag parameters = (ins)> : ANE_MILOp<kind # "_pool"> {
  let summary = text # " of each window; x [N, C, D...]";
  let description = [{
    One to three spatial axes. Strides are 1 by default; `pad_type` and `pad` as in `conv`. `ceil_mode` rounds the number of
    windows up: one or two spatial axes, symmetric padding, pad_type `valid` or `custom`.
  }];
  let arguments = !con((ins ANE_FloatTensor:$x, ANE_Ints:$kernel_sizes, ANE_OptInts:$strides, ANE_Str:$pad_type,
                            ANE_OptInts:$pad, ANE_DefaultBool<"false">:$ceil_mode), parameters);
  let results = (outs ANE_FloatTensor:$result);
  let extraDeclarations = [{
    int64_t getFlops();
    /// Kernel, strides, padding and output size per spatial axis, resolved.
    ::mlir::ane::Window getWindow();
  }];
}

def ANE_MaxPoolOp : ANE_PoolOp<"max", "maximum">;
def ANE_AvgPoolOp : ANE_PoolOp<"avg", "mean", (ins ANE_DefaultBool<"false">:$exclude_padding_from_average)>;
def ANE_L2PoolOp : ANE_PoolOp<"l2", "square root of the sum of squares">;

#endif // ANE_IR_OPS_POOL_TD
