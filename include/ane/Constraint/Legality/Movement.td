//===- Movement.td - data movement and structure --------------------------===//
#ifndef ANE_CONSTRAINT_LEGALITY_MOVEMENT_TD
#define ANE_CONSTRAINT_LEGALITY_MOVEMENT_TD

include "ane/Constraint/Legality.td"

let family = "Data movement and structure" in {

def : ANE_Legality<[ANE_ReshapeOp], AllNative, [
  SweepRight<"0">,
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "training kernels">]>,
  InMemoryRow<Native, [TierH15], [Supports<Maderix, "M3 Ultra", "macOS 15", Measured, "training kernels">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "heads of GPT-2, exact tokens">,
    Supports<M0at, "M5", "macOS 26.3", Measured, "GPT-2 and Mistral">]>]> {
  let note = "rank at most 5; before H13 it flattens only";
}
def : ANE_Legality<[ANE_ReshapeLikeOp], AllClaimed, [SweepRefused]> { let note = "a reshape (C41)"; }
def : ANE_Legality<[ANE_ExpandDimsOp, ANE_SqueezeOp], AllNative, [SweepRight<"0">]>;
def : ANE_Legality<[ANE_Flatten2dOp], AllNative, [SweepRight<"0">]> { let note = "NCHW"; }
def : ANE_Legality<[ANE_TransposeOp], AllConditional, [
  SweepRight<"0", Conditional, "rank below 5 (Q16), not twice in front of one matmul (Q05)">,
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "attention of training kernels">]>,
  InMemoryRow<Native, [TierH15], [Supports<Maderix, "M3 Ultra", "macOS 15", Measured, "attention of training kernels">]>,
  InMemoryRow<Native, [TierH16], [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "heads of GPT-2, exact tokens">,
    Supports<M0at, "M5", "macOS 26.3", Measured, "GPT-2 and Mistral">]>]> {
  let note = "free where it folds; long axes take several passes";
}
def : ANE_Legality<[ANE_ConcatOp], AllConditional, [
  SweepRight<"0", Conditional, "rows of about 100,000 elements crash (Q17)">,
  E5RTRow<Conditional, [TierH13, TierH14], [
    Supports<ANEForge, "M1, M2 Pro", "", Measured, "wrong after two slices of the width with an offset (Q02)">],
    "not of two slices of the width">,
  InMemoryRow<Conditional, [TierH13], [
    Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "training kernels">], "axis and interleave named">,
  InMemoryRow<Conditional, [TierH14], [
    Supports<ANELM, "M2 Ultra", "macOS 26.3", Reported, "language model measured by the hybrid paper">],
    "axis and interleave named">,
  InMemoryRow<Conditional, [TierH15], [
    Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "query, key and value of a language model">,
    Supports<Espresso, "M3 Max", "macOS 15", Measured, "12 inputs and more">,
    Contradicts<Rustane, "M3 Ultra", "", Measured, "the width concat of rotary embeddings fails to compile (Q54)">],
    "axis and interleave named">,
  InMemoryRow<Conditional, [TierH16], [
    Supports<Maderix, "M4", "macOS 15", Measured, "all training kernels">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "axes 2 and 3 run">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Disputed, "its first table says that it fails">,
    Contradicts<Orion, "M4 Max", "macOS 15", Disputed, "rejected; interleave was not given">],
    "axis and interleave named (C01)">]>;
def : ANE_Legality<[ANE_SplitOp], AllNative, [SweepRight<"0">]>;
def : ANE_Legality<[ANE_StackOp], AllNative, [
  SweepRight<"0">,
  InMemoryRow<Rejected, [TierH16], [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "rejected">]>]> { let note = "C59"; }
