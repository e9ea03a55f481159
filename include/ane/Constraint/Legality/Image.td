//===- Image.td - resizing and the texture engine -------------------------===//
#ifndef ANE_CONSTRAINT_LEGALITY_IMAGE_TD
#define ANE_CONSTRAINT_LEGALITY_IMAGE_TD

include "ane/Constraint/Legality.td"

let family = "Image and texture engine" in {

def : ANE_Legality<[ANE_ResizeOp, ANE_ResizeBilinearOp], SoftwareOnH13, [SweepRan<>]> {
  let note = "on H13 a transposed convolution with other rounding; modes: C47";
}
def : ANE_Legality<[ANE_ResizeNearestNeighborOp], SoftwareOnH13, [SweepRight<"0">]> { let note = "modes: Q35"; }
def : ANE_Legality<[ANE_UpsampleBilinearOp], SoftwareOnH13, [
  SweepRan<>,
  CoreMLRow<Conditional, [Supports<Hollance, "various", "", Reported, "not on the engine above a factor of 2">],
    "a factor of at most 2">]>;
def : ANE_Legality<[ANE_UpsampleNearestNeighborOp], SoftwareOnH13, [
  SweepRight<"0">,
  CoreMLRow<Conditional, [Supports<Hollance, "various", "", Reported, "not on the engine above a factor of 2">],
    "a factor of at most 2">]>;
def : ANE_Legality<[ANE_CropResizeOp], ClaimedFromH14, [
  SweepMissing,
  NetlistRow<Rejected, MILTiers, [Supports<ANEForge, "M1 ... M5", "", Measured, "walled">]>]> { let note = "C45"; }
def : ANE_Legality<[ANE_ResampleOp], GatedOnH13, [
  NetlistRow<Conditional, [TierH14, TierH15, TierH16], [
    Supports<ANEForge, "M2 ... M5", "", Reported, "nearest neighbour was decoded">], "nearest neighbour, depth 1">]> {
  let note = "1 or 2 coordinate channels; C45";
}
def : ANE_Legality<[ANE_AffineOp], GatedOnH13, [
  E5RTRow<Native, [TierH16], [
    Supports<ANEForge, "M5 Pro", "", Measured, "later fused, relative error 2.3e-3; six coefficients in fp16">]>]> {
  let note = "C45";
}
def : OtherLegality<["gather_hw"], GatedOnH13> { let note = "indices of textures"; }
def : OtherLegality<["pixel_buffer_to_tensor", "tensor_to_pixel_buffer"], AllNetlist> { let note = "behind an entitlement"; }

} // family

#endif // ANE_CONSTRAINT_LEGALITY_IMAGE_TD
