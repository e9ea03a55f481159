//===- ConstraintsGen.cpp - ids and the info table -----------------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace ane_tblgen;

static bool emitIDs(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-constraint-ids.\n";
  os << "enum class ConstraintID : unsigned {\n";
  std::vector<ConstraintEntry> constraints = readConstraints(records);
  for (const ConstraintEntry &constraint : constraints)
    os << "  " << constraint.id << ", // " << constraint.slug << ": " << constraint.summary << "\n";
  os << "  // by the names of the records\n";
  for (const ConstraintEntry &constraint : constraints)
    os << "  " << constraint.record->getName() << " = " << constraint.id << ",\n";
  os << "};\ninline constexpr unsigned numConstraints = " << constraints.size() << ";\n";
  return false;
}

static void emitWhere(const Where &where, raw_ostream &os) {
  os << "{" << where.tiers << "u, " << where.routes << "u, " << where.osFrom << ", " << where.osTo << ", "
     << (where.ahead ? "true" : "false") << "}";
}

static bool emitTable(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-constraint-table.\n";
  std::vector<ConstraintEntry> constraints = readConstraints(records);
  for (const ConstraintEntry &entry : constraints) {
    auto list = [&](StringRef type, const std::string &name, auto &&rows, auto &&print) {
      if (rows.empty())
        return;
      os << "static const " << type << " " << entry.id << name << "[] = {";
      for (const auto &row : rows)
        print(row);
      os << "};\n";
    };
    auto text = [&](const std::string &value) { os << quoted(value) << ", "; };
    list("StringRef", "Ops", entry.ops, text);
    list("StringRef", "Passes", entry.passes, text);
    list("StringRef", "PassSummaries", entry.passSummaries, text);
    list("Applicability", "Where", entry.where, [&](const Where &where) {
      emitWhere(where, os);
      os << ", ";
    });
    for (auto [i, lift] : llvm::enumerate(entry.lifts))
      list("LiftEvidence", "Lift" + std::to_string(i) + "Evidence", lift.evidence, [&](const LiftEvidence &found) {
        os << "{" << found.tiers << "u, " << found.routes << "u, ";
        emitEvidence(found.evidence, os);
        os << "}, ";
      });
    size_t lifts = 0;
    list("LiftInfo", "Lifts", entry.lifts, [&](const LiftEntry &lift) {
      os << "{";
      emitWhere(lift.where, os);
      os << ", " << quoted(lift.reason) << ", " << entry.id << "Lift" << lifts++ << "Evidence}, ";
    });
    list("EvidenceInfo", "Evidence", entry.evidence, [&](const EvidenceEntry &evidence) {
      os << "\n  ";
      emitEvidence(evidence, os);
      os << ", ";
    });
  }
  os << "\nstatic const ConstraintInfo constraintTable[] = {\n";
  for (const ConstraintEntry &entry : constraints) {
    auto slice = [&](StringRef name, size_t size) {
      if (size)
        os << ", " << entry.id << name;
      else
        os << ", {}";
    };
    os << "  {ConstraintID::" << entry.id << ", " << quoted(entry.id) << ", " << quoted(entry.slug) << ",\n   "
       << quoted(entry.summary) << ",\n   " << quoted(entry.predicate.english) << ",\n   Symptom::" << entry.symptom
       << ", " << quoted(entry.symptomText) << ", Scope::" << entry.scope << ", Enforcer::" << entry.enforcedBy << ", "
       << (entry.catalog ? "true" : "false") << ", " << (entry.anyOp ? "true" : "false") << ", "
       << (entry.host ? "true" : "false") << ", " << (entry.disputed ? "true" : "false");
    slice("Ops", entry.ops.size());
    slice("Passes", entry.passes.size());
    slice("PassSummaries", entry.passSummaries.size());
    slice("Where", entry.where.size());
    slice("Lifts", entry.lifts.size());
    slice("Evidence", entry.evidence.size());
    os << ",\n   " << quoted(entry.remedy) << ", " << quoted(entry.verdict) << "},\n";
  }
  os << "};\n";
  return false;
}

static mlir::GenRegistration ids("gen-ane-constraint-ids", "Enum of constraint ids", emitIDs);
static mlir::GenRegistration table("gen-ane-constraint-table", "Table of constraint records", emitTable);
