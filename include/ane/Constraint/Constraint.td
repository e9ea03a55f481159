//===- Constraint.td - the schema of a hardware fact -------------------===//
//
// One record per fact (`ANE_` because upstream has a class Constraint for
// types). ane-tblgen makes from it: the id, the check, the message, --explain,
// the documentation and the list of tests. docs/adding-a-constraint.md is the
// guide.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_CONSTRAINT_TD
#define ANE_CONSTRAINT_CONSTRAINT_TD

include "ane/Constraint/Limits.td"
include "ane/IR/OpGroups.td"
include "mlir/IR/OpBase.td"
include "mlir/Pass/PassBase.td"

//===-- what happens, where, who checks ---------------------------------===//

class Symptom<string symptomName, string symptomText> {
  string name = symptomName;
  string text = symptomText;
}
def Reject : Symptom<"Reject", "the compiler refuses the program">;
def EvalFail : Symptom<"EvalFail", "the program loads and its evaluation fails">;
def WrongResult : Symptom<"WrongResult", "the program runs and its values are wrong, without an error">;
def Crash : Symptom<"Crash", "the process or the compile service dies">;
// These two are advice, not enforced: --ane-verify-legal="advice=true" and the report name what they find.
def Slow : Symptom<"Slow", "the program runs slower than it should">;
def Inaccurate : Symptom<"Inaccurate", "values are less accurate than they could be">;

class Scope<string scopeName> { string name = scopeName; }
def PerOp : Scope<"PerOp">;           // checked on every op of `ops`
def PerProgram : Scope<"PerProgram">; // checked on each procedure of a program
def PerBundle : Scope<"PerBundle">;   // checked by the bundle writer
def Runtime : Scope<"Runtime">;       // checked while a bundle runs

class Enforcer<string enforcerName> { string name = enforcerName; }
def VerifyLegal : Enforcer<"VerifyLegal">;         // ane-verify-legal, from phase legal on
def VerifyEmittable : Enforcer<"VerifyEmittable">; // the same pass on programs, from phase emittable on
def OpVerifier : Enforcer<"OpVerifier">;           // the verifier of the ops, and the linter
def Linter : Enforcer<"Linter">;                   // the emulator's linter: no pass writes such text, a person may
def RuntimeCheck : Enforcer<"Runtime">;            // the linter of a running emulator, which counts what was loaded
def Nobody : Enforcer<"Nobody">;                   // not enforced: the predicate is NotEnforced<"the reason">

//===-- where it holds --------------------------------------------------===//

/// All conditions must hold; `os` bounds are macOS major versions, 0 is open. A program for an older OS will run on newer
/// ones, too, and obeys what begins later (`ahead`), unless the same thing was measured to work on the older ones.
class Applies<list<Tier> forTiers, list<RouteKind> forRoutes, int from = 0, int to = 0, bit early = true> {
  list<Tier> tiers = forTiers;
  list<RouteKind> routes = forRoutes;
  int osFrom = from;
  int osTo = to;
  bit ahead = early;
}
def Always : Applies<AllTiers, AllRoutes>;
def OnInMemory : Applies<AllTiers, [InMemory]>;

//===-- predicates ------------------------------------------------------===//
// A predicate says what must be true, as a sentence and as code, so that the two cannot disagree. `Limit::X` and `Numeric::X`
// in a sentence are printed as their values. The code is the body of
//   std::optional<Finding> check(Operation *op, const TargetEnv &env, ValueRanges &ranges)
// and returns what was found where the sentence is false. Helpers: lib/Constraint/CheckHelpers.h.

class Predicate<string sentence, code statement> {
  string english = sentence;
  code body = statement;
  string function = "";
  bit wantsRanges = 0;
  /// The rule with which the emulator finds the same in MIL text, weight files and bindings, and its arguments
  /// (runtime/lint). Predicates below know theirs; one that is missing there fails a test.
  string rule = "";
  list<string> ruleArguments = [];
}

/// A hand-written function `std::optional<Finding> name(Operation *, const TargetEnv &)`; without it the link fails.
class Custom<string name, string sentence> : Predicate<sentence, "return " # name # "(op, env);"> {
  let function = name;
  let rule = name;
}

/// The same of a function that asks what values may be: its third argument are `ValueRanges &`.
class CustomOfRanges<string name, string sentence> : Custom<name, sentence> {
  let body = "return " # name # "(op, env, ranges);";
  let wantsRanges = 1;
}

/// The op has no form on the engine, whatever its arguments are.
class Unsupported<string instead> : Predicate<
    "the op does not occur; instead: " # instead, "return present(op);"> {
  let rule = "unsupported";
}

/// The op runs, and another spelling is better. For advice.
class Better<string instead> : Predicate<"the op does not occur; better: " # instead,
                                         "return Finding{\"\", \"better: " # instead # "\", \"\"};">;

/// Every shaped operand that is no constant and every result: `measure` is a function of a ranked tensor type.
class TypesAtMost<string measure, string subject, LimitKind limit> : Predicate<
    "the " # subject # " of every operand and result is at most Limit::" # !subst("Limit_", "", !cast<string>(limit)),
    "return typesAtMost(op, " # measure # ", env.limit(Limit::" # !subst("Limit_", "", !cast<string>(limit)) # "), \"" #
        subject # "\");"> {
  let rule = "typesAtMost";
  let ruleArguments = [measure, subject, !subst("Limit_", "", !cast<string>(limit))];
}

