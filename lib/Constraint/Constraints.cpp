//===- Constraints.cpp - ask the catalogue of hardware facts --------------===//

#include "CheckHelpers.h"
#include "ane/Constraint/Advice.h"
#include "ane/Constraint/Declined.h"
#include "ane/Support/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ane {
#include "ane/Constraint/ConstraintTable.cpp.inc"
// The checks name themselves in #line.
#include "ane/Constraint/ConstraintChecks.cpp.inc"
} // namespace mlir::ane
#line 17 "Constraints.cpp"

using namespace mlir;
using namespace mlir::ane;

ArrayRef<ConstraintInfo> mlir::ane::allConstraints() { return constraintTable; }
const ConstraintInfo &mlir::ane::info(ConstraintID id) { return constraintTable[static_cast<unsigned>(id)]; }

std::optional<ConstraintID> mlir::ane::findConstraint(StringRef spelling) {
  StringRef word = spelling.trim().split(' ').first;
  unsigned number;
  bool hasNumber = word.size() > 1 && llvm::toLower(word[0]) == 'c' && !word.drop_front().getAsInteger(10, number);
  for (const ConstraintInfo &constraint : allConstraints()) {
    unsigned own;
    if (word.equals_insensitive(constraint.slug) ||
        (hasNumber && !constraint.code.drop_front().getAsInteger(10, own) && own == number))
      return constraint.id;
  }
  return std::nullopt;
}