def : ANE_Legality<[ANE_PadOp], AllNative, [
  SweepRight<"2.1e-4", Conditional, "height and width, a constant">,
  InMemoryRow<Conditional, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "with add in place of concat: 9,216 channels run, 11,264 fail">],
    "height and width (C60), at most 9,216 channels">,
  NetlistRow<Rejected, MILTiers, [Supports<ANEForge, "M1 ... M5", "", Inferred, "predicted to be walled">]>]> {
  let note = "reflection and symmetry need the texture engine, software on H13";
}
def : ANE_Legality<[ANE_SliceBySizeOp], AllConditional, [
  SweepRight<"0", Native>,
  E5RTRow<Conditional, [TierH13, TierH14], [
    Supports<ANEForge, "M1, M2 Pro", "", Measured, "an offset in the width makes magnitudes above 4,094 infinite (Q01)">],
    "magnitudes of at most 4,094 where the width has an offset">,
  E5RTRow<Native, [TierH16], [
    Supports<ANEForge, "M4, M4 Max, M5", "", Measured, "no limit up to 60,000 (Q01)">]>,
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1 Pro, M1 Max", "", Reported, "training kernels">]>,
  InMemoryRow<Native, [TierH15], [Supports<Espresso, "M3 Max", "macOS 15", Measured, "channels and width">]>,
  InMemoryRow<Native, [TierH16], [Supports<Maderix, "M4", "macOS 15", Measured, "channels and width, 56 uses">]>]> {
  let note = "an offset in the width is a crop with four fractional bits on H13 and H14 (Q01)";
}
def : ANE_Legality<[ANE_SliceByIndexOp], AllFolded, [
  SweepRight<"0", Conditional, "not of a single row (Q20b)">,
  InMemoryRow<Native, [TierH15], [Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "language model">]>,
  InMemoryRow<Conditional, [TierH15], [
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "fails on inputs of complex programs (Q46)">],
    "not of a program's input (C75)">,
  InMemoryRow<Native, [TierH16], [Supports<Orion, "M4 Max", "macOS 15", Measured, "GPT-2, exact tokens">]>]> {
  let note = "folds into the descriptor where it is static";
}
def : ANE_Legality<[ANE_SliceUpdateOp], AllClaimed, [
  SweepMissing,
  CoreMLRow<Conditional, [
    Supports<CoreAI, "", "", Reported, "coremltools: may stay on the engine">,
    Contradicts<CoreAI, "", "", Reported, "coreai-torch: indices at run time crash the engine's compiler">],
    "indices are constants">]> {
  let note = "a mask and select (C41)";
}
def : ANE_Legality<[ANE_ReverseOp], AllNative, [
  SweepRight<"0">,
  NetlistRow<Rejected, MILTiers, [Supports<ANEForge, "M1 ... M5", "", Measured, "walled">]>]>;
def : ANE_Legality<[ANE_ReverseSequenceOp], AllRejected, [SweepMissing]> { let note = "a product with a permutation (C41)"; }
def : ANE_Legality<[ANE_TileOp], AllNative, [
  SweepRight<"0", Conditional, "factors made of 2, 3, 4 and 8">,
  InMemoryRow<Rejected, [TierH15], [
    Supports<FieldGuide, "M3 Max", "macOS 26.3", Measured, "programs that worked fail with 0x1d afterwards (Q85)">]>,
  InMemoryRow<Rejected, [TierH16], [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "rejected">]>]> { let note = "C48"; }
def : ANE_Legality<[ANE_GatherOp], AllClaimed, [
  SweepMissing,
  InMemoryRow<Rejected, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "rejected">,
    Supports<Maderix, "M4", "macOS 15", Reported, "not in MIL on the engine">]>,
  CoreMLRow<CPUOnly, [
    Supports<ANEForge, "", "", Reported, "always on the CPU in Core ML's plans">,
    Supports<Hollance, "various", "", Reported, "never on the engine">,
    Contradicts<CoreAI, "", "", Reported, "coremltools: may stay on the engine">]>]> {
  let note = "tables: software on M1 (batch 1, depth 1), hardware from H14; C31";
}
def : ANE_Legality<[ANE_GatherAlongAxisOp], AllClaimed, [SweepMissing]> { let note = "as gather (C31)"; }
def : ANE_Legality<[ANE_GatherNdOp], [Software, Claimed, Claimed, Claimed], [SweepMissing]> { let note = "as gather (C31)"; }
def : ANE_Legality<[ANE_EmbeddingOp], [], [
  LegalityRow<CPUOnly, AllTiers, AllRoutes, [
    Supports<ANEForge, "M5 Pro", "", Measured, "a gather, which is not implemented on the engine (C31)">]>]>;
