//===- Passes.td - passes of the ane dialect ----------------------------===//
// One pass per file in lib/Transforms, named like the record. Grouped by phase, alphabetical within.
#ifndef ANE_TRANSFORMS_PASSES_TD
#define ANE_TRANSFORMS_PASSES_TD

include "ane/IR/ANEPass.td"

//===-- canonical -------------------------------------------------------===//

def BoundInputs : ANE_Pass<"ane-bound-inputs", "::mlir::func::FuncOp"> {
  let summary = "note which indices the inputs may hold (ane.range)";
  let description = [{
    An input that is used as indices, as token ids are, gets `ane.range = {max, min, reader}`: from `min` to `max` the
    indices of the gather `reader` are defined. The runtime refuses other values, which gathers would clamp.
  }];
}

def FoldBatchNorm : ANE_Pass<"ane-fold-batch-norm"> {
  let summary = "fold batch_norm, and factors and addends per channel, into the convolution before them";
  let description = [{
    Of an island only the engine's body: CPU code applies them as it writes a convolution's result, and keeps the model's weights.
    A batch norm stays there whose factor would lift twice the mean of what the convolution sums beyond the accumulator.
  }];
}

def RaiseComposites : ANE_Pass<"ane-raise-composites", "::mlir::func::FuncOp"> {
  let summary = "recognise linear, norms, activations, rope and attention in exporters' spellings";
  let description = [{
    | subgraph | becomes |
    |---|---|
    | `matmul(x, constant [K, N])` | `linear(x, transposed constant)` |
    | `add(linear(x, w), constant [N])` | `linear(x, w) bias` |
    | `x * (1 + erf(x / sqrt 2)) * 0.5`, in any order; the tanh form; `x * sigmoid(1.702 x)` | `gelu` |
    | `x * sigmoid(x)` | `silu` |
    | `x * clip(x + 3, 0, 6) / 6` | `x * sigmoid_hard(x)` |
    | `x / sqrt(mean(x^2) + epsilon)`, also by `rsqrt` or `reciprocal`, with or without a factor | `rms_norm` |
    | the same of `x - mean(x)`, with or without factor and addend | `layer_norm` |
    | `x * cos + concat(-x[D/2:], x[:D/2]) * sin` | `rope` |
    | `softmax(query key^T scale + mask) value`, with repeated heads of key and value | `scaled_dot_product_attention` |
    | `select(isnan(softmax(x + mask)), 0, softmax(x + mask))` where no row is masked as a whole | `softmax(x + mask)` |
    | `write_state @s, scatter(read_state @s, indices, x)` at one run-time entry of an axis, also between transposes | `update_state @s` |
    | `write_state @s, select(0, 1, 2, ... == position, x, read_state @s)` | `update_state @s` |
    | element-wise op on `tile(x)` that broadcasting makes needless | the op on x |
    | reshape, transpose, reshape | one transpose after at most one reshape, where that is all they do |
  }];
}

//===-- legal -----------------------------------------------------------===//

def BeginEngineBody : ANE_Pass<"ane-begin-engine-body", "::mlir::ane::IslandOp"> {
  let summary = "copy the twin of an island into its empty engine region";
}

def CanonicalizeEngine : ANE_Pass<"ane-canonicalize-engine", "::mlir::ane::IslandOp"> {
  let summary = "canonicalise the engine region of an island; the twin stays";
}

def DecomposeComposites : ANE_Pass<"ane-decompose-composites", "::mlir::ane::IslandOp"> {
  let summary = "decompose the composites that have no legaliser of their own";
  let description = [{
    Ops with `DecomposableOpInterface` that the engine lacks or spells badly on the target become simpler ops. `linear`, `gelu`
    (exact and tanh) and the norms have legalisers of their own, which run first or after.
  }];
}

