// What the generator refuses in records of chips and limits.
// RUN: not ane-tblgen -gen-ane-target-defs -I %src/include -I %mlir_include -DTWICE %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ane-tblgen -gen-ane-target-defs -I %src/include -I %mlir_include -DCASE %s 2>&1 | FileCheck %s --check-prefix=CASE
// RUN: not ane-tblgen -gen-ane-target-defs -I %src/include -I %mlir_include -DHOLE %s 2>&1 | FileCheck %s --check-prefix=HOLE
// RUN: not ane-tblgen -gen-ane-target-defs -I %src/include -I %mlir_include -DEARLY %s 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ane-tblgen -gen-ane-target-defs -I %src/include -I %mlir_include -DNOEVIDENCE %s 2>&1 | FileCheck %s --check-prefix=NOEVIDENCE
// RUN: not ane-tblgen -gen-ane-target-defs -I %src/include -I %mlir_include -DNUMBER %s 2>&1 | FileCheck %s --check-prefix=NUMBER

// RUN: not ane-tblgen -gen-ane-target-defs -I %src/include -I %mlir_include -DFACT %s 2>&1 | FileCheck %s --check-prefix=FACT
// RUN: not ane-tblgen -gen-ane-target-defs -I %src/include -I %mlir_include -DCHIP %s 2>&1 | FileCheck %s --check-prefix=CHIP

include "ane/Constraint/Facts.td"

#ifdef TWICE
// TWICE: [[#@LINE+1]]:5: error: chip name 'm4' is used twice
def Other : Chip<"h99", TierH16, 4, "M9", ["m4"], []>;
// TWICE: note: first use is here
#endif

#ifdef CASE
// CASE: error: chip name 'M9 Pro' is not lower case and digits
def Other : Chip<"h99", TierH16, 4, "M9", ["M9 Pro"], []>;
#endif

#ifdef HOLE
// HOLE: [[#@LINE+1]]:5: error: limit 'Foo' has no value for tier 0 on route 0
def Limit_Foo : LimitKind<"bytes", "foo", [LimitValue<1, MILTiers, AllRoutes, [Supports<Orion, "M4", "", Measured, "1">]>]>;
#endif

#ifdef EARLY
// What holds for early versions alone leaves the later ones out.
// EARLY: error: limit 'Foo' has no value for tier 0 on route 0
def Limit_Foo : LimitKind<"bytes", "foo", [LimitValue<1, AllTiers, AllRoutes, [Supports<Orion, "M4", "", Measured, "1">], 14>]>;
#endif

#ifdef NOEVIDENCE
// NOEVIDENCE: error: limit 'Foo': a value without evidence
def Limit_Foo : LimitKind<"bytes", "foo", [Everywhere<1, []>]>;
#endif

#ifdef NUMBER
// NUMBER: error: number 'Foo': 'many' is not a number
def Numeric_Foo : NumericKind<"many", "foo", [Supports<Orion, "M4", "", Measured, "1">]>;
#endif

#ifdef FACT
// FACT: error: fact 'Foo': a value without evidence, or for no chip
def Fact_Foo : Fact<"memory", "bytes", "foo", [OnTiers<1, [TierH16], []>]>;
#endif

#ifdef CHIP
// CHIP: error: chip 'h99' without evidence
let evidence = []<Evidence> in
def Other : Chip<"h99", TierH16, 4, "M9", ["m9pro"], []>;
#endif
