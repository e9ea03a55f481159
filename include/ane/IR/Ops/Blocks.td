//===- Blocks.td - constants in the blocks of model files ---------------===//
#ifndef ANE_IR_OPS_BLOCKS_TD
#define ANE_IR_OPS_BLOCKS_TD

include "ane/IR/ANEBase.td"
include "ane/IR/BlockType.td"

def ANE_ConstexprBlocksOp : ANE_PureOp<"constexpr_blocks", [ANE_ExpandsConstant]> {
  let summary = "a constant that a GGUF file stores in blocks of quantised elements";
  let description = [{
    `data` holds the bytes of the file, blocks along the innermost axis: a row of `n` blocks is `n` times a block's elements in
    the result. Elements are expanded in fp32, as the reader of the format does, and rounded to `output_dtype` (fp32
    or fp16). Nothing of MIL: programs get the elements; CPU code may keep the blocks.

    ```mlir
    %0 = ane.const #ane.weight<"model.gguf", 4096, 207360> : tensor<576x360xui8>
    %1 = ane.constexpr_blocks q4_1 %0 {output_dtype = "fp32"} : (tensor<576x360xui8>) -> tensor<576x576xf32>
    ```
  }];
  let arguments = (ins ANE_BlockType:$format, StaticShapeTensorOf<[UI8]>:$data, ANE_Str:$output_dtype);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$format $data attr-dict `:` functional-type(operands, results)";
  let flops = "0";
}

#endif // ANE_IR_OPS_BLOCKS_TD
