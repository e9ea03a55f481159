//===- Gather.td - indexing, selection, ordering ------------------------===//
#ifndef ANE_IR_OPS_GATHER_TD
#define ANE_IR_OPS_GATHER_TD

include "ane/IR/ANEBase.td"

//===-- gather and scatter ----------------------------------------------===//

class ANE_GatherBase<string mnemonic, string text, dag parameters> : ANE_MILOp<mnemonic> {
  let summary = text;
  let arguments = !con((ins ANE_Tensor:$x, ANE_IndexTensor:$indices), parameters,
                       (ins ANE_FromIos17<ANE_DefaultBool<"false">>:$validate_indices));
  let results = (outs ANE_Tensor:$result);
  let axesOf = "getX()";
  let flops = "0";
}

def ANE_GatherOp : ANE_GatherBase<"gather", "slices of x at indices along axis",
                                 (ins ANE_DefaultInt<"0">:$axis, ANE_DefaultInt<"0">:$batch_dims)> {
  let description = [{
    Result shape: x[:axis] + indices[batch_dims:] + x[axis+1:]; the first `batch_dims` axes of x and indices are
    shared. Indices are 0 or more (coreml-mlprogram.md 3: from ios17 a negative index is out of bounds).
  }];
}

def ANE_GatherAlongAxisOp : ANE_GatherBase<"gather_along_axis", "elements of x at indices along axis",
                                         (ins ANE_DefaultInt<"0">:$axis)> {
  let description = "result[i, j, k] = x[i, indices[i, j, k], k] for axis 1; the result has the shape of indices.";
}

def ANE_GatherNdOp : ANE_GatherBase<"gather_nd", "slices of x at the index tuples in the last axis of indices",
                                  (ins ANE_DefaultInt<"0">:$batch_dims)> {
  let description = "Result shape: indices[:-1] + x[batch_dims + indices.shape[-1]:].";
}

class ANE_ScatterBase<string mnemonic, string text, dag parameters> : ANE_MILOp<mnemonic> {
  let summary = text;
  let arguments = !con((ins ANE_Tensor:$data, ANE_IndexTensor:$indices, ANE_Tensor:$updates), parameters,
                       (ins ANE_DefaultStr<"add">:$mode, ANE_FromIos17<ANE_DefaultBool<"false">>:$validate_indices));
  let results = (outs ANE_Tensor:$result);
  let axesOf = "getData()";
  let flops = "getUpdates().getType().getNumElements()";
  let assemblyFormat = "$data `,` $indices `,` $updates attr-dict `:` type($data) `,` type($indices) `,` type($updates)";
}

def ANE_ScatterOp : ANE_ScatterBase<"scatter", "data with slices at indices along axis changed by updates",
                                   (ins ANE_DefaultInt<"0">:$axis)> {
  let description = [{
    updates: data[:axis] + indices.shape + data[axis+1:]. `mode`: update, add, sub, mul, div, max, min.
  }];
}
def ANE_ScatterAlongAxisOp
    : ANE_ScatterBase<"scatter_along_axis", "data with elements at indices along axis changed by updates",
                    (ins ANE_DefaultInt<"0">:$axis)> {
  let description = "indices and updates have one shape, which agrees with data except along axis.";
}
def ANE_ScatterNdOp
    : ANE_ScatterBase<"scatter_nd", "data with slices at the index tuples in the last axis of indices changed by updates",
                    (ins)> {
  let description = "updates: indices[:-1] + data[indices.shape[-1]:].";
}

def ANE_OneHotOp : ANE_MILOp<"one_hot", [AttrSizedOperandSegments]> {
  let summary = "on_value at indices along a new axis of size one_hot_vector_size, off_value elsewhere";
  let description = [{
    The values are scalars, 1 and 0 of type int32 by default, and give the element type. An index outside of the axis, also a
    negative one, gives off values only.
  }];
  let arguments = (ins ANE_IndexTensor:$indices, Optional<ANE_Tensor>:$on_value, Optional<ANE_Tensor>:$off_value,
                       ANE_Int:$one_hot_vector_size, ANE_DefaultInt<"-1">:$axis);
  let results = (outs ANE_Tensor:$result);
  let axesOf = "getResult()";
  let flops = "0";
  let assemblyFormat = [{
    $indices (`on` $on_value^)? (`off` $off_value^)? attr-dict `:` functional-type(operands, results)
  }];
}

//===-- order -----------------------------------------------------------===//

def ANE_TopkOp : ANE_MILOp<"topk"> {
  let summary = "the k largest (smallest if ascending) elements along axis, and their indices";
  let description = [{
    The indices are int32 unless `output_indices_dtype` says otherwise; there are none if `return_indices` is false.
  }];
  let arguments = (ins ANE_NumberTensor:$x, ANE_DefaultInt<"1">:$k, ANE_DefaultInt<"-1">:$axis,
                       ANE_DefaultBool<"false">:$ascending, ANE_DefaultBool<"true">:$sort,
                       ANE_DefaultBool<"true">:$return_indices, ANE_FromIos17<ANE_OptStr>:$output_indices_dtype);
  let results = (outs ANE_NumberTensor:$values, Optional<ANE_IndexTensor>:$indices);
  let axesOf = "getX()";
  let flops = "getX().getType().getNumElements()";
}

def ANE_ArgsortOp : ANE_MILOp<"argsort"> {
  let summary = "int32 indices that sort x along axis; descending unless `ascending`";
  let arguments = (ins ANE_NumberTensor:$x, ANE_DefaultInt<"-1">:$axis, ANE_DefaultBool<"false">:$ascending);
  let results = (outs ANE_IndexTensor:$result);
  let axesOf = "getX()";
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def ANE_CumsumOp : ANE_MILOp<"cumsum"> {
  let summary = "running sum along axis";
  let description = "`exclusive` leaves out the element itself, `reverse` runs from the end.";
  let arguments = (ins ANE_NumberTensor:$x, ANE_DefaultInt<"0">:$axis, ANE_DefaultBool<"false">:$exclusive,
                       ANE_DefaultBool<"false">:$reverse);
  let results = (outs ANE_NumberTensor:$result);
  let axesOf = "getX()";
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let inference = "inferSameWithAxis(loc, adaptor.getX(), adaptor.getAxis(), types)";
}

def ANE_NonMaximumSuppressionOp : ANE_MILOp<"non_maximum_suppression"> {
  let summary = "the best boxes that don't overlap";
  let description = [{
    boxes [B, N, 4] as (centre x, centre y, width, height), scores [B, N, K] -> boxes [B, max_boxes, 4],
    scores [B, max_boxes, K], int32 indices [B, max_boxes] (-1 where there is no box), int32 number of boxes [B].
    `score_threshold` exists before ios17.
  }];
  let arguments = (ins ANE_FloatTensor:$boxes, ANE_FloatTensor:$scores, ANE_Float:$iou_threshold,
                       OptionalAttr<ANE_Float>:$score_threshold, ANE_Int:$max_boxes,
                       ANE_DefaultBool<"false">:$per_class_suppression);
  let results = (outs ANE_FloatTensor:$coordinates, ANE_FloatTensor:$kept_scores, ANE_IndexTensor:$indices,
                      ANE_IndexTensor:$number);
}

#endif // ANE_IR_OPS_GATHER_TD