def FormIslands : ANE_Pass<"ane-form-islands", "::mlir::func::FuncOp"> {
  let summary = "group all ops without a host mark into islands, as few and as large as possible";
  let description = [{
    An island whose weights exceed what one program takes (C133; C153 and C224 where they are kept), or that has more than 24 layers of attention
    (advised; C135 refuses 31 on one route), or whose inputs and outputs would be padded to one size (C18, C02) by more than 256 MB together, is cut where the least data crosses, into parts with as many layers each. Truth values don't cross: each island computes those that it reads.

    An op with `ane.cut` = N stands N islands behind those that it reads from, and one that is `ane.recomputed` in the first island that reads it.
  }];
  let options = [
    Option<"chunks", "chunks", "int64_t", "1", "islands to cut the function into, if there are not as many anyway">,
    Option<"layers", "layers", "int64_t", "0", "most layers of an island; 0: only as many as the target's records allow">,
    Option<"constantsPerProgram", "constants", "int64_t", "0", "most weight constants of an island, where they count (C224); 0: as many as the record says">
  ];
}

def LegalizeAttention : ANE_Pass<"ane-legalize-attention", "::mlir::ane::IslandOp"> {
  let summary = "spell products of computed values so that long and small ones come out right (C80, C109, C110, C114)";
  let description = [{
    | op | becomes |
    |---|---|
    | softmax over many keys, and the product that reads it | parts of 256 keys with one maximum and one sum |
    | the same spelled out, exp(x - maximum) / sum | the same parts of what reads x and the powers |
    | product with probabilities of thousands of keys | the probabilities times 64, the values by their largest, the product by both |
    | product whose depth is no multiple of 32 | the product of both operands with zeros behind them |
    | softmax over an axis that is no power of two | the part of one over an axis that is, with -65504 behind the elements |
    | product whose softmax is computed, of a module that trains (`ane.training`) | the product, clipped to ±65504 |

    Each happens only where the record that it legalises holds; the last but one also where that is disputed, but not for
    `ane.prefer = "speed"`. The last one keeps an infinite score from becoming NaN, and has no record.
  }];
}

def LegalizeBlocks : ANE_Pass<"ane-legalize-blocks", "::mlir::ane::IslandOp"> {
  let summary = "spell depth_to_space and its kin with blocks of any size as reshapes and transposes (C118)";
}

def LegalizeChannels : ANE_Pass<"ane-legalize-channels", "::mlir::func::FuncOp"> {
  let summary = "split linears and convolutions with too many output channels (C16)";
  let description = [{
    Output channels are independent, so that slices of the weight give exact slices of the result. They are of equal size, and some
    more than must be where larger ones would be read slowly (C189). The parts are joined on the CPU, because `concat` is not for the engine (C01). Too many input channels have no exact split: such an
    op stays on the CPU.
  }];
  let options = [Option<"preferHost", "prefer-host", "bool", "false", "send such an op to the CPU instead">];
}

def LegalizeConcat : ANE_Pass<"ane-legalize-concat", "::mlir::ane::IslandOp"> {
  let summary = "spell concat as sums (C01)";
  let description = [{
    | op | becomes |
    |---|---|
    | linear or convolution over `concat(a, b)` along the channels | the sum of those over a and b, with slices of the weight |
    | `concat` of channels | twice the sum of 1x1 convolutions with zeros and halves |
    | `concat` along another axis | the sum of the padded parts |

    The last two are exact. Where the record is lifted (`strictness=evidence`) a concat stays.
  }];
}

def LegalizeConstants : ANE_Pass<"ane-legalize-constants", "::mlir::ane::IslandOp"> {
  let summary = "spell constants of rank 4 beside elementwise ops as [1, C, 1, 1], between reshapes (C113)";
}

def LegalizeConvBias : ANE_Pass<"ane-legalize-conv-bias", "::mlir::ane::IslandOp"> {
  let summary = "add the bias of a convolution separately (C13)";
}

def LegalizeDType : ANE_Pass<"ane-legalize-dtype", "::mlir::ane::IslandOp"> {
  let summary = "compute in fp16";
  let description = [{
    Every float in the engine region becomes fp16. Weights stay references, under a cast that is evaluated when the bundle
    is written. What fp16 does not hold has been narrowed before (ane-legalize-narrowing); a bound of clip beyond fp16 is none.
  }];
}

