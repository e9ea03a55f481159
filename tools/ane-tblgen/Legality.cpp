//===- Legality.cpp - op x chip legality, read and resolved ----------------===//

#include "Legality.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TableGen/Error.h"
#include <set>

using namespace llvm;
using namespace ane_tblgen;

static StatusEntry readStatus(const Record *record) {
  return {record->getValueAsString("name").str(), record->getValueAsString("mark").str(),
          record->getValueAsString("text").str(), record->getValueAsInt("index"),
          record->getValueAsBit("runs"),          record->getValueAsBit("fact")};
}

std::vector<StatusEntry> ane_tblgen::readStatuses(const RecordKeeper &records) {
  std::vector<StatusEntry> result;
  for (const Record *record : records.getAllDerivedDefinitions("LegalityStatus"))
    result.push_back(readStatus(record));
  llvm::sort(result, [](const StatusEntry &a, const StatusEntry &b) { return a.index < b.index; });
  return result;
}

static uint32_t maskOf(const Record *record, StringRef field) {
  uint32_t mask = 0;
  for (const Record *member : record->getValueAsListOfDefs(field))
    mask |= 1u << member->getValueAsInt("index");
  return mask;
}

/// The newest macOS of what supports a row; 0 where some of it names none, or nothing does.
static int64_t lastSeen(ArrayRef<EvidenceEntry> evidence) {
  int64_t last = 0;
  for (const EvidenceEntry &e : evidence) {
    if (e.finding != "supports")
      continue;
    if (!e.macOS)
      return 0;
    last = std::max(last, e.macOS);
  }
  return last;
}

static LegalityRowEntry readRow(const Record *owner, const Record *record) {
  std::vector<EvidenceEntry> evidence = readEvidenceList(record);
  LegalityRowEntry row{readStatus(record->getValueAsDef("status")),
                       maskOf(record, "tiers"),
                       maskOf(record, "routes"),
                       record->getValueAsString("condition").str(),
                       evidence,
                       lastSeen(evidence)};
  if (!row.tiers || !row.routes)
    PrintFatalError(owner, "a row for no tier or no route");
  if (row.status.fact && none_of(row.evidence, [](const EvidenceEntry &e) { return e.finding == "supports"; }))
    PrintFatalError(owner, "a row '" + row.status.name + "' without evidence that supports it");
  if ((row.status.name == "Conditional") == row.condition.empty())
    PrintFatalError(owner,
                    "a row '" + row.status.name + "' with" + (row.condition.empty() ? "out" : "") + " a condition");
  return row;
}

