//===- ConflictDocsGen.cpp - the page of contradictions --------------------===//

#include "Legality.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;
using namespace ane_tblgen;

static bool isContradicted(const std::vector<EvidenceEntry> &evidence) {
  return any_of(evidence, [](const EvidenceEntry &entry) { return entry.finding == "contradicts"; });
}

/// What about an op's rows disagrees, in words; empty if nothing.
static std::vector<std::string> disagreements(const LegalityEntry &entry, const LegalityResolver &resolver,
                                              ArrayRef<NamedIndex> tiers, ArrayRef<NamedIndex> routes) {
  bool within = false, tables = false, between = false, systems = false;
  for (const NamedIndex &tier : tiers.drop_front()) {
    std::optional<bool> first;
    for (const NamedIndex &route : routes) {
      systems |= textByOS(entry, [&](int64_t macOS) {
                   return resolver.resolve(entry, tier.index, route.index, macOS).status.name;
                 }).size() > 1;
      Resolved answer = resolver.resolve(entry, tier.index, route.index, /*os=*/0);
      if (answer.origin != Origin::Exact || !answer.status.fact)
        continue;
      within |= answer.conflict;
      bool runs = answer.status.runs;
      between |= first.value_or(runs) != runs;
      first = runs;
      for (const LegalityRowEntry &row : entry.rows)
        if (!row.routes && (row.tiers >> tier.index & 1) && row.status.name != "Claimed")
          tables |= row.status.runs != runs && row.status.name != "NetlistOnly";
    }
  }
  for (const LegalityRowEntry &row : entry.rows)
    tables |= !row.routes && row.status.name == "Claimed";
  std::vector<std::string> result;
  if (within)
    result.push_back("sights on one route");
  if (tables)
    result.push_back("the compiler's tables and a sight");
  if (between)
    result.push_back("routes of one tier");
  if (systems)
    result.push_back("versions of macOS");
  return result;
}

static bool emitPage(const RecordKeeper &records, raw_ostream &os) {
  std::vector<NamedIndex> tiers = readIndexed(records, "Tier"), routes = readIndexed(records, "RouteKind");
  os << "# Conflicts\n\n"
     << "All that public sources disagree about, both sides. What the compiler does: it obeys a rule of the catalog "
        "unless "
        "`strictness=evidence` lifts it, takes the safer value of a limit, and the worse row of an op.\n\n"
     << "## Constraints\n\n";
  for (const ConstraintEntry &entry : readConstraints(records)) {
    if (!isContradicted(entry.evidence))
      continue;
    os << "- **" << entry.id << " " << entry.slug << "**: " << entry.summary << "\n";
    printEvidence(os, entry.evidence, "  ");
    if (!entry.verdict.empty())
      os << "  - verdict: " << entry.verdict << "\n";
  }
  os << "\n## Limits and numbers\n\n";
  for (const LimitEntry &limit : readLimits(records))
    for (const LimitRow &row : limit.rows)
      if (isContradicted(row.evidence)) {
        os << "- **" << limit.name << " = " << row.value << "** for tiers " << maskText(row.where.tiers, tiers)
           << " on routes " << maskText(row.where.routes, routes) << ": " << limit.summary << "\n";
        printEvidence(os, row.evidence, "  ");
      }
  for (const NumericEntry &numeric : readNumerics(records))
    if (isContradicted(numeric.evidence)) {
      os << "- **" << numeric.name << " = " << numeric.value << "**: " << numeric.summary << "\n";
      printEvidence(os, numeric.evidence, "  ");
    }

  os << "\n## Ops\n\nThe answers are in [ops, chips and routes](op-chip-matrix.md).\n\n";
  LegalityResolver resolver(records);
  for (const LegalityEntry &entry : readLegality(records)) {
    std::vector<std::string> reasons = disagreements(entry, resolver, tiers, routes);
    if (reasons.empty())
      continue;
    os << "- **`" << join(entry.names, "`, `") << "`**" << (entry.form.empty() ? "" : " (" + entry.form + ")") << ": "
       << join(reasons, "; ") << "\n";
    std::map<int64_t, std::pair<std::string, uint32_t>> tables; // by status: text, tiers
    for (const LegalityRowEntry &row : entry.rows) {
      if (!row.routes) {
        auto &[text, mask] = tables[row.status.index];
        text = row.status.text;
        mask |= row.tiers;
      } else if (row.tiers != 1) { // no MIL there
        os << "  - " << maskText(row.tiers, tiers) << " on " << maskText(row.routes, routes) << ": " << row.status.text
           << (row.condition.empty() ? "" : ": " + row.condition) << "\n";
        printEvidence(os, row.evidence, "    ");
      }
    }
    for (const auto &[index, row] : tables)
      os << "  - " << maskText(row.second, tiers) << " by the tables: " << row.first << "\n";
  }
  os << "\n## Other facts\n\n";
  std::vector<Record *> disputes = records.getAllDerivedDefinitions("ANE_Dispute");
  llvm::sort(disputes, [](const Record *a, const Record *b) { return a->getID() < b->getID(); });
  for (const Record *record : disputes) {
    os << "- " << record->getValueAsString("subject") << "\n";
    printEvidence(os, readEvidenceList(record), "  ");
  }
  return false;
}

static mlir::GenRegistration page("gen-ane-conflict-doc", "Markdown page of contradictions", emitPage);