def LegalizeDepth : ANE_Pass<"ane-legalize-depth", "::mlir::ane::IslandOp"> {
  let summary = "spell products of computed values over a long axis as sums of products (C222)";
  let description = [{
    As few parts as the record allows, of the same length. Each addition rounds once more to fp16.
  }];
}

def LegalizeGelu : ANE_Pass<"ane-legalize-gelu", "::mlir::ane::IslandOp"> {
  let summary = "spell GELU in its tanh form (C10)";
}

def LegalizeIO : ANE_Pass<"ane-legalize-io", "::mlir::ane::IslandOp"> {
  let summary = "give inputs and outputs rank 4 and full rows (C04, C20)";
  let description = [{
    Surfaces are [1, C, 1, S] or any other rank-4 shape whose last axis fills whole 64-byte rows. Where it does not, the
    argument is declared wider and sliced inside, and a result is padded inside and read back narrower: no op in between sees
    a padded value, so that softmax, reductions and norms need no neutral elements. A result that is an argument or
    has another reader becomes a product with 1 (Q10, Q10b).
  }];
}

def LegalizeIsland : ANE_Pass<"ane-legalize-island", "::mlir::ane::IslandOp"> {
  let summary = "fill and legalise the engine region of an island that has none";
  let description = [{
    Runs the legalisers in their order (`lib/Transforms/IslandPipeline.cpp`).
  }];
  let options = [Option<"surfaces", "surfaces", "bool", "true", "whether inputs and outputs are surfaces (ane-legalize-io)">];
}

def LegalizeIslands : ANE_Pass<"ane-legalize-islands", "::mlir::func::FuncOp"> {
  let summary = "legalise every island; what can't be made legal goes to the CPU with the reason";
  let description = [{
    Runs the legalisers on each island, then checks it against the catalogue. Ops of the twin that led to a violation get a
    host mark that names it; the islands are then formed anew, until nothing violates anything. Those that come out as they
    were keep their engine regions. Where C224 is kept and legalisers have added constants to what just fitted, islands are
    formed anew with room for them.
  }];
  let options = [
    Option<"chunks", "chunks", "int64_t", "1", "as of ane-form-islands, which formed them">,
    Option<"layers", "layers", "int64_t", "0", "as of ane-form-islands">,
    Option<"constantsPerProgram", "constants", "int64_t", "0", "as of ane-form-islands">,
    Option<"surfaces", "surfaces", "bool", "true", "as of ane-legalize-island">
  ];
}

def LegalizeLayout : ANE_Pass<"ane-legalize-layout", "::mlir::ane::IslandOp"> {
  let summary = "channels first: compose, cancel, sink and absorb reshapes and transposes";
  let description = [{
    Convolutions want [1, C, 1, S]; models are written [1, S, C]. Arguments are given the layout that their users want,
    reshapes and transposes become `ane.relayout`, sink below element-wise ops, reductions and softmax, vanish
    into the flags of matmul, and where they reach a result they become its `#ane.layout`.
  }];
}

def LegalizeLinear : ANE_Pass<"ane-legalize-linear", "::mlir::ane::IslandOp"> {
  let summary = "spell linear as a 1x1 convolution with a separate bias (C17, C13), or as a product, if its weight is computed";
}

def LegalizeNarrowing : ANE_Pass<"ane-legalize-narrowing", "::mlir::ane::IslandOp"> {
  let summary = "put in the place of each ane.narrow what the program has instead (C213)";
  let description = [{
    | reason | becomes |
    |---|---|
    | `rescaled` | the op with the constant divided by a power of two, and a product with that power |
    | `bound` | the other operand of the minimum or maximum |
    | `guard` | the constant, with 2^-24 in the place of smaller magnitudes |
    | `mask` of a constant | its rows less their largest elements, and no less than the mask value of the records |
    | `mask` of what the CPU computes | the value, which is narrowed at the border of the program |
    | `masked_rows` | the product with the factor |
  }];
}

