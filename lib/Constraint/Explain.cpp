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

static SmallVector<StringRef> tierNames() {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i < static_cast<unsigned>(Tier::Unknown); ++i)
    names.push_back(tierName(static_cast<Tier>(i)));
  return names;
}

static SmallVector<StringRef> routeNames() {
  SmallVector<StringRef> names;
  for (uint32_t i = 0; i <= getMaxEnumValForRoute(); ++i)
    names.push_back(stringifyRoute(static_cast<Route>(i)));
  return names;
}

static std::string whereText(const Applicability &where) {
  std::string text = "tiers " + maskText(where.tiers, tierNames()) + "; routes " + maskText(where.routes, routeNames());
  if (where.osFrom)
    text += "; from macOS " + std::to_string(where.osFrom) + (where.ahead ? "" : " only");
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
    return "the verifier of the ops; in MIL text the linter (ane-translate --lint, and the emulator)";
  case Enforcer::Linter:
    return "the linter (ane-translate --lint, and the emulator); the compiler writes nothing of the kind";
  case Enforcer::Runtime:
    return "the emulator, when it loads and runs programs";
  case Enforcer::Nobody:
    return "nobody";
  }
  llvm_unreachable("all enforcers are listed");
}

/// The tests that break the record and see it found, and mended where a pass does that.
static std::vector<std::string> proofsOf(const ConstraintInfo &record) {
  std::string folder = "test/Constraints/" + std::string(record.code) + "-" + std::string(record.slug) + "/";
  std::vector<std::string> files;
  switch (record.enforcer) {
  case Enforcer::VerifyLegal:
  case Enforcer::VerifyEmittable:
    files = {folder + "illegal.mlir"};
    break;
  case Enforcer::OpVerifier:
    files = {folder + "illegal.mlir", folder + "illegal.mil"};
    break;
  case Enforcer::Linter:
    files = {folder + "illegal.mil"};
    break;
  case Enforcer::Runtime:
    return {"runtime/test/lint/rules_test.cpp"};
  case Enforcer::Nobody:
    return {};
  }
  if (!record.passes.empty())
    files.push_back(folder + "legalised.mlir");
  return files;
}

std::string mlir::ane::evidenceText(const EvidenceInfo &evidence) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (evidence.supports ? "supports" : "contradicts") << ", " << evidence.strength << " (" << evidence.source;
  for (std::string_view part : {evidence.chip, evidence.os})
    if (!part.empty())
      os << "; " << part;
  os << "): " << evidence.note;
  return text;
}

/// What becomes of a record on a tier: "enforced", "lifted by evidence", "advice", "disputed" (enforced where it is
/// kept), "not enforced" (it may hold, and nothing here meets it), or "-".
static StringRef statusOf(MLIRContext *context, const ConstraintInfo &record, Tier tier, Route route, int64_t os) {
  for (const ChipInfo &chip : allChips()) {
    if (chip.tier != tier)
      continue;
    auto env = [&](Strictness strictness) {
      return TargetEnv(TargetAttr::get(context, chip.target, route, os, Opset::ios16, strictness));
    };
    if (!mayHold(record.id, env(Strictness::Catalog)))
      return "-";
    if (record.enforcer == Enforcer::Nobody)
      return "not enforced";
    if (record.disputed)
      return "disputed";
    if (!isEnforced(record.id, env(Strictness::Catalog)))
      return "advice";
    return isEnforced(record.id, env(Strictness::Evidence)) ? "enforced" : "lifted by evidence";
  }
  llvm_unreachable("each tier has a chip");
}

/// What the compiler does about it, in a sentence or two.
static std::string actionText(const ConstraintInfo &record) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [pass, summary] : llvm::zip_equal(record.passes, record.passSummaries))
    os << "--" << pass << ": " << summary << "; ";
  // A remedy may begin with the same words and say more.
  constexpr StringLiteral onHost = "the op runs on the CPU";
  if (record.host && !StringRef(record.remedy).starts_with(onHost))
    os << onHost << "; ";
  if (!record.remedy.empty())
    os << record.remedy << "; ";
  return StringRef(text).drop_back(2).str();
}

