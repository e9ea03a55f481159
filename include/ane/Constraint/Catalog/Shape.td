//===- Shape.td - ranks, extents, element types, rows -------------------===//
#ifndef ANE_CONSTRAINT_CATALOG_SHAPE_TD
#define ANE_CONSTRAINT_CATALOG_SHAPE_TD

include "ane/Constraint/Constraint.td"

def RankMax : ANE_Constraint<"C21", "rank"> {
  let summary = "a tensor inside a program has no more axes than the route takes";
  let symptom = Reject;
  let anyOp = true;
  let predicate = TypesAtMost<"rankOf", "rank", Limit_Rank>;
  let legalisedBy = [LegalizeRank];
  let remedy = "neighbouring axes are merged, transposes of many axes become several; what is left runs on the CPU";
  let evidence = [
    Supports<ANEForge, "M1, M5", "", Measured, "rank 6 is rejected on e5rt">,
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "rank at most 4 on the in-memory route">];
}

def ProductRank : ANE_Constraint<"C192", "product-rank"> {
  let summary = "matmul, linear and transpose take four axes where other ops take five";
  let symptom = Reject;
  let ops = [ANE_MatmulOp, ANE_LinearOp, ANE_TransposeOp];
  let where = [Applies<AllTiers, [CoreML, E5RT]>];
  let predicate = TypesAtMost<"rankOf", "rank", Limit_ProductRank>;
  let legalisedBy = [LegalizeRank, LowerRelayouts];
  let remedy = "batch axes are merged, transposes of many axes become several; what is left runs on the CPU";
  let evidence = [
    Supports<ANEForge, "M1, M5", "", Measured, "rank 5 is not supported on e5rt, the runtime below Core ML (Q16)">];
}

def DType : ANE_Constraint<"C22", "dtype"> {
  let summary = "the engine computes in fp16; bool exists inside a program only";
  let symptom = Reject;
  let anyOp = true;
  let predicate = ElementTypeIn<["f16", "i1"]>;
  let legalisedBy = [LegalizeDType];
  let remedy = "the engine body is written in fp16, inputs and outputs are converted on the way";
  let evidence = [
    Supports<ANEGuide, "all", "", Measured, "fp16 is the only datapath">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "int8 and fp32 function signatures fail to compile (Q69)">,
    Contradicts<Orion, "M4 Max", "macOS 15", Measured, "fp32 inputs and outputs with casts inside run; M1 and M2 reject cast">];
}

def IntegerCompute : ANE_Constraint<"C23", "integer-compute"> {
  let summary = "the engine has no integer arithmetic";
  let symptom = Reject;
  let anyOp = true;
  let predicate = Custom<"checkIntegerCompute", "no operand and no result is an integer tensor (bool excepted)">;
  let host = true;
  let remedy = "integer tensors stay on the CPU";
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "only fp16 and uint8 are admitted">,
    Supports<ANEForge, "M5", "", Measured, "cast to int32 is rejected">,
    Supports<Maderix, "M4", "macOS 15", Reported, "int32 tensors at the boundary were never made to work">];
}

def RowBytes : ANE_Constraint<"C24", "row-bytes"> {
  let summary = "a row of an input or output is a multiple of 64 bytes";
  let symptom = EvalFail;
  let scope = PerProgram;
  let predicate = Custom<"checkRowBytes", "the last axis of every argument and result takes a multiple of Limit::RowBytes bytes">;
  let where = [OnInMemory];
  let legalisedBy = [LegalizeIO];
  let remedy = "another axis is made the last one, or the last one is padded with neutral elements";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "width % 32 != 0 gives 0x1d">,
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "257 columns fail, 256 work">,
    Supports<Anecc, "", "", Reported, "the last axis is padded to 64 bytes">];
}

def Lanes : ANE_Constraint<"C25", "lanes"> {
  let summary = "the last axis of an input or output has at least 32 elements";
  let symptom = WrongResult;
  let effect = GivesZeros;
  let scope = PerProgram;
  let predicate = Custom<"checkLanes", "the last axis of every argument and result has at least Limit::Lanes elements">;
  let where = [OnInMemory];
  let legalisedBy = [LegalizeIO];
  let remedy = "the last axis is padded, the value stands in lane 0";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "silent zeros below 32 (Q45w)">,
    Supports<FieldGuide, "M3 Max", "macOS 26.3", Measured, "16 and 1 fail or give garbage, 32 works">,
    Supports<M0at, "M5", "macOS 26.3", Measured, "fp16 outputs are zeros below 32">];
}

def SpatialAxis : ANE_Constraint<"C26", "spatial-axis"> {
  let summary = "height and width have a maximum";
  let symptom = Reject;
  let anyOp = true;
  let predicate = TypesAtMost<"spatialOf", "height or width", Limit_SpatialAxis>;
  let remedy = "another axis takes the extent, or the op runs on the CPU";
  let evidence = [
    Supports<ANEForge, "M1, M2 Pro", "", Measured, "16,384 accepted, 16,385 rejected">,
    Supports<Rustane, "M3 Ultra", "", Measured, "17,920 rejected (Q53)">,
    Supports<ANEForge, "M5", "", Measured, "65,536 accepted">];
}

def ChannelAxis : ANE_Constraint<"C27", "channel-axis"> {
  let summary = "the channel axis has a maximum";
  let symptom = Reject;
  let anyOp = true;
  let predicate = TypesAtMost<"channelsOf", "channels", Limit_ChannelAxis>;
  let remedy = "another axis takes the extent, or the op runs on the CPU";
  let evidence = [Supports<ANEForge, "M1, M2, M5", "", Measured, "65,537 rejected">];
}

def BatchAxis : ANE_Constraint<"C28", "batch-axis"> {
  let summary = "the batch axis has a maximum";
  let symptom = Reject;
  let anyOp = true;
  let predicate = TypesAtMost<"batchOf", "batch", Limit_BatchAxis>;
  let remedy = "the batch is split, or the op runs on the CPU";
  let evidence = [Supports<ANEGuide, "all", "", Inferred, "HAL tables">];
}

def Opset : ANE_Constraint<"C29", "opset"> {
  let summary = "an op has a MIL operation of the target's opset or of an earlier one, and the target reads that opset";
  let symptom = Reject;
  let anyOp = true;
  let predicate = Custom<"checkOpset", "the op has a MIL name, its first opset is at most the program's, and that at most "
                         "Limit::Opset">;
  let legalisedBy = [DecomposeComposites];
  let remedy = "composites are decomposed; for a macOS that does not read ios16 everything runs on the CPU";
  let evidence = [
    Supports<Maderix, "M1 Pro", "macOS 26.3", Reported, "programs of a newer version do not parse (Q39)">,
    Supports<Coremltools, "all", "", Reported, "an opset comes with a macOS: ios15 to ios18 with 12 to 15">,
    Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "program(1.0) and ios16 run everywhere">];
}

def NoMILPath : ANE_Constraint<"C30", "no-mil-path"> {
  let summary = "engines before H13 run no MIL program";
  let symptom = Crash;
  let anyOp = true;
  let where = [Applies<[TierOlder], AllRoutes>];
  let predicate = Custom<"checkMILPath", "the chip takes MIL programs">;
  let host = true;
  let remedy = "everything runs on the CPU";
  let evidence = [Supports<ANEGuide, "H11, H12", "", Inferred, "the compiler asserts H13 or later">];
}

#endif // ANE_CONSTRAINT_CATALOG_SHAPE_TD
