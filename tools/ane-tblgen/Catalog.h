//===- Catalog.h - constraint and target records as C++ --------*- C++ -*-===//
//
// All generators read records through this file, which is also where a bad record is refused, at its place in the .td.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_TOOLS_ANE_TBLGEN_CATALOG_H
#define ANE_TOOLS_ANE_TBLGEN_CATALOG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"
#include <cstdint>
#include <string>
#include <vector>

namespace ane_tblgen {

using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;

struct EvidenceEntry {
  std::string source, title, chip, os, strength, finding, note;
  std::vector<std::string> routes; // of the source
  int64_t macOS;                   // the major version in `os`, 0 where the source tells none
};

/// Tiers and routes as bit masks over their indices.
struct Where {
  uint32_t tiers, routes;
  int64_t osFrom, osTo;
  bool ahead = true;
};

struct PredicateEntry {
  std::string english, body, function;
  bool wantsRanges; // as an argument of the function
  std::string rule; // of the emulator's linter
  std::vector<std::string> ruleArguments;
};

/// What measured a rule to be false, and on which of a lift's tiers and routes.
struct LiftEvidence {
  uint32_t tiers, routes;
  EvidenceEntry evidence;
};

struct LiftEntry {
  Where where;
  std::string reason;
  PredicateEntry remains;
  std::vector<LiftEvidence> evidence;
};

struct ConstraintEntry {
  const Record *record;
  std::string id, slug, summary, symptom, symptomText, scope, remedy, enforcedBy, verdict, effect, effectText, noRule;
  std::vector<std::string> ops;    // "ane.concat"
  std::vector<std::string> passes; // "ane-legalize-concat"
  std::vector<std::string> passSummaries;
  bool anyOp, catalog, host, disputed;
  PredicateEntry predicate;
  std::vector<Where> where;
  std::vector<LiftEntry> lifts;
  std::vector<EvidenceEntry> evidence;
};

struct ChipEntry {
  const Record *record;
  std::string target, tier, silicon, note;
  int64_t ne, tierIndex, clockMHz, effectiveMHz;
  std::vector<std::string> aliases, runtimeNames;
  bool hasMIL, mSeries;
  std::vector<EvidenceEntry> evidence;
};

struct NamedIndex {
  std::string name, text;
  int64_t index;
};

struct LimitRow {
  Where where;
  int64_t value;
  std::vector<EvidenceEntry> evidence;
};

struct LimitEntry {
  std::string name, unit, summary;
  bool worstIsLow;
  std::vector<LimitRow> rows; // the first that matches holds; they cover all tiers, routes and versions
};

struct FactRow {
  uint32_t tiers;
  std::vector<const Record *> chips;
  int64_t value;
  std::vector<EvidenceEntry> evidence;
};

struct FactEntry {
  std::string name, group, unit, summary;
  std::vector<FactRow> rows;
  /// The first row that matches; null where no source says it.
  const FactRow *at(const ChipEntry &chip) const;
};

struct NumericEntry {
  std::string name, value, summary;
  std::vector<EvidenceEntry> evidence;
};

/// Ops that records name together.
struct OpGroupEntry {
  std::string name, text;
  std::vector<std::string> ops;     // "concat"
  std::vector<std::string> classes; // "ConcatOp"
};

/// The readers end the process with an error at the record when it breaks a rule of Constraint.td.
/// Constraints and limits are sorted by id or kept in file order, chips in file order.
std::vector<ConstraintEntry> readConstraints(const RecordKeeper &records);
std::vector<ChipEntry> readChips(const RecordKeeper &records);
std::vector<LimitEntry> readLimits(const RecordKeeper &records);
std::vector<FactEntry> readFacts(const RecordKeeper &records);
std::vector<NumericEntry> readNumerics(const RecordKeeper &records);
/// Those that an op of the records is in.
std::vector<OpGroupEntry> readOpGroups(const RecordKeeper &records);
EvidenceEntry readEvidence(const Record *record);
/// The field `evidence` of a record.
std::vector<EvidenceEntry> readEvidenceList(const Record *record);
/// Records of class Tier or RouteKind, by index.
std::vector<NamedIndex> readIndexed(const RecordKeeper &records, StringRef className);

/// A C++ string literal.
std::string quoted(StringRef text);
/// "H13, H14" or "all" for a mask over names.
std::string maskText(uint32_t mask, const std::vector<NamedIndex> &names);
/// {"maderix", "M4", "macOS 15", "measured", 1, "..."} of an EvidenceInfo.
void emitEvidence(const EvidenceEntry &evidence, llvm::raw_ostream &os);
/// "{limit, tiers, routes, last macOS, value}, " for each row, in order.
void emitLimitRows(const std::vector<LimitEntry> &limits, llvm::raw_ostream &os);
/// Prints evidence as a Markdown list.
void printEvidence(llvm::raw_ostream &os, const std::vector<EvidenceEntry> &evidence, StringRef indent = "");

} // namespace ane_tblgen

#endif // ANE_TOOLS_ANE_TBLGEN_CATALOG_H
