//===- Conversion.td - casts and generated tensors ----------------------===//
#ifndef ANE_IR_OPS_CONVERSION_TD
#define ANE_IR_OPS_CONVERSION_TD

include "ane/IR/ANEBase.td"

def ANE_CastOp : ANE_MILOp<"cast", [ANE_Elementwise]> {
  let summary = "x with another element type";
  let description = [{
    `dtype`: fp16, fp32, int8, uint8, int16, uint16, int32, bool; on the host also bf16, fp64, int64, uint32, uint64.
    Floats become integers by truncation towards zero, anything but 0 becomes true.
  }];
  let arguments = (ins ANE_Tensor:$x, ANE_Str:$dtype);
  let results = (outs ANE_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Type":$elementType)>];
  let flops = "0";
  let range = "x";
  let hasFolder = 1;
}

def ANE_NarrowOp : ANE_PureOp<"narrow"> {
  let summary = "x, which programs have in fp16 otherwise than rounded, and why they may";
  let description = [{
    On the CPU it is x. What a program has in its place, which fp16 can hold, depends on the reason, `because`:

    | reason | in a program | why |
    |---|---|---|
    | `mask` | each row of x, along `axis`, less its largest element, and nothing below the mask value of the records; without `axis` x, and nothing below that value | a softmax reads it: what is subtracted from a row changes nothing, and what is so much lower has no weight |
    | `masked_rows` | x * factor, where factor is 0 in the rows whose mask absorbs all that it is added to, and 1 in others | the row's softmax weighs all elements alike, as in the model's type |
    | `bound` | nothing: the op that clips by it is left out | no value of fp16 is beyond it |
    | `guard` | the smallest number of fp16 in the place of a smaller one | it keeps a divisor from being 0 |
    | `rescaled` | a power of two and a number of fp16, one after the other | their product is x |

    x is a constant, but for the masks.
  }];
  let arguments = (ins ANE_FloatTensor:$x, Optional<ANE_FloatTensor>:$factor, ANE_Str:$because, ANE_OptInt:$axis);
  let results = (outs ANE_FloatTensor:$result);
  let inference = "inferSameAs(adaptor.getX(), types)";
  let view = "x";
  let flops = "0";
  let range = "x";
  let hasVerifier = 1;
}

def ANE_FillOp : ANE_MILOp<"fill"> {
  let summary = "a tensor of `shape` that holds the scalar value everywhere";
  let description = "The scalar gives the element type.";
  let arguments = (ins ANE_Tensor:$value, ANE_Ints:$shape);
  let results = (outs ANE_Tensor:$result);
  // The scalar may have an axis.
  let view = "x.reshape({})->broadcast(getType().getShape())";
  let flops = "0";
}

def ANE_FillLikeOp : ANE_MILOp<"fill_like"> {
  let opset = "ios16";
  let summary = "a tensor of the shape of ref_tensor that holds the scalar value everywhere";
  let arguments = (ins ANE_Tensor:$ref_tensor, ANE_Tensor:$value);
  let results = (outs ANE_Tensor:$result);
  let flops = "0";
  let hasCanonicalizeMethod = 1;
}

def ANE_Range1dOp : ANE_MILOp<"range_1d"> {
  let summary = "start, start + step, ... while short of end";
  let description = "The arguments are constant scalars of one type; they give the number of elements.";
  let arguments = (ins ANE_NumberTensor:$end, ANE_NumberTensor:$start, ANE_NumberTensor:$step);
  let results = (outs ANE_NumberTensor:$result);
  let flops = "0";
}

#endif // ANE_IR_OPS_CONVERSION_TD
