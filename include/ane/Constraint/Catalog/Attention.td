//===- Attention.td - attention, products of computed values -------------===//
#ifndef ANE_CONSTRAINT_CATALOG_ATTENTION_TD
#define ANE_CONSTRAINT_CATALOG_ATTENTION_TD

include "ane/Constraint/Constraint.td"

def ProductInputs : ANE_Constraint<"C108", "product-inputs"> {
  let summary = "in one project's programs a matmul takes inputs and convolutions only";
  let symptom = Reject;
  let disputed = true;
  let ops = [ANE_MatmulOp];
  let where = [Applies<[TierH15], [InMemory]>];
  let predicate = Custom<"checkProductInputs", "each computed operand is an input of the program or the result of a convolution">;
  let remedy = "the product runs on the CPU";
  let noRule = "disputed: others run such products on the same chips";
  let evidence = [
    Supports<Libane, "M3 Pro", "", Measured, "rejected after a reshape or another op; a 1x1 convolution runs (Q41)">,
    Contradicts<Maderix, "M3 Ultra, M4, M5", "macOS 15", Measured, "products of sliced and transposed values train">,
    Contradicts<Orion, "M4 Max", "macOS 15", Measured, "attention with exact GPT-2 tokens">];
  let verdict = "contradicted as a general rule";
}

def ProductDepth : ANE_Constraint<"C109", "product-depth"> {
  let summary = "a product of two computed values gives zeros unless its depth is a multiple of 32";
  let symptom = WrongResult;
  let effect = GivesZeros;
  let ops = [ANE_MatmulOp];
  let where = [Applies<[TierH13, TierH15], [InMemory]>];
  let predicate = Custom<"checkMatmulDepth", "an operand is a constant, or the axis that is summed is a multiple of Limit::ProductUnit">;
  let legalisedBy = [LegalizeAttention];
  let remedy = "both operands are padded with zeros";
  let evidence = [
    Supports<Maderix, "M1", "", Reported, "zeros (Q43)">,
    Supports<Libane, "M3 Pro", "", Reported, "the same rule">,
    Contradicts<Crane, "", "macOS 15", Reported, "784 columns run">];
}

def SoftmaxExtent : ANE_Constraint<"C110", "softmax-extent"> {
  let summary = "a softmax over an axis that is no power of two is invalid";
  let symptom = Reject;
  let disputed = true;
  let ops = [ANE_SoftmaxOp];
  let where = [Applies<[TierH15], [InMemory]>];
  let predicate = Custom<"checkSoftmaxExtent", "the axis is a power of two">;
  let legalisedBy = [LegalizeAttention];
  let remedy = "as many elements more as make it one, without weight, unless speed is preferred";
  let noRule = "disputed: rows of inputs and outputs explain it (C24)";
  let evidence = [
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "256 work, 257 fail; instead: pad it, or exp, sum and division (Q45)">,
    Supports<Hollance, "", "", Reported, "the same">,
    Contradicts<Crane, "", "macOS 15", Reported, "784 columns run">,
    Contradicts<Maderix, "M4", "macOS 15", Measured, "32,000 channels run in 2.40 ms">];
  let verdict = "a row of 257 is no multiple of 64 bytes: C24";
}

def RopeConcat : ANE_Constraint<"C111", "rope-concat"> {
  let summary = "a rotary embedding of slices that are joined along the width fails to compile";
  let symptom = Reject;
  let ops = [ANE_RopeOp, ANE_ConcatOp];
  let where = [Applies<[TierH15], [InMemory]>];
  let predicate = Custom<"checkRopeConcat", "no rope is left, and no concat joins two slices of one value along the last axis">;
  let legalisedBy = [LegalizeRope, LegalizeConcat];
  let remedy = "a product with a permutation matrix makes pairs change places; other concats become sums";
  let evidence = [Supports<Rustane, "M3 Ultra", "", Measured, "reshape, slice and concat fail; x P runs (Q54)">];
}

