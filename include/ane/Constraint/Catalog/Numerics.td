//===- Numerics.td - ranges, cliffs, rounding ----------------------------===//
// What depends on values is enforced where an analysis of ranges (ane/Constraint/ValueRanges.h) proves that it happens; it proves
// little about a real model. What it can't see shows at run time: an output that is not finite though the inputs are is
// computed again by the CPU twin (runtime/core/executor.cpp).
#ifndef ANE_CONSTRAINT_CATALOG_NUMERICS_TD
#define ANE_CONSTRAINT_CATALOG_NUMERICS_TD

include "ane/Constraint/Constraint.td"

def QuantisedRange : ANE_Constraint<"C76", "quantised-range"> {
  let summary = "a product with int8 weights turns activations above 4,094 into infinity";
  let symptom = WrongResult;
  let effect = OperandOverflows;
  let scope = PerProgram;
  let where = [Applies<AllTiers, [E5RT]>];
  let enforcedBy = Linter;
  let predicate = CheckedElsewhere<"what a compressed weight is multiplied with stays within 4,094", "quantisedRange">;
  let remedy = "weights are expanded to fp16 when the bundle is written";
  let evidence = [Supports<ANEForge, "", "", Measured, "the fixed-point path of C72; the chips are not named (Q03)">];
}

def AccumulatorRange : ANE_Constraint<"C77", "accumulator-range"> {
  let summary = "a matrix product or convolution gives infinity from 32,768 on, in its result or in a partial sum";
  let symptom = WrongResult;
  let effect = Cliff;
  let ops = [ANE_MatmulOp, ANE_LinearOp, ANE_ConvOp, ANE_ConvTransposeOp];
  let predicate = CustomOfRanges<"checkAccumulatorRange", "no element of the result is known to exceed Numeric::AccumulatorMax">;
  let host = true;
  let remedy = "the CPU computes it where that is certain; elsewhere a program whose outputs are not finite is evaluated again "
               "on the CPU";
  let evidence = [
    Supports<ANEForge, "M1 ... M6", "", Measured, "the cliff is at 32,758.8 for sums of 4 ... 128 (Q04)">,
    Supports<ANEGuide, "M1 ... M6", "", Measured, "32,752 passes; sums of reductions and products of elements reach 65,504">];
}

def ExpRange : ANE_Constraint<"C78", "exp-range"> {
  let summary = "exp is infinite from 11.094 on";
  let symptom = WrongResult;
  let effect = ComputesAnyway; // fp16 overflows by itself
  let ops = [ANE_ExpOp];
  let predicate = CustomOfRanges<"checkExpRange", "the argument is not known to be Numeric::ExpMax or more everywhere">;
  let host = true;
  let remedy = "the CPU computes it";
  let evidence = [Supports<ANEGuide, "M1", "", Measured, "infinity at 11.094 and above; fp16 ends there">];
}

def SquareRange : ANE_Constraint<"C79", "square-range"> {
  let summary = "a square is infinite from 256 on";
  let symptom = WrongResult;
  let effect = ComputesAnyway; // fp16 overflows by itself
  let ops = [ANE_SquareOp];
  let predicate = CustomOfRanges<"checkSquareRange", "the argument is not known to exceed Numeric::SquareMax everywhere">;
  let host = true;
  let remedy = "the CPU computes it; norms divide first (C56)";
  let evidence = [Supports<ANEGuide, "M1", "", Measured, "infinity at 256 and above">];
}

def SmallProbabilities : ANE_Constraint<"C80", "small-probabilities"> {
  let summary = "a product with probabilities of thousands of keys loses percents";
  let symptom = Inaccurate;
  let ops = [ANE_MatmulOp];
  let predicate = Custom<"checkSmallProbabilities", "a softmax that is multiplied has at most Limit::SmallProbabilityKeys columns, or "
                         "is scaled by Numeric::ProbabilityScale first">;
  let legalisedBy = [LegalizeAttention];
  let remedy = "the probabilities are multiplied by 64, the values divided by their largest, so that nothing overflows, and the "
               "product gets both back";
  let evidence = [
    Supports<CoreAI, "M5 Pro", "", Measured, "4,096 keys: 5.2 ... 5.4 %; scaled by 64 it is 0.060 % (Q63)">,
    Supports<CoreAI, "M5 Pro", "", Measured, "softmax in blocks: 0.11 % at 0.38 times the speed">];
}

def SmallActivations : ANE_Constraint<"C81", "small-activations"> {
  let summary = "activations near 1e-6 vanish";
  let symptom = Inaccurate;
  let ops = [ANE_MulOp, ANE_RealDivOp, ANE_ExpOp, ANE_SigmoidOp];
  let predicate = CustomOfRanges<"checkSmallActivations", "not every element of the result is known to be below Numeric::SmallestNormal">;
  let remedy = "accepted: a stream scaled by 64 overflows where it exceeds 1,023; norms divide by the largest magnitude first (C56)";
  let evidence = [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "values near 1e-6 are quantised away (Q67b)">];
}

