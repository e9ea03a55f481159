//===- Explain.cpp - a record as text for people --------------------------===//

#include "ane/Constraint/Constraints.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;

static std::string maskText(uint32_t mask, ArrayRef<StringRef> names) {
  SmallVector<StringRef> parts;
  for (auto [i, name] : llvm::enumerate(names))
    if (mask >> i & 1)
      parts.push_back(name);
  return parts.size() == names.size() ? "all" : llvm::join(parts, ", ");
}

static std::string whereText(const Applicability &where) {
  SmallVector<StringRef> tiers, routes;
  for (unsigned i = 0; i < static_cast<unsigned>(Tier::Unknown); ++i)
    tiers.push_back(tierName(static_cast<Tier>(i)));
  for (uint32_t i = 0; i <= getMaxEnumValForRoute(); ++i)
    routes.push_back(stringifyRoute(static_cast<Route>(i)));
  std::string text = "tiers " + maskText(where.tiers, tiers) + "; routes " + maskText(where.routes, routes);
  if (where.osFrom)
    text += "; from macOS " + std::to_string(where.osFrom);
  if (where.osTo)
    text += "; until macOS " + std::to_string(where.osTo);
  return text;
}

static StringRef symptomName(Symptom symptom) {
  switch (symptom) {
  case Symptom::Reject:
    return "Reject";
  case Symptom::EvalFail:
    return "EvalFail";
  case Symptom::WrongResult:
    return "WrongResult";
  case Symptom::Crash:
    return "Crash";
  case Symptom::Slow:
    return "Slow";
  case Symptom::Inaccurate:
    return "Inaccurate";
  }
  llvm_unreachable("all symptoms are listed");
}

static StringRef enforcerText(Enforcer enforcer) {
  switch (enforcer) {
  case Enforcer::VerifyLegal:
    return "--ane-verify-legal, from phase legal on";
  case Enforcer::VerifyEmittable:
    return "--ane-verify-legal, on programs with names and surfaces";
  case Enforcer::OpVerifier:
    return "the verifier of the ops";
  case Enforcer::BundleWriter:
    return "the bundle writer";
  case Enforcer::Runtime:
    return "the runtime";
  }
  llvm_unreachable("all enforcers are listed");
}

void mlir::ane::explainConstraint(ConstraintID id, llvm::raw_ostream &os) {
  const ConstraintInfo &record = info(id);
  os << record.code << " " << record.slug << "\n  " << record.summary << ".\n\n";
  os << "symptom:    " << symptomName(record.symptom) << ": " << record.symptomText << "\n";
  os << "checked:    " << record.predicate << "\n";
  os << "checked by: " << enforcerText(record.enforcer) << "\n";
  if (!record.ops.empty())
    os << "ops:        " << llvm::join(record.ops, ", ") << "\n";
  for (const Applicability &where : record.where)
    os << "where:      " << whereText(where) << "\n";
  if (record.catalog)
    os << "catalog:    one of the twenty of the published catalog\n";
  for (const LiftInfo &lift : record.lifts)
    os << "lifted:     under strictness=evidence on " << whereText(lift.where) << ": " << lift.reason << "\n";
  if (!record.passes.empty())
    os << "legalised:  --" << llvm::join(record.passes, ", --") << "\n";
  if (record.host)
    os << "placement:  the op runs on the CPU\n";
  if (!record.remedy.empty())
    os << "remedy:     " << record.remedy << "\n";
  if (!record.verdict.empty())
    os << "verdict:    " << record.verdict << "\n";
  os << "evidence:\n";
  for (const EvidenceInfo &evidence : record.evidence) {
    os << "  " << (evidence.supports ? "supports" : "contradicts") << ", " << evidence.strength << " (" << evidence.source;
    for (StringRef part : {evidence.chip, evidence.os})
      if (!part.empty())
        os << "; " << part;
    os << "): " << evidence.note << "\n";
  }
}

bool mlir::ane::explainConstraint(StringRef spelling, llvm::raw_ostream &os) {
  if (std::optional<ConstraintID> id = findConstraint(spelling)) {
    explainConstraint(*id, os);
    return true;
  }
  os << "no constraint '" << spelling << "'; there are:\n";
  for (const ConstraintInfo &record : allConstraints())
    os << "  " << record.code << " " << record.slug << ": " << record.summary << "\n";
  return false;
}
