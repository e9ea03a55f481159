// Every rule of the schema of legality that the generator enforces.
// RUN: not ane-tblgen -gen-ane-legality-table -I %src/include -I %mlir_include -DNOEVIDENCE %s 2>&1 | FileCheck %s --check-prefix=NOEVIDENCE
// RUN: not ane-tblgen -gen-ane-legality-table -I %src/include -I %mlir_include -DCONDITION %s 2>&1 | FileCheck %s --check-prefix=CONDITION
// RUN: not ane-tblgen -gen-ane-legality-table -I %src/include -I %mlir_include -DSPURIOUS %s 2>&1 | FileCheck %s --check-prefix=SPURIOUS
// RUN: not ane-tblgen -gen-ane-legality-table -I %src/include -I %mlir_include -DCOLUMNS %s 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not ane-tblgen -gen-ane-legality-table -I %src/include -I %mlir_include -DTWICE %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ane-tblgen -gen-ane-legality-table -I %src/include -I %mlir_include -DNOWHERE %s 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not ane-tblgen -gen-ane-legality-table -I %src/include -I %mlir_include -DSYSTEM %s 2>&1 | FileCheck %s --check-prefix=SYSTEM
// RUN: not ane-tblgen -gen-ane-legality-table -I %src/include -I %mlir_include -DNOOP %s 2>&1 | FileCheck %s --check-prefix=NOOP

include "ane/Constraint/Legality.td"

let family = "Tests" in {

#ifdef NOEVIDENCE
// NOEVIDENCE: [[#@LINE+1]]:1: error: a row 'Rejected' without evidence that supports it
def : OtherLegality<["foo"], AllNative, [InMemoryRow<Rejected, [TierH16], [Contradicts<Orion, "M4", "", Measured, "runs">]>]>;
#endif

#ifdef CONDITION
// CONDITION: error: a row 'Conditional' without a condition
def : OtherLegality<["foo"], AllNative, [InMemoryRow<Conditional, [TierH16], [Supports<Orion, "M4", "", Measured, "runs">]>]>;
#endif

#ifdef SPURIOUS
// SPURIOUS: error: a row 'Native' with a condition
def : OtherLegality<["foo"], AllNative, [InMemoryRow<Native, [TierH16], [Supports<Orion, "M4", "", Measured, "runs">], "x">]>;
#endif

#ifdef COLUMNS
// COLUMNS: error: the tables have 4 columns, not 2
def : OtherLegality<["foo"], [Native, Native]>;
#endif

#ifdef TWICE
// TWICE-DAG: error: legality of 'foo' is said twice
// TWICE-DAG: note: first record is here
def : OtherLegality<["foo"], AllNative>;
def : OtherLegality<["bar", "foo"], AllNative>;
#endif

#ifdef NOWHERE
// NOWHERE: error: a row for no tier or no route
def : OtherLegality<["foo"], AllNative, [InMemoryRow<Native, [], [Supports<Orion, "M4", "", Measured, "runs">]>]>;
#endif

#ifdef SYSTEM
// SYSTEM: error: evidence from 'Sequoia', which is not 'macOS' and a version
def : OtherLegality<["foo"], AllNative, [InMemoryRow<Native, [TierH16], [Supports<Orion, "M4", "Sequoia", Measured, "runs">]>]>;
#endif

#ifdef NOOP
// NOOP: error: legality of no op
def : ANE_Legality<[], AllNative>;
#endif

} // family
