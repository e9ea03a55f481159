//===- Compression.td - number formats, compressed weights ---------------===//
// Weights of programs are written in fp16 whatever the model has, so that the rules about compressed forms hold for what is
// compiled here. The linter refuses programs by others that break them.
#ifndef ANE_CONSTRAINT_CATALOG_COMPRESSION_TD
#define ANE_CONSTRAINT_CATALOG_COMPRESSION_TD

include "ane/Constraint/Constraint.td"

class CompressedWeight<string id, string slug, string sentence, string rule> : ANE_Constraint<id, slug> {
  let scope = PerProgram;
  let enforcedBy = Linter;
  let predicate = CheckedElsewhere<sentence, rule>;
  let remedy = "weights are expanded to fp16 when the bundle is written";
}

/// About the speed of compressed weights: what gains nothing is no fault of a program.
class CompressedSpeed<string id, string slug> : ANE_Constraint<id, slug> {
  let symptom = Slow;
  let scope = PerProgram;
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"no weight is compressed here, and what does not gain is no fault of a program">;
  let remedy = "weights are expanded to fp16 when the bundle is written";
}

def BFloat : ANE_Constraint<"C155", "bfloat"> {
  let summary = "bf16 is no type of the engine";
  let symptom = Reject;
  let anyOp = true;
  let predicate = Custom<"checkBFloat", "no operand and no result is bf16">;
  let legalisedBy = [LegalizeDType];
  let remedy = "computed in fp16";
  let evidence = [Supports<ANEGuide, "all", "", Inferred, "none of the 11 codes of types">];
}

def Float8 : ANE_Constraint<"C156", "float8"> {
  let summary = "fp8 exists on H18 only, as a table entry";
  let symptom = Reject;
  let noRule = "MIL text has no type of 8-bit floats";
  let anyOp = true;
  let predicate = Custom<"checkFloat8", "no operand and no result is an 8-bit float">;
  let host = true;
  let remedy = "the CPU computes it";
  let evidence = [Supports<ANEGuide, "h18", "", Inferred, "HAL byte 0x52d; the encoder of M1 has no code for it">];
}

def Int4 : CompressedWeight<"C157", "int4", "no value that is computed with is int4", "int4Compute"> {
  let summary = "int4 is an index or a block of a constant, never a number to compute with";
  let symptom = Reject;
  let evidence = [Supports<ANEGuide, "all", "", Inferred, "no 4-bit arithmetic">];
}

def ConstexprResults : CompressedWeight<"C158", "constexpr-results", "no expanded constant is reshaped or transposed, and "
                                        "blocks are no weight of a convolution", "constexprResults"> {
  let summary = "an expanded constant is neither reshaped nor transposed, and blocks do not feed a convolution";
  let symptom = Reject;
  let where = [Applies<AllTiers, [E5RT]>];
  let evidence = [Supports<ANEForge, "M5", "", Measured, "rejected; a table has two axes more than its indices (Q21)">];
}

def SharedQuantised : CompressedSpeed<"C159", "shared-quantised"> {
  let summary = "a compressed weight that is shared, mutable, strided or dilated does not stream";
  let evidence = [Supports<ANEGuide, "all", "", Inferred, "compiler's rule (Q21b)">];
}

def AffineScale : CompressedWeight<"C160", "affine-scale", "constexpr_affine_dequantize has one scale", "affineScale"> {
  let summary = "constexpr_affine_dequantize takes one scale on the in-memory route";
  let symptom = Reject;
  let where = [OnInMemory];
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a vector is InvalidMILProgram (Q57)">,
    Contradicts<ANEForge, "M5", "", Measured, "a scale per channel runs on e5rt">];
}

def UnsignedWeights : CompressedWeight<"C161", "unsigned-weights", "no compressed weight is unsigned", "unsignedWeights"> {
  let summary = "uint8 and unpacked int4 weights compile and give garbage";
  let symptom = WrongResult;
  let effect = GivesGarbage;
  let where = [OnInMemory];
  let evidence = [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "signed values run, two in a byte, the lower first (Q58b)">];
}

def PaletteScale : CompressedWeight<"C162", "palette-scale", "the entries of a palette are not scaled again", "paletteScale"> {
  let summary = "a palette with a scale per channel crashes Core ML's verifier";
  let symptom = Crash;
  let where = [Applies<[TierH16], [CoreML], 26>];
  let evidence = [Supports<CoreAI, "M4", "macOS 26", Measured, "mps.dequantize; no scale, or an older target, runs (Q58)">];
}

