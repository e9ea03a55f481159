//===- Explain.cpp - a record as text for people --------------------------===//

#include "ane/Constraint/Legality.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ane;

static std::string maskText(uint32_t mask, ArrayRef<StringRef> names) {
  SmallVector<StringRef> parts;
  for (auto [i, name] : llvm::enumerate(names))
    if (mask >> i & 1)
      parts.push_back(name);
  return parts.size() == names.size() ? "all" : llvm::join(parts, ", ");
}

static std::string tiersText(uint32_t mask) {
  SmallVector<StringRef> tiers;
  for (unsigned i = 0; i < static_cast<unsigned>(Tier::Unknown); ++i)
    tiers.push_back(tierName(static_cast<Tier>(i)));
  return "tiers " + maskText(mask, tiers);
}

static std::string whereText(const Applicability &where) {
  SmallVector<StringRef> routes;
  for (uint32_t i = 0; i <= getMaxEnumValForRoute(); ++i)
    routes.push_back(stringifyRoute(static_cast<Route>(i)));
  std::string text = tiersText(where.tiers) + "; routes " + maskText(where.routes, routes);
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

static void printEvidence(ArrayRef<EvidenceInfo> all, StringRef indent, llvm::raw_ostream &os) {
  for (const EvidenceInfo &evidence : all) {
    os << indent << (evidence.supports ? "supports" : "contradicts") << ", " << evidence.strength << " (" << evidence.source;
    for (StringRef part : {evidence.chip, evidence.os})
      if (!part.empty())
        os << "; " << part;
    os << "): " << evidence.note << "\n";
  }
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
  printEvidence(record.evidence, "  ", os);
}

/// How an op fares, for tiers with MIL and all routes, with what was seen.
static void explainOp(StringRef op, llvm::raw_ostream &os) {
  os << op << ": how the op fares\n" << llvm::formatv("  {0,-10}", "");
  for (unsigned route = 0; route <= getMaxEnumValForRoute(); ++route)
    os << llvm::formatv(" {0,-10}", stringifyRoute(static_cast<Route>(route)));
  for (unsigned tier = static_cast<unsigned>(Tier::A13); tier < static_cast<unsigned>(Tier::Unknown); ++tier) {
    os << llvm::formatv("\n  {0,-10}", tierName(static_cast<Tier>(tier)));
    for (unsigned route = 0; route <= getMaxEnumValForRoute(); ++route) {
      Legality legality = legalityOf(op, static_cast<Tier>(tier), static_cast<Route>(route));
      std::string mark = (markOf(legality.status) + (legality.conflict ? "*" : "")).str();
      os << llvm::formatv(" {0,-10}", legality.isInherited() ? "(" + mark + ")" : mark);
    }
  }
  os << "\n  (N): inherited, not seen there; N*: contradicted. docs/generated/op-chip-matrix.md has the legend.\n";
  for (const LegalityRow &row : legalityRows(op)) {
    os << "  " << (row.routes ? whereText({row.tiers, row.routes, 0, 0}) : "the compiler's tables, " + tiersText(row.tiers))
       << ": " << textOf(row.status) << (row.condition.empty() ? "" : ": ") << row.condition << "\n";
    printEvidence(row.evidence, "    ", os);
  }
}

bool mlir::ane::explainConstraint(StringRef spelling, llvm::raw_ostream &os) {
  std::optional<ConstraintID> id = findConstraint(spelling);
  bool isOp = !legalityRows(spelling).empty();
  if (id)
    explainConstraint(*id, os);
  if (id && isOp)
    os << "\n";
  if (isOp)
    explainOp(spelling, os);
  if (id || isOp)
    return true;
  os << "no constraint '" << spelling << "'; there are:\n";
  for (const ConstraintInfo &record : allConstraints())
    os << "  " << record.code << " " << record.slug << ": " << record.summary << "\n";
  return false;
}