std::vector<LegalityEntry> ane_tblgen::readLegality(const RecordKeeper &records) {
  std::vector<const Record *> columns;
  for (const Record *column : records.getAllDerivedDefinitions("TableColumn"))
    columns.push_back(column);
  llvm::sort(columns, [](const Record *a, const Record *b) {
    return a->getValueAsDef("tier")->getValueAsInt("index") < b->getValueAsDef("tier")->getValueAsInt("index");
  });

  std::vector<LegalityEntry> result;
  StringMap<const Record *> names;
  std::vector<Record *> definitions = records.getAllDerivedDefinitions("ANE_Legality");
  llvm::sort(definitions, [](const Record *a, const Record *b) { return a->getID() < b->getID(); });
  for (const Record *record : definitions) {
    LegalityEntry entry{record,
                        {},
                        record->getValueAsString("family").str(),
                        record->getValueAsString("form").str(),
                        record->getValueAsString("note").str(),
                        {}};
    for (const Record *op : record->getValueAsListOfDefs("ops"))
      entry.names.push_back(op->getValueAsString("opName").str());
    for (StringRef name : record->getValueAsListOfStrings("others"))
      entry.names.push_back(name.str());
    if (entry.names.empty())
      PrintFatalError(record, "legality of no op");
    for (const Record *row : record->getValueAsListOfDefs("rows"))
      entry.rows.push_back(readRow(record, row));

    std::vector<Record *> tables = record->getValueAsListOfDefs("tables");
    if (!tables.empty() && tables.size() != columns.size())
      PrintFatalError(record, "the tables have " + Twine(columns.size()) + " columns, not " + Twine(tables.size()));
    for (auto [status, column] : zip(tables, columns)) {
      EvidenceEntry evidence = readEvidence(column->getValueAsDef("evidence"));
      uint32_t tier = 1u << column->getValueAsDef("tier")->getValueAsInt("index");
      entry.rows.push_back({readStatus(status), tier, 0, "", {evidence}, lastSeen(evidence)});
    }
    if (entry.rows.empty() || entry.rows.size() > 32)
      PrintFatalError(record, "legality needs 1 to 32 rows, not " + Twine(entry.rows.size()));

    for (const std::string &name : entry.names) {
      if (!entry.form.empty())
        break;
      auto [found, isNew] = names.try_emplace(name, record);
      if (!isNew) {
        PrintError(record, "legality of '" + name + "' is said twice");
        PrintFatalNote(found->second->getLoc(), "first record is here");
      }
    }
    result.push_back(std::move(entry));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Resolution
//===----------------------------------------------------------------------===//

LegalityResolver::LegalityResolver(const RecordKeeper &records)
    : statuses(readStatuses(records)), tiers(readIndexed(records, "Tier")) {}

Resolved LegalityResolver::worst(const LegalityEntry &entry, std::vector<unsigned> rows, Origin origin) const {
  Resolved result;
  result.status = statuses.back();
  if (rows.empty())
    return result;
  result.origin = origin;
  result.status = statuses.front();
  bool runs = false, fails = false;
  for (unsigned index : rows) {
    const StatusEntry &status = entry.rows[index].status;
    (status.runs ? runs : fails) = true;
    if (status.index > result.status.index)
      result.status = status;
    result.conflict |=
        any_of(entry.rows[index].evidence, [](const EvidenceEntry &e) { return e.finding == "contradicts"; });
  }
  result.conflict |= runs && fails;
  result.rows = std::move(rows);
  return result;
}

static bool isMeasured(const EvidenceEntry &evidence) {
  return evidence.finding == "supports" && evidence.strength == "measured" && evidence.macOS;
}

/// The rows of one tier and route without those that are outdated in programs for macOS `os` and later, see
/// Legality.td.
static std::vector<unsigned> withoutOutdated(const LegalityEntry &entry, const std::vector<unsigned> &rows,
                                             int64_t os) {
  std::vector<unsigned> kept;
  for (unsigned index : rows) {
    int64_t last = entry.rows[index].lastSeen;
    bool outdated = last && any_of(rows, [&](unsigned other) {
                      return any_of(entry.rows[other].evidence, [&](const EvidenceEntry &e) {
                        return isMeasured(e) && last < e.macOS && e.macOS <= os;
                      });
                    });
    if (!outdated)
      kept.push_back(index);
  }
  return kept;
}

TextByOS ane_tblgen::textByOS(const LegalityEntry &entry, function_ref<std::string(int64_t os)> textFor) {
  std::set<int64_t> versions{0};
  for (const LegalityRowEntry &row : entry.rows)
    for (const EvidenceEntry &evidence : row.evidence)
      if (isMeasured(evidence))
        versions.insert(evidence.macOS);
  TextByOS result;
  for (int64_t os : versions)
    if (std::string text = textFor(os); result.empty() || result.back().second != text)
      result.emplace_back(os, std::move(text));
  return result;
}

Resolved LegalityResolver::resolve(const LegalityEntry &entry, int64_t tier, int64_t route, int64_t os) const {
  auto rowsOf = [&](int64_t ofTier, bool ofTables) {
    std::vector<unsigned> found;
    for (auto [i, row] : enumerate(entry.rows))
      if ((row.tiers >> ofTier & 1) && (ofTables ? row.routes == 0 : row.routes >> route & 1))
        found.push_back(i);
    return withoutOutdated(entry, found, os);
  };
  if (std::vector<unsigned> exact = rowsOf(tier, false); !exact.empty())
    return worst(entry, exact, Origin::Exact);
  Resolved tables = worst(entry, rowsOf(tier, true), Origin::Tables);
  // The first tier has no MIL: it neither inherits nor is inherited from. Of two tiers as near the worse one counts.
  for (int64_t distance = 1; tier && distance < int64_t(tiers.size()); ++distance) {
    std::optional<Resolved> nearest;
    for (int64_t from : {tier - distance, tier + distance}) {
      if (from < 1 || from >= int64_t(tiers.size()))
        continue;
      Resolved candidate = worst(entry, rowsOf(from, false), Origin::OtherTier);
      candidate.fromTier = from;
      if (candidate.origin != Origin::Nothing && (!nearest || candidate.status.index > nearest->status.index))
        nearest = std::move(candidate);
    }
    if (!nearest)
      continue;
    // "Native by the tables, unreachable" is no objection to a sight of it on this route.
    bool objects = tables.origin == Origin::Tables && tables.status.name != "Claimed" &&
                   tables.status.index > nearest->status.index;
    return objects ? tables : *nearest;
  }
  return tables;
}

Resolved LegalityResolver::resolveUnknownTier(const LegalityEntry &entry, int64_t route, int64_t os) const {
  Resolved result;
  for (size_t tier = 1; tier < tiers.size(); ++tier) {
    Resolved candidate = resolve(entry, tier, route, os);
    candidate.fromTier = tier;
    if (candidate.origin == Origin::Exact && candidate.status.fact)
      candidate.origin = Origin::OtherTier;
    if (tier == 1 || candidate.status.index > result.status.index)
      result = std::move(candidate);
  }
  return result;
}
