// Values of limits: the first row that matches tier, route and macOS holds.
// RUN: ane-tblgen -gen-ane-target-defs -I %src/include -I %mlir_include %s | FileCheck %s
// RUN: ane-tblgen -gen-ane-target-decls -I %src/include -I %mlir_include %s | FileCheck %s --check-prefix=DECLS

include "ane/Constraint/Targets.td"

class Value<int number, list<Tier> forTiers, list<RouteKind> forRoutes, int until = 0> {
  int osTo = until;
  int value = number;
  list<Tier> tiers = forTiers;
  list<RouteKind> routes = forRoutes;
  list<Evidence> evidence = [Supports<Orion, "M4", "", Measured, "it was seen">];
}
class LimitKind<string limitUnit, string text, list<Value> rows, bit low> {
  string unit = limitUnit;
  string summary = text;
  list<Value> values = rows;
  bit worstIsLow = low;
}
class NumericKind<string number> {
  string value = number;
  string summary = "a number";
  list<Evidence> evidence = [Supports<Orion, "M4", "", Measured, "it was seen">];
}

def Limit_Low : LimitKind<"bytes", "the less the worse", [Value<8, [TierH16], [E5RT]>, Value<4, AllTiers, AllRoutes>], true>;
def Limit_High : LimitKind<"bytes", "the more the worse", [Value<8, [TierH16], [E5RT], 13>, Value<4, AllTiers, AllRoutes>], false>;
def Numeric_Half : NumericKind<"0.5">;

// CHECK: static const EvidenceInfo h16Evidence[] = {{[{][{]}}"maderix", "M4, M5", "macOS 15", "measured", 1, "aneSubType is h16 on
// CHECK: {14, "h16", Tier::H16, 4, "iPhone 15 Pro (A17 Pro), M4", h16Aliases, h16RuntimeNames, 1, 1, 2160, 1620, "an M4 reports h16, {{.*}}", h16Evidence, 7},
// CHECK: {27, "u1", Tier::Older, {{.*}}, 0, 0, 0, 0,
// CHECK: static const LimitRow limitRows[] = {
// CHECK-NEXT: {0, 16, 4, 0, 8}, // Low
// CHECK-NEXT: {0, 31, 15, 0, 4}, // Low
// CHECK-NEXT: {1, 16, 4, 13, 8}, // High
// CHECK-NEXT: {1, 31, 15, 0, 4}, // High
// CHECK: 0.5, // Half

// DECLS: enum class Tier : unsigned {
// DECLS: H16 = 4, // iPhone 15 Pro to 17 (A17 Pro, A18, A19), A20, M4, M5, M6
// DECLS: Unknown
// DECLS: enum class Limit : unsigned {
// DECLS-NEXT: Low, // the less the worse [bytes]