/// The element type of every shaped operand and result is one of the named ones, as MLIR prints them.
class ElementTypeIn<list<string> types> : Predicate<
    "the element type of every operand and result is " # !interleave(types, " or "),
    "return elementTypeIn(op, {\"" # !interleave(types, "\", \"") # "\"});"> {
  let rule = "elementTypeIn";
  let ruleArguments = types;
}

/// The named operand is made of constants.
class OperandIsConstant<string operand> : Predicate<
    "argument '" # operand # "' is a constant", "return operandIsConstant(op, \"" # operand # "\");"> {
  let rule = "operandIsConstant";
  let ruleArguments = [operand];
}

/// The named operand, if given, is absent.
class OperandIsAbsent<string operand> : Predicate<
    "argument '" # operand # "' is not given", "return operandIsAbsent(op, \"" # operand # "\");"> {
  let rule = "operandIsAbsent";
  let ruleArguments = [operand];
}

/// Another part of the system checks it; nothing to evaluate on the IR.
class CheckedElsewhere<string sentence, string lintRule = ""> : Predicate<sentence, "return std::nullopt;"> {
  let rule = lintRule;
}

/// A fact to know, which nothing here can break or check, for that reason.
class NotEnforced<string reason> : CheckedElsewhere<reason>;

//===-- what the engine does --------------------------------------------===//

/// What faithful mode of the emulator does with a program that breaks a record.
class Effect<string effectName, string effectText> {
  string name = effectName;
  string text = effectText;
}
def BySymptom : Effect<"BySymptom", "Reject and Crash fail the load, EvalFail fails evaluations with 0x1d, others only compute">;
def NotTold : Effect<"NotTold", "which values are wrong, and by how much, no source says: they are those of the text">;
def ComputesAnyway : Effect<"ComputesAnyway", "the values are those of the text">;
def SwapsSurfaces : Effect<"SwapsSurfaces", "surfaces are bound in the order of names">;
def GivesNaN : Effect<"GivesNaN", "the output is NaN">;
def GivesZeros : Effect<"GivesZeros", "the output is zero">;
def GivesGarbage : Effect<"GivesGarbage", "the output has nothing to do with the inputs">;
def ReadsWrongRows : Effect<"ReadsWrongRows", "rows are read without the gaps between them">;
def ReadsWrongBytes : Effect<"ReadsWrongBytes", "the weight is read from where the record says, whatever is there">;
def DropsFactor : Effect<"DropsFactor", "the product is its other factor">;
def OverflowsEarly : Effect<"OverflowsEarly", "infinity from 17,321 on">;
def OperandOverflows : Effect<"OperandOverflows", "elements of the operand beyond 4,094 are infinity">;
def PartOverflows : Effect<"PartOverflows", "elements of the part beyond 4,094 are infinity">;
def MakesNoNaN : Effect<"MakesNoNaN", "a NaN in an input is infinity, one in a result is 0">;
def IgnoresMask : Effect<"IgnoresMask", "the mask has no effect">;
def IgnoresWeight : Effect<"IgnoresWeight", "the weight that is given has no effect">;
def PoisonsProcess : Effect<"PoisonsProcess", "after its evaluation all others fail with 0x1d, until the process ends">;
def KeepsWeights : Effect<"KeepsWeights", "a changed file has no effect">;
def Cliff : Effect<"Cliff", "single values are wrong, as the emulator's arithmetic knows">;

//===-- the record ------------------------------------------------------===//

/// Where a rule of the catalog was measured to be false. `remains` is what is still enforced there under
/// strictness=evidence; nothing when it is CheckedElsewhere. For each tier and route of it the record has evidence that
/// contradicts it, measured on a chip of that tier, by a source of that route, on no later OS than it begins with.
class Lift<Applies scope, string why, Predicate rest = CheckedElsewhere<"nothing">> {
  Applies where = scope;
  string reason = why;
  Predicate remains = rest;
}

/// `id` and `slug` never change and are never used again for something else.
class ANE_Constraint<string constraintID, string constraintSlug> {
  string id = constraintID;
  string slug = constraintSlug;

  /// What must hold, in one sentence.
  string summary = ?;
  Symptom symptom = ?;
  Scope scope = PerOp;

  /// The ops that it is about; `anyOp` when it is about all of them.
  list<Op> ops = [];
  bit anyOp = false;

  Predicate predicate = ?;
  list<Applies> where = [Always];

  /// Sources contradict each other about it on the same tier and route: not enforced unless it is kept (--keep). The report
  /// names the programs that rely on its being false.
  bit disputed = false;

  /// One of the twenty of the published catalog: enforced wherever `where` says, unless strictness=evidence and a lift.
  bit catalog = false;
  list<Lift> lifts = [];

  /// The passes that make it hold, and what is done in words (needed when no pass is named).
  list<PassBase> legalisedBy = [];
  string remedy = "";
  /// Nothing makes it hold: the op belongs on the CPU. A predicate may find the same for single ops (Finding::noRemedy).
  bit host = false;

  Enforcer enforcedBy = VerifyLegal;
  Effect effect = BySymptom;
  /// Why the emulator has no rule for it, where nothing of it shows in what a program is made of.
  string noRule = "";
  list<Evidence> evidence = [];

  /// The finding of the reference about a published rule, kept beside it.
  string verdict = "";
}

#endif // ANE_CONSTRAINT_CONSTRAINT_TD
