//===- LintGen.cpp - the records as the linter reads them ------===//
//
// Plain C++ without a header of its own: the runtime builds without LLVM, so its copy is committed
// (scripts/generate_docs.py writes and compares it).
//
//===----------------------------------------------------------------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace ane_tblgen;

static std::string list(ArrayRef<std::string> words) { return "{" + join(map_range(words, quoted), ", ") + "}"; }

static std::string where(const Where &where) {
  return ("{" + Twine(where.tiers) + ", " + Twine(where.routes) + ", " + Twine(where.osFrom) + ", " +
          Twine(where.osTo) + (where.ahead ? "" : ", false") + "}")
      .str();
}

static std::string rule(const PredicateEntry &predicate) {
  return "{" + quoted(predicate.rule) + ", " + list(predicate.ruleArguments) + "}";
}

static std::string evidence(const EvidenceEntry &entry) {
  std::string text = entry.finding + ", " + entry.strength + " (" + entry.source;
  for (const std::string &place : {entry.chip, entry.os})
    if (!place.empty())
      text += "; " + place;
  return quoted(text + "): " + entry.note);
}

/// Facts that nobody can check here say so in the sentence of their predicate.
static std::string reasonForNoRule(const ConstraintEntry &entry) {
  if (!entry.noRule.empty() || !entry.predicate.rule.empty())
    return entry.noRule;
  return entry.enforcedBy == "Nobody" ? entry.predicate.english : "";
}

static void emitRecord(const ConstraintEntry &entry, raw_ostream &os) {
  std::vector<std::string> ops, places, lifts, sources;
  for (StringRef op : entry.ops)
    ops.push_back(op.split('.').second.str());
  for (const Where &place : entry.where)
    places.push_back(where(place));
  for (const LiftEntry &lift : entry.lifts)
    lifts.push_back("{" + where(lift.where) + ", " + rule(lift.remains) + "}");
  for (const EvidenceEntry &source : entry.evidence)
    sources.push_back(evidence(source));
  os << "  {" << quoted(entry.id) << ", " << quoted(entry.slug) << ", Symptom::" << entry.symptom
     << ", Effect::" << entry.effect << ", " << (entry.catalog ? "true" : "false") << ", "
     << (entry.scope == "PerOp" ? "true" : "false") << ", " << (entry.anyOp ? "true" : "false") << ", " << list(ops)
     << ", " << rule(entry.noRule.empty() ? entry.predicate : PredicateEntry()) << ", {" << join(places, ", ") << "}, {"
     << join(lifts, ", ") << "},\n   " << quoted(entry.summary) << ", " << quoted(entry.remedy) << ", "
     << quoted(reasonForNoRule(entry)) << ", {" << join(sources, ", ") << "}},\n";
}

static void emitEnum(StringRef name, ArrayRef<std::string> members, raw_ostream &os) {
  os << "enum class " << name << " : uint8_t { " << join(members, ", ") << " };\n";
}

static bool emitTable(const RecordKeeper &records, raw_ostream &os) {
  std::vector<LimitEntry> limits = readLimits(records);
  std::vector<NumericEntry> numerics = readNumerics(records);
  std::vector<OpGroupEntry> groups = readOpGroups(records);
  std::vector<NamedIndex> tiers = readIndexed(records, "Tier"), routes = readIndexed(records, "RouteKind");
  auto names = [](const auto &entries) {
    std::vector<std::string> result;
    for (const auto &entry : entries)
      result.push_back(entry.name);
    return result;
  };
  auto recordNames = [&](StringRef className) {
    std::vector<std::string> result;
    for (const Record *record : records.getAllDerivedDefinitions(className))
      result.push_back(record->getValueAsString("name").str());
    return result;
  };
  os << "// Made by ane-tblgen -gen-ane-lint-table from include/ane/Constraint; do not edit.\n#ifdef ANE_LINT_ENUMS\n";
  emitEnum("Symptom", recordNames("Symptom"), os);
  emitEnum("Effect", recordNames("Effect"), os);
  emitEnum("Limit", names(limits), os);
  emitEnum("Numeric", names(numerics), os);
  emitEnum("OpGroup", names(groups), os);
  os << "inline constexpr unsigned kTiers = " << tiers.size() << ", kRoutes = " << routes.size()
     << ";\n#endif\n#ifdef ANE_LINT_TABLES\n"
     << "const char *const tierNames[] = " << list(names(tiers))
     << ";\nconst char *const routeNames[] = " << list(names(routes))
     << ";\nconst char *const limitNames[] = " << list(names(limits)) << ";\nconst LimitRow limitRows[] = {\n";
  emitLimitRows(limits, os);
  os << "};\nconst bool worstIsLow[] = {";
  for (const LimitEntry &limit : limits)
    os << (limit.worstIsLow ? "true, " : "false, ");
  os << "};\nconst double numericTable[] = {";
  for (const NumericEntry &numeric : numerics)
    os << numeric.value << ", ";
  os << "};\nconst Chip chipTable[] = {\n";
  for (const ChipEntry &chip : readChips(records))
    os << "  {" << quoted(chip.target) << ", " << chip.tierIndex << ", " << list(chip.aliases) << ", "
       << (chip.hasMIL ? "true" : "false") << ", " << (chip.mSeries ? "true" : "false") << "},\n";
  os << "};\n// First opset of each MIL operation.\nconst std::pair<std::string_view, int> opsetTable[] = {";
  for (const Record *op : records.getAllDerivedDefinitions("ANE_MILOp"))
    if (StringRef opset = op->getValueAsString("opset"); opset.consume_front("ios"))
      os << "{" << quoted(op->getValueAsString("opName")) << ", " << opset << "}, ";
  os << "};\nconst std::vector<std::string_view> groupTable[] = {\n";
  for (const OpGroupEntry &group : groups)
    os << "  " << list(group.ops) << ",\n";
  os << "};\nconst Record recordTable[] = {\n";
  for (const ConstraintEntry &entry : readConstraints(records))
    emitRecord(entry, os);
  os << "};\n#endif\n";
  return false;
}

static mlir::GenRegistration table("gen-ane-lint-table", "Records, targets and limits for the linter", emitTable);

/// Whose engine a machine has: the runtime asks it where it was asked for target native.
static bool emitChips(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-chips from include/ane/Constraint/Targets.td; do not edit.\n";
  for (const ChipEntry &chip : readChips(records))
    os << "{" << quoted(chip.target) << ", " << chip.tierIndex << ", " << list(chip.aliases) << ", "
       << list(chip.runtimeNames) << "},\n";
  return false;
}

static mlir::GenRegistration chips("gen-ane-chips", "Chips by their names, for the runtime", emitChips);
