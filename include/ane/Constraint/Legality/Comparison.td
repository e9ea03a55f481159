//===- Comparison.td - comparisons, logic, selection ----------------------===//
#ifndef ANE_CONSTRAINT_LEGALITY_COMPARISON_TD
#define ANE_CONSTRAINT_LEGALITY_COMPARISON_TD

include "ane/Constraint/Legality.td"

let family = "Comparison and logic" in {

def : ANE_Legality<[ANE_EqualOp, ANE_NotEqualOp, ANE_GreaterOp, ANE_GreaterEqualOp, ANE_LessOp, ANE_LessEqualOp], AllNative,
    [SweepRan<>]> {
  let note = "bool stays inside a program";
}
def : ANE_Legality<[ANE_LogicalNotOp], AllNative, [SweepRan<>]>;
def : ANE_Legality<[ANE_SelectOp], AllNative, [SweepRight<"0">]>;
def : ANE_Legality<[ANE_LogicalAndOp, ANE_LogicalOrOp, ANE_LogicalXorOp], AllRejected, [SweepMissing]> {
  let note = "mul, maximum and not_equal of 0/1 masks (C37)";
}
def : ANE_Legality<[ANE_BitwiseNotOp, ANE_BitwiseAndOp, ANE_BitwiseOrOp, ANE_BitwiseXorOp, ANE_ShiftLeftOp, ANE_ShiftRightOp], [],
    [LegalityRow<CPUOnly, AllTiers, AllRoutes, [
      Supports<ANEGuide, "all", "", Measured, "fp16 is the only datapath (C23); MIL has no such operation">]>]>;

} // family

#endif // ANE_CONSTRAINT_LEGALITY_COMPARISON_TD
