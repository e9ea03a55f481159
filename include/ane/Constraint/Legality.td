//===- Legality.td - schema of op x chip legality ----------------------===//
//
// One record says for some ops how each tier takes them on each route. The records restate ane-op-chip-matrix.md 2, one file
// under Legality/ for each of its families; ane-tblgen resolves them to one answer for each (op, tier, route, macOS):
//   the rows for that tier and route, the worst of them where they differ (all are kept, and the difference is shown),
//   without those that are outdated,
//   else the rows of the nearest tier on the same route, or what the compiler's tables say of this tier where that is worse,
//   else what the tables say of this tier,
//   else unknown, which is taken for rejected.
// A row is outdated in programs for macOS N and later when another row of the same tier and route was measured on a version
// after the last one on which this row was seen, and not after N. The versions are those of the evidence that supports a row:
// one with such evidence that names none is never outdated. What begins on a later macOS counts in programs for older ones,
// too, as these run there: a newer target's answer is never worse than an older one's.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_LEGALITY_TD
#define ANE_CONSTRAINT_LEGALITY_TD

include "ane/Constraint/Targets.td"
include "mlir/IR/OpBase.td"

/// How an op fares. `index` orders them from best to worst, `mark` stands for it in tables, `runs` says whether the op may
/// stand in a program, `fact` that it is a statement about hardware, which needs evidence.
class LegalityStatus<string statusName, int statusIndex, string statusMark, bit onEngine, string statusText, bit isFact = true> {
  string name = statusName;
  int index = statusIndex;
  string mark = statusMark;
  bit runs = onEngine;
  string text = statusText;
  bit fact = isFact;
}
def Native : LegalityStatus<"Native", 0, "N", true, "native">;
def Folded : LegalityStatus<"Folded", 1, "F", true, "resolved while the program is compiled, no instruction is left">;
def NotAnOp : LegalityStatus<"Structure", 2, "I", true, "no operation of MIL: structure of the dialect", false>;
def Composite : LegalityStatus<"Composite", 3, "D", true, "no operation of MIL: decomposed before programs are written", false>;
def Software : LegalityStatus<"Software", 4, "S", true,
    "the engine's compiler writes it in other ops or folds the weights: it runs, with other speed and rounding">;
def Conditional : LegalityStatus<"Conditional", 5, "N!", true, "native; wrong or rejected under a condition">;
def Claimed : LegalityStatus<"Claimed", 6, "N?", false, "native by the tables, and no MIL program was seen to reach it">;
def NetlistOnly : LegalityStatus<"NetlistOnly", 7, "B", false, "internal to the compiler or a layer of netlists, no form in MIL">;
def Gated : LegalityStatus<"Gated", 8, "G", false, "rejected on this tier, a later one has it">;
def CPUOnly : LegalityStatus<"CPUOnly", 9, "H", false, "runs on the CPU or the GPU only">;
def Rejected : LegalityStatus<"Rejected", 10, "X", false, "rejected">;
def UnknownStatus : LegalityStatus<"Unknown", 11, "?", false, "nothing is known, taken for rejected", false>;

/// What was seen. Rows of one record may contradict each other, and so may the evidence of one row. What was seen on one macOS
/// and not on a later one is two rows.
class LegalityRow<LegalityStatus is, list<Tier> forTiers, list<RouteKind> forRoutes, list<Evidence> why, string when = ""> {
  LegalityStatus status = is;
  list<Tier> tiers = forTiers;
  list<RouteKind> routes = forRoutes;
  list<Evidence> evidence = why;
  string condition = when; // of Conditional
}
class InMemoryRow<LegalityStatus is, list<Tier> forTiers, list<Evidence> why, string when = "">
    : LegalityRow<is, forTiers, [InMemory], why, when>;
class CoreMLRow<LegalityStatus is, list<Evidence> why, string when = "">
    : LegalityRow<is, MILTiers, [CoreML], why, when>;
class E5RTRow<LegalityStatus is, list<Tier> forTiers, list<Evidence> why, string when = "">
    : LegalityRow<is, forTiers, [E5RT], why, when>;