def BlockScales : CompressedWeight<"C163", "block-scales", "scales of int8 weights do not vary along the inputs", "blockScales"> {
  let summary = "int8 weights with scales per block of inputs give wrong values";
  let symptom = WrongResult;
  let effect = GivesGarbage;
  let where = [Applies<[TierH16], [CoreML]>];
  let evidence = [Supports<CoreAI, "A18", "", Measured, "cosine 0.367; a palette reaches 0.9975 (Q59)">];
}

def BlockInt4 : CompressedWeight<"C164", "block-int4", "no weight is in blocks of int4", "blockInt4"> {
  let summary = "linear weights in blocks of int4 crash the compiler, or leave the engine";
  let symptom = Crash;
  let where = [Applies<[TierH16], [CoreML]>];
  let evidence = [
    Supports<CoreAI, "M4 Max", "", Measured, "SIGSEGV; a later compilation ends well with code for the GPU alone (Q60)">,
    Supports<CoreAI, "M4", "", Measured, "groups of 8 and 16 give no region for the engine (Q60b)">];
}

def TableGroups : CompressedWeight<"C165", "table-groups", "scales of a palette do not vary along the inputs", "tableGroups"> {
  let summary = "scales per group of a palette are taken for scales per row";
  let symptom = WrongResult;
  let effect = GivesGarbage;
  let where = [Applies<[TierH16], [CoreML]>];
  let evidence = [Supports<CoreAI, "M5 Pro", "", Measured, "1,921 of 4,096 outputs are wrong (Q61)">];
}

def GroupedScale : CompressedWeight<"C166", "grouped-scale", "constexpr_blockwise_shift_scale has scales for channels only", "groupedScale"> {
  let summary = "constexpr_blockwise_shift_scale takes scales per channel only";
  let symptom = Reject;
  let where = [OnInMemory];
  let evidence = [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "every width and group is InvalidMILProgram (Q71)">];
}

def Int8Folds : CompressedSpeed<"C167", "int8-folds"> {
  let summary = "int8 weights are expanded by the compiler on H13: small files, no speed";
  let where = [Applies<[TierH13], AllRoutes>];
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "folds; streams from H14 on (0.52 of the time at 8,192)">,
    Contradicts<ANEForge, "M5 Pro", "", Measured, "no gain there either">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Measured, "1.74 times as fast at 32 columns">];
}

def BlockwiseFolds : CompressedSpeed<"C168", "blockwise-folds"> {
  let summary = "blocks of weights are expanded by the compiler before H15";
  let where = [Applies<[TierH13, TierH14], AllRoutes>];
  let evidence = [
    Supports<ANEGuide, "M2", "", Measured, "0.985 of the time">,
    Contradicts<ANEForge, "M5", "", Measured, "no gain there either">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Measured, "int4 1.77 times as fast">];
}

def SparseDensity : CompressedSpeed<"C169", "sparse-density"> {
  let summary = "sparse weights pay from half zeros on";
  let evidence = [Supports<ANEForge, "M1, M5", "", Measured, "1.55 ... 1.82 times as fast at 0.43 of the bytes">];
}

def SmallPalette : CompressedSpeed<"C170", "small-palette"> {
  let summary = "palettes of 16 entries gain nothing up to 1,024 x 1,024";
  let evidence = [Supports<ANEForge, "M5", "", Measured, "1.34 times at 2,048, 1.67 at 8,192 x 4,096, nothing up to 1,024">];
}

def QuantisedGrid : CompressedSpeed<"C171", "quantised-grid"> {
  let summary = "int8 activations gain from 256 columns on";
  let where = [OnInMemory];
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "nothing below 256; 2.35 times at 256, 3.5 times for deep products">,
    Supports<CoreAI, "M5 Pro", "", Measured, "0.865 of the speed for one layer, 1.33 times for 128">];
}

def ExactZeros : CompressedSpeed<"C172", "exact-zeros"> {
  let summary = "weights that are exactly 0 make a program faster";
  let evidence = [Supports<CoreAI, "M5 Pro", "", Measured, "1.88 times with 73.6 % zeros, nothing with 2^-14 in their place (Q83)">];
}

#endif // ANE_CONSTRAINT_CATALOG_COMPRESSION_TD