def LegalizeNeighbours : ANE_Pass<"ane-legalize-neighbours", "::mlir::ane::IslandOp"> {
  let summary = "keep ops apart that fail beside each other (C91 ... C94, C116)";
  let description = [{
    | op | becomes |
    |---|---|
    | matmul of two transposed values | a flag for a transpose of the last two axes, or a product with ones between |
    | scalar times `floor`, `ceil` or `round` | a constant of full shape times it |
    | 0 times a reduction | `x - x` |
    | `square` before a nonlinearity | `x * x` |
    | concat of 12 values or more | concats of at most 11 |
  }];
}

def LegalizeNorms : ANE_Pass<"ane-legalize-norms", "::mlir::ane::IslandOp"> {
  let summary = "spell norms so that fp16 can't overflow (Q67)";
  let description = [{
    layer_norm, rms_norm, instance_norm, group_norm and reduce_l2_norm. What is normalised is divided by its largest magnitude
    first; long sums run as products with ones or along several short axes (C57).
  }];
}

def LegalizePatches : ANE_Pass<"ane-legalize-patches", "::mlir::ane::IslandOp"> {
  let summary = "spell convolutions that the engine does not take in forms that it does (C63, C64, C102, C119, C221)";
  let description = [{
    | convolution | becomes |
    |---|---|
    | whose kernel is its stride | a linear of the patches |
    | with a refused stride, or strided and too wide | one without strides over blocks, whose elements are channels |
    | too wide or too high | a sum of convolutions with parts of the kernel |
    | with a refused stride along an axis with one window | one without it |
    | over three axes | one over two, for which the elements along the first are channels, its places batch |
  }];
}

def LegalizeRank : ANE_Pass<"ane-legalize-rank", "::mlir::ane::IslandOp"> {
  let summary = "merge axes of tensors with too many of them (C21)";
  let description = [{
    Element-wise ops, slices, reductions, softmax and products see neighbouring axes as one where they treat them alike; a
    split becomes slices.
    Transposes of many axes are lowered as several of four (`ane-lower-relayouts`).
  }];
}

def LegalizePools : ANE_Pass<"ane-legalize-pools", "::mlir::ane::IslandOp"> {
  let summary = "spell wide max pools as several narrower ones, one behind the other (C220)";
  let description = [{
    A window of w elements is one of 8 and one of w - 7, which sees the results of the first. Rows and their strides are of the first
    pool, strides along the width of the last. Exact.
  }];
}

def LegalizeRope : ANE_Pass<"ane-legalize-rope", "::mlir::ane::IslandOp"> {
  let summary = "spell rope with a product that makes pairs change places";
}

def LegalizeSlices : ANE_Pass<"ane-legalize-slices", "::mlir::ane::IslandOp"> {
  let summary = "spell slices that the engine cuts badly (C72 ... C75)";
  let description = [{
    | op | becomes |
    |---|---|
    | part that begins inside the last axis, on H13 and H14 | a part of another axis between two transposes |
    | one row, on e5rt | a product with a row that has one 1 |
    | `slice_by_index` of an argument | the same of the argument times 1 |
  }];
}

def LegalizeSpellings : ANE_Pass<"ane-legalize-spellings", "::mlir::ane::IslandOp"> {
  let summary = "spell ops that fail or lie on the engine in forms that it computes (C49, C54, C58, C60, C62, C65, C66, C71, C201, C223)";
  let description = [{
    | op | becomes |
    |---|---|
    | `rsqrt(x)` | `1 / sqrt(x)` |
    | `log(x)` | `log(max(x, 8e-06))` |
    | `reduce_mean(x)` | the sum of x / p, times p / n, with p the power of two above n |
    | `pow(x, c)`, c a half or a small integer | products, `sqrt`, division |
    | `softplus(x)` | `max(x, 0) + t P(t)`, `t = e^-abs(x)` |
    | `sigmoid(x)` | `exp(min(x, 0)) / (1 + exp(-abs(x)))` |
    | `atan(x)` | `t P(t^2)`, `t = x / (1 + sqrt(1 + x^2))` |
    | `round(x)` | `f = floor(x)`, and 1 more where `x - f` is above a half, or a half and `f` odd |
    | `pad(x)` of other axes than the last two | the axes moved to the end, two at a time, and back |

    Each happens only where the record that it legalises holds, those of sigmoid and atan not for `ane.prefer = "speed"`. What is
    left is found by the verifier.
  }];
}

