//===- Reduce.td - reductions -------------------------------------------===//
#ifndef ANE_IR_OPS_REDUCE_TD
#define ANE_IR_OPS_REDUCE_TD

include "ane/IR/ANEBase.td"

class ANE_ReduceOp<string kind, string text> : ANE_MILOp<"reduce_" # kind, [ReductionOpInterface]> {
  let summary = text # " over axes (all by default)";
  let description = "Reduced axes are dropped, or stay with size 1 if `keep_dims`.";
  let arguments = (ins ANE_NumberTensor:$x, ANE_OptInts:$axes, ANE_DefaultBool<"false">:$keep_dims);
  let results = (outs ANE_NumberTensor:$result);
  let inference = "inferReduce(loc, adaptor.getX(), adaptor.getAxes(), adaptor.getKeepDims(), types)";
  let axesOf = "getX()";
  let flops = "getX().getType().getNumElements()";
  let groups = [Reductions];
}

def ANE_ReduceSumOp : ANE_ReduceOp<"sum", "sum of x"> { let hasFolder = 1; }
def ANE_ReduceMeanOp : ANE_ReduceOp<"mean", "mean of x"> {
  let range = "x";
  let hasFolder = 1;
}
def ANE_ReduceMaxOp : ANE_ReduceOp<"max", "maximum of x"> {
  let range = "x";
  let hasFolder = 1;
}
def ANE_ReduceMinOp : ANE_ReduceOp<"min", "minimum of x"> {
  let range = "x";
  let hasFolder = 1;
}
def ANE_ReduceProdOp : ANE_ReduceOp<"prod", "product of x"> { let hasFolder = 1; }
def ANE_ReduceSumSquareOp : ANE_ReduceOp<"sum_square", "sum of x^2">;
def ANE_ReduceL1NormOp : ANE_ReduceOp<"l1_norm", "sum of |x|">;
def ANE_ReduceL2NormOp : ANE_ReduceOp<"l2_norm", "square root of the sum of x^2">;
def ANE_ReduceLogSumOp : ANE_ReduceOp<"log_sum", "logarithm of the sum of x">;
def ANE_ReduceLogSumExpOp : ANE_ReduceOp<"log_sum_exp", "logarithm of the sum of e^x">;

class ANE_ReduceArgOp<string kind, string text> : ANE_MILOp<"reduce_arg" # kind> {
  let summary = "index of the first " # text # " of x along axis";
  let description = [{
    The index is int32 unless `output_dtype` says otherwise (MIL: `int32` or `uint16`, from ios17).
  }];
  let arguments = (ins ANE_NumberTensor:$x, ANE_DefaultInt<"-1">:$axis, ANE_DefaultBool<"false">:$keep_dims,
                       ANE_FromIos17<ANE_OptStr>:$output_dtype);
  let results = (outs ANE_IndexTensor:$result);
  let inference = "inferReduceArg(loc, adaptor.getX(), adaptor.getAxis(), adaptor.getKeepDims(), "
                  "adaptor.getOutputDtype(), types)";
  let axesOf = "getX()";
  let flops = "getX().getType().getNumElements()";
}

def ANE_ReduceArgmaxOp : ANE_ReduceArgOp<"max", "maximum">;
def ANE_ReduceArgminOp : ANE_ReduceArgOp<"min", "minimum">;

#endif // ANE_IR_OPS_REDUCE_TD
