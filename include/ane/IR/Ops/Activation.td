//===- Activation.td - activation functions -----------------------------===//
#ifndef ANE_IR_OPS_ACTIVATION_TD
#define ANE_IR_OPS_ACTIVATION_TD

include "ane/IR/ANEBase.td"

class ANE_ActivationBase<string mnemonic, string text, dag parameters = (ins), list<Trait> traits = []>
    : ANE_MILOp<mnemonic, traits> {
  let summary = text;
  let arguments = !con((ins ANE_FloatTensor:$x), parameters);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let inference = "inferSameAs(adaptor.getX(), types)";
}

class ANE_ActivationOp<string mnemonic, string text, dag parameters = (ins), list<Trait> traits = []>
    : ANE_ActivationBase<mnemonic, text, parameters, [ANE_Elementwise] # traits> {
  let groups = [Nonlinearities];
}

def ANE_ReluOp : ANE_ActivationOp<"relu", "max(x, 0)"> {
  let meaning = "larger(x, 0.0)";
  let isCheap = 1;
  let range = "x.atLeast(0)";
  let hasFolder = 1;
}
def ANE_Relu6Op : ANE_ActivationOp<"relu6", "min(max(x, 0), 6)"> {
  let range = "x.clamped(0, 6)";
  let meaning = "clamp(x, 0.0, 6.0)";
  let isCheap = 1;
}
def ANE_SigmoidOp : ANE_ActivationOp<"sigmoid", "1 / (1 + e^-x)"> {
  let range = "{0, 1}";
  let meaning = "sigmoid(x)";
}
def ANE_SoftplusOp : ANE_ActivationOp<"softplus", "log(1 + e^x)"> { let meaning = "softplus(x)"; }
def ANE_SoftsignOp : ANE_ActivationOp<"softsign", "x / (1 + |x|)"> {
  let range = "{-1, 1}";
  let meaning = "x / (1.0 + abs(x))";
}
def ANE_SiluOp : ANE_ActivationOp<"silu", "x * sigmoid(x)", (ins), [ANE_Decomposable]> {
  let meaning = "x * sigmoid(x)";
}

def ANE_GeluOp : ANE_ActivationOp<"gelu", "Gaussian error linear unit",
                                  (ins ANE_DefaultStr<"EXACT">:$mode), [ANE_Decomposable]> {
  let description = [{
    | mode | value |
    |---|---|
    | `EXACT` | 0.5 x (1 + erf(x / sqrt 2)) |
    | `TANH_APPROXIMATION` | 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) |
    | `SIGMOID_APPROXIMATION` | x sigmoid(1.702 x) |
  }];
  let meaning = [{mode == "EXACT" ? fma(0.5 * x, erf(x * M_SQRT1_2), 0.5 * x)
                 : mode == "TANH_APPROXIMATION"
                     ? fma(0.5 * x, tanh(fma(x * x * x, 0.044715, x) * 0.79788456080286536), 0.5 * x)
                     : x / (1.0 + exp(-1.702 * x))}];
  let hasVerifier = 1;
}

def ANE_LeakyReluOp : ANE_ActivationOp<"leaky_relu", "x where x >= 0, alpha * x elsewhere", (ins ANE_Float:$alpha)> {
  let meaning = "leaky(x, alpha)";
  let isCheap = 1;
}
def ANE_EluOp : ANE_ActivationOp<"elu", "x where x >= 0, alpha * (e^x - 1) elsewhere", (ins ANE_Float:$alpha)> {
  let meaning = "choose(x >= 0.0, x, alpha * expm1(x))";
}
def ANE_ThresholdedReluOp
    : ANE_ActivationOp<"thresholded_relu", "x where x >= alpha, 0 elsewhere", (ins ANE_Float:$alpha)> {
  let meaning = "choose(x >= alpha, x, 0.0)";
  let isCheap = 1;
}
def ANE_ClampedReluOp : ANE_ActivationOp<"clamped_relu", "min(beta, x) where x >= 0, min(beta, alpha * x) elsewhere",
                                         (ins ANE_Float:$alpha, ANE_Float:$beta)> {
  let meaning = "smaller(leaky(x, alpha), beta)";
  let isCheap = 1;
}
def ANE_LinearActivationOp
    : ANE_ActivationOp<"linear_activation", "alpha * x + beta", (ins ANE_Float:$alpha, ANE_Float:$beta)> {
  let meaning = "alpha * x + beta";
  let isCheap = 1;
  let groups = [];
}
def ANE_ScaledTanhOp
    : ANE_ActivationOp<"scaled_tanh", "alpha * tanh(beta * x)", (ins ANE_Float:$alpha, ANE_Float:$beta)> {
  let meaning = "alpha * tanh(beta * x)";
}
def ANE_SigmoidHardOp : ANE_ActivationOp<"sigmoid_hard", "min(max(alpha * x + beta, 0), 1)",
                                         (ins ANE_Float:$alpha, ANE_Float:$beta)> {
  let meaning = "clamp(alpha * x + beta, 0.0, 1.0)";
  let isCheap = 1;
  let range = "{0, 1}";
}

