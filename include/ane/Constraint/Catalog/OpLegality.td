//===- OpLegality.td - the rule that stands for all rows of Legality/ ----===//
#ifndef ANE_CONSTRAINT_CATALOG_OPLEGALITY_TD
#define ANE_CONSTRAINT_CATALOG_OPLEGALITY_TD

include "ane/Constraint/Constraint.td"

def OpLegality : ANE_Constraint<"C68", "op-legality"> {
  let summary = "an op runs on the engine of that tier through that route";
  let symptom = Reject;
  let anyOp = true;
  let predicate = Custom<"checkOpLegality",
      "the legality of the op for the tier and route (op-chip-matrix.md) lets it stand in a program; an op that another "
      "record refuses is left to that record">;
  let legalisedBy = [DecomposeComposites];
  let remedy = "what can be decomposed is decomposed, the CPU computes the rest";
  let evidence = [
    Supports<ANEForge, "M5 Pro", "", Measured, "sweep of 166 ops on the engine alone: 116 run (e5rt)">,
    Supports<ANEGuide, "all", "", Inferred, "minimum families and HAL bytes of all targets">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "list of accepted and rejected ops (in-memory route)">];
}

#endif // ANE_CONSTRAINT_CATALOG_OPLEGALITY_TD
