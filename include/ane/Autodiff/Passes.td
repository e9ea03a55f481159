//===- Passes.td - passes that differentiate ----------------------------===//
// For functions of phase input or canonical; alphabetical.
#ifndef ANE_AUTODIFF_PASSES_TD
#define ANE_AUTODIFF_PASSES_TD

include "ane/IR/ANEPass.td"

def AddAdapters : ANE_Pass<"ane-add-adapters", "::mlir::ModuleOp"> {
  let summary = "add a product of two small matrices to linear layers (LoRA)";
  let description = [{
    A linear layer x W^T whose weight's name, less ".weight", ends with a target (`q_proj`, or `self_attn.q_proj`, whole words between dots)
    gives x W^T + alpha / rank (x A^T) B^T in each function. A [rank, inputs] and B [outputs, rank] are fp32, and called as PEFT calls them:
    `base_model.model.NAME.lora_A.weight`. Where several layers share a weight, each takes its rows of B. Names are those of Hugging Face's model, also
    where the model's file has others (`ane.hugging_face`). The module says which adapters there are in `ane.adapters` (ane/IR/Adapters.h).

    As `parameters` they are inputs, and A begins with random numbers (uniform, of variance 1 / (3 inputs), as PEFT draws them), B with zeros. As `states`
    they are read by all functions of a session and written by none, so that a run-time exchange of them compiles nothing; they begin with zeros.
  }];
  let options = [
    Option<"rank", "rank", "int64_t", "8", "rows of A">,
    Option<"alpha", "alpha", "double", "16", "over the rank, the factor of what is added">,
    ListOption<"targets", "targets", "std::string", "names of layers">,
    Option<"seed", "seed", "uint64_t", "0", "of the random numbers">,
    Option<"as", "as", "std::string", "\"parameters\"", "parameters or states">
  ];
}

def AppendLoss : ANE_Pass<"ane-append-loss", "::mlir::ModuleOp"> {
  let summary = "give a function a loss: the distance of one of its outputs from a new input";
  let description = [{
    Adds an input (`target`) and an output `loss`, a scalar of fp32 behind the function's outputs.

    | kind | target | loss |
    |---|---|---|
    | `cross-entropy` | class of each entry along `axis`, int64 | mean of -log_softmax(output)[target], where target is not `ignore` |
    | `mse` | of the output's shape | mean of (output - target)^2 |
    | `bce` | of the output's shape, 0 to 1 | mean of log(1 + e^x) - x target, where x is the output: logits |
    | `contrastive` | none | mean over pairs of -log_softmax(scores of an anchor with all positives)[its own positive] |
    | `model` | none | the output itself; all others go |

    `class-weights` weigh the mean of cross-entropy, and `label-smoothing` gives a share of each target to all classes, as PyTorch has both;
    `positive-weights` are factors of bce's term of positive targets. Without any valid target the cross-entropy is 0; beside it stands an output
    `loss_share`, what the weights of its mean sum up to over the number of targets, by which `ane-autodiff` with `loss-scale` multiplies gradients.

    The contrastive loss (InfoNCE with in-batch negatives) is for embeddings of pairs, an anchor and its positive each; a score is the cosine of two embeddings over
    `temperature`. With `symmetric` it is the mean of both directions. Two outputs [pairs, width] are those of anchors and of positives. One output [2 pairs, width]
    has them in turn, and each input x [2 pairs, ...] of the function becomes one of [pairs, 2, ...].
  }];
  let options = [
    Option<"function", "function", "std::string", "\"main\"", "the function">,
    Option<"kind", "kind", "std::string", "\"cross-entropy\"", "cross-entropy, mse, bce, contrastive or model">,
    Option<"output", "output", "std::string", "\"\"", "name of the output, or ANCHORS,POSITIVES for contrastive; the only output of floats, or both, by default">,
    Option<"target", "target", "std::string", "\"target\"", "name of the new input">,
    Option<"axis", "axis", "std::string", "\"auto\"", "the axis of classes; auto: 1 of three and more, but for a language model, else the last">,
    ListOption<"classWeights", "class-weights", "double", "of cross-entropy: a factor of each class">,
    Option<"smoothing", "label-smoothing", "double", "0", "of cross-entropy: the share of each target that all classes have">,
    ListOption<"positiveWeights", "positive-weights", "double", "of bce: a factor of positive targets, one or one for each class">,
    Option<"ignore", "ignore", "int64_t", "-100", "the target that does not count">,
    Option<"temperature", "temperature", "double", "0.05", "of contrastive: what cosines are divided by">,
    Option<"symmetric", "symmetric", "bool", "false", "of contrastive: from positives to anchors, too">
  ];
}

