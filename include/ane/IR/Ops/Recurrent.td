//===- Recurrent.td - recurrent networks --------------------------------===//
#ifndef ANE_IR_OPS_RECURRENT_TD
#define ANE_IR_OPS_RECURRENT_TD

include "ane/IR/ANEBase.td"

class ANE_RecurrentOp<string mnemonic, string text, dag args, list<Trait> traits = []> : ANE_MILOp<mnemonic, traits> {
  let summary = text;
  let arguments = args;
  let results = (outs ANE_FloatTensor:$y, ANE_FloatTensor:$h);
  let extraDeclarations = [{ int64_t getFlops(); }];
}

def ANE_RnnOp
    : ANE_RecurrentOp<"rnn", "h = activation(weight_ih x + weight_hh h + bias) along the first axis of x",
                      (ins ANE_FloatTensor:$x, ANE_FloatTensor:$initial_h, ANE_FloatTensor:$weight_ih,
                           ANE_FloatTensor:$weight_hh, Optional<ANE_FloatTensor>:$bias,
                           ANE_DefaultStr<"forward">:$direction, ANE_DefaultBool<"false">:$output_sequence,
                           ANE_DefaultStr<"tanh">:$activation)> {
  let description = [{
    x [S, B, I], initial_h [B, H], weight_ih [H, I], weight_hh [H, H], bias [H] -> y [S, B, H] (all steps if
    `output_sequence`, else [1, B, H], the last), h [B, H]. `direction`: forward or reverse.
  }];
  let assemblyFormat = [{
    $x `,` $initial_h `,` $weight_ih `,` $weight_hh (`bias` $bias^)? attr-dict `:` functional-type(operands, results)
  }];
}

def ANE_GruOp
    : ANE_RecurrentOp<"gru", "gated recurrent unit along the first axis of x",
                      (ins ANE_FloatTensor:$x, ANE_FloatTensor:$initial_h, ANE_FloatTensor:$weight_ih,
                           ANE_FloatTensor:$weight_hh, Optional<ANE_FloatTensor>:$bias,
                           Optional<ANE_FloatTensor>:$input_bias, ANE_DefaultStr<"forward">:$direction,
                           ANE_DefaultBool<"false">:$output_sequence,
                           ANE_DefaultStr<"sigmoid">:$recurrent_activation, ANE_DefaultStr<"tanh">:$activation,
                           ANE_FromIos18<ANE_DefaultBool<"false">>:$reset_after), [AttrSizedOperandSegments]> {
  let description = [{
    x [S, B, I], initial_h [B, H], weight_ih [3 H, I], weight_hh [3 H, H], bias and input_bias [3 H]; gates in the order
    r (reset), o (new), z (update), unlike ONNX. Results as in `rnn`. `reset_after` and `input_bias` exist from ios18 on.
    The new gate is activation(W_io x + input_bias + W_ho (r h) + bias), with `reset_after`
    activation(W_io x + input_bias + r (W_ho h + bias)).
  }];
  let assemblyFormat = [{
    $x `,` $initial_h `,` $weight_ih `,` $weight_hh (`bias` $bias^)? (`input_bias` $input_bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def ANE_LstmOp
    : ANE_RecurrentOp<"lstm", "long short-term memory along the first axis of x",
                      (ins ANE_FloatTensor:$x, ANE_FloatTensor:$initial_h, ANE_FloatTensor:$initial_c,
                           ANE_FloatTensor:$weight_ih, ANE_FloatTensor:$weight_hh, Optional<ANE_FloatTensor>:$bias,
                           Optional<ANE_FloatTensor>:$peephole, Optional<ANE_FloatTensor>:$weight_ih_back,
                           Optional<ANE_FloatTensor>:$weight_hh_back, Optional<ANE_FloatTensor>:$bias_back,
                           Optional<ANE_FloatTensor>:$peephole_back, ANE_DefaultStr<"forward">:$direction,
                           ANE_DefaultBool<"false">:$output_sequence,
                           ANE_DefaultStr<"sigmoid">:$recurrent_activation,
                           ANE_DefaultStr<"tanh">:$cell_activation, ANE_DefaultStr<"tanh">:$activation,
                           OptionalAttr<ANE_Float>:$clip), [AttrSizedOperandSegments]> {
  let description = [{
    x [S, B, I], initial_h and initial_c [B, D H], weight_ih [4 H, I], weight_hh [4 H, H], bias [4 H], peephole [3 H];
    gates in the order i, f, o, cell, unlike ONNX. `direction`: forward, reverse (D = 1), bidirectional (D = 2, with the
    `_back` operands). Results: y [S or 1, B, D H], h and c [B, D H].
  }];
  let results = (outs ANE_FloatTensor:$y, ANE_FloatTensor:$h, ANE_FloatTensor:$c);
  let assemblyFormat = [{
    $x `,` $initial_h `,` $initial_c `,` $weight_ih `,` $weight_hh (`bias` $bias^)? (`peephole` $peephole^)?
    (`back` $weight_ih_back^ `,` $weight_hh_back)? (`bias_back` $bias_back^)? (`peephole_back` $peephole_back^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // ANE_IR_OPS_RECURRENT_TD
