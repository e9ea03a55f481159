//===- LegalityGen.cpp - the table of op x chip legality ------------------===//
//
// Everything is resolved here, so that the compiler only looks up.
//
//===----------------------------------------------------------------------===//

#include "Legality.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;
using namespace ane_tblgen;

static bool emitEnum(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-legality-enum.\n/// How an op fares, from best to worst.\n"
     << "enum class LegalityStatus : unsigned char {\n";
  for (const StatusEntry &status : readStatuses(records))
    os << "  " << status.name << ", // " << status.text << "\n";
  os << "};\n";
  return false;
}

static void emitRows(const LegalityEntry &entry, const std::string &variable, raw_ostream &os) {
  for (auto [i, row] : enumerate(entry.rows)) {
    if (row.evidence.empty())
      continue;
    os << "static const EvidenceInfo " << variable << "Evidence" << i << "[] = {";
    for (const EvidenceEntry &evidence : row.evidence) {
      os << "\n  ";
      emitEvidence(evidence, os);
      os << ", ";
    }
    os << "};\n";
  }
  os << "static const LegalityRow " << variable << "Rows[] = {\n";
  for (auto [i, row] : enumerate(entry.rows)) {
    os << "  {LegalityStatus::" << row.status.name << ", " << row.tiers << "u, " << row.routes << "u, "
       << quoted(row.condition) << ", ";
    if (row.evidence.empty())
      os << "{}},\n";
    else
      os << variable << "Evidence" << i << "},\n";
  }
  os << "};\n";
}

/// The cells of an op in programs for `macOS` and later: tier by tier (the last is an unknown chip), by route.
static std::string cellsOf(const LegalityEntry &entry, const LegalityResolver &resolver, ArrayRef<NamedIndex> tiers,
                           ArrayRef<NamedIndex> routes, int64_t macOS) {
  static const char *const origins[] = {"Exact", "OtherTier", "Tables", "Nothing"};
  std::string text;
  raw_string_ostream os(text);
  for (size_t tier = 0; tier <= tiers.size(); ++tier) {
    os << "\n    {";
    for (const NamedIndex &route : routes) {
      Resolved cell = tier < tiers.size() ? resolver.resolve(entry, tier, route.index, macOS)
                                          : resolver.resolveUnknownTier(entry, route.index, macOS);
      uint32_t mask = 0;
      for (unsigned row : cell.rows)
        mask |= 1u << row;
      os << "{LegalityStatus::" << cell.status.name << ", LegalityOrigin::" << origins[int(cell.origin)] << ", Tier("
         << cell.fromTier << "), " << (cell.conflict ? "true" : "false") << ", " << mask << "u}, ";
    }
    os << "},";
  }
  return text;
}

static bool emitTable(const RecordKeeper &records, raw_ostream &os) {
  LegalityResolver resolver(records);
  std::vector<NamedIndex> tiers = readIndexed(records, "Tier"), routes = readIndexed(records, "RouteKind");
  os << "// Made by ane-tblgen -gen-ane-legality-table.\n";
  os << "static const StatusInfo statusTable[] = {\n";
  for (const StatusEntry &status : readStatuses(records))
    os << "  {" << quoted(status.mark) << ", " << quoted(status.text) << ", " << (status.runs ? "true" : "false")
       << "},\n";
  os << "};\n";

  std::map<std::string, std::pair<const LegalityEntry *, std::string>> byName;
  std::vector<LegalityEntry> entries = readLegality(records);
  for (auto [i, entry] : enumerate(entries)) {
    if (!entry.form.empty())
      continue;
    std::string variable = "legality" + std::to_string(i);
    emitRows(entry, variable, os);
    for (const std::string &name : entry.names)
      byName[name] = {&entry, variable};
  }
  os << "\n// By name and the macOS from which the cells hold; cells by tier (the last is an unknown chip) and route.\n"
        "static const OpLegality legalityTable[] = {\n";
  for (const auto &[name, found] : byName) {
    auto cells = [&, entry = found.first](int64_t macOS) { return cellsOf(*entry, resolver, tiers, routes, macOS); };
    for (const auto &[from, text] : textByOS(*found.first, cells))
      os << "  {" << quoted(name) << ", " << from << ", " << found.second << "Rows, {" << text << "}},\n";
  }
  os << "};\n";
  return false;
}

/// For the linter, without LLVM: a letter for each tier and route, 'A' + status, lower case where it is
/// inherited.
static bool emitLintTable(const RecordKeeper &records, raw_ostream &os) {
  LegalityResolver resolver(records);
  std::vector<NamedIndex> tiers = readIndexed(records, "Tier"), routes = readIndexed(records, "RouteKind");
  os << "// Made by ane-tblgen -gen-ane-legality-lint-table from include/ane/Constraint; do not edit.\n"
     << "const LegalityStatus legalityStatuses[] = {\n";
  for (const StatusEntry &status : readStatuses(records))
    os << "  {" << quoted(status.text) << ", " << (status.runs ? "true" : "false") << "},\n";
  os << "};\n// By name; tier by tier, a letter for each route: 'A' + status, lower case where it is inherited; "
        "the macOS from which on they hold.\n"
     << "const OpLegality legalityTable[] = {\n";
  std::map<std::string, TextByOS> byName;
  std::vector<std::string> reasons;
  for (const LegalityEntry &entry : readLegality(records)) {
    if (!entry.form.empty())
      continue;
    TextByOS cells = textByOS(entry, [&](int64_t macOS) {
      std::string letters;
      for (const NamedIndex &tier : tiers)
        for (const NamedIndex &route : routes) {
          Resolved cell = resolver.resolve(entry, tier.index, route.index, macOS);
          letters += char((cell.origin == Origin::Exact ? 'A' : 'a') + cell.status.index);
        }
      return letters;
    });
    for (const std::string &name : entry.names)
      byName[name] = cells;
    for (const LegalityRowEntry &row : entry.rows) {
      if (row.status.runs || !row.routes || row.tiers == 1)
        continue;
      const EvidenceEntry &first =
          *find_if(row.evidence, [](const EvidenceEntry &e) { return e.finding == "supports"; });
      for (const std::string &name : entry.names)
        reasons.push_back("{" + quoted(name) + ", " + std::to_string(row.tiers) + ", " + std::to_string(row.routes) +
                          ", " +
                          quoted(first.source + (first.chip.empty() ? "" : ", " + first.chip) +
                                 (first.os.empty() ? "" : ", " + first.os) + ": " + first.note) +
                          "}");
    }
  }
  for (const auto &[name, cells] : byName)
    for (const auto &[from, letters] : cells)
      os << "  {" << quoted(name) << ", " << quoted(letters) << (from ? ", " + std::to_string(from) : "") << "},\n";
  os << "};\n// Why an op does not run, by tiers and routes.\nconst LegalityReason legalityReasons[] = {\n";
  for (const std::string &reason : reasons)
    os << "  " << reason << ",\n";
  os << "};\n";
  return false;
}

static mlir::GenRegistration lint("gen-ane-legality-lint-table", "Op x chip legality for the emulator's linter",
                                  emitLintTable);
static mlir::GenRegistration status("gen-ane-legality-enum", "Enum of legality statuses", emitEnum);
static mlir::GenRegistration table("gen-ane-legality-table", "Table of op x chip legality", emitTable);
