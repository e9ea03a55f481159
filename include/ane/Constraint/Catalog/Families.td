//===- Families.td - ops without a form on the engine -------------------===//
// One record per family; the op lists restate ane-op-chip-matrix.md 2 for the in-memory route.
#ifndef ANE_CONSTRAINT_CATALOG_FAMILIES_TD
#define ANE_CONSTRAINT_CATALOG_FAMILIES_TD

include "ane/Constraint/Constraint.td"

/// Ops that run on the CPU on every chip and route of `where`.
class NoEngineForm<string id, string slug, list<Op> which, string instead> : ANE_Constraint<id, slug> {
  let symptom = Reject;
  let ops = which;
  let predicate = Unsupported<instead>;
  let host = true;
  let remedy = instead;
}

def GatherFamily : NoEngineForm<"C31", "gather",
    [ANE_GatherOp, ANE_GatherAlongAxisOp, ANE_GatherNdOp, ANE_EmbeddingOp],
    "the CPU gathers; static indices can be slices and concat, or a one-hot matmul"> {
  let summary = "gather and embedding lookups have no engine form";
  let evidence = [
    Supports<ANEForge, "M5 Pro", "", Measured, "not implemented, compiled for the engine alone">,
    Supports<Maderix, "M4", "macOS 15", Reported, "gather is not in MIL on the engine">,
    Supports<Hollance, "various", "", Reported, "gather never runs on the engine">,
    Contradicts<ANEGuide, "H13 and later", "", Inferred, "tables call it native within an envelope">];
}

def ScatterFamily : NoEngineForm<"C32", "scatter", [ANE_ScatterOp, ANE_ScatterAlongAxisOp, ANE_ScatterNdOp],
    "the CPU scatters; a one-hot matmul where indices are static"> {
  let summary = "scatter has no engine form";
  let evidence = [Supports<ANEForge, "M5 Pro", "", Measured, "not implemented; rejected on every family">];
}

def Cumsum : NoEngineForm<"C33", "cumsum", [ANE_CumsumOp], "a product with a triangle of ones, or the CPU along a long axis"> {
  let host = false;
  let legalisedBy = [LegalizeSpellings];
  let summary = "cumsum has no engine form";
  let evidence = [
    Supports<ANEForge, "M5 Pro", "", Measured, "not implemented">,
    Contradicts<ANEGuide, "M1", "", Inferred, "native through a curated path">];
}

def ArgReduce : NoEngineForm<"C34", "arg-reduce", [ANE_ReduceArgmaxOp, ANE_ReduceArgminOp], "the CPU searches"> {
  let summary = "argmax and argmin have no engine form";
  let evidence = [
    Supports<ANEForge, "M5 Pro", "", Measured, "not implemented">,
    Supports<CoreAI, "A19 Pro", "", Measured, "wrong indices without an error (Q65)">,
    Contradicts<ANEGuide, "H13 and later", "", Inferred, "the netlist layer exists">];
}

def Ordering : NoEngineForm<"C35", "ordering", [ANE_TopkOp, ANE_ArgsortOp], "the CPU sorts"> {
  let summary = "topk and argsort have no engine form on this route";
  let where = [OnInMemory, Applies<[TierOlder, TierH13], AllRoutes>];
  let evidence = [
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "probed; indices would be int32, which cannot leave a program">,
    Supports<ANEForge, "M1, M5", "", Measured, "k of 3 and 4 fail to compile; argsort is rejected (Q23)">,
    Supports<ANEForge, "H14 and later", "", Measured, "the netlist sorts by one lane, in 57 ... 137 ms (Q24)">,
    Contradicts<ANEForge, "M5 Pro", "", Measured, "topk is correct on e5rt">];
}

def Modulo : NoEngineForm<"C36", "mod", [ANE_ModOp], "the CPU computes it; x - y * floor_div(x, y) in small ranges"> {
  let summary = "mod has no engine form";
  let evidence = [Supports<ANEForge, "M5 Pro", "", Measured, "not implemented; rejected on every family">];
}

def LogicalBinary : NoEngineForm<"C37", "logical-binary", [ANE_LogicalAndOp, ANE_LogicalOrOp, ANE_LogicalXorOp],
    "the CPU computes it; mul, maximum and not_equal of 0/1 masks"> {
  let summary = "logical_and, logical_or and logical_xor have no engine form";
  let evidence = [Supports<ANEForge, "M5 Pro", "", Measured, "not implemented; rejected on every family">];
}