std::string Violation::text() const {
  std::string text = finding.subject.empty() ? finding.actual : finding.subject + ": " + finding.actual;
  if (finding.limit.empty())
    return text;
  return text + (llvm::isDigit(finding.limit[0]) ? ", limit " : ", must be ") + finding.limit;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Slowness or a few bits of accuracy make nothing illegal, unless the published catalog says so.
static bool isHarmful(const ConstraintInfo &constraint) {
  return constraint.catalog || (constraint.symptom != Symptom::Slow && constraint.symptom != Symptom::Inaccurate);
}

static bool holds(const ConstraintInfo &constraint, const TargetEnv &env) {
  return llvm::any_of(constraint.where, [&](const Applicability &where) { return env.mayApply(where); });
}

static bool applies(const ConstraintInfo &constraint, const TargetEnv &env) {
  return isHarmful(constraint) && constraint.enforcer != Enforcer::Nobody && holds(constraint, env) &&
         (!constraint.disputed || env.keeps(constraint.code));
}

/// It may hold, and is taken to be false.
static bool isDoubted(const ConstraintInfo &constraint, const TargetEnv &env) {
  return constraint.disputed && holds(constraint, env) && !env.keeps(constraint.code);
}

static bool advises(const ConstraintInfo &constraint, const TargetEnv &env) {
  return !isHarmful(constraint) && constraint.enforcer != Enforcer::Nobody && holds(constraint, env);
}

bool mlir::ane::mayHold(ConstraintID id, const TargetEnv &env) { return holds(info(id), env); }

bool mlir::ane::isEnforced(ConstraintID id, const TargetEnv &env) {
  return applies(info(id), env) && findLifts(id, env).empty();
}

SmallVector<const LiftInfo *> mlir::ane::findLifts(ConstraintID id, const TargetEnv &env) {
  const ConstraintInfo &constraint = info(id);
  if (env.getStrictness() != Strictness::Evidence || !constraint.catalog || env.keeps(constraint.code))
    return {};
  SmallVector<const LiftInfo *> result;
  for (Tier tier : env.getTiers()) {
    auto lift =
        llvm::find_if(constraint.lifts, [&](const LiftInfo &lift) { return env.surelyApplies(lift.where, tier); });
    if (lift == constraint.lifts.end())
      return {};
    if (!llvm::is_contained(result, lift))
      result.push_back(lift);
  }
  return result;
}

SmallVector<EvidenceInfo> mlir::ane::liftEvidence(ArrayRef<const LiftInfo *> lifts, const TargetEnv &env) {
  uint32_t tiers = 0;
  for (Tier tier : env.getTiers())
    tiers |= 1u << static_cast<unsigned>(tier);
  SmallVector<EvidenceInfo> result;
  for (const LiftInfo *lift : lifts)
    for (const LiftEvidence &found : lift->evidence)
      if ((found.tiers & tiers) && (found.routes >> static_cast<unsigned>(env.getRoute()) & 1))
        result.push_back(found.evidence);
  return result;
}

static std::optional<ConstraintID> switchedOff;

void mlir::ane::switchOffForTesting(ConstraintID id) { switchedOff = id; }

/// The record's predicate on an op, whether it holds for the target or not.
static std::optional<Violation> evaluate(ConstraintID id, Operation *op, const TargetEnv &env, ValueRanges &ranges) {
  if (id == switchedOff)
    return std::nullopt;
  const CheckRow &row = checkTable[static_cast<unsigned>(id)];
  SmallVector<CheckFunction> functions;
  for (const LiftInfo *lift : findLifts(id, env))
    functions.push_back(row.lifted.begin()[lift - info(id).lifts.begin()]);
  if (functions.empty())
    functions.push_back(row.check);
  for (CheckFunction function : functions)
    if (std::optional<Finding> finding = function(op, env, ranges))
      return Violation{id, op, std::move(*finding)};
  return std::nullopt;
}

/// For one op of a body.
static std::optional<Violation> evaluate(ConstraintID id, Operation *op, const TargetEnv &env) {
  ValueRanges ranges(op->getParentOp());
  return evaluate(id, op, env, ranges);
}

std::optional<Violation> mlir::ane::check(ConstraintID id, Operation *op, const TargetEnv &env, ValueRanges *ranges) {
  if (!applies(info(id), env))
    return std::nullopt;
  return ranges ? evaluate(id, op, env, *ranges) : evaluate(id, op, env);
}

bool mlir::ane::isAdvisedAgainst(ConstraintID id, Operation *op, const TargetEnv &env) {
  return advises(info(id), env) && evaluate(id, op, env);
}

bool mlir::ane::wantsAccurate(ConstraintID id, Operation *op, const TargetEnv &env) {
  return !env.prefersSpeed() && isAdvisedAgainst(id, op, env);
}

bool mlir::ane::wantsUndisputed(ConstraintID id, Operation *op, const TargetEnv &env) {
  bool wanted = applies(info(id), env) || (isDoubted(info(id), env) && !env.prefersSpeed());
  return wanted && evaluate(id, op, env);
}

/// Records about an op, by the op's name.
static ArrayRef<ConstraintID> constraintsOf(Operation *op) {
  static const auto *index = [] {
    auto *map = new llvm::StringMap<ArrayRef<ConstraintID>>;
    for (const OpRow &row : opTable)
      (*map)[row.op] = ArrayRef(row.ids.begin(), row.ids.size());
    return map;
  }();
  return index->lookup(op->getName().getStringRef());
}

using Selection = bool (*)(const ConstraintInfo &, const TargetEnv &);

/// Calls `visit` on each PerOp violation of the selected records by the op until it returns false. Only ops of the
/// dialect are looked at, and neither constant expressions (they become blobs) nor containers and terminators.
static void visitViolations(Operation *op, const TargetEnv &env, ValueRanges *given,
                            llvm::function_ref<bool(Violation)> visit, Selection selected = applies) {
  if (!isa_and_nonnull<ANEDialect>(op->getDialect()) || op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
      (op->getNumResults() && isConstantExpr(op->getResult(0))))
    return;
  ValueRanges own(op->getParentOp()), &ranges = given ? *given : own;
  for (ArrayRef<ConstraintID> ids : {ArrayRef(anyOpConstraints.begin(), anyOpConstraints.size()), constraintsOf(op)})
    for (ConstraintID id : ids)
      if (selected(info(id), env))
        if (std::optional<Violation> violation = evaluate(id, op, env, ranges);
            violation && !visit(std::move(*violation)))
          return;
}

SmallVector<Violation> mlir::ane::findViolations(Operation *op, const TargetEnv &env, ValueRanges *ranges) {
  SmallVector<Violation> result;
  visitViolations(op, env, ranges, [&](Violation violation) {
    result.push_back(std::move(violation));
    return true;
  });
  return result;
}

bool mlir::ane::isLegalOn(Operation *op, const TargetEnv &env) {
  bool legal = true;
  visitViolations(op, env, nullptr, [&](Violation) { return legal = false; });
  return legal;
}

std::optional<Violation> mlir::ane::findBlocker(Operation *op, const TargetEnv &env, ValueRanges *ranges) {
  std::optional<Violation> result;
  visitViolations(op, env, ranges, [&](Violation violation) {
    if (!info(violation.id).host && !violation.finding.noRemedy)
      return true;
    result = std::move(violation);
    return false;
  });
  return result;
}

/// Violations of the selected records in a body: of its ops, then of the body as a whole.
static SmallVector<Violation> collect(Region &region, const TargetEnv &env, bool emittable, Selection selected) {
  SmallVector<Violation> result;
  auto keep = [&](Violation violation) {
    result.push_back(std::move(violation));
    return true;
  };
  ValueRanges ranges(region.getParentOp());
  region.walk([&](Operation *op) { visitViolations(op, env, &ranges, keep, selected); });
  for (const ConstraintInfo &constraint : allConstraints()) {
    if (constraint.scope != Scope::PerProgram || (constraint.enforcer == Enforcer::VerifyEmittable && !emittable) ||
        !selected(constraint, env))
      continue;
    if (std::optional<Violation> violation = evaluate(constraint.id, region.getParentOp(), env, ranges))
      result.push_back(std::move(*violation));
  }
  return result;
}

SmallVector<Violation> mlir::ane::verifyLegalRegion(Region &region, const TargetEnv &env, bool emittable) {
  return collect(region, env, emittable, applies);
}

SmallVector<Violation> mlir::ane::findAdvice(Region &region, const TargetEnv &env) {
  return collect(region, env, /*emittable=*/true, advises);
}

SmallVector<Violation> mlir::ane::findDoubts(Region &region, const TargetEnv &env) {
  return collect(region, env, /*emittable=*/true, isDoubted);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// What makes the constraint hold, for the note of an error.
static std::string remedyText(const ConstraintInfo &constraint) {
  std::string text;
  if (!constraint.passes.empty())
    text = "--" + llvm::join(constraint.passes, ", --");
  if (!constraint.remedy.empty())
    text += (text.empty() ? "" : "; ") + constraint.remedy.str();
  return text;
}

static ViolationMessage messageOf(const Violation &violation, const TargetEnv &env, std::string declined) {
  const ConstraintInfo &constraint = info(violation.id);
  return {constraint.code.str(),
          constraint.slug.str(),
          env.str(),
          violation.text(),
          remedyText(constraint),
          std::move(declined),
          /*advice=*/!isHarmful(constraint)};
}

void mlir::ane::reportAdvice(ArrayRef<Violation> advice, const TargetEnv &env) {
  for (const Violation &violation : advice)
    emitViolation(violation.op, messageOf(violation, env, ""));
}

LogicalResult mlir::ane::reportViolations(ArrayRef<Violation> violations, const TargetEnv &env,
                                          llvm::function_ref<std::string(const Violation &)> declined) {
  for (const Violation &violation : violations)
    emitViolation(violation.op, messageOf(violation, env, declined(violation)));
  return failure(!violations.empty());
}

LogicalResult mlir::ane::reportViolations(ArrayRef<Violation> violations, const TargetEnv &env) {
  return reportViolations(violations, env, [](const Violation &violation) { return declinedReason(violation).str(); });
}
