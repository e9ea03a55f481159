// What is made from a record.
// RUN: ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=IDS
// RUN: ane-tblgen -gen-ane-constraint-table -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=TABLE
// RUN: ane-tblgen -gen-ane-constraint-checks -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=CHECKS
// RUN: ane-tblgen -gen-ane-op-groups-enum -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=GROUPS
// RUN: ane-tblgen -gen-ane-op-groups -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=MEMBERS
// RUN: ane-tblgen -gen-ane-constraint-index -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=INDEX
// RUN: ane-tblgen -gen-ane-constraint-doc -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=DOC

include "ane/Constraint/Constraint.td"

def Test_Dialect : Dialect {
  let name = "test";
  let cppNamespace = "::test";
}
def Foos : OpGroup<"they are like foo">;
class Test_Op<string mnemonic> : Op<Test_Dialect, mnemonic> { list<OpGroup> groups = []; }
class Test_LikeFoo<string mnemonic> : Test_Op<mnemonic> { let groups = [Foos]; }
def Test_FooOp : Test_LikeFoo<"foo">;
def Test_BarOp : Test_LikeFoo<"bar">;
def Test_OtherOp : Test_Op<"other">;
def ShapelessOp : Op<Test_Dialect, "shapeless">; // of no class that has groups
def LegalizeFoo : Pass<"legalize-foo"> { let summary = "foo"; }

// Sorted by number: C02 stands before C10, which stands before C100.
// IDS: enum class ConstraintID : unsigned {
// IDS-NEXT: C02, // foo-rank: foo has few axes
// IDS-NEXT: C10, // foo-custom: foo is written well
// IDS-NEXT: C100, // foo-weights: foo has constant weights
// IDS: FooRank = C02,
// IDS: numConstraints = 3;

def FooWeights : ANE_Constraint<"C100", "foo-weights"> {
  let summary = "foo has constant weights";
  let symptom = Slow;
  let ops = [Test_FooOp];
  let predicate = OperandIsConstant<"weight">;
  let remedy = "none";
}

def FooRank : ANE_Constraint<"C02", "foo-rank"> {
  let summary = "foo has few axes";
  let symptom = Reject;
  let ops = [Test_FooOp];
  let predicate = TypesAtMost<"rankOf", "rank", Limit_Rank>;
  let where = [Applies<[TierH13, TierH16], [InMemory], 15, 26>];
  let legalisedBy = [LegalizeFoo];
  let evidence = [Supports<Orion, "M4", "macOS 15", Measured, "rank 5 fails">];
}

def FooCustom : ANE_Constraint<"C10", "foo-custom"> {
  let summary = "foo is written well";
  let symptom = WrongResult;
  let anyOp = true;
  let catalog = true;
  let predicate = Custom<"checkFoo", "it is written well">;
  let lifts = [Lift<Applies<[TierH13], [InMemory], 15>, "it does not matter", Custom<"checkLittleFoo", "a little">>];
  let remedy = "write it \"well\"";
  let evidence = [
    Supports<Orion, "M4", "", Reported, "wrong">,
    Contradicts<Maderix, "M1, M4", "macOS 15", Measured, "right">,
    Contradicts<Maderix, "M1", "macOS 26", Measured, "right later">,
    Contradicts<ANEForge, "M1", "macOS 15", Measured, "right on e5rt">];
}

// TABLE: static const StringRef C02Passes[] = {"legalize-foo", };
// TABLE: static const Applicability C02Where[] = {{[{][{]}}18u, 1u, 15, 26, true}, };
// What measured it on the lift's tiers and routes, on no later OS.
// TABLE: static const LiftEvidence C10Lift0Evidence[] = {{[{][{]}}2u, 1u, {"maderix", "M1, M4", "macOS 15", "measured", 0, "right"}}, };
// TABLE: static const LiftInfo C10Lifts[] = {{[{][{][{]}}2u, 1u, 15, 0, true}, "it does not matter", C10Lift0Evidence}, };
// TABLE: ConstraintID::C10, "C10", "foo-custom"
// TABLE: "write it \"well\""

// CHECKS: std::optional<Finding> checkFoo(Operation *op, const TargetEnv &env);
// CHECKS: std::optional<Finding> checkLittleFoo(Operation *op, const TargetEnv &env);
// CHECKS: checkC02(
// CHECKS: return typesAtMost(op, rankOf, env.limit(Limit::Rank), "rank");
// CHECKS: checkC10Lifted0(
// CHECKS: return checkLittleFoo(op, env);
// CHECKS: checkC100(
// CHECKS: return operandIsConstant(op, "weight");
// CHECKS: {checkC10, {checkC10Lifted0, }},
// CHECKS: anyOpConstraints = {ConstraintID::C10, };
// CHECKS: {"test.foo", {ConstraintID::C02, ConstraintID::C100, }},

// INDEX: C02 foo-rank PerOp VerifyLegal Reject legalize-foo
// INDEX-NEXT: C10 foo-custom PerOp VerifyLegal WrongResult remedy
// INDEX-NEXT: C100 foo-weights PerOp VerifyLegal Slow remedy

// DOC: ## C02 foo-rank
// DOC: - **Ops:** `test.foo`.
// DOC: - **Where:** tiers H13, H16; routes in_memory; from macOS 15; until macOS 26.
// DOC: - **Legalised by:** `legalize-foo`.
// DOC: - supports, measured (Orion; M4; macOS 15): rank 5 fails
// DOC: ## C10 foo-custom
// DOC: - **Lifted under `strictness=evidence`:** tiers H13; routes in_memory; from macOS 15: it does not matter. Still checked there: a little.
// DOC: - contradicts, measured (maderix; M1, M4; macOS 15): right
// DOC: - **Foos**, they are like foo: `bar`, `foo`

// GROUPS: enum class OpGroup {
// GROUPS-NEXT: Foos, ///< they are like foo

// MEMBERS: case OpGroup::Foos:
// MEMBERS-NEXT: return isa<BarOp, FooOp>(op);
