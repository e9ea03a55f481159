//===- Extents.td - forms and extents of single ops ----------------------===//
#ifndef ANE_CONSTRAINT_CATALOG_EXTENTS_TD
#define ANE_CONSTRAINT_CATALOG_EXTENTS_TD

include "ane/Constraint/Constraint.td"

def GroupNormAxes : ANE_Constraint<"C97", "group-norm-axes"> {
  let summary = "the axes inside group_norm, channels of a group and pixels, have a maximum";
  let symptom = Reject;
  let noRule = "group_norm is no operation of MIL: programs hold what it is made of";
  let ops = [ANE_GroupNormOp];
  let predicate = Custom<"checkGroupNormAxes", "channels of a group and pixels are at most Limit::SpatialAxis each">;
  let remedy = "the op runs on the CPU";
  let host = true;
  let evidence = [Supports<ANEForge, "M1, M5", "", Measured, "max(C / G, H W) above the limit is rejected (Q15)">];
}

def ConcatRows : ANE_Constraint<"C98", "concat-rows"> {
  let summary = "a concat of very long rows crashes the compiler";
  let symptom = Crash;
  let ops = [ANE_ConcatOp];
  let where = [Applies<AllTiers, [E5RT]>];
  let predicate = Custom<"checkConcatRows", "an operand with one useful axis has at most Limit::ConcatRow elements">;
  let host = true;
  let remedy = "the CPU joins; two useful axes, or parts, do as well";
  let evidence = [Supports<ANEForge, "M5", "", Measured, "[1, 784 x 128]: segmentation fault (Q17)">];
}

def RuntimeWeightBatch : ANE_Constraint<"C100", "runtime-weight-batch"> {
  let summary = "a convolution with a computed weight and a batch kills the compile service";
  let symptom = Crash;
  let ops = [ANE_ConvOp, ANE_ConvTransposeOp];
  let where = [Applies<AllTiers, [CoreML, E5RT, Netlist]>];
  let predicate = Custom<"checkRuntimeWeightBatch", "the weight is a constant, or the batch is 1">;
  let host = true;
  let remedy = "the CPU computes it; on the in-memory route C53 rules out all computed weights";
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "batch 2 and more: lost helper application (Q18)">,
    Supports<ANEGuide, "other chips", "", Inferred, "assumed for all">];
}

def GroupedRuntimeWeight : ANE_Constraint<"C101", "grouped-runtime-weight"> {
  let summary = "a grouped convolution with a computed weight is invalid";
  let symptom = Reject;
  let ops = [ANE_ConvOp, ANE_ConvTransposeOp];
  let predicate = Custom<"checkGroupedRuntimeWeight", "the weight is a constant, or there is one group">;
  let host = true;
  let remedy = "the CPU computes it";
  let evidence = [Supports<Maderix, "M1", "", Reported, "InvalidMILProgram, depthwise as well (Q19)">];
}

def PatchConv : ANE_Constraint<"C102", "patch-conv"> {
  let summary = "a convolution whose square kernel is its stride is rejected on e5rt";
  let symptom = Reject;
  let ops = [ANE_ConvOp];
  let where = [Applies<[TierH16], [E5RT]>];
  let predicate = Custom<"checkPatchConv", "the kernel is 1x1, not square, or not its stride">;
  let legalisedBy = [LegalizePatches];
  let remedy = "the patches become vectors, and the convolution a linear";
  let evidence = [
    Supports<ANEForge, "M5", "", Measured, "rejected; space_to_depth and a 1x1 convolution run (Q20)">,
    Contradicts<ANEForge, "M5", "", Measured, "a stride of 2 under a kernel of 3 is fine">];
}

def TopkCount : ANE_Constraint<"C103", "topk-count"> {
  let summary = "topk of 3 or 4 fails to compile";
  let symptom = Reject;
  let ops = [ANE_TopkOp];
  let where = [Applies<[TierH14, TierH15, TierH16], [CoreML, E5RT, Netlist]>];
  let predicate = Custom<"checkTopkCount", "k is neither 3 nor 4">;
  let host = true;
  let remedy = "the CPU sorts; k = 5 and a slice do the same";
  let evidence = [Supports<ANEForge, "M1, M5", "", Measured, "fails at every width (Q23)">];
}

def BatchToSpace : ANE_Constraint<"C105", "batch-to-space"> {
  let summary = "the batch of batch_to_space is a multiple of its block";
  let symptom = Reject;
  let ops = [ANE_BatchToSpaceOp];
  let enforcedBy = OpVerifier;
  let predicate = CheckedElsewhere<"the batch is a multiple of the product of block_shape", "batchToSpace">;
  let remedy = "nothing to do: another batch cannot be written";
  let evidence = [Supports<ANEGuide, "all", "", Inferred, "the compiler's validator: not divisible (Q30)">];
}

