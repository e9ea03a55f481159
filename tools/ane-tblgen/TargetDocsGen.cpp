//===- TargetDocsGen.cpp - the page of targets ----------------------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace ane_tblgen;

static std::string megahertz(int64_t clock) { return clock ? std::to_string(clock) : "?"; }

static std::string untilText(const LimitRow &row) {
  return row.where.osTo ? ", programs for macOS " + std::to_string(row.where.osTo) + " and earlier" : "";
}

static void emitFacts(const RecordKeeper &records, const std::vector<NamedIndex> &tiers, raw_ostream &os) {
  os << "\n## Memory, tables, capabilities and speed\n\nNumbers that no pass uses: memory levels, limits of the "
        "compiler's table (HAL), "
        "its capability bytes, and speeds. The first row that matches a chip holds; what has no row is not known.\n";
  for (const FactEntry &fact : readFacts(records)) {
    os << "\n### " << fact.name << "\n\n" << fact.summary << " [" << fact.group << ", " << fact.unit << "]\n\n";
    for (const FactRow &row : fact.rows) {
      std::vector<std::string> where;
      if (row.tiers)
        where.push_back("tiers " + maskText(row.tiers, tiers));
      for (const Record *chip : row.chips)
        where.push_back(chip->getValueAsString("target").str());
      os << "- **" << row.value << "** for " << join(where, ", ") << "\n";
      printEvidence(os, row.evidence, "  ");
    }
  }
}

static bool emitPage(const RecordKeeper &records, raw_ostream &os) {
  std::vector<NamedIndex> tiers = readIndexed(records, "Tier"), routes = readIndexed(records, "RouteKind");
  std::vector<ChipEntry> chips = readChips(records);
  os << "# Targets\n\n"
     << "`--target` takes names of the second and third column, in any case, with or without spaces, separated by "
        "commas; "
        "`any-m` is all "
        "chips in Macs (M in the table), `host` the chip of the Mac that compiles. A chip that is not here gets the "
        "worst value of "
        "every limit and the constraints of every tier.\n\n"
     << "| products | target | also | tier | engine sets | clock, effective [MHz] | devices report | MIL path | M | "
        "note |\n"
        "|---|---|---|---|---:|---:|---|---|---|---|\n";
  for (const ChipEntry &chip : chips)
    os << "| " << chip.silicon << " | [" << chip.target << "](#evidence-for-" << chip.target << ") | "
       << join(chip.aliases, ", ") << " | " << chip.tier << " | " << chip.ne << " | " << megahertz(chip.clockMHz)
       << ", " << megahertz(chip.effectiveMHz) << " | " << join(chip.runtimeNames, ", ") << " | "
       << (chip.hasMIL ? "yes" : "no") << " | " << (chip.mSeries ? "yes" : "") << " | " << chip.note << " |\n";
  os << "\n## Tiers and routes\n\n";
  for (const NamedIndex &tier : tiers)
    os << "- tier " << tier.name << ": " << tier.text << "\n";
  for (const NamedIndex &route : routes)
    os << "- route " << route.name << ": " << route.text << "\n";

  os << "\n## Limits\n\nWhat `TargetEnv::limit()` returns, by name. One row for each value; the first that matches "
        "holds.\n";
  for (const LimitEntry &limit : readLimits(records)) {
    os << "\n### " << limit.name << "\n\n" << limit.summary << " [" << limit.unit << "]\n\n";
    for (const LimitRow &row : limit.rows) {
      os << "- **" << row.value << "** for tiers " << maskText(row.where.tiers, tiers) << " on routes "
         << maskText(row.where.routes, routes) << untilText(row) << "\n";
      printEvidence(os, row.evidence, "  ");
    }
  }
  os << "\n## Numbers\n\nWhat `TargetEnv::numeric()` returns, by name.\n";
  for (const NumericEntry &numeric : readNumerics(records)) {
    os << "\n### " << numeric.name << "\n\n**" << numeric.value << "**: " << numeric.summary << "\n\n";
    printEvidence(os, numeric.evidence);
  }
  emitFacts(records, tiers, os);
  os << "\n## Evidence for the chips\n";
  for (const ChipEntry &chip : chips) {
    os << "\n### Evidence for " << chip.target << "\n\n";
    printEvidence(os, chip.evidence);
  }
  return false;
}

static mlir::GenRegistration page("gen-ane-target-doc", "Markdown page of targets, limits and numbers", emitPage);
