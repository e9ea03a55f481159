//===- Legality.h - op x chip legality, read and resolved ------*- C++ -*-===//
#ifndef ANE_TOOLS_ANE_TBLGEN_LEGALITY_H
#define ANE_TOOLS_ANE_TBLGEN_LEGALITY_H

#include "Catalog.h"
#include <optional>

namespace ane_tblgen {

struct StatusEntry {
  std::string name, mark, text;
  int64_t index;
  bool runs, fact;
};

/// A row of a record. `routes` is 0 for what the compiler's tables say, which is bound to no route.
struct LegalityRowEntry {
  StatusEntry status;
  uint32_t tiers, routes;
  std::string condition;
  std::vector<EvidenceEntry> evidence;
};

struct LegalityEntry {
  const Record *record;
  std::vector<std::string> names; // MIL names, or mnemonics of the dialect where MIL has none
  std::string family, form, note;
  std::vector<LegalityRowEntry> rows;
};

/// Where an answer comes from, see Legality.td.
enum class Origin { Exact, OtherTier, Tables, Nothing };

struct Resolved {
  StatusEntry status;
  Origin origin = Origin::Nothing;
  int64_t fromTier = 0;       // of OtherTier, and of an unknown chip
  bool conflict = false;      // rows or their evidence contradict each other
  std::vector<unsigned> rows; // that decided
};

/// All statuses, from best to worst; the last one is unknown.
std::vector<StatusEntry> readStatuses(const RecordKeeper &records);
/// In file order. Ends the process with an error at a record that breaks a rule of Legality.td.
std::vector<LegalityEntry> readLegality(const RecordKeeper &records);

/// Answers for the tiers and routes of a set of records.
class LegalityResolver {
public:
  explicit LegalityResolver(const RecordKeeper &records);
  Resolved resolve(const LegalityEntry &entry, int64_t tier, int64_t route) const;
  /// The worst over all tiers that have MIL: what a chip without a record gets.
  Resolved resolveUnknownTier(const LegalityEntry &entry, int64_t route) const;

private:
  Resolved worst(const LegalityEntry &entry, std::vector<unsigned> rows, Origin origin) const;

  std::vector<StatusEntry> statuses;
  std::vector<NamedIndex> tiers;
};

} // namespace ane_tblgen

#endif // ANE_TOOLS_ANE_TBLGEN_LEGALITY_H
