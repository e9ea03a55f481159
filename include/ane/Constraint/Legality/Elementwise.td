//===- Elementwise.td - arithmetic ---------------------------------------===//
#ifndef ANE_CONSTRAINT_LEGALITY_ELEMENTWISE_TD
#define ANE_CONSTRAINT_LEGALITY_ELEMENTWISE_TD

include "ane/Constraint/Legality.td"

let family = "Elementwise arithmetic" in {

def : ANE_Legality<[ANE_AbsOp], AllNative, [
  SweepRight<"0">,
  InMemoryRow<Native, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "in norms scaled by their maximum and in softplus">]>]>;
def : ANE_Legality<[ANE_AddOp], AllNative, [
  SweepRight<"3.3e-4">,
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "training kernels">]>,
  InMemoryRow<Native, [TierH15], [Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "residuals of a language model">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "GPT-2, exact tokens">,
    Supports<M0at, "M5", "macOS 26.3", Measured, "GPT-2 and Mistral">]>]> {
  let note = "a constant operand folds into the op before; two operands at run time end a fusion";
}
def : ANE_Legality<[ANE_SubOp], AllNative, [
  SweepRight<"3.0e-4">,
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "training kernels">]>,
  InMemoryRow<Native, [TierH15], [Supports<Maderix, "M3 Ultra", "macOS 15", Reported, "training kernels">]>,
  InMemoryRow<Native, [TierH16], [Supports<Orion, "M4 Max", "macOS 15", Measured, "layer norms of GPT-2, exact tokens">]>]> {
  let note = "an addition of the negated constant";
}
def : ANE_Legality<[ANE_MulOp], AllConditional, [
  SweepRight<"1.7e-4", Conditional, "not by a scalar after floor, ceil or round (Q07), not by 0 after a reduction (Q09)">,
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "training kernels">]>,
  InMemoryRow<Native, [TierH14], [
    Supports<ANELM, "M2 Ultra", "macOS 26.3", Reported, "language model measured by the hybrid paper">]>,
  InMemoryRow<Native, [TierH15], [
    Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "norms and gates of a language model">,
    Contradicts<FieldGuide, "M3 Max", "macOS 26.3", Disputed, "wrong with a broadcast batch axis (Q87); names x, W bind in reverse">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "GPT-2, exact tokens">,
    Supports<M0at, "M5", "macOS 26.3", Measured, "GPT-2 and Mistral">]>]> {
  let note = "a scalar factor after floor, ceil or round is dropped (Q07); by 0 after a reduction it does not compile (Q09)";
}
def : ANE_Legality<[ANE_RealDivOp], AllNative, [
  SweepRight<"1.7e-4">,
  InMemoryRow<Native, [TierH15], [Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "norms of a language model">]>,
  InMemoryRow<Native, [TierH16], [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "x / (1 + exp(-x)), 7e-4">]>]>;
def : ANE_Legality<[ANE_FloorDivOp], AllNative, [SweepRight<"0">]> {
  let note = "helped by a table; before H13 by constants only";
}
def : ANE_Legality<[ANE_PowOp], AllNative, [
  SweepRight<"1.8e-4">,
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "exponent -0.5 in training kernels">]>,
  InMemoryRow<Native, [TierH15], [Supports<Espresso, "M3 Max", "macOS 15", Measured, "exponent -0.5 in every norm">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<Maderix, "M4", "macOS 15", Measured, "exponent -0.5 in every norm">,
    Supports<Orion, "M4 Max", "macOS 15", Measured, "the same">]>,
  InMemoryRow<Conditional, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a constant exponent is rejected, one at run time runs">],
    "an exponent at run time from macOS 27 on (C65)">]>;
def : ANE_Legality<[ANE_SquareOp], AllNative, [
  SweepRight<"8e-5", Conditional, "not before a nonlinearity where width % 128 > 64 (Q11)">]>;
def : ANE_Legality<[ANE_SqrtOp], AllNative, [
  SweepRight<"4.3e-4">,
  InMemoryRow<Native, [TierH15], [Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "norms of a language model">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "norms scaled by their maximum, 6e-5 ... 7e-4">]>]>;
def : ANE_Legality<[ANE_RsqrtOp], AllNative, [
  SweepRight<"1.04e-3">,
  InMemoryRow<Rejected, [TierH15], [
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "rejected">,
    Contradicts<Libane, "M3 Pro", "", Measured, "runs, infinite below 7.63e-6 (Q42)">]>,
  InMemoryRow<Rejected, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "rejected">,
    Supports<M0at, "M5", "macOS 26.3", Disputed, "rejected; epsilon was not given">,
    Contradicts<Crane, "", "macOS 15", Reported, "in a list of ops of a block that runs">]>]> {
  let note = "C49";
}
def : ANE_Legality<[ANE_InverseOp], AllNative, [SweepRight<"2.8e-4">]> { let note = "the sign of -0 is lost"; }
def : ANE_Legality<[ANE_MaximumOp], AllNative, [
  SweepRight<"0">,
  InMemoryRow<Native, [TierH15], [
    Supports<Libane, "M3 Pro", "", Reported, "the floor of the argument of log and rsqrt">]>]> {
  let note = "NaN becomes infinity at the boundary";
}
def : ANE_Legality<[ANE_MinimumOp], AllNative, [SweepRight<"0">]>;
def : ANE_Legality<[ANE_ModOp], AllRejected, [SweepMissing]> { let note = "x - y floor_div(x, y) (C36)"; }
def : ANE_Legality<[ANE_CumsumOp], AllClaimed, [SweepMissing]> {
  let note = "the tables mean a path that is chosen at run time; a product with a triangle of ones (C33)";
}
def : ANE_Legality<[ANE_ExpOp], AllNative, [
  SweepRight<"4.7e-4">,
  InMemoryRow<Native, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "x / (1 + exp(-x)), 7e-4">,
    Supports<Orion, "M4 Max", "macOS 15", Reported, "written by its code generator">]>]> {
  let note = "infinite from 11.094 on";
}
def : ANE_Legality<[ANE_Exp2Op], AllNative, [SweepRight<"4.8e-4">]>;
def : ANE_Legality<[ANE_LogOp], AllNative, [
  SweepRight<"8e-4">,
  InMemoryRow<Conditional, [TierH15], [
    Supports<Libane, "M3 Pro", "", Measured, "infinite below 7.63e-6 (Q42)">], "arguments of at least 7.63e-6 (C54)">]> {
  let note = "epsilon is mandatory; log(0) is -45440";
}
def : ANE_Legality<[ANE_ErfOp], AllNative, [SweepRight<"7e-4">]>;
def : ANE_Legality<[ANE_SignOp], AllNative, [SweepRight<"0">]>;
def : ANE_Legality<[ANE_CeilOp, ANE_FloorOp], AllConditional, [
  SweepRight<"0", Conditional, "not before a product with a scalar (Q07)">]>;
def : ANE_Legality<[ANE_RoundOp], AllConditional, [
  SweepRight<"0", Conditional, "magnitudes below 1,024 (Q06), not before a product with a scalar (Q07)">]> {
  let note = "half away from zero; C66";
}

} // family

#endif // ANE_CONSTRAINT_LEGALITY_ELEMENTWISE_TD