void mlir::ane::explainConstraint(MLIRContext *context, ConstraintID id, Route route, int64_t version,
                                  llvm::raw_ostream &os) {
  const ConstraintInfo &record = info(id);
  os << record.code << " " << record.slug << "\n  " << record.summary << ".\n\n";
  os << "symptom:    " << symptomName(record.symptom) << ": " << record.symptomText << "\n";
  if (record.enforcer == Enforcer::Nobody)
    os << "checked:    by nobody: " << record.predicate << "\n";
  else
    os << "checked:    " << record.predicate << "\n"
       << "checked by: " << enforcerText(record.enforcer) << "\n"
       << "tested by:  " << llvm::join(proofsOf(record), ", ") << "\n";
  if (!record.ops.empty())
    os << "ops:        " << llvm::join(record.ops, ", ") << "\n";
  for (const Applicability &where : record.where)
    os << "where:      " << whereText(where) << "\n";
  if (record.catalog)
    os << "catalog:    one of the twenty of the published catalog\n";
  for (const LiftInfo &lift : record.lifts)
    os << "lifted:     under strictness=evidence on " << whereText(lift.where) << ": " << lift.reason << "\n";
  if (record.disputed)
    os << "disputed:   enforced with --keep=" << record.code
       << "; without, the report names what relies on its being false\n";
  os << "compiler:   " << actionText(record) << "\n";
  os << "status:     on route " << stringifyRoute(route) << ", macOS " << version << " (--route, --os):\n";
  for (unsigned i = 0; i < static_cast<unsigned>(Tier::Unknown); ++i)
    os << "  " << llvm::left_justify(tierName(static_cast<Tier>(i)), 6) << " "
       << statusOf(context, record, static_cast<Tier>(i), route, version) << "\n";
  if (!record.verdict.empty())
    os << "verdict:    " << record.verdict << "\n";
  auto print = [&](StringRef title, bool supports) {
    if (llvm::none_of(record.evidence, [&](const EvidenceInfo &evidence) { return evidence.supports == supports; }))
      return;
    os << title << "\n";
    for (const EvidenceInfo &evidence : record.evidence)
      if (evidence.supports == supports)
        os << "  " << evidenceText(evidence) << "\n";
  };
  print("evidence:", true);
  print("conflicts:", false);
}

/// How an op fares in programs for a macOS, for tiers with MIL and all routes, with what was seen.
static void explainOp(StringRef op, int64_t version, llvm::raw_ostream &os) {
  os << op << ": how the op fares, macOS " << version << " (--os)\n" << llvm::formatv("  {0,-10}", "");
  for (unsigned route = 0; route <= getMaxEnumValForRoute(); ++route)
    os << llvm::formatv(" {0,-10}", stringifyRoute(static_cast<Route>(route)));
  for (unsigned tier = static_cast<unsigned>(Tier::H13); tier < static_cast<unsigned>(Tier::Unknown); ++tier) {
    os << llvm::formatv("\n  {0,-10}", tierName(static_cast<Tier>(tier)));
    for (unsigned route = 0; route <= getMaxEnumValForRoute(); ++route) {
      Legality legality = legalityOf(op, static_cast<Tier>(tier), static_cast<Route>(route), version);
      std::string mark = (markOf(legality.status) + (legality.conflict ? "*" : "")).str();
      os << llvm::formatv(" {0,-10}", legality.isInherited() ? "(" + mark + ")" : mark);
    }
  }
  os << "\n  (N): inherited, not seen there; N*: contradicted. docs/generated/op-chip-matrix.md has the legend.\n";
  for (int64_t change : legalityChanges(op))
    os << "  from --os=" << change << " on other rows decide\n";
  for (const LegalityRow &row : legalityRows(op)) {
    os << "  "
       << (row.routes ? whereText({row.tiers, row.routes, 0, 0})
                      : "the compiler's tables, tiers " + maskText(row.tiers, tierNames()))
       << ": " << textOf(row.status) << (row.condition.empty() ? "" : ": ") << row.condition << "\n";
    for (const EvidenceInfo &evidence : row.evidence)
      os << "    " << evidenceText(evidence) << "\n";
  }
}

/// "tanh", "ane.tanh", "TANH" -> "tanh" where rows are about it; else empty.
static std::string opNamed(StringRef spelling) {
  std::string name = spelling.trim().lower();
  StringRef op = name;
  op.consume_front("ane.");
  return legalityRows(op).empty() ? "" : op.str();
}

bool mlir::ane::explain(MLIRContext *context, StringRef spelling, Route route, int64_t version, llvm::raw_ostream &os) {
  std::optional<ConstraintID> id = findConstraint(spelling);
  std::string op = opNamed(spelling);
  bool isOp = !op.empty();
  if (id)
    explainConstraint(context, *id, route, version, os);
  if (id && isOp)
    os << "\n";
  if (isOp)
    explainOp(op, version, os);
  return id || isOp;
}

void mlir::ane::listConstraints(llvm::raw_ostream &os) {
  for (const ConstraintInfo &record : allConstraints())
    os << record.code << "  " << llvm::left_justify(record.slug, 22) << " "
       << llvm::left_justify(symptomName(record.symptom), 12) << " " << record.summary << "\n";
}

//===-- JSON --------------------------------------------------------------===//