class NetlistRow<LegalityStatus is, list<Tier> forTiers, list<Evidence> why, string when = "">
    : LegalityRow<is, forTiers, [Netlist], why, when>;

// ANEForge's sweep of 166 ops on M5 Pro, compiled for the engine alone.
/// It ran, with this relative error.
class SweepRight<string error, LegalityStatus is = Native, string when = "">
    : E5RTRow<is, [TierH16], [Supports<ANEForge, "M5 Pro", "", Measured, "relative error " # error>], when>;
/// It ran, nobody compared values.
class SweepRan<LegalityStatus is = Native, string when = "">
    : E5RTRow<is, [TierH16], [Supports<ANEForge, "M5 Pro", "", Reported, "runs, values were not compared">], when>;
def SweepMissing : E5RTRow<Rejected, [TierH16], [Supports<ANEForge, "M5 Pro", "", Measured, "not implemented on the engine">]>;
def SweepRefused : E5RTRow<Rejected, [TierH16], [Supports<ANEForge, "M5 Pro", "", Measured, "rejected by the compiler">]>;

/// The compiler's own tables, by tier (HAL feature bytes and minimum families; how each column came about: matrix 0.2).
class TableColumn<Tier ofTier, Evidence why> {
  Tier tier = ofTier;
  Evidence evidence = why;
}
def TableH13 : TableColumn<TierH13, Supports<ANEGuide, "M1, M1 Max", "", Reported, "the compiler's tables, compiled and run">>;
def TableH14 : TableColumn<TierH14, Supports<ANEGuide, "H14, M2", "", Inferred, "the compiler's tables; M2 Pro ran in part">>;
def TableH15 : TableColumn<TierH15, Supports<ANEGuide, "H15, M3", "", Inferred, "the compiler's tables alone">>;
def TableH16 : TableColumn<TierH16, Supports<ANEGuide, "H16 ... H18", "", Inferred, "the compiler's tables">>;

// What the tables say, in the order of MILTiers.
defvar AllNative = !listsplat(Native, 4);
defvar AllFolded = !listsplat(Folded, 4);
defvar AllConditional = !listsplat(Conditional, 4);
defvar AllClaimed = !listsplat(Claimed, 4);
defvar AllNetlist = !listsplat(NetlistOnly, 4);
defvar AllRejected = !listsplat(Rejected, 4);
defvar SoftwareOnH13 = [Software, Native, Native, Native];
defvar GatedOnH13 = [Gated, Native, Native, Native];
defvar ClaimedFromH14 = [Gated, Claimed, Claimed, Claimed];

def NoMIL : LegalityRow<Rejected, [TierOlder], AllRoutes, [
  Supports<ANEGuide, "H11, H12", "", Inferred, "the compiler asserts H13 or later for MIL (C30)">]>;

/// `which` and `others` (names without an op in the dialect) fare alike. `byTable` has a status for each of MILTiers, or
/// is empty when the tables are silent.
class ANE_Legality<list<Op> which, list<LegalityStatus> byTable, list<LegalityRow> seen = []> {
  list<Op> ops = which;
  list<string> others = [];
  /// "" for the op in general; the form that another record is about. Forms are shown, they decide nothing: constraints do.
  string form = "";
  string family = ?;
  list<LegalityStatus> tables = byTable;
  list<LegalityRow> rows = !if(!empty(byTable), seen, seen # [NoMIL]);
  /// What else is known: forms, costs, substitutes, in one line.
  string note = "";
}

/// A subject of the tables that is no op of the dialect.
class OtherLegality<list<string> names, list<LegalityStatus> byTable, list<LegalityRow> seen = []>
    : ANE_Legality<[], byTable, seen> {
  let others = names;
}

/// Composites and structure: they never reach the engine's compiler.
class NotInMIL<list<Op> which, LegalityStatus is> : ANE_Legality<which, [], [LegalityRow<is, AllTiers, AllRoutes, []>]>;

/// A fact that sources disagree about and nothing is decided by; it is listed with the conflicts.
class ANE_Dispute<string text, list<Evidence> both> {
  string subject = text;
  list<Evidence> evidence = both;
}

#endif // ANE_CONSTRAINT_LEGALITY_TD
