//===- LegalityDocsGen.cpp - the page of ops, chips and routes -------------===//

#include "Legality.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace ane_tblgen;

static std::string title(const LegalityEntry &entry) {
  return "`" + join(entry.names, "`, `") + "`" + (entry.form.empty() ? "" : " (" + entry.form + ")");
}

namespace {
struct Printer {
  raw_ostream &os;
  LegalityResolver resolver;
  std::vector<NamedIndex> tiers, routes;

  /// One mark for each tier with MIL, on a route, for each span of macOS versions with other marks.
  std::string cell(const LegalityEntry &entry, int64_t route) {
    std::vector<std::string> spans;
    for (const auto &[from, marks] : textByOS(entry, [&](int64_t macOS) { return marksOf(entry, route, macOS); }))
      spans.push_back(from ? "from macOS " + std::to_string(from) + " on " + marks : marks);
    return join(spans, "; ");
  }

  std::string marksOf(const LegalityEntry &entry, int64_t route, int64_t macOS) {
    std::vector<std::string> marks;
    for (size_t tier = 1; tier < tiers.size(); ++tier) {
      Resolved answer = resolver.resolve(entry, tier, route, macOS);
      std::string mark = answer.status.mark + (answer.conflict ? "*" : "");
      marks.push_back(answer.origin == Origin::Exact ? mark : "(" + mark + ")");
    }
    return join(marks, " ");
  }

  std::string tableCell(const LegalityEntry &entry) {
    std::vector<std::string> marks;
    for (size_t tier = 1; tier < tiers.size(); ++tier)
      for (const LegalityRowEntry &row : entry.rows)
        if (!row.routes && (row.tiers >> tier & 1))
          marks.push_back(row.status.mark);
    return join(marks, " ");
  }

  void printTable(ArrayRef<const LegalityEntry *> family) {
    os << "| op | tables";
    for (const NamedIndex &route : routes)
      os << " | " << route.name;
    os << " | note |\n|---|---";
    for (size_t i = 0; i < routes.size(); ++i)
      os << "|---";
    os << "|---|\n";
    for (const LegalityEntry *entry : family) {
      os << "| " << title(*entry) << " | " << tableCell(*entry);
      for (const NamedIndex &route : routes)
        os << " | " << cell(*entry, route.index);
      os << " | " << entry->note << " |\n";
    }
  }

  void printEvidenceOf(const LegalityEntry &entry) {
    if (none_of(entry.rows, [&](const LegalityRowEntry &row) { return isSight(row); }))
      return;
    os << "- " << title(entry) << "\n";
    for (const LegalityRowEntry &row : entry.rows)
      if (isSight(row)) {
        os << "  - " << maskText(row.tiers, tiers) << " on " << maskText(row.routes, routes) << ": " << row.status.text
           << (row.condition.empty() ? "" : ": " + row.condition) << "\n";
        printEvidence(os, row.evidence, "    ");
      }
  }

  /// A row of its own, neither the tables' nor that of tiers without MIL.
  static bool isSight(const LegalityRowEntry &row) { return row.routes && row.tiers != 1 && row.status.fact; }
};
} // namespace

static bool emitPage(const RecordKeeper &records, raw_ostream &os) {
  Printer printer{os, LegalityResolver(records), readIndexed(records, "Tier"), readIndexed(records, "RouteKind")};
  std::vector<LegalityEntry> entries = readLegality(records);
  std::vector<std::string> columns;
  for (size_t tier = 1; tier < printer.tiers.size(); ++tier)
    columns.push_back(printer.tiers[tier].name);
  os << "# Ops, chips and routes\n\n"
     << "How each op fares on each tier and route. A cell has one mark for each of the tiers " << join(columns, ", ")
     << "; on tiers before them there is no path for MIL (C30), and a chip without a record gets the worst mark.\n\n"
     << "- `(N)`: inherited, there is no sight of the op on that tier and route: from the nearest tier on the same "
        "route, or "
        "from the compiler's tables where these say worse or are all there is.\n"
     << "- `N*`: rows or their evidence contradict each other, see [conflicts](conflicts.md).\n"
     << "- `X; from macOS 27 on N`: the answer depends on the oldest macOS that must run the program (`--os`).\n"
     << "- column *tables*: what the compiler's own tables say, bound to no route:\n";
  for (const Record *column : records.getAllDerivedDefinitions("TableColumn")) {
    os << "  - " << column->getValueAsDef("tier")->getValueAsString("name") << ":\n";
    printEvidence(os, {readEvidence(column->getValueAsDef("evidence"))}, "    ");
  }
  os << "\n| mark | meaning | may stand in a program |\n|---|---|---|\n";
  for (const StatusEntry &status : readStatuses(records))
    os << "| " << status.mark << " | " << status.text << " | " << (status.runs ? "yes" : "no") << " |\n";

  std::vector<std::string> families;
  for (const LegalityEntry &entry : entries)
    if (!is_contained(families, entry.family))
      families.push_back(entry.family);
  for (const std::string &name : families) {
    std::vector<const LegalityEntry *> family;
    for (const LegalityEntry &entry : entries)
      if (entry.family == name)
        family.push_back(&entry);
    os << "\n## " << name << "\n\n";
    printer.printTable(family);
    if (none_of(family, [](const LegalityEntry *entry) { return any_of(entry->rows, Printer::isSight); }))
      continue;
    os << "\nWhat was seen:\n\n";
    for (const LegalityEntry *entry : family)
      printer.printEvidenceOf(*entry);
  }
  return false;
}

static mlir::GenRegistration page("gen-ane-legality-doc", "Markdown page of ops, chips and routes", emitPage);
