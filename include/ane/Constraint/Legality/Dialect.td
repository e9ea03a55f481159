//===- Dialect.td - ops that are no operation of MIL ------------------------===//
#ifndef ANE_CONSTRAINT_LEGALITY_DIALECT_TD
#define ANE_CONSTRAINT_LEGALITY_DIALECT_TD

include "ane/Constraint/Legality.td"

let family = "Composites and structure of the dialect" in {

def : NotInMIL<[ANE_HardSwishOp, ANE_MishOp, ANE_LogSoftmaxOp, ANE_RmsNormOp, ANE_RopeOp, ANE_NegOp, ANE_ReciprocalOp,
                ANE_AcoshOp, ANE_AsinhOp, ANE_UpdateStateOp, ANE_NarrowOp], Composite>;
def : NotInMIL<[ANE_BlobOp, ANE_ConstexprBlocksOp, ANE_EvalOp, ANE_IslandOp, ANE_ParameterOp, ANE_ProgramOp, ANE_RelayoutOp, ANE_StateOp, ANE_YieldOp], NotAnOp>;

} // family

#endif // ANE_CONSTRAINT_LEGALITY_DIALECT_TD