def LegalizeSums : ANE_Pass<"ane-legalize-sums", "::mlir::ane::IslandOp"> {
  let summary = "spell long sums and means so that fp16 adds little (C57)";
  let description = [{
    One axis after the other: a short one by `reduce_sum`, a long one as a product with equal factors, which adds wider. What the
    product makes stays below half of fp16's range, where the accumulator ends. Where a product would have too many channels or
    rows, the axis becomes two or more short ones, filled up with zeros if no size divides it. Not for `ane.prefer = "speed"`.
  }];
}

def LegalizeTile : ANE_Pass<"ane-legalize-tile", "::mlir::ane::IslandOp"> {
  let summary = "spell tile as a product with ones that broadcasts (C48)";
}

def LowerRelayouts : ANE_Pass<"ane-lower-relayouts", "::mlir::ane::IslandOp"> {
  let summary = "spell ane.relayout as reshape and transpose";
}

def NarrowConstants : ANE_Pass<"ane-narrow-constants", "::mlir::func::FuncOp"> {
  let summary = "say why a program may hold a constant otherwise than fp16 would (C213)";
  let description = [{
    Of what runs on the engine. A constant that fp16 does not hold, and for which there is no reason, has sent its op to the CPU before.
  }];
}

def SealConstants : ANE_Pass<"ane-seal-constants", "::mlir::func::FuncOp"> {
  let summary = "make one op of what is computed from constants alone";
  let description = [{
    A constant that is computed by more than movements and casts becomes an `ane.blob` with the expression as its region: a leaf for
    every later pass, which asks for its facts (`factsOfConstant`), and does not take what it is computed by for work of its own.
    Movements and casts of weights stay to be seen: legalisers move weights.
  }];
}

def NarrowMasks : ANE_Pass<"ane-narrow-masks", "::mlir::func::FuncOp"> {
  let summary = "let programs take the rows of additive masks less their largest elements (C55)";
  let description = [{
    Of scaled_dot_product_attention, and of softmax over a sum or a selection, where the mask is a constant or computed from inputs:

    | mask | becomes |
    |---|---|
    | addends of scores that may exceed 16 | one addend, their sum, computed on the CPU; `ane.narrow` because `mask`, along the softmax's axis |
    | bool, or `select(attends, scores, -inf)` | the addend `select(attends, 0, -inf)`, the same |
    | `select(attends, scores, -1e9)` | the number below an `ane.narrow` because `mask` |
    | rows of which may be so low that scores are lost | the same, and scores below `ane.narrow` because `masked_rows` |
  }];
}

def Place : ANE_Pass<"ane-place", "::mlir::func::FuncOp"> {
  let summary = "mark the ops that the target's engine can't run (ane.host)";
}

def PlaceGradients : ANE_Pass<"ane-place-gradients", "::mlir::func::FuncOp"> {
  let summary = "decide which device computes gradients of weights in a step of training";
  let description = [{
    Of products and convolutions whose result only leaves the function, added to others and in other shapes. With `auto` the CPU gets one (`ane.host` of "cost")
    that takes less time there on each of the target's chips whose speeds are known: the engine's arithmetic (ProductPeak) and the gradient's way out of it,
    against the CPU's arithmetic (HostProduct) and the way of operands that only the engine has, both at the speed of weights (WeightStream). If no chip's
    are known, all stay on the engine.
  }];
  let options = [Option<"how", "how", "std::string", "\"auto\"", "auto, engine or cpu">];
}

