//===- Normalization.td - norms ------------------------------------------===//
#ifndef ANE_CONSTRAINT_LEGALITY_NORMALIZATION_TD
#define ANE_CONSTRAINT_LEGALITY_NORMALIZATION_TD

include "ane/Constraint/Legality.td"

let family = "Normalisation" in {

def : ANE_Legality<[ANE_BatchNormOp], AllNative, [SweepRight<"3.7e-4">]> {
  let note = "folded into the convolution: alone it lost 10 points on ResNet-50 in fp16 (Q50)";
}
def : ANE_Legality<[ANE_LayerNormOp], AllConditional, [
  SweepRight<"3.9e-4", Conditional, "not with both gamma and beta at run time from 10,240 elements on (Q12c)">,
  E5RTRow<Conditional, [TierH13, TierH14], [
    Supports<ANEForge, "M1, M2", "", Measured, "fails to compile from 1,024 elements on, depending on gamma and beta (Q12a, Q12b)">],
    "gamma and beta constant-valued, or applied after the norm">]> {
  let note = "whether it compiles depends on the values of gamma and beta (Q12)";
}
def : ANE_Legality<[ANE_InstanceNormOp], AllNative, [SweepRight<"7.6e-4">]> { let note = "spatial axes only"; }
def : ANE_Legality<[ANE_GroupNormOp], AllNative> {
  let note = "a layer_norm with groups: its internal axes C/G and H*W count (Q15)";
}
def : ANE_Legality<[ANE_L2NormOp], AllNative, [
  SweepRan<>,
  InMemoryRow<Rejected, [TierH16], [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "rejected">]>]>;
def : ANE_Legality<[ANE_LocalResponseNormOp], AllNative, [
  SweepRight<"1.4e-4">,
  NetlistRow<Conditional, MILTiers, [
    Supports<ANEForge, "M1", "", Measured, "16 channels and more fail (Q26)">], "at most 15 channels">]>;

} // family

#endif // ANE_CONSTRAINT_LEGALITY_NORMALIZATION_TD
