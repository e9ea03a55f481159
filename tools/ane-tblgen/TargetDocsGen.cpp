//===- TargetDocsGen.cpp - the page of targets ----------------------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace ane_tblgen;

static bool emitPage(const RecordKeeper &records, raw_ostream &os) {
  std::vector<NamedIndex> tiers = readIndexed(records, "Tier"), routes = readIndexed(records, "RouteKind");
  os << "# Targets\n\n"
     << "`--target` takes a name of the first two columns, in any case, with or without spaces. A chip that is not here gets "
        "the worst value of every limit and the constraints of every tier.\n\n"
     << "| target | also | tier | engine sets | silicon | devices report | MIL path | note |\n|---|---|---|---:|---|---|---|---|\n";
  for (const ChipEntry &chip : readChips(records))
    os << "| " << chip.target << " | " << join(chip.aliases, ", ") << " | " << chip.tier << " | " << chip.ne << " | "
       << chip.silicon << " | " << join(chip.runtimeNames, ", ") << " | "
       << (!chip.selectable ? "not a target" : chip.hasMIL ? "yes" : "no") << " | " << chip.note << " |\n";
  os << "\n## Tiers and routes\n\n";
  for (const NamedIndex &tier : tiers)
    os << "- tier " << tier.name << ": " << tier.text << "\n";
  for (const NamedIndex &route : routes)
    os << "- route " << route.name << ": " << route.text << "\n";

  os << "\n## Limits\n\n`TargetEnv::limit(Limit::NAME)`. One row for each value; the first that matches holds.\n";
  for (const LimitEntry &limit : readLimits(records)) {
    os << "\n### " << limit.name << "\n\n" << limit.summary << " [" << limit.unit << "]\n\n";
    for (const LimitRow &row : limit.rows) {
      os << "- **" << row.value << "** for tiers " << maskText(row.where.tiers, tiers) << " on routes "
         << maskText(row.where.routes, routes) << "\n";
      printEvidence(os, row.evidence, "  ");
    }
  }
  os << "\n## Numbers\n\n`TargetEnv::numeric(Numeric::NAME)`.\n";
  for (const NumericEntry &numeric : readNumerics(records)) {
    os << "\n### " << numeric.name << "\n\n**" << numeric.value << "**: " << numeric.summary << "\n\n";
    printEvidence(os, numeric.evidence);
  }
  return false;
}

static mlir::GenRegistration page("gen-ane-target-doc", "Markdown page of targets, limits and numbers", emitPage);
