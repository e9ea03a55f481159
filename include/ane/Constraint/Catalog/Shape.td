//===- Shape.td - ranks, extents, element types -------------------------===//
#ifndef ANE_CONSTRAINT_CATALOG_SHAPE_TD
#define ANE_CONSTRAINT_CATALOG_SHAPE_TD

include "ane/Constraint/Constraint.td"

def RankMax : ANE_Constraint<"C21", "rank"> {
  let summary = "a tensor inside a program has no more axes than the route takes";
  let symptom = Reject;
  let anyOp = true;
  let predicate = TypesAtMost<"rankOf", "rank", Limit_Rank>;
  let remedy = "batch axes are merged where the op allows it, else the op runs on the CPU";
  let evidence = [
    Supports<ANEForge, "M1, M5", "", Measured, "rank 6 is rejected on e5rt; transpose and matmul of rank 5 are not supported (Q16)">,
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "rank at most 4 on the in-memory route">];
}

#endif // ANE_CONSTRAINT_CATALOG_SHAPE_TD
