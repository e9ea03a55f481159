//===- Quantization.td - casts, quantisation, compressed weights ----------===//
#ifndef ANE_CONSTRAINT_LEGALITY_QUANTIZATION_TD
#define ANE_CONSTRAINT_LEGALITY_QUANTIZATION_TD

include "ane/Constraint/Legality.td"

let family = "Quantisation and types" in {

def : ANE_Legality<[ANE_CastOp], AllClaimed, [
  SweepMissing,
  E5RTRow<Conditional, [TierH16], [
    Supports<ANEForge, "M5", "", Disputed, "its primer has fp32 intermediates made by cast">], "between fp32 and fp16">,
  InMemoryRow<Conditional, [TierH13, TierH14], [
    Supports<Maderix, "M1 Pro, M2", "macOS 26.3", Measured, "fp32 to fp16 fails to compile (Q38)">],
    "not between fp32 and fp16 (C61)">,
  InMemoryRow<Conditional, [TierH15], [
    Supports<ANELM, "M3 Max", "macOS 26.3", Reported, "fp32 inputs and outputs are converted inside">,
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "uint8 to fp16 is rejected">], "between fp32 and fp16 (C61)">,
  InMemoryRow<Conditional, [TierH16], [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "fp32 to fp16 and back, GPT-2">], "between fp32, fp16 and bool (C61)">]> {
  let note = "int32 is rejected everywhere";
}
def : ANE_Legality<[ANE_QuantizeOp], AllNative, [
  SweepRight<"2.7e-4">,
  InMemoryRow<Native, [TierH16], [
    Supports<Maderix, "M4", "macOS 15", Reported, "activations of 128 convolutions, 1.88 times the speed">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "per channel with axis and a scale of rank 1">]>]> {
  let note = "ties away from zero";
}
def : ANE_Legality<[ANE_DequantizeOp], AllNative, [
  SweepRight<"2.7e-4">,
  InMemoryRow<Native, [TierH16], [
    Supports<Maderix, "M4", "macOS 15", Reported, "activations of 128 convolutions, 1.88 times the speed">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "per channel with axis and a scale of rank 1">]>]> {
  let note = "between two quantised branches the scale of the other may be taken (Q62)";
}
def : ANE_Legality<[ANE_ConstexprAffineDequantizeOp], SoftwareOnH13, [
  SweepRight<"5e-4">,
  InMemoryRow<Conditional, [TierH15], [
    Supports<Espresso, "M3 Max", "macOS 15", Disputed, "rejected with arguments in parentheses">], "arguments as attributes">,
  InMemoryRow<Conditional, [TierH16], [
    Supports<Maderix, "M4", "macOS 15", Reported, "arguments as attributes: runs">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a scale for each channel is rejected (Q57)">,
    Contradicts<M0at, "M5", "macOS 26.3", Disputed, "rejected with arguments in parentheses">],
    "arguments as attributes, one scale">]> {
  let note = "int8; folds to fp16 on H13";
}
def : ANE_Legality<[ANE_ConstexprLutToDenseOp], AllNative, [
  SweepRight<"0">,
  CoreMLRow<Conditional, [
    Supports<CoreAI, "M4", "macOS 26", Measured, "coremltools: with a scale for each channel loading crashes (Q58)">],
    "without a scale for each channel">,
  InMemoryRow<Rejected, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "both spellings tried are rejected">,
    Supports<M0at, "M5", "macOS 26.3", Disputed, "rejected; nibbles were declared fp16">]>]> {
  let note = "16 entries";
}
def : ANE_Legality<[ANE_ConstexprLutToSparseOp], AllFolded, [SweepRan<>]>;
def : ANE_Legality<[ANE_ConstexprBlockwiseShiftScaleOp], [Software, Software, Native, Native], [
  SweepRight<"3.8e-4", Conditional, "into elementwise ops, not into convolutions (Q21)">,
  InMemoryRow<Conditional, [TierH15], [
    Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "a scale for each row: language models of 4B and 9B">],
    "a scale for each output channel">,
  InMemoryRow<Conditional, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a scale for each channel runs, grouped scales are rejected (Q71)">],
    "a scale for each output channel">]> {
  let note = "grouped scales give wrong values on A18 through Core AI (Q59)";
}
def : ANE_Legality<[ANE_ConstexprSparseToDenseOp], AllNative, [SweepRight<"0">]> { let note = "pays from half zeros on"; }
def : ANE_Legality<[ANE_ConstexprSparseBlockwiseShiftScaleOp], [Software, Software, Native, Native], [SweepRan<>]>;
def : ANE_Legality<[ANE_ConstexprCastOp], AllRejected, [SweepRight<"0">]> { let note = "the tables have no path"; }
def : ANE_Legality<[ANE_ConstOp], AllFolded>;

} // family

#endif // ANE_CONSTRAINT_LEGALITY_QUANTIZATION_TD