def BlockOrder : ANE_Constraint<"C107", "block-order"> {
  let summary = "depth_to_space knows one order: the block first, then the channels";
  let symptom = Reject;
  let ops = [ANE_DepthToSpaceOp, ANE_SpaceToDepthOp];
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"neither the ops nor MIL have a mode for the other order, so that no program can break it">;
  let remedy = "the other order is pixel_shuffle";
  let evidence = [Supports<ANEForge, "all", "", Measured, "CRD is not available (Q36)">];
}

def AnyAxis : ANE_Constraint<"C115", "any-axis"> {
  let summary = "no axis is longer than 65,536";
  let symptom = Reject;
  let anyOp = true;
  let predicate = TypesAtMost<"longestOf", "longest axis", Limit_AnyAxis>;
  let remedy = "the axis stays apart, or the op runs on the CPU";
  let evidence = [
    Supports<ANEForge, "M1, M2, M5", "", Measured, "the MIL parser takes 1 ... 65,536">,
    Supports<ANEForge, "M5", "", Measured, "attention whose keys and head width are one axis: 512 keys of 128 fail (PR 57)">];
}

def RearrangeFactors : ANE_Constraint<"C118", "rearrange-factors"> {
  let summary = "blocks of the rearranging ops are 2, 3, 4 or 8 wide";
  let symptom = Reject;
  let ops = [ANE_DepthToSpaceOp, ANE_SpaceToDepthOp, ANE_PixelShuffleOp, ANE_PixelUnshuffleOp, ANE_BatchToSpaceOp,
             ANE_SpaceToBatchOp];
  let predicate = Custom<"checkRearrangeFactors", "every factor is 1, 2, 3, 4 or 8">;
  let legalisedBy = [LegalizeBlocks];
  let remedy = "reshapes and transposes; blocks of the batch run on the CPU";
  let evidence = [Supports<ANEGuide, "all", "", Inferred, "HAL table: other factors are factorised or rejected">];
}

def StrideFactors : ANE_Constraint<"C119", "stride-factors"> {
  let summary = "strides are products of 2, 3, 4 and 8";
  let symptom = Reject;
  let ops = [ANE_ConvOp, ANE_ConvTransposeOp, ANE_MaxPoolOp, ANE_AvgPoolOp, ANE_L2PoolOp];
  let predicate = Custom<"checkStrideFactors", "no stride has a prime factor above 3">;
  let legalisedBy = [LegalizePatches];
  let remedy = "a kernel that is its stride becomes a linear, others count blocks without a stride; pools run on the CPU";
  let evidence = [Supports<ANEGuide, "all", "", Inferred, "HAL table: other factors are factorised or rejected">];
}

def TransposeExtent : ANE_Constraint<"C120", "transpose-extent"> {
  let summary = "the axes of a transpose have a maximum of their own";
  let symptom = Reject;
  let ops = [ANE_TransposeOp];
  let where = [Applies<MILTiers, AllRoutes>];
  let predicate = TypesAtMost<"longestOf", "longest axis", Limit_TransposeExtent>;
  let host = true;
  let remedy = "the CPU transposes; C26 and C115 are reached before";
  let evidence = [
    Supports<ANEForge, "M1, M5", "", Measured, "8,388,607 and 16,777,215 accepted">,
    Contradicts<ANEGuide, "H13 ... H16", "", Inferred, "the HAL tables say 16,384 and 65,536; the compiler splits">];
}

def PatchExtent : ANE_Constraint<"C121", "patch-extent"> {
  let summary = "a patch is at most 28 wide on H13, 31 later, and 15 deep";
  let symptom = Reject;
  let disputed = true;
  let ops = [ANE_ConvOp, ANE_ConvTransposeOp, ANE_AvgPoolOp, ANE_MaxPoolOp, ANE_L2PoolOp];
  let predicate = Custom<"checkPatchExtent", "no window is wider, higher or deeper than Limit::PatchExtent, if that is what a patch is">;
  let host = true;
  let remedy = "the op runs on the CPU; widths of kernels are bounded by C64, windows of pools by C102";
  let noRule = "disputed: which ops are meant is not published";
  let evidence = [Supports<ANEGuide, "all", "", Inferred, "HAL table: 15/15/0, 28/28/15, 31/31/15">];
}

def ArgAxis : ANE_Constraint<"C122", "arg-axis"> {
  let summary = "argmax and argmin search an axis of at most 2,048";
  let symptom = Reject;
  let ops = [ANE_ReduceArgmaxOp, ANE_ReduceArgminOp];
  let predicate = Custom<"checkArgAxis", "the axis that is searched has at most Limit::ArgAxis elements">;
  let host = true;
  let remedy = "the CPU searches";
  let evidence = [
    Supports<ANEGuide, "H13 and later", "", Inferred, "HAL table; 2,049 is rejected">,
    Supports<ANEForge, "all", "", Measured, "the index is exact below 2,048; the form is [C, W] (Q25)">];
}