def PlaceLayers : ANE_Pass<"ane-place-layers", "::mlir::func::FuncOp"> {
  let summary = "cut transformer layers into programs as other systems do, with the parts between them on the CPU";
  let description = [{
    | engine-parts | on the CPU (`ane.host` of "partition") | programs of a layer |
    |---|---|---|
    | `all` | nothing | none of its own |
    | `no-attention` | products of two computed values, what is made of them up to and with the next linear, sums of two computed values | 2: norm and projections, norm and MLP |
    | `linears` | all but linears, and activations and products of what they give | 3: projections, output projection, MLP |

    Of a step of training, and of the forward pass that belongs to it, with gradients of weights and everything behind the last layer on the CPU:

    | engine-parts | on the CPU, too | programs of a layer |
    |---|---|---|
    | `training-static` | residual sums, gradients of norms | 6: attention, MLP; backward MLP, probabilities and values, queries and keys, projections |
    | `training-dynamic` | residual sums of attention, norms and activations with their gradients, gradients of rotations | 10: attention, output projection, MLP with sum; backward 2 for the MLP, output projection, probabilities and values, queries and keys, projection of queries, projections of keys and values |

    Programs without a part of the CPU between them are told apart by `ane.cut`.

    For comparison: `--partition=layer-halves`, `layer-thirds`, `layer-sixths` and `layer-tenths`.
  }];
  let options = [Option<"engineParts", "engine-parts", "std::string", "\"all\"",
                        "all, no-attention, linears, training-static or training-dynamic">];
}

def Recompute : ANE_Pass<"ane-recompute", "::mlir::func::FuncOp"> {
  let summary = "decide what the backward pass of training computes anew, and what is kept for it";
  let description = [{
    Of a step of training (`ane.training`). What gradients read of the forward pass is kept, and so crosses from its programs to theirs, or it is computed
    anew, from what is kept, in the programs that read it: such ops are marked (`ane.recomputed`).

    | how | computed anew |
    |---|---|
    | `none` | nothing |
    | `attention` | what rules of gradients compute anew: probabilities of attention, slopes of activations, norms |
    | `all` | everything between the values that alone lead from layer to layer and are read there more than once, as residual sums are |
    | `auto` | what costs least |

    Costs are bytes: a value that is kept is written and read, as fp16, and operations count as the bytes that could be moved in their time, at the highest speed
    of a product (ProductPeak) and of weights (WeightStream) of the target's chip, or of several the one where operations cost most. So nothing is computed anew
    that is slower even if surfaces are as fast as weights. The choice of least cost is a minimum cut of the graph of ops. What leads from layer to layer is kept, and so is what the CPU reads, for it.

    `PATTERN=how` decides for nodes whose names match; the last that matches counts.
  }];
  let options = [ListOption<"how", "how", "std::string", "auto, attention, none or all, or PATTERN=how; auto by default">];
}

def SplitProducts : ANE_Pass<"ane-split-products", "::mlir::func::FuncOp"> {
  let summary = "split products of two computed values along an axis that is too long (C26); the CPU cuts and joins";
  let description = [{
    | too long | operands | results |
    |---|---|---|
    | rows or columns | one is cut | joined |
    | what is summed | both are cut | added on the engine |

    For the head of a language model in a training bundle. Parts have as many elements along the axis, as few parts as there can be.
  }];
}

def UnifyEngine : ANE_Pass<"ane-unify-engine", "::mlir::ane::IslandOp"> {
  let summary = "make one op of those that compute the same in the engine region; it comes from all of them (ane.from)";
}

//===-- partitioned -----------------------------------------------------===//

def Partition : ANE_Pass<"ane-partition", "::mlir::ModuleOp"> {
  let summary = "outline islands as ane.program and twin, CPU ops as functions; what is left is the plan";
}

def MergePrograms : ANE_Pass<"ane-merge-programs", "::mlir::ModuleOp"> {
  let summary = "make procedures of one program of several programs, where that pays (C142, C200)";
  let description = [{
    The new program is `bank_N`, its procedures are called like the programs that they were. `when = auto` puts together
    what shares at least half of the smaller one's weights, which are then loaded once, and neighbours where there are
    more programs than a process can compile (C05); `always` everything that fits. Nothing exceeds the target's
    number of procedures (C200), which is 1 where none were seen, nor the weights of a program (C133); where C224 is kept,
    programs stay apart.
  }];
  let options = [Option<"when", "when", "std::string", "\"auto\"", "auto, never or always">];
}

