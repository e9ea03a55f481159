//===- Trigonometry.td - angles and layers of netlists ---------------------===//
#ifndef ANE_CONSTRAINT_LEGALITY_TRIGONOMETRY_TD
#define ANE_CONSTRAINT_LEGALITY_TRIGONOMETRY_TD

include "ane/Constraint/Legality.td"

let family = "Trigonometry and special layers" in {

def : ANE_Legality<[ANE_SinOp], [Software, Software, Native, Native], [
  SweepRight<"5e-4">,
  E5RTRow<Software, [TierH13], [Supports<ANEGuide, "M1", "", Measured, "a polynomial, off by 0.04 to 0.12 near pi">]>]> {
  let note = "C44";
}
def : ANE_Legality<[ANE_CosOp], [Software, Software, Native, Native], [
  SweepRight<"5.6e-4">,
  E5RTRow<Software, [TierH13], [Supports<ANEGuide, "M1", "", Measured, "a polynomial, off by 0.04 to 0.12 near pi">]>]> {
  let note = "cos(inf) is 0; C44";
}
def : ANE_Legality<[ANE_AtanOp], AllNative, [SweepRight<"1.88e-2">]> { let note = "two tables"; }
def : ANE_Legality<[ANE_TanOp, ANE_AsinOp, ANE_AcosOp, ANE_AtanhOp, ANE_SinhOp, ANE_CoshOp], AllRejected, [SweepMissing]> {
  let note = "identities of exp, log, sqrt and atan (C43)";
}
defvar Bridges = NetlistRow<Native, MILTiers, [
  Supports<ANEForge, "M1 ... M5", "", Measured, "a layer of netlists that ends a segment">]>;
def : OtherLegality<["cross_product"], AllNetlist, [Bridges]> { let note = "vectors of 3 in the channels"; }
def : OtherLegality<["cost_volume"], AllNetlist, [Bridges]> { let note = "planes of disparity"; }
def : OtherLegality<["matrix_decomposition"], AllRejected, [
  NetlistRow<Rejected, MILTiers, [Supports<ANEForge, "M1 ... M5", "", Measured, "walled">]>]>;
def : OtherLegality<["cross_correlation", "fps", "radius_search", "input_view", "flatten", "space_to_channel",
                     "channel_to_space"], AllNetlist, [Bridges]> {
  let note = "fps: k at most 1,024 of 8,192 (Q32); space_to_channel: batch 1 (Q31)";
}
def : OtherLegality<["minmax_norm"], AllNetlist, [
  NetlistRow<Conditional, MILTiers, [
    Supports<ANEForge, "M1", "", Measured, "the channel axis is rejected (Q27)">], "height or width">]>;
def : OtherLegality<["scaled_elementwise"], AllNetlist, [
  NetlistRow<Conditional, MILTiers, [
    Supports<ANEForge, "M1 ... M5", "", Measured, "sub is rejected, mult ignores the scale (Q28)">], "neither sub nor a scale">]>;

} // family

#endif // ANE_CONSTRAINT_LEGALITY_TRIGONOMETRY_TD