def GroupWork : ANE_Constraint<"C123", "group-work"> {
  let summary = "grouped convolutions are decomposed up to 2,048 input channels times kernel elements";
  let symptom = Slow;
  let scope = PerProgram;
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"what the compiler does beyond is not published">;
  let remedy = "none";
  let evidence = [Supports<ANEGuide, "H13 and later", "", Inferred, "HAL table; 64 on older engines">];
}

def ConvGroups : ANE_Constraint<"C124", "conv-groups"> {
  let summary = "a convolution has a maximum of groups";
  let symptom = Reject;
  let ops = [ANE_ConvOp, ANE_ConvTransposeOp];
  let predicate = Custom<"checkConvGroups", "there are at most Limit::ConvGroups groups">;
  let host = true;
  let remedy = "the CPU computes it; channels can be split";
  let evidence = [
    Supports<ANEGuide, "H13", "", Inferred, "13 bits in the task descriptor">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Measured, "10,240 groups run in 99 us">];
}

def ProductAxis : ANE_Constraint<"C222", "product-axis"> {
  let summary = "the axis that a product of computed values sums has a maximum of its own";
  let symptom = Reject;
  let ops = [ANE_MatmulOp, ANE_LinearOp];
  let predicate = Custom<"checkProductAxis", "an operand of a linear is a constant, or the axis that is summed is at most Limit::ProductAxis">;
  let legalisedBy = [LegalizeDepth];
  let remedy = "a sum of products with parts of that axis, which adds a rounding for each part";
  let evidence = [
    Supports<Study751K, "M4", "macOS 27", Measured, "K of 40,000 refused: 2 K bytes exceed 64 KiB">,
    Supports<Study751K, "other chips and routes", "", Inferred, "the message is the engine compiler's, which all share">,
    Supports<MiniMaxH3, "M3 Ultra", "", Measured, "products in 4 to 8 parts along K are 2.7 to 5.1 times as fast, and more accurate">];
}

/// What was seen not to run through Core ML, without what the validator of macOS 27 takes on H16.
defvar CoreMLBefore27 = [Applies<[TierOlder, TierH13, TierH14, TierH15], [CoreML]>, Applies<[TierH16], [CoreML], 0, 26>];

def CoreMLDilation : ANE_Constraint<"C125", "coreml-dilation"> {
  let summary = "dilated convolutions do not run on the engine through Core ML";
  let symptom = Reject;
  let ops = [ANE_ConvOp, ANE_ConvTransposeOp];
  let where = CoreMLBefore27;
  let predicate = Custom<"checkDilation", "no dilation is above 1">;
  let host = true;
  let remedy = "the CPU computes it";
  let evidence = [
    Supports<Hollance, "various", "", Reported, "not on the engine">,
    Contradicts<Study751K, "M4", "macOS 27", Measured, "a dilation of 2 is accepted, and estimated as fast as half the rows">];
}

def CoreMLPool : ANE_Constraint<"C126", "coreml-pool"> {
  let summary = "large or far strided pools do not run on the engine through Core ML";
  let symptom = Reject;
  let ops = [ANE_MaxPoolOp, ANE_AvgPoolOp, ANE_L2PoolOp];
  let where = CoreMLBefore27;
  let predicate = Custom<"checkCoreMLPool", "the window is at most Limit::CoreMLPoolWindow, the stride at most Limit::CoreMLFactor">;
  let host = true;
  let remedy = "the CPU computes it";
  let evidence = [
    Supports<Hollance, "various", "", Reported, "kernels above 13 or strides above 2 are not on the engine">,
    Contradicts<Study751K, "M4", "macOS 27", Measured, "a mean over 14 x 14 is accepted">];
}

def CoreMLUpsample : ANE_Constraint<"C127", "coreml-upsample"> {
  let summary = "upsampling by more than 2 does not run on the engine through Core ML";
  let symptom = Reject;
  let ops = [ANE_UpsampleNearestNeighborOp, ANE_UpsampleBilinearOp, ANE_ResizeNearestNeighborOp, ANE_ResizeBilinearOp,
             ANE_ResizeOp];
  let where = [Applies<AllTiers, [CoreML]>];
  let predicate = Custom<"checkCoreMLUpsample", "height and width grow at most Limit::CoreMLFactor times">;
  let host = true;
  let remedy = "the CPU resizes; two steps do the same";
  let evidence = [Supports<Hollance, "various", "", Reported, "factors above 2 are not on the engine">];
}

#endif // ANE_CONSTRAINT_CATALOG_EXTENTS_TD
