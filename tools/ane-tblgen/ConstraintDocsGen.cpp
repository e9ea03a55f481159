//===- ConstraintDocsGen.cpp - the page of constraints --------------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace ane_tblgen;

namespace {
struct Printer {
  raw_ostream &os;
  std::vector<NamedIndex> tiers, routes;

  std::string whereText(const Where &where) {
    std::string text = "tiers " + maskText(where.tiers, tiers) + "; routes " + maskText(where.routes, routes);
    if (where.osFrom)
      text += "; from macOS " + std::to_string(where.osFrom) + (where.ahead ? "" : " only");
    if (where.osTo)
      text += "; until macOS " + std::to_string(where.osTo);
    return text;
  }

  void print(const ConstraintEntry &entry) {
    os << "## " << entry.id << " " << entry.slug << "\n\n" << entry.summary << ".\n\n";
    os << "- **Symptom:** " << entry.symptom << ": " << entry.symptomText << ".\n";
    if (entry.enforcedBy == "Nobody")
      os << "- **Not enforced:** " << entry.predicate.english << ".\n- **Scope:** " << entry.scope;
    else
      os << "- **Checked:** " << entry.predicate.english << ".\n- **Scope:** " << entry.scope << ", enforced by "
         << entry.enforcedBy;
    os << (entry.catalog    ? "; one of the twenty of the published catalog.\n"
           : entry.disputed ? "; disputed: only where `--keep` names it.\n"
                            : ".\n");
    os << "- **Ops:** ";
    if (entry.anyOp)
      os << "all";
    else if (entry.ops.empty())
      os << "none, it is about programs";
    else
      os << "`" << join(entry.ops, "`, `") << "`";
    os << ".\n";
    for (const Where &where : entry.where)
      os << "- **Where:** " << whereText(where) << ".\n";
    if (!entry.passes.empty())
      os << "- **Legalised by:** `" << join(entry.passes, "`, `") << "`.\n";
    if (entry.host)
      os << "- **Placement:** the op runs on the CPU.\n";
    if (!entry.remedy.empty())
      os << "- **Remedy:** " << entry.remedy << ".\n";
    if (entry.effect != "BySymptom")
      os << "- **Faithful mode of the emulator:** " << entry.effectText << ".\n";
    for (const LiftEntry &lift : entry.lifts)
      os << "- **Lifted under `strictness=evidence`:** " << whereText(lift.where) << ": " << lift.reason
         << ". Still checked there: " << lift.remains.english << ".\n";
    if (!entry.verdict.empty())
      os << "- **Verdict:** " << entry.verdict << ".\n";
    os << "\nEvidence:\n\n";
    printEvidence(os, entry.evidence);
    os << "\n";
  }
};
} // namespace

static bool emitPage(const RecordKeeper &records, raw_ostream &os) {
  std::vector<ConstraintEntry> constraints = readConstraints(records);
  os << "# Constraints\n\n"
     << "One record per hardware fact: what must hold, what happens when it does not, where, what makes it hold, and "
        "the "
        "evidence for and against it. `ane-compile --explain=C01` prints one of them; numbers such as Q04 in the "
        "evidence are "
        "[findings](findings.md).\n\n"
     << "| id | name | symptom | scope | legalised by |\n|---|---|---|---|---|\n";
  for (const ConstraintEntry &entry : constraints)
    os << "| [" << entry.id << "](#" << StringRef(entry.id).lower() << "-" << entry.slug << ") | " << entry.slug
       << " | " << entry.symptom << " | " << entry.scope << " | "
       << (entry.passes.empty() ? std::string("see there") : "`" + join(entry.passes, "`, `") + "`") << " |\n";
  os << "\n";
  Printer printer{os, readIndexed(records, "Tier"), readIndexed(records, "RouteKind")};
  for (const ConstraintEntry &entry : constraints)
    printer.print(entry);
  os << "## Groups of ops\n\nRecords speak of several ops together by a group (`include/ane/IR/OpGroups.td`). An op "
        "names those that it is in, mostly by its family's class.\n\n";
  for (const OpGroupEntry &group : readOpGroups(records))
    os << "- **" << group.name << "**, " << group.text << ": `" << join(group.ops, "`, `") << "`\n";
  return false;
}

static mlir::GenRegistration page("gen-ane-constraint-doc", "Markdown page of all constraints", emitPage);