def Recurrent : NoEngineForm<"C39", "recurrent", [ANE_RnnOp, ANE_GruOp, ANE_LstmOp],
    "the CPU computes it; unrolled, it is matmuls and activations"> {
  let summary = "rnn, gru and lstm have no engine form";
  let evidence = [
    Supports<ANEForge, "M5 Pro", "", Measured, "not implemented; rejected on every family">,
    Supports<Hollance, "various", "", Reported, "LSTM and GRU never run on the engine">];
}

def Structure : NoEngineForm<"C41", "index-structure",
    [ANE_OneHotOp, ANE_SlidingWindowsOp, ANE_BandPartOp, ANE_ReverseSequenceOp, ANE_ReshapeLikeOp, ANE_ShapeOp,
     ANE_Range1dOp, ANE_SliceUpdateOp],
    "the CPU computes it"> {
  let summary = "ops that compute indices, shapes, windows or bands have no engine form";
  let evidence = [
    Supports<ANEForge, "M5 Pro", "", Measured, "not implemented (range_1d: correct on e5rt)">,
    Supports<ANEGuide, "M1", "", Reported, "range_1d is rejected by code generation">];
}

def DataDependent : NoEngineForm<"C40", "data-dependent", [ANE_NonMaximumSuppressionOp], "the CPU computes it"> {
  let summary = "ops whose shape or order depends on data have no engine form";
  let evidence = [Supports<ANEForge, "M5 Pro", "", Measured, "runs with CPU or GPU in the mask only">];
}

def Product : NoEngineForm<"C42", "reduce-prod", [ANE_ReduceProdOp], "the CPU multiplies"> {
  let summary = "reduce_prod has no engine form";
  let evidence = [Supports<ANEForge, "M5 Pro", "", Measured, "not implemented; rejected on every family">];
}

def Trigonometry : NoEngineForm<"C43", "trigonometry",
    [ANE_TanOp, ANE_AsinOp, ANE_AcosOp, ANE_AtanhOp, ANE_SinhOp, ANE_CoshOp], "the CPU computes it"> {
  let summary = "tan, asin, acos, atanh, sinh and cosh have no engine form";
  let evidence = [Supports<ANEForge, "M5 Pro", "", Measured, "not implemented; rejected on every family">];
}

def SinCos : NoEngineForm<"C44", "sin-cos", [ANE_SinOp, ANE_CosOp], "the CPU computes it"> {
  let summary = "sin and cos are polynomials in software before H15, wrong near multiples of pi";
  let symptom = WrongResult;
  // The sources tell the size of the errors, not their sign, nor how near to a multiple of pi they begin.
  let effect = NotTold;
  let where = [Applies<[TierOlder, TierH13, TierH14], AllRoutes>];
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "errors of 0.04 to 0.12 near the seams">,
    Contradicts<ANEForge, "M5 Pro", "", Measured, "5e-4 on e5rt, native from H15 on">];
}

def Sampling : NoEngineForm<"C45", "sampling", [ANE_CropResizeOp, ANE_ResampleOp, ANE_AffineOp], "the CPU samples"> {
  let summary = "crop_resize, resample and affine have no engine form on the in-memory route";
  let where = [OnInMemory, Applies<[TierOlder, TierH13], AllRoutes>];
  let evidence = [
    Supports<ANEForge, "M5 Pro", "", Measured, "crop_resize is not implemented; affine was fused later (2.3e-3)">,
    Supports<ANEGuide, "M1", "", Inferred, "the texture engine begins with H14">];
}

def States : NoEngineForm<"C46", "states", [ANE_ReadStateOp, ANE_WriteStateOp],
    "the state is an input, and the program returns what is to be written"> {
  let summary = "states are rejected outside of Core ML";
  let where = [Applies<AllTiers, [InMemory, E5RT, Netlist]>];
  let evidence = [
    Supports<ANEGuide, "M1", "", Reported, "rejected on the direct route">,
    Supports<ANEForge, "M5 Pro", "", Measured, "rejected by the compiler">,
    Contradicts<ANEGuide, "H13 and later", "", Inferred, "its table says native">];
}

#endif // ANE_CONSTRAINT_CATALOG_FAMILIES_TD