def RankFourConstant : ANE_Constraint<"C113", "rank-4-constant"> {
  let summary = "a constant of rank 4 is no operand of an elementwise op";
  let symptom = Reject;
  let ops = [ANE_AddOp, ANE_SubOp, ANE_MulOp, ANE_RealDivOp, ANE_MaximumOp, ANE_MinimumOp, ANE_PowOp, ANE_SelectOp,
             ANE_EqualOp, ANE_NotEqualOp, ANE_GreaterOp, ANE_GreaterEqualOp, ANE_LessOp, ANE_LessEqualOp];
  let where = [Applies<[TierH16], [InMemory], 27, 0, false>];
  let predicate = Custom<"checkRankFourConstant", "a constant operand has rank 3 or less, one element, or the shape [1, C, 1, 1]">;
  let legalisedBy = [LegalizeConstants];
  let remedy = "[1, C, 1, 1] between reshapes, or the CPU; the constant as an input of the program would do";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "InvalidMILProgram; as a weight, as an input and as [1, C, 1, 1] it runs (Q70)">,
    Contradicts<Orion, "M4 Max", "macOS 15", Measured, "a constant mask [1, 1, S, S] gives exact tokens">,
    Contradicts<M0at, "M5", "macOS 26.3", Reported, "the same">,
    Contradicts<Crane, "", "macOS 15", Reported, "constant masks and rotary tables">];
}

def DirectAttention : ANE_Constraint<"C114", "direct-attention"> {
  let summary = "an attention over more than 256 keys is not compiled as one softmax";
  let symptom = Reject;
  let ops = [ANE_SoftmaxOp, ANE_RealDivOp];
  let where = [Applies<[TierH16], [InMemory], 27, 0, false>];
  let predicate = Custom<"checkDirectAttention", "a softmax that a product reads, also one that is spelled out as exp(x) / sum, is over at "
                         "most Limit::AttentionKeys elements">;
  let legalisedBy = [LegalizeAttention];
  let remedy = "columns of 256 with a common maximum and sum";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "256 keys compile, 512 as one program do not; parts of 256 run, each an evaluation">,
    Contradicts<Crane, "", "macOS 15", Reported, "784 columns run">];
}

def AttentionExtent : ANE_Constraint<"C106", "attention-extent"> {
  let summary = "the attention layer of the netlist is wrong for long sequences";
  let symptom = WrongResult;
  let effect = GivesGarbage;
  let ops = [ANE_ScaledDotProductAttentionOp];
  let where = [Applies<AllTiers, [Netlist]>];
  let predicate = Custom<"checkAttentionExtent", "there are at most Limit::NetlistAttention keys, and at most "
                         "Limit::NetlistAttentionSquare queries or keys">;
  let legalisedBy = [DecomposeComposites];
  let remedy = "matmul, add, softmax, matmul";
  let evidence = [
    Supports<ANEForge, "M1, M5", "", Measured, "512 x 512: cosine 0.67; 4,096: garbage; the layer also cuts the graph (Q33)">];
}

def DecodeWidth : ANE_Constraint<"C148", "decode-width"> {
  let summary = "the first request of a decoder with one or two queries fails";
  let symptom = EvalFail;
  let scope = PerProgram;
  let where = [Applies<[TierH16], [CoreML], 27>];
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"seen in Core AI, which is no route here">;
  let remedy = "four or eight queries take the same time";
  let evidence = [Supports<CoreAI, "M5 Pro", "macOS 27", Measured, "0xe00002c2 with a static Qwen3-4B; width 4 and 8 run (Q64)">];
}

def EarlyMatmul : ANE_Constraint<"C152", "early-matmul"> {
  let summary = "products of two computed values fail to compile on M1 and M2";
  let symptom = Reject;
  let disputed = true;
  let ops = [ANE_MatmulOp];
  let where = [Applies<[TierH13, TierH14], [InMemory]>];
  let predicate = Custom<"checkEarlyMatmul", "an operand is a constant">;
  let host = true;
  let remedy = "the product runs on the CPU";
  let noRule = "disputed: training programs with such products run there";
  let evidence = [
    Supports<Maderix, "M1 Pro", "macOS 26.3", Reported, "a pull request says so of M1 and M2, and of attention as well">,
    Contradicts<Maderix, "M1 Pro, M1 Max", "", Reported, "attention with products of computed values trains">,
    Contradicts<ANEForge, "M1", "", Measured, "runs on e5rt">];
  let verdict = "contradicted by the same project";
}

#endif // ANE_CONSTRAINT_CATALOG_ATTENTION_TD
