//===- Convolution.td - convolutions, products, pools, attention --------===//
#ifndef ANE_CONSTRAINT_LEGALITY_CONVOLUTION_TD
#define ANE_CONSTRAINT_LEGALITY_CONVOLUTION_TD

include "ane/Constraint/Legality.td"

let family = "Convolution, matmul, pooling, attention" in {

def : ANE_Legality<[ANE_ConvOp], AllNative, [
  SweepRight<"2.8e-4", Conditional, "not with the kernel as stride: patches are rejected (Q20)">,
  E5RTRow<Native, [TierH13, TierH14, TierH16], [
    Supports<ANEForge, "M1 Max, M2 Pro, M4, M5", "", Measured, "sweep of 3x3 convolutions, relative error 3.7e-4 ... 5.3e-4">]>,
  InMemoryRow<Native, [TierH13], [
    Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "1x1 with a constant weight, training kernels">]>,
  InMemoryRow<Native, [TierH14], [
    Supports<ANELM, "M2 Ultra", "macOS 26.3", Reported, "1x1, language model measured by the hybrid paper">]>,
  InMemoryRow<Native, [TierH15], [
    Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "1x1 up to 65,536 output channels">,
    Supports<Espresso, "M3 Max", "macOS 15", Measured, "grouped and kernel 3, equal to Python">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "GPT-2, exact tokens">,
    Supports<M0at, "M5", "macOS 26.3", Measured, "GPT-2 and Mistral">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "62,080 output channels; depthwise with 10,240 channels">]>,
  CoreMLRow<Conditional, [
    Supports<Hollance, "various", "", Reported, "runs on the engine unless dilated">], "not dilated">]> {
  let note = "constant weight; 3x3 with unit stride may become Winograd; C13, C16, C53, C64 say more";
}
def : ANE_Legality<[ANE_ConvOp], AllNative, [
  E5RTRow<Conditional, [TierH13], [
    Supports<ANEGuide, "M1", "", Measured, "correct at batch 1, batch 2 kills the compile service (Q18)">], "batch 1, not grouped">,
  InMemoryRow<Rejected, [TierH13], [
    Supports<Maderix, "M1", "", Reported, "grouped or depthwise: InvalidMILProgram (Q19)">]>,
  InMemoryRow<Rejected, [TierH15], [
    Supports<FieldGuide, "M3 Max", "macOS 26.3", Disputed, "compiles, the weight is ignored (Q86); names x, W bind in reverse">]>]> {
  let form = "weight at run time";
  let note = "C53";
}
def : ANE_Legality<[ANE_ConvOp], AllRejected> {
  let form = "3-D";
  let note = "kernel depth is in the HAL (16) and no backend lowers it: unroll over depth (C63)";
}
def : ANE_Legality<[ANE_ConvTransposeOp], AllNative, [
  SweepRight<"2.5e-4">,
  CoreMLRow<Native, [Supports<Hollance, "various", "", Reported, "runs on the engine">]>]> {
  let note = "strided axes obey the small kernel limits; weight [Cin, Cout, kH, kW]";
}
def : OtherLegality<["conv_quantized"], AllRejected, [SweepRefused]> {
  let note = "a constexpr dequantisation and conv";
}
def : ANE_Legality<[ANE_LinearOp], AllNative, [SweepRight<"3.0e-4">]> {
  let note = "rank below 5; up to 2 MB of weights it becomes a convolution";
}
def : ANE_Legality<[ANE_LinearActivationOp], AllNative, [SweepRight<"9e-5">]>;
def : ANE_Legality<[ANE_MatmulOp], AllNative, [
  SweepRight<"3.0e-4">,
  E5RTRow<Native, [TierH13, TierH14, TierH16], [
    Supports<ANEForge, "M1 Max, M2 Pro, M4, M5", "", Measured, "sweep of 512 ... 8192 cubed, the same error on all">]>,
  InMemoryRow<Native, [TierH13], [
    Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "attention of the training kernels runs">,
    Contradicts<Maderix, "M1 Pro", "macOS 26.3", Disputed, "a pull request reports that it fails to compile">]>,
  InMemoryRow<Native, [TierH15], [
    Supports<Maderix, "M3 Ultra", "macOS 15", Measured, "both operands at run time, ranks 3 and 4">,
    Contradicts<Libane, "M3 Pro", "", Reported, "rejected after a reshape or another op (Q41)">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "attention of GPT-2, exact tokens">,
    Supports<Maderix, "M4", "macOS 15", Measured, "operands sliced from an input of up to 9,728 columns">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "attention core over a cache of 256">,
    Contradicts<M0at, "M5", "macOS 26.3", Disputed, "run-time weights fail to compile; its weight dictionary was nil">]>]> {
  let note = "rank at most 4 where batched; above 32,752 results are infinite (Q04)";
}
def : ANE_Legality<[ANE_EinsumOp], AllNative, [SweepRight<"2.0e-4", Conditional, "nchw,nwhu->nchu">]> {
  let note = "matmul and transpose";
}
def : ANE_Legality<[ANE_ScaledDotProductAttentionOp], AllNative, [
  SweepRight<"2.7e-4">,
  InMemoryRow<Rejected, [TierH13], [
    Supports<Maderix, "M1 Pro", "macOS 26.3", Reported, "fails to compile">]>,
  InMemoryRow<Conditional, [TierH16], [
    Supports<Maderix, "M4", "macOS 15", Reported, "compiles, the mask is ignored (Q34)">,
    Supports<Orion, "M4 Max", "macOS 15", Reported, "the same">], "without a mask (C06)">,
  NetlistRow<Conditional, MILTiers, [
    Supports<ANEForge, "M1 ... M5", "", Measured, "wrong from 512 x 512 on; takes a fifth operand as additive mask (Q33)">],
    "fewer than 512 queries or keys">]> {
  let note = "on Core ML the planner keeps it on the engine for large operands only";
}
defvar PoolsOnCoreML = CoreMLRow<Conditional, [
  Supports<Hollance, "various", "", Reported, "not on the engine above a window of 13 or a stride of 2">],
  "a window of at most 13, a stride of at most 2">;
def : ANE_Legality<[ANE_AvgPoolOp], AllNative, [SweepRight<"2.1e-4">, PoolsOnCoreML]>;
def : ANE_Legality<[ANE_MaxPoolOp], AllNative, [SweepRight<"0">, PoolsOnCoreML]>;
def : ANE_Legality<[ANE_L2PoolOp], AllNative, [SweepRight<"4.1e-4">]>;
def : OtherLegality<["ne_conv", "ne_matmul", "ne_pool"], AllNative> {
  let note = "private selections of a unit for the same atoms";
}
def : OtherLegality<["pe_elementwise", "pe_pool"], AllNative> { let note = "private"; }
def : OtherLegality<["pe_goc", "ne_bypass"], AllNetlist> { let note = "internal to the compiler"; }

} // family

#endif // ANE_CONSTRAINT_LEGALITY_CONVOLUTION_TD
