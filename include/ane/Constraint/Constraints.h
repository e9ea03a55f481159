//===- Constraints.h - ask the catalogue of hardware facts -----*- C++ -*-===//
//
// Records are in Catalog/*.td. Three questions are answered here:
//   isLegalOn       may this op stand in a program for this target as it is?
//   findBlocker     if not, is there nothing that could make it legal, so that it belongs on the CPU?
//   verifyLegal...  what is wrong in a region or a procedure?
// Reading only: nothing here changes the IR. Some records ask what values may be; who asks about many ops of one body
// gives ranges of it, as each question without computes them anew.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_CONSTRAINTS_H
#define ANE_CONSTRAINT_CONSTRAINTS_H

#include "ane/Constraint/TargetEnv.h"
#include "ane/Constraint/ValueRanges.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>

namespace mlir::ane {

#include "ane/Constraint/ConstraintIDs.h.inc"

enum class Symptom { Reject, EvalFail, WrongResult, Crash, Slow, Inaccurate };
enum class Scope { PerOp, PerProgram, PerBundle, Runtime };
enum class Enforcer { VerifyLegal, VerifyEmittable, OpVerifier, Linter, Runtime, Nobody };

/// What measured a rule to be false, and on which tiers and routes (bit masks).
struct LiftEvidence {
  uint32_t tiers, routes;
  EvidenceInfo evidence;
};

struct LiftInfo {
  Applicability where;
  llvm::StringRef reason;
  llvm::ArrayRef<LiftEvidence> evidence; // for each tier and route of `where` some, on no later OS than it begins with
};

/// A record of the catalogue.
struct ConstraintInfo {
  ConstraintID id;
  llvm::StringRef code;      // "C01"
  llvm::StringRef slug;      // "concat"
  llvm::StringRef summary;   // what must hold
  llvm::StringRef predicate; // what is checked
  Symptom symptom;
  llvm::StringRef symptomText;
  Scope scope;
  Enforcer enforcer;
  bool catalog; // one of the twenty
  bool anyOp;
  bool host;     // nothing makes it hold: the op belongs on the CPU
  bool disputed; // enforced only where it is kept (TargetEnv::keeps)
  llvm::ArrayRef<llvm::StringRef> ops, passes;
  llvm::ArrayRef<llvm::StringRef> passSummaries; // of `passes`
  llvm::ArrayRef<Applicability> where;
  llvm::ArrayRef<LiftInfo> lifts;
  llvm::ArrayRef<EvidenceInfo> evidence;
  llvm::StringRef remedy, verdict;
};

const ConstraintInfo &info(ConstraintID id);
/// All records, by id.
llvm::ArrayRef<ConstraintInfo> allConstraints();
/// "C05", "c5", "C05 compile-budget" or a slug.
std::optional<ConstraintID> findConstraint(llvm::StringRef spelling);

/// What a predicate found: the thing, its value, and the bound: a number, or words that follow "must be" ("" where
/// there is none).
struct Finding {
  std::string subject; // "input channels", "operand 'x'"
  std::string actual;  // "98304"
  std::string limit;   // "31999"
  /// No pass can make it hold for this op, though passes can for others: the op belongs on the CPU.
  bool noRemedy = false;
};

struct Violation {
  ConstraintID id;
  Operation *op;
  Finding finding;
  /// The sentence about the finding: "input channels: 98304, limit 31999".
  std::string text() const;
};

/// Whether the record may hold for this target, enforced or not.
bool mayHold(ConstraintID id, const TargetEnv &env);
/// Whether something enforces the record for this target as it is written. A rule that is lifted is not, but `check`
/// still enforces what remains of it.
bool isEnforced(ConstraintID id, const TargetEnv &env);
/// The lifts of a catalog rule under strictness=evidence: for each of the target's chips one that holds for it. Nothing
/// when a chip has none, as the rule is enforced then.
llvm::SmallVector<const LiftInfo *> findLifts(ConstraintID id, const TargetEnv &env);

/// What of that evidence was measured on the target's tiers, route and OS.
llvm::SmallVector<EvidenceInfo> liftEvidence(llvm::ArrayRef<const LiftInfo *> lifts, const TargetEnv &env);

/// Evaluates one record on an op (scope PerOp) or on a procedure or island (scope PerProgram). Records that are not
/// enforced for the target give nothing.
std::optional<Violation> check(ConstraintID id, Operation *op, const TargetEnv &env, ValueRanges *ranges = nullptr);

/// Whether a legaliser makes the op more accurate: a record about accuracy, which is never enforced, finds something in
/// it, and the target does not prefer speed.
bool wantsAccurate(ConstraintID id, Operation *op, const TargetEnv &env);

/// Whether a legaliser spells the op so that it holds whoever is right: it violates the record, which the target keeps,
/// or disputes without preferring speed.
bool wantsUndisputed(ConstraintID id, Operation *op, const TargetEnv &env);

/// From now on the record's check finds nothing in this process. With it a test shows that it needs the check.
void switchOffForTesting(ConstraintID id);

/// All violations of PerOp records by this op.
llvm::SmallVector<Violation> findViolations(Operation *op, const TargetEnv &env, ValueRanges *ranges = nullptr);
/// True when the op may stand in a program of this target as it is.
bool isLegalOn(Operation *op, const TargetEnv &env);
/// The first violation that no pass can remove: the reason why the op belongs on the CPU. Meant for canonical ops; a
/// rank, a float type or a composite that the legalisers change is no blocker.
std::optional<Violation> findBlocker(Operation *op, const TargetEnv &env, ValueRanges *ranges = nullptr);

/// The violations in a body that is to run on the engine: those of each op in it, and those of the body as a whole
/// (`owner`: the island or the procedure that the region belongs to). `emittable` adds the records about names and
/// surfaces.
llvm::SmallVector<Violation> verifyLegalRegion(Region &region, const TargetEnv &env, bool emittable);

/// What in such a body makes it slower or less accurate than it could be (records that are not enforced), alike.
llvm::SmallVector<Violation> findAdvice(Region &region, const TargetEnv &env);

/// What in such a body violates a disputed record that is not kept: the program relies on its being false.
llvm::SmallVector<Violation> findDoubts(Region &region, const TargetEnv &env);

/// Emits an error for each violation, and returns failure if there is one.
LogicalResult reportViolations(llvm::ArrayRef<Violation> violations, const TargetEnv &env);
/// As above, with a note for each about what a legaliser said when it declined.
LogicalResult reportViolations(llvm::ArrayRef<Violation> violations, const TargetEnv &env,
                               llvm::function_ref<std::string(const Violation &)> declined);
/// Emits a warning for each piece of advice.
void reportAdvice(llvm::ArrayRef<Violation> advice, const TargetEnv &env);

/// "contradicts, measured (field guide; M3 Max; macOS 26.3): 229 tiny programs".
std::string evidenceText(const EvidenceInfo &evidence);
llvm::json::Array evidenceJSON(llvm::ArrayRef<EvidenceInfo> evidence);

/// The record as text for people: what `ane-compile --explain=C05` prints; `route` and `os` are those that it tells for
/// which tiers the record is enforced and lifted.
void explainConstraint(MLIRContext *context, ConstraintID id, Route route, int64_t os, llvm::raw_ostream &out);
/// The same as JSON, for all routes.
llvm::json::Object constraintJSON(MLIRContext *context, ConstraintID id, int64_t os);
/// The spelling of a constraint or of an op: the record, and how the op fares on chips and routes. False when it names
/// neither.
bool explain(MLIRContext *context, llvm::StringRef spelling, Route route, int64_t os, llvm::raw_ostream &out);
/// The same as JSON: the record, with what is known of the op under "legality". Nothing when it names neither.
std::optional<llvm::json::Object> explainJSON(MLIRContext *context, llvm::StringRef spelling, int64_t os);
/// One line for each record.
void listConstraints(llvm::raw_ostream &out);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_CONSTRAINTS_H