def QuantizeRounding : ANE_Constraint<"C82", "quantize-rounding"> {
  let summary = "quantize rounds halves away from zero";
  let symptom = WrongResult;
  let effect = Cliff;
  let ops = [ANE_QuantizeOp];
  let predicate = Unsupported<"the CPU quantises">;
  let host = true;
  let remedy = "the CPU quantises";
  let evidence = [
    Supports<CoreAI, "M5 Pro", "", Measured, "63,488 finite fp16 inputs agree; to even differs at 128 halves">,
    Supports<ANEForge, "M5 Pro", "", Measured, "quantize runs on e5rt (2.7e-4)">];
}

def QuantisedBranches : ANE_Constraint<"C83", "quantised-branches"> {
  let summary = "the product of two dequantised branches takes the scale of one for both";
  let symptom = WrongResult;
  let effect = GivesGarbage;
  let ops = [ANE_MulOp];
  let predicate = Custom<"checkQuantisedBranches", "two dequantised factors have the same scale">;
  let host = true;
  let remedy = "the CPU multiplies";
  let evidence = [
    Supports<CoreAI, "M5 Pro", "", Measured, "2, 4 or 8 instead of 1; an error of 339 % in a language model, on Core ML as well (Q62)">];
}

def ActivationTables : ANE_Constraint<"C84", "activation-tables"> {
  let summary = "activations come from tables with errors of 1e-3 and more";
  let symptom = Inaccurate;
  let ops = [ANE_TanhOp, ANE_ScaledTanhOp, ANE_GeluOp, ANE_EluOp, ANE_ErfOp];
  let predicate = Better<"exp and real_div, which are accurate to 5e-4">;
  let remedy = "accepted: errors are below 1 %; what is better for large magnitudes cancels near 0 (elu: exp(x) - 1)";
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "absolute errors: tanh 1.7e-3, gelu 5.9e-3; gelu(0) is -5.4e-4">,
    Supports<ANEForge, "M5 Pro", "", Measured, "relative errors: tanh 1.3e-3, gelu 2.4e-3, elu 5.1e-3, erf 7e-4">];
}

def NegativeZero : ANE_Constraint<"C85", "negative-zero"> {
  let summary = "-0 loses its sign before a reciprocal";
  let symptom = Inaccurate;
  let ops = [ANE_InverseOp, ANE_RsqrtOp];
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"the values of a run decide">;
  let remedy = "none: 1 / -0 is +inf";
  let evidence = [Supports<ANEGuide, "M1", "", Measured, "1 / -0 = +inf">];
}

def NoNaN : ANE_Constraint<"C86", "no-nan"> {
  let summary = "the engine makes no NaN: a NaN that enters is infinity, and inf - inf, 0 * inf and sqrt(-1) are 0";
  let symptom = WrongResult;
  let effect = MakesNoNaN;
  let scope = Runtime;
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"the values of a run decide: the runtime gives it to the CPU if they are not finite where they enter a program">;
  let remedy = "the CPU computes runs whose inputs are not finite; models do not test for NaN on the engine";
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "x != x is never true; the variance of a layer_norm sees a large finite number">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Measured, "NaN from programs of C50 and C52">];
}

def Denormals : ANE_Constraint<"C87", "denormals"> {
  let summary = "matrix products of H13 take subnormal numbers for 0";
  let symptom = Inaccurate;
  let ops = [ANE_MatmulOp, ANE_LinearOp, ANE_ConvOp];
  let where = [Applies<[TierH13], AllRoutes>];
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"the values of a run decide">;
  let remedy = "none: values below 6.1e-5 are lost in products";
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "flushed in products, kept by elementwise ops (2^-24)">,
    Contradicts<ANEGuide, "M5", "", Measured, "kept in products, too">];
}

def DeepProducts : ANE_Constraint<"C88", "deep-products"> {
  let summary = "the error of a matrix product grows with the elements summed";
  let symptom = Inaccurate;
  let ops = [ANE_MatmulOp, ANE_LinearOp, ANE_ConvOp];
  let predicate = Custom<"checkDeepProducts", "at most Limit::ProductDepth elements are summed">;
  let remedy = "accepted: the error is reported";
  let evidence = [
    Supports<ANEForge, "M1 Max ... M6", "", Measured, "0.26 % at 512, 1.2 % at 2,048, 2.7 % at 4,096, 6.2 % at 8,192, alike on all">,
    Supports<ANEGuide, "M1", "", Measured, "3 % in a projection of 5,632 elements flips a greedy choice">];
}

def InfiniteArguments : ANE_Constraint<"C89", "infinite-arguments"> {
  let summary = "functions of infinity have values of their own";
  let symptom = Inaccurate;
  let ops = [ANE_SoftplusOp, ANE_SoftsignOp, ANE_CosOp, ANE_LogOp, ANE_MulOp];
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"the values of a run decide">;
  let remedy = "none: what is infinite is already wrong";
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "softplus, softsign and log of infinity are 0, cos of infinity is 0">,
    Supports<ANEForge, "M5", "", Measured, "a product of infinity was -52,416 in one probe">];
}

#endif // ANE_CONSTRAINT_CATALOG_NUMERICS_TD
