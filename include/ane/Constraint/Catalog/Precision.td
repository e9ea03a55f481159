//===- Precision.td - what fp16 holds too coarsely -----------------------===//
// fp16 has 11 bits. Most ops of most models need no more; those here make a small difference large. They run on the engine where
// what they read is known to be held well enough, or is an activation, which has been rounded anyway; the bound of an input is looked at
// in each run (ane.holds).
#ifndef ANE_CONSTRAINT_CATALOG_PRECISION_TD
#define ANE_CONSTRAINT_CATALOG_PRECISION_TD

include "ane/Constraint/Constraint.td"

def CoarseAngle : ANE_Constraint<"C210", "coarse-angle"> {
  let summary = "fp16 holds large angles too coarsely for a sine";
  let symptom = WrongResult;
  let effect = ComputesAnyway; // the text has rounded angles
  let ops = [ANE_SinOp, ANE_CosOp, ANE_TanOp];
  let predicate = CustomOfRanges<"checkCoarseAngle", "an angle that is computed from inputs of the model is within Numeric::AngleMax">;
  let host = true;
  let remedy = "the CPU computes the angles and their sines, once for all ops that read them";
  let noRule = "a program does not say what its inputs were computed from";
  let evidence = [
    Supports<IEEE754, "", "", Inferred, "from 4,096 on numbers are 4 apart, more than half a turn; below 8 a sine is off by at most 2e-3">,
    Supports<ANEGuide, "M1", "", Measured, "a polynomial, off by 0.04 to 0.12 near pi (C44)">];
}

def CoarseStep : ANE_Constraint<"C211", "coarse-step"> {
  let summary = "a rounding, comparison or search makes a jump of what fp16 rounds away";
  let symptom = WrongResult;
  let effect = ComputesAnyway; // the text has rounded operands
  let anyOp = true;
  let predicate = CustomOfRanges<"checkCoarseStep", "what is rounded, compared or searched is not computed from inputs of the model">;
  let host = true;
  let remedy = "the CPU computes the op and the numbers that it reads";
  let noRule = "a program does not say what its inputs were computed from";
  let evidence = [
    Supports<IEEE754, "", "", Inferred, "10 * 499 is 4,992: from 4,096 on numbers are 4 apart; 2.9998 is 3">];
}

def SmallLogarithm : ANE_Constraint<"C212", "small-logarithm"> {
  let summary = "fp16 holds small numbers too coarsely for a logarithm, and none below 6e-8";
  let symptom = WrongResult;
  let effect = ComputesAnyway; // the text has rounded arguments
  let ops = [ANE_LogOp, ANE_ReduceLogSumOp, ANE_AcoshOp];
  let predicate = CustomOfRanges<"checkSmallLogarithm", "the argument is known to be Numeric::SmallestFloor or more, that of acosh 1, or is an input">;
  let host = true;
  let remedy = "the CPU computes the op, and what it reads where that is computed from inputs of the model";
  let noRule = "what an argument may be is known before constants are rounded";
  let evidence = [
    Supports<IEEE754, "", "", Inferred, "below 2^-14 numbers are 2^-24 apart: the logarithm of 1e-6 is off by 0.03, that of 1e-8 infinite">,
    Supports<Libane, "M3 Pro", "", Measured, "log is infinite below 7.63e-6 (Q42)">];
}

def HeldConstants : ANE_Constraint<"C213", "held-constants"> {
  let summary = "fp16 holds no constant beyond 65,504, and makes 0 of one below 3e-8";
  let symptom = WrongResult;
  let effect = ComputesAnyway; // the text has rounded constants
  let anyOp = true;
  let predicate = CustomOfRanges<"checkHeldConstants", "fp16 holds the largest element of each constant to a part in 256, or an ane.narrow says "
                         "why a program may hold it otherwise">;
  let legalisedBy = [LegalizeNarrowing, NarrowConstants];
  let remedy = "narrowed for a reason, else the CPU computes the op";
  let noRule = "a program has what became of a constant";
  let evidence = [
    Supports<IEEE754, "", "", Inferred, "the largest number is 65,504, the smallest 2^-24, the smallest with 11 bits 2^-14">];
}

#endif // ANE_CONSTRAINT_CATALOG_PRECISION_TD
