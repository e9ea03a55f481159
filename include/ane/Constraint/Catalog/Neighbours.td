//===- Neighbours.td - ops that fail beside certain others ---------------===//
#ifndef ANE_CONSTRAINT_CATALOG_NEIGHBOURS_TD
#define ANE_CONSTRAINT_CATALOG_NEIGHBOURS_TD

include "ane/Constraint/Constraint.td"

def TransposedOperands : ANE_Constraint<"C91", "transposed-operands"> {
  let summary = "a matmul of two transposed values overflows at sums as low as 17,321";
  let symptom = WrongResult;
  let effect = OverflowsEarly;
  let ops = [ANE_MatmulOp];
  let where = [Applies<AllTiers, [E5RT]>];
  let predicate = Custom<"checkTransposedOperands", "at most one operand is the result of a transpose">;
  let legalisedBy = [LegalizeNeighbours];
  let remedy = "a transpose of the last two axes becomes a flag; else a product with a constant of full shape stands between";
  let evidence = [
    Supports<ANEForge, "", "", Measured, "infinity from 17,321 on; the chips are not named (Q05)">,
    Contradicts<Maderix, "M4", "macOS 15", Reported, "attention of two transposed values trains on the in-memory route">];
}

def RoundThenScale : ANE_Constraint<"C92", "round-then-scale"> {
  let summary = "floor, ceil or round followed by a product with a scalar loses the factor";
  let symptom = WrongResult;
  let effect = DropsFactor;
  let ops = [ANE_MulOp];
  let predicate = Custom<"checkRoundThenScale", "a scalar constant does not multiply the result of floor, ceil or round">;
  let legalisedBy = [LegalizeNeighbours];
  let remedy = "the factor is a constant of full shape";
  let evidence = [
    Supports<ANEForge, "M5", "", Measured, "the scalar is dropped, [1,1] as well; a scalar addend is not (Q07)">,
    Supports<ANEForge, "other chips and routes", "", Inferred, "not measured: taken to be the same">];
}

def ScaledToZero : ANE_Constraint<"C93", "scaled-to-zero"> {
  let summary = "the product of a reduction with 0 fails to compile";
  let symptom = Reject;
  let ops = [ANE_MulOp];
  let predicate = Custom<"checkScaledToZero", "a constant that is 0 in fp16 does not multiply the result of a reduction">;
  let legalisedBy = [LegalizeNeighbours];
  let remedy = "x - x";
  let evidence = [
    Supports<ANEForge, "M5", "", Measured, "0.0 fails, and so does 1e-30, which is 0 in fp16 (Q09)">,
    Supports<ANEForge, "other chips and routes", "", Inferred, "not measured: taken to be the same">];
}

def SquareThenActivation : ANE_Constraint<"C94", "square-then-activation"> {
  let summary = "square followed by a nonlinearity fails to compile for some widths";
  let symptom = Reject;
  let ops = [ANE_SquareOp];
  let predicate = Custom<"checkSquareThenActivation", "the width modulo Limit::SquareWidthPeriod is at most Limit::SquareWidthRest, or no nonlinearity reads the square">;
  let legalisedBy = [LegalizeNeighbours];
  let remedy = "x * x";
  let evidence = [
    Supports<ANEForge, "M5", "", Measured, "fails when the width modulo 128 is above 64 (Q11)">,
    Supports<ANEForge, "other chips and routes", "", Inferred, "not measured: taken to be the same">];
}

def LayerNormAffine : ANE_Constraint<"C95", "layer-norm-affine"> {
  let summary = "layer_norm with gamma and beta fails for wide rows, depending on their values";
  let symptom = Reject;
  let ops = [ANE_LayerNormOp];
  let predicate = Custom<"checkLayerNormAffine", "gamma and beta are absent, or at most Limit::LayerNormAffine elements are normalised">;
  let legalisedBy = [LegalizeNorms];
  let remedy = "decomposed; gamma and beta are a product and a sum of their own";
  let evidence = [
    Supports<ANEForge, "M1, M2", "", Measured, "one of both not constant: error 11 from about 1,024 on (Q12a)">,
    Supports<ANEForge, "M1, M2", "", Measured, "both not constant: 1,024, 1,536, 2,560 ... at 512 rows (Q12b)">,
    Supports<ANEForge, "M5", "", Measured, "both live: execution fails from about 10,240 on (Q12c)">];
}

def BlockNorms : ANE_Constraint<"C96", "block-norms"> {
  let summary = "two transformer blocks at 64 x 64 in one graph can fall back to the GPU";
  let symptom = EvalFail;
  let scope = PerProgram;
  let where = [Applies<[TierH16], [CoreML], 27>];
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"values of weights decide, on a route that takes no MIL text">;
  let remedy = "programs of their own, or gamma and beta folded away";
  let evidence = [Supports<CoreAI, "M5 Max", "macOS 27", Measured, "depends on the values of gamma and beta (Q12d)">];
}

def BroadcastBatch : ANE_Constraint<"C112", "broadcast-batch"> {
  let summary = "a product that broadcasts along the batch gives wrong values";
  let symptom = WrongResult;
  let effect = GivesGarbage;
  let ops = [ANE_MulOp];
  let where = [Applies<[TierH15], [InMemory]>];
  let predicate = Custom<"checkBroadcastBatch", "two computed factors have the same batch">;
  let host = true;
  let remedy = "the CPU multiplies";
  let evidence = [Supports<FieldGuide, "M3 Max", "macOS 26.3", Disputed, "wrong beside other ops; its author later blamed tile (Q87)">];
}

def FanIn : ANE_Constraint<"C116", "fan-in"> {
  let summary = "an op that joins 12 or more values is not compiled in time";
  let symptom = Reject;
  let ops = [ANE_ConcatOp, ANE_StackOp];
  let where = [Applies<[TierH13], [E5RT]>];
  let predicate = Custom<"checkFanIn", "at most Limit::FanIn values are joined">;
  let legalisedBy = [LegalizeNeighbours];
  let remedy = "joined in groups, then the groups";
  let evidence = [Supports<ANEGuide, "M1", "", Measured, "12 branches: compiling climbs to 9.2 s and is given up">];
}

def PadConcat : ANE_Constraint<"C117", "pad-concat"> {
  let summary = "a padded value that is added to another has a maximum of channels";
  let symptom = Reject;
  let ops = [ANE_PadOp];
  let where = [Applies<[TierH16], [InMemory]>];
  let predicate = Custom<"checkPadConcat", "a pad that is added has at most Limit::PadConcatChannels channels">;
  let remedy = "the op runs on the CPU";
  let evidence = [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "9,216 channels run, 11,264 fail">];
}

#endif // ANE_CONSTRAINT_CATALOG_NEIGHBOURS_TD
