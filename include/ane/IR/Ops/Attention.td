//===- Attention.td - attention -----------------------------------------===//
#ifndef ANE_IR_OPS_ATTENTION_TD
#define ANE_IR_OPS_ATTENTION_TD

include "ane/IR/ANEBase.td"

def ANE_ScaledDotProductAttentionOp : ANE_MILOp<"scaled_dot_product_attention", [ANE_Decomposable]> {
  let opset = "ios18";
  let summary = "softmax(query key^T / sqrt(E) + attn_mask) value";
  let description = [{
    query [B..., L, E], key [B..., S, E], value [B..., S, V] -> [B..., L, V]; rank 3 or more. The last batch axis (heads)
    of query may be a multiple of that of key and value: as many neighbouring heads of query share one of theirs. The
    other batch axes are equal. attn_mask broadcasts to [B..., L, S]: bool (true = attend) or added. Decomposes to two
    matmuls and a softmax.
  }];
  let arguments = (ins ANE_FloatTensor:$query, ANE_FloatTensor:$key, ANE_FloatTensor:$value,
                       Optional<AnyTypeOf<[ANE_FloatTensor, ANE_BoolTensor]>>:$attn_mask);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $attn_mask^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraDeclarations = [{ int64_t getFlops(); }];
}

//===-- composites ------------------------------------------------------===//

def ANE_RopeOp : ANE_PureOp<"rope", [ANE_Decomposable]> {
  let summary = "rotary position embedding of the last axis of x";
  let description = [{
    x [..., D]; cos and sin broadcast to [..., D / 2]. `layout` says which elements form a pair (a, b), that becomes
    (a cos - b sin, b cos + a sin): `half` pairs i with i + D / 2, `interleaved` 2 i with 2 i + 1.
  }];
  let arguments = (ins ANE_FloatTensor:$x, ANE_FloatTensor:$cos, ANE_FloatTensor:$sin,
                       ANE_DefaultStr<"half">:$layout);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$x `,` $cos `,` $sin attr-dict `:` type($x) `,` type($cos) `,` type($sin)";
  let flops = "3 * getX().getType().getNumElements()";
  let hasVerifier = 1;
}

def ANE_EmbeddingOp : ANE_PureOp<"embedding", [ANE_Decomposable]> {
  let summary = "rows of table at indices; indices [...], table [V, D] -> [..., D]";
  let description = "Decomposes to `gather` along axis 0.";
  let arguments = (ins ANE_IndexTensor:$indices, ANE_Tensor:$table);
  let results = (outs ANE_Tensor:$result);
  let flops = "0";
}

#endif // ANE_IR_OPS_ATTENTION_TD
