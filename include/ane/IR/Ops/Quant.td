//===- Quant.td - quantisation and compressed constants -----------------===//
#ifndef ANE_IR_OPS_QUANT_TD
#define ANE_IR_OPS_QUANT_TD

include "ane/IR/ANEBase.td"

//===-- activations -----------------------------------------------------===//

def ANE_QuantizeOp : ANE_MILOp<"quantize"> {
  let opset = "ios17";
  let summary = "clip(round(input / scale) + zero_point) as int8 or uint8";
  let description = "scale and zero_point are scalars, or vectors along `axis`, which is given then and only then.";
  let arguments = (ins ANE_FloatTensor:$input, ANE_FloatTensor:$scale, Optional<ANE_IndexTensor>:$zero_point,
                       ANE_OptInt:$axis, ANE_Str:$output_dtype);
  let results = (outs ANE_IndexTensor:$result);
  let assemblyFormat = "$input `,` $scale (`zero_point` $zero_point^)? attr-dict `:` functional-type(operands, results)";
}

def ANE_DequantizeOp : ANE_MILOp<"dequantize"> {
  let opset = "ios17";
  let summary = "scale * (input - zero_point), in the element type of scale";
  let description = "scale and zero_point are scalars, or vectors along `axis`, which is given then and only then.";
  let arguments = (ins ANE_IndexTensor:$input, ANE_FloatTensor:$scale, Optional<ANE_IndexTensor>:$zero_point,
                       ANE_OptInt:$axis);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$input `,` $scale (`zero_point` $zero_point^)? attr-dict `:` functional-type(operands, results)";
}

//===-- compressed constants --------------------------------------------===//

class ANE_ConstexprOp<string mnemonic, string text, dag args>
    : ANE_MILOp<"constexpr_" # mnemonic, [ANE_ExpandsConstant]> {
  let summary = text;
  let arguments = args;
  let results = (outs ANE_Tensor:$result);
  let flops = "0";
}

def ANE_ConstexprAffineDequantizeOp
    : ANE_ConstexprOp<"affine_dequantize", "scale * (quantized_data - zero_point), scalars or vectors along axis",
                      (ins ANE_IndexTensor:$quantized_data, ANE_IndexTensor:$zero_point, ANE_FloatTensor:$scale,
                           ANE_Int:$axis)> {
  let axesOf = "getQuantizedData()";
  let opset = "ios16";
  let inBrackets = 1;
}

def ANE_ConstexprBlockwiseShiftScaleOp
    : ANE_ConstexprOp<"blockwise_shift_scale", "scale * (data - offset), one scale and offset per block",
                      (ins ANE_NumberTensor:$data, ANE_FloatTensor:$scale, Optional<ANE_NumberTensor>:$offset)> {
  let opset = "ios18";
  let description = "scale and offset have the rank of data; a block is data.shape / scale.shape, which divides.";
}

def ANE_ConstexprCastOp : ANE_ConstexprOp<"cast", "a constant with another element type",
                                          (ins ANE_Tensor:$source_val, ANE_Str:$output_dtype)> {
  let opset = "ios16";
  let inBrackets = 1;
}

def ANE_ConstexprLutToDenseOp
    : ANE_ConstexprOp<"lut_to_dense", "entries of a look-up table",
                      (ins ANE_Tensor:$indices, ANE_Tensor:$lut, ANE_OptInt:$vector_axis)> {
  let opset = "ios18";
  let description = [{
    indices (unsigned, 1, 2, 3, 4, 6 or 8 bits) have the final shape, or the final shape with `vector_axis` divided by
    the vector length; lut [groups..., 2^bits, vector length].
  }];
}

def ANE_ConstexprSparseToDenseOp
    : ANE_ConstexprOp<"sparse_to_dense", "nonzero_data where mask is set, 0 elsewhere",
                      (ins ANE_Tensor:$nonzero_data, ANE_Tensor:$mask)> {
  let opset = "ios18";
  let description = "mask has 1-bit elements and the final shape; nonzero_data [n] holds the elements in order.";
}

/// Results are a mask and the elements where it is set.
class ANE_ConstexprSparseOp<string mnemonic, string text, dag args> : ANE_ConstexprOp<mnemonic, text, args> {
  let opset = "ios18";
  let description = "The results feed `constexpr_sparse_to_dense`.";
  let results = (outs ANE_Tensor:$mask, ANE_Tensor:$values);
}

def ANE_ConstexprLutToSparseOp
    : ANE_ConstexprSparseOp<"lut_to_sparse", "entries of a look-up table for a sparse constant",
                            (ins ANE_Tensor:$indices_mask, ANE_Tensor:$indices_nonzero_data, ANE_Tensor:$lut,
                                 ANE_OptInt:$vector_axis)>;

def ANE_ConstexprSparseBlockwiseShiftScaleOp
    : ANE_ConstexprSparseOp<"sparse_blockwise_shift_scale", "scale * (data - offset) for a sparse constant",
                            (ins ANE_Tensor:$data_mask, ANE_NumberTensor:$nonzero_data, ANE_FloatTensor:$scale,
                                 Optional<ANE_NumberTensor>:$offset)>;

#endif // ANE_IR_OPS_QUANT_TD