llvm::json::Array mlir::ane::evidenceJSON(ArrayRef<EvidenceInfo> list) {
  llvm::json::Array array;
  for (const EvidenceInfo &evidence : list)
    array.push_back(llvm::json::Object{{"source", StringRef(evidence.source)},
                                       {"chip", StringRef(evidence.chip)},
                                       {"os", StringRef(evidence.os)},
                                       {"strength", StringRef(evidence.strength)},
                                       {"supports", evidence.supports},
                                       {"note", StringRef(evidence.note)}});
  return array;
}

static llvm::json::Array maskJSON(uint32_t mask, ArrayRef<StringRef> names) {
  llvm::json::Array array;
  for (auto [i, name] : llvm::enumerate(names))
    if (mask >> i & 1)
      array.push_back(name);
  return array;
}

static llvm::json::Object whereJSON(const Applicability &where) {
  llvm::json::Object object{{"tiers", maskJSON(where.tiers, tierNames())},
                            {"routes", maskJSON(where.routes, routeNames())}};
  if (where.osFrom)
    object["from_macos"] = where.osFrom;
  if (where.osTo)
    object["until_macos"] = where.osTo;
  return object;
}

llvm::json::Object mlir::ane::constraintJSON(MLIRContext *context, ConstraintID id, int64_t os) {
  const ConstraintInfo &record = info(id);
  llvm::json::Array where, lifts, passes;
  for (const Applicability &entry : record.where)
    where.push_back(whereJSON(entry));
  for (const LiftInfo &lift : record.lifts) {
    llvm::json::Object object = whereJSON(lift.where);
    object["reason"] = lift.reason;
    lifts.push_back(std::move(object));
  }
  for (auto [pass, summary] : llvm::zip_equal(record.passes, record.passSummaries))
    passes.push_back(llvm::json::Object{{"pass", pass}, {"summary", summary}});
  llvm::json::Object status;
  for (auto [i, route] : llvm::enumerate(routeNames())) {
    llvm::json::Object tiers;
    for (auto [j, tier] : llvm::enumerate(tierNames()))
      tiers[tier] = statusOf(context, record, static_cast<Tier>(j), static_cast<Route>(i), os);
    status[route] = std::move(tiers);
  }
  return llvm::json::Object{{"id", record.code},
                            {"name", record.slug},
                            {"summary", record.summary},
                            {"symptom", symptomName(record.symptom)},
                            {"symptom_text", record.symptomText},
                            {"checked", record.predicate},
                            {"checked_by", enforcerText(record.enforcer)},
                            {"tested_by", llvm::json::Array(proofsOf(record))},
                            {"ops", llvm::json::Array(record.ops)},
                            {"any_op", record.anyOp},
                            {"catalog", record.catalog},
                            {"where", std::move(where)},
                            {"lifts", std::move(lifts)},
                            {"passes", std::move(passes)},
                            {"runs_on_cpu", record.host},
                            {"remedy", record.remedy},
                            {"verdict", record.verdict},
                            {"macos", os},
                            {"status", std::move(status)},
                            {"evidence", evidenceJSON(record.evidence)}};
}

/// Answers by route and tier, and the rows that they are made of.
static llvm::json::Object legalityJSON(StringRef op, int64_t os) {
  llvm::json::Object answers;
  for (auto [i, route] : llvm::enumerate(routeNames())) {
    llvm::json::Object tiers;
    for (auto [j, tier] : llvm::enumerate(tierNames())) {
      Legality legality = legalityOf(op, static_cast<Tier>(j), static_cast<Route>(i), os);
      tiers[tier] = llvm::json::Object{{"status", textOf(legality.status)},
                                       {"runs", legality.runs()},
                                       {"inherited_from", legality.inheritedFrom()},
                                       {"contradicted", legality.conflict}};
    }
    answers[route] = std::move(tiers);
  }
  llvm::json::Array rows;
  for (const LegalityRow &row : legalityRows(op))
    rows.push_back(llvm::json::Object{{"status", textOf(row.status)},
                                      {"tiers", maskJSON(row.tiers, tierNames())},
                                      {"routes", maskJSON(row.routes, routeNames())}, // none: the compiler's tables
                                      {"condition", row.condition},
                                      {"evidence", evidenceJSON(row.evidence)}});
  return llvm::json::Object{{"op", op.str()},
                            {"macos", os},
                            {"changes_from_macos", llvm::json::Array(legalityChanges(op))},
                            {"answers", std::move(answers)},
                            {"rows", std::move(rows)}};
}

std::optional<llvm::json::Object> mlir::ane::explainJSON(MLIRContext *context, StringRef spelling, int64_t os) {
  std::optional<ConstraintID> id = findConstraint(spelling);
  std::string op = opNamed(spelling);
  if (!id && op.empty())
    return std::nullopt;
  llvm::json::Object object = id ? constraintJSON(context, *id, os) : llvm::json::Object();
  if (!op.empty())
    object["legality"] = legalityJSON(op, os);
  return object;
}