def : ANE_Legality<[ANE_ScatterOp, ANE_ScatterAlongAxisOp, ANE_ScatterNdOp], AllRejected, [
  SweepMissing,
  CoreMLRow<CPUOnly, [Supports<CoreAI, "", "", Reported, "coremltools: falls off the engine">]>]> {
  let note = "a mask or a product with one-hot rows (C32)";
}
def : ANE_Legality<[ANE_DepthToSpaceOp, ANE_SpaceToDepthOp], AllNative, [SweepRight<"0">]> { let note = "DCR order only (Q36)"; }
def : ANE_Legality<[ANE_PixelShuffleOp, ANE_PixelUnshuffleOp], AllNative, [
  SweepRight<"0", Conditional, "factors of 2, 3, 4 and 8">]>;
def : ANE_Legality<[ANE_SpaceToBatchOp], AllNative, [SweepRight<"0", Conditional, "factors of 2, 3, 4 and 8">]>;
def : ANE_Legality<[ANE_BatchToSpaceOp], AllNative, [
  SweepRight<"0", Conditional, "factors of 2, 3, 4 and 8 that divide the batch (Q30)">]>;
def : ANE_Legality<[ANE_IdentityOp], AllClaimed, [
  SweepRefused,
  InMemoryRow<Native, [TierH13], [Supports<Maderix, "M1", "", Reported, "a peak measurement">]>,
  InMemoryRow<Native, [TierH15], [Supports<Espresso, "M3 Max", "macOS 15", Reported, "copies of outputs">]>,
  InMemoryRow<Conditional, [TierH16], [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "NaN where it is the only output, needed where an output is used (Q10)">,
    Supports<Orion, "M4 Max", "macOS 15", Reported, "runs">], "not the only output of a program (C50)">]>;
def : ANE_Legality<[ANE_FillOp], AllNative, [SweepRight<"3.4e-4">]>;
def : ANE_Legality<[ANE_FillLikeOp], AllNative, [SweepRight<"2.9e-4">]>;
def : ANE_Legality<[ANE_Range1dOp], [Software, Software, Software, Software], [
  SweepRight<"2.5e-4">,
  E5RTRow<Rejected, [TierH13], [Supports<ANEGuide, "M1", "", Reported, "code generation rejects it">]>]> {
  let note = "the tables say native for H17; a constant (C41)";
}
def : ANE_Legality<[ANE_CropOp], AllNative, [SweepRight<"0">]> { let note = "another op than crop_resize"; }
def : ANE_Legality<[ANE_BandPartOp], AllRejected, [SweepMissing]> { let note = "a product with a constant mask (C41)"; }
def : OtherLegality<["non_zero"], AllRejected, [SweepMissing]> { let note = "its shape depends on data"; }
def : ANE_Legality<[ANE_OneHotOp], AllRejected, [SweepMissing]> { let note = "a comparison with a constant range (C41)"; }
def : ANE_Legality<[ANE_ShapeOp], AllRejected, [SweepMissing]> { let note = "shapes are static (C41)"; }
def : ANE_Legality<[ANE_SlidingWindowsOp], AllRejected, [SweepMissing]> { let note = "unrolled slices (C41)"; }

} // family

#endif // ANE_CONSTRAINT_LEGALITY_MOVEMENT_TD