//===-- emittable -------------------------------------------------------===//

def AssignBlobs : ANE_Pass<"ane-assign-blobs", "::mlir::ModuleOp"> {
  let summary = "give every large constant of a program a record in a weight file";
  let description = [{
    Constant expressions of 10 elements and more become `ane.blob`, equal ones share a record; small ones are evaluated and
    printed in the text. Each program has one file; a record's offset is that of its 64-byte descriptor (C08).
  }];
}

def AssignNames : ANE_Pass<"ane-assign-names", "::mlir::ModuleOp"> {
  let summary = "name the values of programs, so that alphabetical order is declared order (C03, C19)";
  let description = [{
    Inputs and outputs are numbered through all procedures of a program (C142), other values in each of them. In a package of
    Core ML inputs and outputs are called as the model calls them, as far as MIL has such names: `ports = model`.
  }];
  let options = [Option<"ports", "ports", "std::string", "\"numbered\"", "numbered or model">];
}

def AssignSurfaces : ANE_Pass<"ane-assign-surfaces", "::mlir::ModuleOp"> {
  let summary = "size the allocations behind inputs and outputs (C02, C04, C18)";
  let description = [{
    Rows are padded to whole 64-byte units, allocations to the minimum of the target, and all inputs (all outputs) of a
    procedure to the largest among them. Only memory is padded, no tensor: see `ane-legalize-io`.
  }];
}

//===-- packages of Core ML ---------------------------------------------===//

def InlineIslands : ANE_Pass<"ane-inline-islands", "::mlir::func::FuncOp"> {
  let summary = "put the engine regions of islands back into their function, between casts";
  let description = [{
    Core ML takes a model as a whole and decides itself what runs where: what is for the engine is fp16, the rest has the
    model's types. Operands are cast and relaid as the island's layouts say, results the other way.
  }];
}

def LegalizeCoreML : ANE_Pass<"ane-legalize-core-ml", "::mlir::func::FuncOp"> {
  let summary = "leave only what the public operations of Core ML have: ops, element types, ranks";
  let description = [{
    | in the model | in a package |
    |---|---|
    | composite that MIL, or the target's opset, lacks | its decomposition |
    | int64 and other integers | int32 |
    | double, bf16 | fp32 |
    | input or output of bools | fp32, cast inside |
    | input or output of one element without axes | one axis of size 1 |
    | output that is an input or a constant, input that nothing reads | an `identity` of it |

    What has no form is an error that names the op and its node.
  }];
}

def OutlinePackage : ANE_Pass<"ane-outline-package", "::mlir::ModuleOp"> {
  let summary = "move the functions of a model into one program, which a package holds";
  let description = [{
    States become fp16, as Core ML has them, between casts.
  }];
}

//===-- all phases ------------------------------------------------------===//

def SetTarget : ANE_Pass<"ane-set-target", "::mlir::ModuleOp"> {
  let summary = "attach the target attribute to the module";
  let description = [{
    Everything that depends on the machine reads `#ane.target` from the module; this pass is the only place where it is
    attached. A target that the module already has is replaced.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"m4\"", "chips: compiler's names (h13 ... h17d) or marketing names (m1, a17, ...), separated by commas; or any-m">,
    Option<"route", "route", "std::string", "\"in_memory\"", "in_memory, coreml or e5rt">,
    Option<"os", "os", "int64_t", "15", "oldest macOS major version that must run the program">,
    Option<"strictness", "strictness", "std::string", "\"catalog\"", "catalog or evidence">,
    ListOption<"keep", "keep", "std::string", "ids of rules that evidence does not lift, e.g. C01,C04, or of disputed ones">,
    Option<"preferSpeed", "prefer-speed", "bool", "false", "keep short spellings where longer ones are only more accurate">
  ];
}

#endif // ANE_TRANSFORMS_PASSES_TD
