//===- Activation.td - activations, tables of 33 knots unless noted -------===//
#ifndef ANE_CONSTRAINT_LEGALITY_ACTIVATION_TD
#define ANE_CONSTRAINT_LEGALITY_ACTIVATION_TD

include "ane/Constraint/Legality.td"

let family = "Activations" in {

def : ANE_Legality<[ANE_ReluOp], AllNative, [
  SweepRight<"0">,
  InMemoryRow<Native, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "in the accurate form of softplus">,
    Supports<Orion, "M4 Max", "macOS 15", Reported, "written by its code generator">]>]> {
  let note = "a maximum, no table";
}
def : ANE_Legality<[ANE_Relu6Op], AllNative, [SweepRight<"0">]>;
def : ANE_Legality<[ANE_LeakyReluOp], AllNative, [SweepRight<"1e-5">]>;
def : ANE_Legality<[ANE_PreluOp], AllNative, [SweepRan<>]> { let note = "a slope for each channel, rank 3 or more"; }
def : ANE_Legality<[ANE_ClampedReluOp], AllNative, [SweepRight<"9e-5">]>;
def : ANE_Legality<[ANE_ThresholdedReluOp], AllNative, [SweepRight<"0">]>;
def : ANE_Legality<[ANE_ThresholdOp], AllNative, [SweepRight<"0">]>;
def : ANE_Legality<[ANE_ClipOp], AllNative, [SweepRight<"0">]>;
def : ANE_Legality<[ANE_EluOp], AllNative, [SweepRight<"5.06e-3">]>;
def : ANE_Legality<[ANE_SigmoidOp], AllNative, [
  SweepRight<"3.84e-3">,
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "gates of training kernels">]>,
  InMemoryRow<Native, [TierH14], [
    Supports<ANELM, "M2 Ultra", "macOS 26.3", Reported, "language model measured by the hybrid paper">]>,
  InMemoryRow<Native, [TierH15], [Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "gates of a language model">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<Maderix, "M4", "macOS 15", Measured, "gates of training kernels">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "runs, 4e-2 off at small magnitudes (Q22)">]>]> {
  let note = "its table covers [-9.94, 8.32] with an absolute error of 3.4e-3; C58";
}
def : ANE_Legality<[ANE_SigmoidHardOp], AllNative, [SweepRight<"2.6e-4">]>;
def : ANE_Legality<[ANE_TanhOp], AllNative, [
  SweepRight<"1.26e-3">,
  InMemoryRow<Native, [TierH16], [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "the tanh form of GELU, exact tokens of GPT-2">]>]>;
def : ANE_Legality<[ANE_ScaledTanhOp], AllNative, [SweepRight<"1.72e-3">]>;
def : ANE_Legality<[ANE_GeluOp], AllNative, [
  SweepRight<"2.39e-3">,
  InMemoryRow<Rejected, [TierH16], [
    Supports<Orion, "M4 Max", "macOS 15", Disputed, "fails to compile; mode was not given">]>]> {
  let note = "mode is mandatory; gelu(0) is -5.4e-4 on M1 and -7.5e-4 on M5; C10";
}
def : ANE_Legality<[ANE_SiluOp], AllNative, [
  SweepRight<"9.97e-3">,
  InMemoryRow<Native, [TierH15], [
    Supports<FieldGuide, "M3 Max", "macOS 26.3", Reported, "works; every generator writes sigmoid and mul">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "runs, 4e-2 off at small magnitudes (Q22)">]>]> {
  let note = "x / (1 + exp(-x)) is accurate to 7e-4 (C58)";
}
def : OtherLegality<["swish"], AllNative, [SweepRight<"9.97e-3">]> { let note = "silu's name in netlists"; }
def : ANE_Legality<[ANE_SoftmaxOp], AllNative, [
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "attention of training kernels">]>,
  InMemoryRow<Native, [TierH15], [
    Supports<Maderix, "M3 Ultra", "macOS 15", Reported, "attention of training kernels">,
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "256 columns">,
    Contradicts<Espresso, "M3 Max", "macOS 15", Disputed, "257 columns fail (Q45); rows of 514 bytes are no multiple of 64">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "attention of GPT-2, exact tokens">,
    Supports<Maderix, "M4", "macOS 15", Measured, "over 32,000 channels">]>]> {
  let note = "subtracts the maximum itself";
}
def : ANE_Legality<[ANE_SoftplusOp], AllConditional, [
  SweepRight<"7.8e-4", Conditional, "arguments below 10.4 (Q08)">,
  InMemoryRow<Conditional, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "0 from 11.09 on (Q08)">], "arguments below 10.4 (C62)">]>;
def : ANE_Legality<[ANE_SoftplusParametricOp], AllConditional, [SweepRan<Conditional, "arguments below 10.4 (Q08)">]>;
def : ANE_Legality<[ANE_SoftsignOp], AllNative, [SweepRight<"7.6e-4">]> { let note = "softsign(inf) is 0"; }
def : OtherLegality<["gamma", "degamma"], AllNetlist> { let note = "tables of the camera, internal"; }

} // family

#endif // ANE_CONSTRAINT_LEGALITY_ACTIVATION_TD
