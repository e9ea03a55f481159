// Every rule of the schema that the generator enforces, with the place it points at.
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DID %s 2>&1 | FileCheck %s --check-prefix=ID
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DTWICE %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DSLUG %s 2>&1 | FileCheck %s --check-prefix=SLUG
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DNOEVIDENCE %s 2>&1 | FileCheck %s --check-prefix=NOEVIDENCE
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DNOSUPPORT %s 2>&1 | FileCheck %s --check-prefix=NOSUPPORT
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DNOREMEDY %s 2>&1 | FileCheck %s --check-prefix=NOREMEDY
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DNOOPS %s 2>&1 | FileCheck %s --check-prefix=NOOPS
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DNOSYMPTOM %s 2>&1 | FileCheck %s --check-prefix=NOSYMPTOM
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DLIFT %s 2>&1 | FileCheck %s --check-prefix=LIFT
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DNOLIFT %s 2>&1 | FileCheck %s --check-prefix=NOLIFT
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DLIFTROUTE %s 2>&1 | FileCheck %s --check-prefix=LIFTROUTE
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DLIFTOS %s 2>&1 | FileCheck %s --check-prefix=LIFTOS
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DUNKNOWNOP %s 2>&1 | FileCheck %s --check-prefix=UNKNOWNOP
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DUNKNOWNPASS %s 2>&1 | FileCheck %s --check-prefix=UNKNOWNPASS
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DNOCHECK %s 2>&1 | FileCheck %s --check-prefix=NOCHECK
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DNOREASON %s 2>&1 | FileCheck %s --check-prefix=NOREASON
// RUN: not ane-tblgen -gen-ane-constraint-ids -I %src/include -I %mlir_include -DNORULE %s 2>&1 | FileCheck %s --check-prefix=NORULE

include "ane/Constraint/Constraint.td"

def Test_Dialect : Dialect {
  let name = "test";
  let cppNamespace = "::test";
}
def Test_FooOp : Op<Test_Dialect, "foo">;

class Base<string id, string slug> : ANE_Constraint<id, slug> {
  let summary = "foo is not accepted";
  let symptom = Reject;
  let ops = [Test_FooOp];
  let predicate = Unsupported<"bar">;
  let remedy = "write bar";
  let evidence = [Supports<Orion, "M4", "", Measured, "it fails">];
}

#ifdef ID
// ID: [[#@LINE+1]]:5: error: constraint id 'X1' is not 'C' and two or more digits
def BadID : Base<"X1", "foo">;
#endif

#ifdef TWICE
// TWICE-DAG: error: constraint id 'C01' is used twice
// TWICE-DAG: note: first use is here
def First : Base<"C01", "foo">;
def Second : Base<"C01", "bar">;
#endif

#ifdef SLUG
// SLUG: error: C01: slug 'Foo Bar' is not lower-case words joined by '-'
def BadSlug : Base<"C01", "Foo Bar">;
#endif

#ifdef NOEVIDENCE
// NOEVIDENCE: [[#@LINE+1]]:5: error: C01: symptom Reject without evidence
def NoEvidence : Base<"C01", "foo"> { let evidence = []; }
#endif

#ifdef NOSUPPORT
// NOSUPPORT: error: C01: no evidence that supports it
def NoSupport : Base<"C01", "foo"> { let evidence = [Contradicts<Orion, "M4", "", Measured, "it works">]; }
#endif

#ifdef NOREMEDY
// NOREMEDY: [[#@LINE+1]]:5: error: C01: neither legalisedBy nor a remedy
def NoRemedy : Base<"C01", "foo"> { let remedy = ""; }
#endif

#ifdef NOOPS
// NOOPS: error: C01: scope PerOp without ops
def NoOps : Base<"C01", "foo"> { let ops = []; }
#endif

#ifdef NOSYMPTOM
// NOSYMPTOM: error: C01: no symptom
def NoSymptom : ANE_Constraint<"C01", "foo"> {
  let summary = "foo";
  let predicate = Unsupported<"bar">;
}
#endif

#ifdef LIFT
// LIFT: error: C01: only a rule of the catalog can be lifted
def Lifted : Base<"C01", "foo"> { let lifts = [Lift<Always, "it works">]; }
#endif

class Lifted<Applies on, list<Evidence> more> : Base<"C01", "foo"> {
  let catalog = true;
  let lifts = [Lift<on, "it works">];
  let evidence = !listconcat([Supports<Orion, "M4", "", Measured, "it fails">], more);
}

#ifdef NOLIFT
// NOLIFT: error: C01: lifted on tier H13, route in_memory, from macOS 15, without evidence that measured it to be false there
def NoLift : Lifted<Applies<[TierH13, TierH16], [InMemory], 15>, [
  Contradicts<Maderix, "M4 Pro", "macOS 15", Measured, "it works">,
  Contradicts<Maderix, "M1", "macOS 15", Reported, "it works">]>;
#endif

#ifdef LIFTROUTE
// LIFTROUTE: error: C01: lifted on tier H16, route e5rt, from macOS 15, without
def LiftRoute : Lifted<Applies<[TierH16], [E5RT], 15>, [Contradicts<Maderix, "M4", "macOS 15", Measured, "it works">]>;
#endif

#ifdef LIFTOS
// LIFTOS: error: C01: lifted on tier H16, route in_memory, from macOS 15, without
def LiftOS : Lifted<Applies<[TierH16], [InMemory], 15>, [Contradicts<Maderix, "M4", "macOS 26.3", Measured, "it works">]>;
#endif

#ifdef UNKNOWNOP
// UNKNOWNOP: error: Variable not defined: 'Test_FoooOp'
def UnknownOp : Base<"C01", "foo"> { let ops = [Test_FoooOp]; }
#endif

#ifdef UNKNOWNPASS
// UNKNOWNPASS: error: Variable not defined: 'LegalizeFoo'
def UnknownPass : Base<"C01", "foo"> { let legalisedBy = [LegalizeFoo]; }
#endif

#ifdef NOCHECK
// NOCHECK: error: C01: enforced by VerifyLegal, and its predicate is checked elsewhere
def NoCheck : Base<"C01", "foo"> { let predicate = CheckedElsewhere<"somebody does">; }
#endif

#ifdef NOREASON
// NOREASON: error: C01: 'NotEnforced' is the predicate of what is enforced by Nobody, and of nothing else
def NoReason : Base<"C01", "foo"> {
  let enforcedBy = Nobody;
  let predicate = CheckedElsewhere<"somebody does">;
}
#endif

#ifdef NORULE
// NORULE: error: C01: enforced by Linter, without a rule of the linter
def NoRule : Base<"C01", "foo"> {
  let enforcedBy = Linter;
  let predicate = CheckedElsewhere<"the linter does">;
}
#endif
