//===- Norm.td - normalisation ------------------------------------------===//
#ifndef ANE_IR_OPS_NORM_TD
#define ANE_IR_OPS_NORM_TD

include "ane/IR/ANEBase.td"

def ANE_LayerNormOp : ANE_MILOp<"layer_norm", [AttrSizedOperandSegments, ANE_Decomposable, ReductionOpInterface]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) * gamma + beta over axes";
  let description = [{
    Mean and (biased) variance are taken over `axes`, all axes by default; gamma and beta have the shape of x along
    those axes.
  }];
  let arguments = (ins ANE_FloatTensor:$x, Optional<ANE_FloatTensor>:$gamma, Optional<ANE_FloatTensor>:$beta,
                       ANE_OptInts:$axes, ANE_DefaultFloat<"1.0e-5">:$epsilon);
  let axesOf = "getX()";
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`gamma` $gamma^)? (`beta` $beta^)? attr-dict `:` functional-type(operands, results)
  }];
  let flops = "8 * getX().getType().getNumElements()";
}

def ANE_BatchNormOp : ANE_MILOp<"batch_norm", [AttrSizedOperandSegments, ANE_Decomposable]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) * gamma + beta per channel; x [N, C, D...], parameters [C]";
  let arguments = (ins ANE_FloatTensor:$x, ANE_FloatTensor:$mean, ANE_FloatTensor:$variance,
                       Optional<ANE_FloatTensor>:$gamma, Optional<ANE_FloatTensor>:$beta,
                       ANE_DefaultFloat<"1.0e-5">:$epsilon);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $mean `,` $variance (`gamma` $gamma^)? (`beta` $beta^)? attr-dict `:` functional-type(operands, results)
  }];
  let flops = "2 * getX().getType().getNumElements()";
}

def ANE_InstanceNormOp : ANE_MILOp<"instance_norm", [AttrSizedOperandSegments, ANE_Decomposable]> {
  let summary = "normalisation of each channel of each batch item over D; x [N, C, D...], gamma and beta [C]";
  let arguments = (ins ANE_FloatTensor:$x, Optional<ANE_FloatTensor>:$gamma, Optional<ANE_FloatTensor>:$beta,
                       ANE_DefaultFloat<"1.0e-5">:$epsilon);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`gamma` $gamma^)? (`beta` $beta^)? attr-dict `:` functional-type(operands, results)
  }];
  let flops = "8 * getX().getType().getNumElements()";
}

def ANE_L2NormOp : ANE_MILOp<"l2_norm", [ANE_Decomposable]> {
  let summary = "x / sqrt(sum(x^2) + epsilon) over the last three axes";
  let arguments = (ins ANE_FloatTensor:$x, ANE_DefaultFloat<"1.0e-6">:$epsilon);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let flops = "3 * getX().getType().getNumElements()";
}

def ANE_LocalResponseNormOp : ANE_MILOp<"local_response_norm"> {
  let summary = "x / (k + alpha / size * sum of x^2 over `size` neighbouring channels)^beta; x [N, C, D...]";
  let hasVerifier = 1;
  let arguments = (ins ANE_FloatTensor:$x, ANE_Int:$size, ANE_DefaultFloat<"1.0e-4">:$alpha,
                       ANE_DefaultFloat<"0.75">:$beta, ANE_DefaultFloat<"1.0">:$k);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let flops = "(2 * getSize() + 3) * getX().getType().getNumElements()";
}

//===-- composites ------------------------------------------------------===//

def ANE_RmsNormOp : ANE_PureOp<"rms_norm", [ANE_Decomposable, ReductionOpInterface]> {
  let summary = "x / sqrt(mean(x^2) + epsilon) * gamma over axes (the last by default)";
  let description = [{
    gamma has the shape of x along `axes`. With `zero_centered` the factor is 1 + gamma (Gemma).
  }];
  let arguments = (ins ANE_FloatTensor:$x, Optional<ANE_FloatTensor>:$gamma, ANE_OptInts:$axes,
                       ANE_DefaultFloat<"1.0e-5">:$epsilon, ANE_DefaultBool<"false">:$zero_centered);
  let extraDeclarations = "::llvm::SmallVector<int64_t> getReducedAxes();";
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$x (`gamma` $gamma^)? attr-dict `:` functional-type(operands, results)";
  let flops = "5 * getX().getType().getNumElements()";
}

def ANE_GroupNormOp : ANE_PureOp<"group_norm", [AttrSizedOperandSegments, ANE_Decomposable]> {
  let summary = "normalisation of `num_groups` groups of channels; x [N, C, D...], gamma and beta [C]";
  let arguments = (ins ANE_FloatTensor:$x, Optional<ANE_FloatTensor>:$gamma, Optional<ANE_FloatTensor>:$beta,
                       ANE_Int:$num_groups, ANE_DefaultFloat<"1.0e-5">:$epsilon);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`gamma` $gamma^)? (`beta` $beta^)? attr-dict `:` functional-type(operands, results)
  }];
  let flops = "8 * getX().getType().getNumElements()";
}

#endif // ANE_IR_OPS_NORM_TD
