//===- Reduction.td - reductions -----------------------------------------===//
#ifndef ANE_CONSTRAINT_LEGALITY_REDUCTION_TD
#define ANE_CONSTRAINT_LEGALITY_REDUCTION_TD

include "ane/Constraint/Legality.td"

let family = "Reductions" in {

def : ANE_Legality<[ANE_ReduceSumOp], AllNative, [
  SweepRight<"8e-4">,
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "norms of training kernels">]>,
  InMemoryRow<Native, [TierH15], [
    Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "norms of a language model">,
    Supports<Espresso, "M3 Max", "macOS 15", Measured, "axes 1, 2 and 3">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<Maderix, "M4", "macOS 15", Measured, "norms of training kernels">,
    Supports<Orion, "M4 Max", "macOS 15", Measured, "the same">,
    Contradicts<M0at, "M5", "macOS 26.3", Disputed, "reductions fail to compile; axes was an inline literal">]>]> {
  let note = "adds narrower than matmul: from 256 elements on a product with ones (C57); integers are exact to 2,048";
}
def : ANE_Legality<[ANE_ReduceMeanOp], AllNative, [
  SweepRight<"8e-4">,
  InMemoryRow<Rejected, [TierH15], [Supports<Espresso, "M3 Max", "macOS 15", Reported, "missing">]>,
  InMemoryRow<Conditional, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "axis 1: fails for [512, 32], works for [128, 6144]">,
    Supports<Orion, "M4 Max", "macOS 15", Measured, "layer norms of GPT-2, exact tokens">,
    Contradicts<M0at, "M5", "macOS 26.3", Disputed, "fails to compile; axes was an inline literal">],
    "depends on the shape (C71)">]>;
def : ANE_Legality<[ANE_ReduceMaxOp], AllNative, [
  SweepRight<"0">,
  InMemoryRow<Native, [TierH15], [Supports<Espresso, "M3 Max", "macOS 15", Reported, "largest logit of a language model">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "norms scaled by their maximum, 6e-5 ... 7e-4">]>]>;
def : ANE_Legality<[ANE_ReduceMinOp], AllNative, [SweepRight<"0">]>;
def : ANE_Legality<[ANE_ReduceSumSquareOp], AllNative, [SweepRight<"5.4e-4">]> {
  let note = "the square is fused from H14 on, numerically the same";
}
def : ANE_Legality<[ANE_ReduceL1NormOp], AllNative, [SweepRight<"7.1e-4">]>;
def : ANE_Legality<[ANE_ReduceL2NormOp], AllNative, [SweepRight<"5.1e-4">]> {
  let note = "the fastest building block of an RMS norm (Q13)";
}
def : ANE_Legality<[ANE_ReduceLogSumOp], AllNative, [SweepRight<"9.1e-4">]>;
def : ANE_Legality<[ANE_ReduceLogSumExpOp], AllNative, [SweepRight<"7.7e-4">]>;

defvar ArgBridge = NetlistRow<Conditional, MILTiers, [
  Supports<ANEForge, "M1 ... M5", "", Measured, "argument [C, W], indices exact below 2,048 (Q25)">], "at most 2,048 elements">;
def : ANE_Legality<[ANE_ReduceArgmaxOp], AllClaimed, [SweepMissing, ArgBridge]> {
  let note = "wrong on A19 through Core AI (Q65); C34";
}
def : ANE_Legality<[ANE_ReduceArgminOp], [Software, Software, Claimed, Claimed], [SweepMissing, ArgBridge]> {
  let note = "C34";
}
def : OtherLegality<["global_argmax", "global_argmin"], [Software, Software, Claimed, Claimed], [
  NetlistRow<Native, MILTiers, [
    Supports<ANEForge, "M1", "", Measured, "the bridge works, the HAL byte 0x4f2 is set from H13 on">,
    Contradicts<ANEGuide, "M1", "", Inferred, "rejected on M1, minimum family H15">]>]>;
def : ANE_Legality<[ANE_ReduceProdOp], AllRejected, [SweepMissing]> {
  let note = "exp of a sum of logarithms to 1e-3, signs apart (C42)";
}

} // family

#endif // ANE_CONSTRAINT_LEGALITY_REDUCTION_TD
