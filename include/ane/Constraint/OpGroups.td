//===- OpGroups.td - ops that constraints name together ----------------===//
//
// What several records say of more than one op is said of a group. Compiler and linter ask `isIn(OpGroup::X, op)`; a new op
// joins by its name here.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_OPGROUPS_TD
#define ANE_CONSTRAINT_OPGROUPS_TD

include "ane/Constraint/Constraint.td"
include "ane/IR/ANEOps.td"

//===-- neighbours ------------------------------------------------------===//

def ShapeOnly : OpGroup<"they only give a value another shape",
    [ANE_ReshapeOp, ANE_ExpandDimsOp, ANE_SqueezeOp, ANE_RelayoutOp]>;
def Roundings : OpGroup<"they round to integers", [ANE_FloorOp, ANE_CeilOp, ANE_RoundOp]>;
def Reductions : OpGroup<"they reduce axes",
    [ANE_ReduceSumOp, ANE_ReduceMeanOp, ANE_ReduceMaxOp, ANE_ReduceMinOp, ANE_ReduceSumSquareOp, ANE_ReduceL1NormOp,
     ANE_ReduceL2NormOp, ANE_ReduceLogSumOp, ANE_ReduceLogSumExpOp]>;
def Nonlinearities : OpGroup<"they apply a nonlinear function to each element",
    [ANE_ReluOp, ANE_Relu6Op, ANE_SigmoidOp, ANE_SoftplusOp, ANE_SoftsignOp, ANE_SiluOp, ANE_GeluOp, ANE_LeakyReluOp,
     ANE_EluOp, ANE_ThresholdedReluOp, ANE_ClampedReluOp, ANE_ScaledTanhOp, ANE_SigmoidHardOp, ANE_PreluOp, ANE_TanhOp,
     ANE_ErfOp, ANE_ExpOp, ANE_Exp2Op, ANE_LogOp, ANE_SqrtOp, ANE_RsqrtOp, ANE_InverseOp, ANE_SinOp, ANE_CosOp,
     ANE_AtanOp]>;

#endif // ANE_CONSTRAINT_OPGROUPS_TD