def ANE_PreluOp : ANE_MILOp<"prelu"> {
  let summary = "x where x >= 0, alpha * x elsewhere; x [N, C, D...], alpha [C]";
  let arguments = (ins ANE_FloatTensor:$x, ANE_FloatTensor:$alpha);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$x `,` $alpha attr-dict `:` type($x) `,` type($alpha)";
  let groups = [Nonlinearities];
}

def ANE_SoftplusParametricOp : ANE_MILOp<"softplus_parametric"> {
  let summary = "alpha * log(1 + e^(beta * x)); x [N, C, D...], alpha and beta [C]";
  let arguments = (ins ANE_FloatTensor:$x, ANE_FloatTensor:$alpha, ANE_FloatTensor:$beta);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$x `,` $alpha `,` $beta attr-dict `:` type($x) `,` type($alpha) `,` type($beta)";
  let groups = [Nonlinearities];
}

class ANE_AxisActivation<string mnemonic, string text, list<Trait> traits = []>
    : ANE_ActivationBase<mnemonic, text, (ins ANE_DefaultInt<"-1">:$axis), traits> {
  let inference = "inferSameWithAxis(loc, adaptor.getX(), adaptor.getAxis(), types)";
  let axesOf = "getX()";
  let flops = "5 * getX().getType().getNumElements()";
}

def ANE_SoftmaxOp : ANE_AxisActivation<"softmax", "e^x / sum(e^x) along axis", [ReductionOpInterface]> {
  let range = "{0, 1}";
  let extraDeclarations = "::llvm::SmallVector<int64_t> getReducedAxes() { return {getAxisFromFront()}; }";
}

//===-- composites ------------------------------------------------------===//

def ANE_LogSoftmaxOp : ANE_PureOp<"log_softmax", [ANE_Decomposable]> {
  let summary = "x - log(sum(e^x)) along axis";
  let description = "MIL has none: decomposes to d - log(sum(e^d)) with d = x - max(x).";
  let arguments = (ins ANE_FloatTensor:$x, ANE_DefaultInt<"-1">:$axis);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let inference = "inferSameWithAxis(loc, adaptor.getX(), adaptor.getAxis(), types)";
  let axesOf = "getX()";
  let flops = "5 * getX().getType().getNumElements()";
}

class ANE_ActivationComposite<string mnemonic, string text>
    : ANE_PureOp<mnemonic, [ANE_Decomposable, ANE_Elementwise]> {
  let summary = text;
  let arguments = (ins ANE_FloatTensor:$x);
  let results = (outs ANE_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let inference = "inferSameAs(adaptor.getX(), types)";
}

def ANE_HardSwishOp : ANE_ActivationComposite<"hard_swish", "x * min(max(x / 6 + 0.5, 0), 1)"> {
  let meaning = "x * clamp(0.16666666666666666 * x + 0.5, 0.0, 1.0)";
  let isCheap = 1;
}
def ANE_MishOp : ANE_ActivationComposite<"mish", "x * tanh(softplus(x))"> { let meaning = "x * tanh(softplus(x))"; }

#endif // ANE_IR_OPS_ACTIVATION_TD
