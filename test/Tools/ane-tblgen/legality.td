// Resolution: rows of the tier and route, the nearest tier's on the same route unless the tables say worse, the tables.
// RUN: ane-tblgen -gen-ane-legality-table -I %src/include -I %mlir_include %s | FileCheck %s
// RUN: ane-tblgen -gen-ane-legality-doc -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=DOC
// RUN: ane-tblgen -gen-ane-conflict-doc -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=CONFLICT
// RUN: ane-tblgen -gen-ane-legality-lint-table -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=LINT

include "ane/Constraint/Constraint.td"
include "ane/Constraint/Legality.td"

def Test_Dialect : Dialect {
  let name = "test";
  let cppNamespace = "::test";
}
def Test_FooOp : Op<Test_Dialect, "foo">;
def Test_BarOp : Op<Test_Dialect, "bar">;
def Test_BazOp : Op<Test_Dialect, "baz">;

let family = "Tests" in {

def : ANE_Legality<[Test_FooOp], [Gated, Native, Native, Native], [
  InMemoryRow<Conditional, [TierA15], [Supports<Orion, "M3", "", Measured, "even numbers run">], "even numbers">,
  InMemoryRow<Rejected, [TierA16], [Supports<Orion, "M4", "", Measured, "fails">]>,
  InMemoryRow<Native, [TierA16], [Supports<Maderix, "M4", "", Reported, "runs">]>]> {
  let note = "a note";
}
def : OtherLegality<["quux"], [], [InMemoryRow<Native, [TierA14], [Supports<Orion, "M2", "", Measured, "runs">]>]>;
def : NotInMIL<[Test_BarOp], Composite>;
def : ANE_Legality<[Test_BazOp], AllNetlist>;

} // family

def : ANE_Dispute<"water is wet", [
  Supports<Orion, "", "", Measured, "it drips">, Contradicts<Zml, "", "", Reported, "it was ice">]>;

// CHECK: {"bar", legality{{[0-9]+}}Rows, {
// CHECK-COUNT-24: {LegalityStatus::Composite, LegalityOrigin::Exact
// CHECK: {"baz",
// CHECK-NEXT: LegalityStatus::Rejected, LegalityOrigin::Exact
// CHECK-NEXT: {LegalityStatus::NetlistOnly, LegalityOrigin::Tables, Tier(0), false, 2u}

// Nothing before A13; the tables deny A13; A14 and A15 by the sight on A15, though A16 failed; both rows of A16 count, the
// worse one decides.
// CHECK: {"foo",
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Rejected, LegalityOrigin::Exact, Tier(0), false, 8u}
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Gated, LegalityOrigin::Tables, Tier(0), false, 16u}
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Conditional, LegalityOrigin::OtherTier, Tier(3), false, 1u}, {LegalityStatus::Native, LegalityOrigin::Tables
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Conditional, LegalityOrigin::Exact, Tier(0), false, 1u}
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Rejected, LegalityOrigin::Exact, Tier(0), true, 6u}
// An unknown chip: the worst of all tiers.
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Rejected, LegalityOrigin::OtherTier, Tier(4), true, 6u}, {LegalityStatus::Gated, LegalityOrigin::Tables, Tier(1)

// Without tables: other routes are unknown.
// CHECK: {"quux",
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Unknown, LegalityOrigin::Nothing
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Native, LegalityOrigin::OtherTier, Tier(2), false, 1u}, {LegalityStatus::Unknown, LegalityOrigin::Nothing, Tier(0), false, 0u}

// DOC: | op | tables | in_memory | coreml | e5rt | netlist | note |
// DOC: | `foo` | G N N N | (G) (N!) N! X* | (G) (N) (N) (N) | {{.*}} | a note |
// DOC: | `quux` |  | (N) N (N) (N) | (?) (?) (?) (?) |
// DOC: | `bar` |  | D D D D |
// DOC: - `foo`
// DOC-NEXT:   - A15 on in_memory: native; wrong or rejected under a condition: even numbers
// DOC-NEXT:     - supports, measured (Orion; M3): even numbers run

// CONFLICT: ## Ops
// CONFLICT: - **`foo`**: sights on one route; the compiler's tables and a sight
// CONFLICT-NEXT:   - A15 on in_memory
// CONFLICT-NOT: quux
// CONFLICT: ## Other facts
// CONFLICT: - water is wet
// CONFLICT-NEXT:   - supports, measured (Orion): it drips
// CONFLICT-NEXT:   - contradicts, reported (zml): it was ice

// The same in letters, upper case where something was seen, and why it does not run.
// LINT: {"foo", "KKKKiiiifaaaFaaaKaaa"},
// LINT: {"quux", "llllalllAlllalllalll"},
// LINT: {"foo", 16, 1, "Orion, M4: fails"},