def Autodiff : ANE_Pass<"ane-autodiff", "::mlir::ModuleOp"> {
  let summary = "make the function of the gradients of a loss";
  let description = [{
    Beside `function` stands a new one of the same inputs. Its outputs are the loss and, in alphabetical order, `grad.NAME` for each
    input and named weight (`ane.weights`) that a pattern of `wrt` matches and none of `frozen`; without `wrt`, for the module's parameters
    (`ane.parameter`) or, where it has none, all weights of floats, be they constants or inputs of their names. Weights that the loss does not depend on are left out, with a warning. What stands more than once in
    the function (tied weights) has the sum.

    What is needed from the forward pass is saved: forward ops stand first, and those of the backward pass that read their results
    behind them. An op that can't be differentiated, between `wrt` and the loss, is an error, and nothing is changed.

    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<2x8xf32>) -> tensor<f32>
    // --ane-autodiff=wrt=input_1
    func.func @main_gradients(%x: tensor<4x8xf32>, %w: tensor<2x8xf32>) -> (tensor<f32>, tensor<2x8xf32>)
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", "\"main\"", "the function">,
    Option<"name", "name", "std::string", "\"\"", "name of the new function; FUNCTION_gradients by default">,
    Option<"loss", "loss", "std::string", "\"\"", "name of the output that is differentiated; the only scalar of floats by default">,
    ListOption<"wrt", "wrt", "std::string", "patterns of the names that get gradients">,
    ListOption<"frozen", "frozen", "std::string", "patterns of names that get none">,
    ListOption<"stop", "stop", "std::string", "patterns of names of nodes whose results are taken for constants">,
    Option<"lossScale", "loss-scale", "bool", "false", "multiply gradients by a new scalar input, loss_scale">,
    Option<"accumulate", "accumulate", "bool", "false", "add gradients to new inputs, called like them">
  ];
}

def MakeTraining : ANE_Pass<"ane-make-training", "::mlir::ModuleOp"> {
  let summary = "make the functions that a trainer calls";
  let description = [{
    Of a function with a loss, whose weights are inputs (`ane-weights-as-inputs`), and the function of its gradients (`ane-autodiff`), which it becomes
    the `evaluate` and the `train` of. An input that has no gradient is a constant again; with `baked` so is one that has a gradient, as a weight that
    will have other values (`ane.trainable`), where the bundle can have it so. Beside them stand the sweeps: functions over a part of an array of all
    parameters, gradients or moments, for the optimisers, for the sum of squares of gradients, and for their accumulation. The module says so in
    `ane.training` (ane/IR/Training.h), and the runtime's manifest (runtime/format/manifest/manifest.h) what the sweeps compute.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"main\"", "the function">,
    Option<"gradients", "gradients", "std::string", "\"main_gradients\"", "the function of its gradients">,
    Option<"loss", "loss", "std::string", "\"model\"", "what the loss is: cross-entropy, mse, bce, contrastive, or model, its own">,
    Option<"target", "target", "std::string", "\"\"", "the input that the loss compares with">,
    Option<"ignore", "ignore", "int64_t", "-100", "the target that does not count">,
    Option<"baked", "baked", "bool", "false", "parameters are weights, not inputs">,
    ListOption<"unbaked", "unbaked", "std::string", "patterns of names of those that stay inputs">
  ];
}

def WeightsAsInputs : ANE_Pass<"ane-weights-as-inputs", "::mlir::ModuleOp"> {
  let summary = "make inputs of a function's weights";
  let description = [{
    Each parameter becomes an input of its name, behind the others, in alphabetical order. Parameters are named weights (`ane.weights`) of floats, or in
    blocks of a GGUF file: those that the model's file calls so (`ane.parameters`), all of a language model, and otherwise those that layers read as
    their weights (products, convolutions, norms, embeddings, recurrent cells, slopes of PReLU), not literals, exponents, statistics and tables.
    Patterns of `weights` add to them, and those of `frozen` take away, but for what `weights` names without a wildcard. A weight and its transpose are
    one, as are rows that are written once for each example. Running statistics of batch norms that training moves (`ane.batch_statistics`) are
    inputs, too. Inputs are fp32 (fp64 if the weight is): what the model has in
    fewer bits is no longer widened. The values that the weights had stay in the module, as `ane.parameter`.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"main\"", "the function">,
    ListOption<"weights", "weights", "std::string", "patterns of names of further parameters">,
    ListOption<"frozen", "frozen", "std::string", "patterns of names that stay weights">
  ];
}

#endif // ANE_AUTODIFF_PASSES_TD
