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
  InMemoryRow<Conditional, [TierH15], [Supports<Orion, "M3", "", Measured, "even numbers run">], "even numbers">,
  InMemoryRow<Rejected, [TierH16], [Supports<Orion, "M4", "", Measured, "fails">]>,
  InMemoryRow<Native, [TierH16], [Supports<Maderix, "M4", "", Reported, "runs">]>]> {
  let note = "a note";
}
def : OtherLegality<["quux"], [], [InMemoryRow<Native, [TierH14], [Supports<Orion, "M2", "", Measured, "runs">]>]>;
// Outdated from macOS 26 on: something else was measured there.
def : OtherLegality<["mended"], [], [
  InMemoryRow<Rejected, [TierH15], [Supports<Orion, "M3", "macOS 15.2", Measured, "fails">]>,
  InMemoryRow<Native, [TierH15], [Supports<Maderix, "M3", "macOS 26.3", Measured, "runs">]>]>;
// What begins later counts before, too.
def : OtherLegality<["broken"], [], [
  InMemoryRow<Native, [TierH15], [Supports<Orion, "M3", "macOS 15", Measured, "runs">]>,
  InMemoryRow<Rejected, [TierH15], [Supports<Maderix, "M3", "macOS 27", Measured, "fails">]>]>;
// Not outdated: by a report, by what contradicts a row, on another route, without a version, and without another row.
def : OtherLegality<["reported"], [], [
  InMemoryRow<Rejected, [TierH15], [Supports<Orion, "M3", "macOS 15", Measured, "fails">]>,
  InMemoryRow<Native, [TierH15], [
    Supports<Maderix, "M3", "macOS 27", Reported, "runs">, Contradicts<Zml, "M3", "macOS 27", Measured, "fails">]>,
  E5RTRow<Native, [TierH15], [Supports<Maderix, "M3", "macOS 27", Measured, "runs">]>]>;
def : OtherLegality<["undated"], [], [
  InMemoryRow<Rejected, [TierH15], [
    Supports<Orion, "M3", "macOS 15", Measured, "fails">, Supports<Zml, "M3", "", Reported, "fails">]>,
  InMemoryRow<Native, [TierH15], [Supports<Maderix, "M3", "macOS 27", Measured, "runs">]>]>;
def : OtherLegality<["alone"], [], [
  InMemoryRow<Rejected, [TierH15], [Supports<Orion, "M3", "macOS 15", Measured, "fails">]>]>;
def : NotInMIL<[Test_BarOp], Composite>;
def : ANE_Legality<[Test_BazOp], AllNetlist>;

} // family

def : ANE_Dispute<"water is wet", [
  Supports<Orion, "", "", Measured, "it drips">, Contradicts<Zml, "", "", Reported, "it was ice">]>;

// CHECK: {"bar", 0, legality{{[0-9]+}}Rows, {
// CHECK-COUNT-24: {LegalityStatus::Composite, LegalityOrigin::Exact
// CHECK: {"baz",
// CHECK-NEXT: LegalityStatus::Rejected, LegalityOrigin::Exact
// CHECK-NEXT: {LegalityStatus::NetlistOnly, LegalityOrigin::Tables, Tier(0), false, 2u}

// Nothing before H13; the tables deny H13; H14 and H15 by the sight on H15, though H16 failed; both rows of H16 count, the
// worse one decides.
// CHECK: {"foo",
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Rejected, LegalityOrigin::Exact, Tier(0), false, 8u}
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Gated, LegalityOrigin::Tables, Tier(0), false, 16u}
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Conditional, LegalityOrigin::OtherTier, Tier(3), false, 1u}, {LegalityStatus::Native, LegalityOrigin::Tables
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Conditional, LegalityOrigin::Exact, Tier(0), false, 1u}
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Rejected, LegalityOrigin::Exact, Tier(0), true, 6u}
// An unknown chip: the worst of all tiers.
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Rejected, LegalityOrigin::OtherTier, Tier(4), true, 6u}, {LegalityStatus::Gated, LegalityOrigin::Tables, Tier(1)

// The rows that count, by the oldest macOS that must run the program.
// CHECK: {"mended", 0, legality
// CHECK: {LegalityStatus::Rejected, LegalityOrigin::Exact, Tier(0), true, 3u}
// CHECK: {"mended", 26, legality
// CHECK: {LegalityStatus::Native, LegalityOrigin::OtherTier, Tier(3), false, 2u}
// CHECK: {LegalityStatus::Native, LegalityOrigin::Exact, Tier(0), false, 2u}
// CHECK-NOT: {"mended"

// Without tables: other routes are unknown.
// CHECK: {"quux",
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Unknown, LegalityOrigin::Nothing
// CHECK-NEXT: {{^ *}}{{{}}{LegalityStatus::Native, LegalityOrigin::OtherTier, Tier(2), false, 1u}, {LegalityStatus::Unknown, LegalityOrigin::Nothing, Tier(0), false, 0u}

// DOC: | op | tables | in_memory | coreml | e5rt | netlist | note |
// DOC: | `foo` | G N N N | (G) (N!) N! X* | (G) (N) (N) (N) | {{.*}} | a note |
// DOC: | `quux` |  | (N) N (N) (N) | (?) (?) (?) (?) |
// DOC: | `mended` |  | (X*) (X*) X* (X*); from macOS 26 on (N) (N) N (N) | (?) (?) (?) (?) |
// DOC-NEXT: | `broken` |  | (X*) (X*) X* (X*); from macOS 27 on (X) (X) X (X) | (?) (?) (?) (?) |
// DOC-NEXT: | `reported` |  | (X*) (X*) X* (X*) | (?) (?) (?) (?) | (N) (N) N (N) |
// DOC-NEXT: | `undated` |  | (X*) (X*) X* (X*) |
// DOC-NEXT: | `alone` |  | (X) (X) X (X) |
// DOC: | `bar` |  | D D D D |
// DOC: - `foo`
// DOC-NEXT:   - H15 on in_memory: native; wrong or rejected under a condition: even numbers
// DOC-NEXT:     - supports, measured (Orion; M3): even numbers run

// CONFLICT: ## Ops
// CONFLICT: - **`foo`**: sights on one route; the compiler's tables and a sight
// CONFLICT-NEXT:   - H15 on in_memory
// CONFLICT-NOT: quux
// CONFLICT: - **`mended`**: sights on one route; versions of macOS
// CONFLICT: - **`broken`**: sights on one route
// CONFLICT-NOT: versions of macOS
// CONFLICT: ## Other facts
// CONFLICT: - water is wet
// CONFLICT-NEXT:   - supports, measured (Orion): it drips
// CONFLICT-NEXT:   - contradicts, reported (zml): it was ice

// The same in letters, upper case where something was seen, and why it does not run.
// LINT: {"foo", "KKKKiiiifaaaFaaaKaaa"},
// LINT: {"mended", "llllklllklllKlllklll"},
// LINT-NEXT: {"mended", "llllalllalllAlllalll", 26},
// LINT: {"quux", "llllalllAlllalllalll"},
// LINT: {"foo", 16, 1, "Orion, M4: fails"},
// LINT: {"mended", 8, 1, "Orion, M3, macOS 15.2: fails"},
