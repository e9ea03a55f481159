//===- Legality.h - op x chip legality, read and resolved ------*- C++ -*-===//
#ifndef ANE_TOOLS_ANE_TBLGEN_LEGALITY_H
#define ANE_TOOLS_ANE_TBLGEN_LEGALITY_H

#include "Catalog.h"
#include "llvm/ADT/STLFunctionalExtras.h"
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
  int64_t lastSeen; // the newest macOS of the evidence that supports it, 0 where some of that names none
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

/// Answers for the tiers and routes of a set of records, and programs for a macOS and all later ones (0: for any).
class LegalityResolver {
public:
  explicit LegalityResolver(const RecordKeeper &records);
  Resolved resolve(const LegalityEntry &entry, int64_t tier, int64_t route, int64_t os) const;
  /// The worst over all tiers that have MIL: what a chip without a record gets.
  Resolved resolveUnknownTier(const LegalityEntry &entry, int64_t route, int64_t os) const;

private:
  Resolved worst(const LegalityEntry &entry, std::vector<unsigned> rows, Origin origin) const;

  std::vector<StatusEntry> statuses;
  std::vector<NamedIndex> tiers;
};

/// What answers for an op come to in text, and the macOS from which it holds: from any on (0), then wherever it
/// changes.
using TextByOS = std::vector<std::pair<int64_t, std::string>>;
TextByOS textByOS(const LegalityEntry &entry, llvm::function_ref<std::string(int64_t os)> textFor);

} // namespace ane_tblgen

#endif // ANE_TOOLS_ANE_TBLGEN_LEGALITY_H
