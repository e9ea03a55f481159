//===- records.h - Hardware facts, as the linter reads them ---------------===//
//
// The records of include/ane/Constraint as plain tables. They are data: what a
// program must not do on which chip, route and macOS version, why, and what the
// engine does then. The rules that find it in MIL text are written here anew
// (rules.h) and share no code with the compiler.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_LINT_RECORDS_H
#define ANE_RUNTIME_DEVICE_EMULATOR_LINT_RECORDS_H

#include "absl/types/span.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::lint {

#define ANE_LINT_ENUMS
#include "runtime/lint/records.inc"
#undef ANE_LINT_ENUMS

/// Where something holds. Tiers and routes are bit masks, OS bounds are macOS
/// major versions, 0 is open.
struct Where {
  uint32_t tiers, routes;
  int64_t osFrom, osTo;
  bool ahead = true; // programs for an older OS than osFrom obey it, too
};

/// A rule by its name in the registry (rules.h); an empty name checks nothing.
struct RuleCall {
  std::string name;
  std::vector<std::string> arguments;
};

/// Under strictness "evidence", what is left of a rule of the catalog there.
struct Lift {
  Where where;
  RuleCall remains;
};

struct Record {
  std::string id, slug;
  Symptom symptom;
  Effect effect;
  bool catalog;                 ///< one of the twenty published ones
  bool perOp;                   ///< about single operations, else about functions
  bool anyOp;                   ///< about all operations
  std::vector<std::string> ops; ///< MIL names
  RuleCall rule;
  std::vector<Where> where;
  std::vector<Lift> lifts;
  std::string summary, remedy;
  std::string noRule; ///< why there is nothing to find in a program
  std::vector<std::string> evidence;

  /// Slowness and a few lost bits make nothing illegal, unless the catalog says
  /// so.
  bool isHarmful() const { return catalog || (symptom != Symptom::Slow && symptom != Symptom::Inaccurate); }
};

/// A compiler target. `tier` indexes kTiers.
struct Chip {
  std::string name;
  unsigned tier;
  std::vector<std::string> aliases; ///< lower case, no spaces
  bool hasMIL;
  bool mSeries; ///< in Macs: a member of the set any-m
};

/// In the order of their ids.
absl::Span<const Record> allRecords();
/// By id ("C05"); null when there is none.
const Record *findRecord(std::string_view id);
/// From now on the record with that id holds nowhere in this process; "" ends
/// that. With it a test shows that it needs the record's rule or effect.
void switchOffForTesting(std::string id);
bool isSwitchedOff(const Record &record);
absl::Span<const Chip> allChips();
absl::Span<const char *const> allRoutes();

/// Value of a limit for programs that must run on macOS `os`.
int64_t limitOf(Limit limit, unsigned tier, unsigned route, int64_t os);
/// Of two chips the one with the lower value is worse.
bool isWorstLow(Limit limit);
double numericOf(Numeric number);
/// By the name in its record.
std::optional<Limit> findLimit(std::string_view name);

/// First opset that has the operation (16 is ios16); 0 when it is not known.
int opsetOf(std::string_view op);

/// Whether the record of the operation names that group (include/ane/IR/OpGroups.td).
bool isIn(OpGroup group, std::string_view op);

std::string_view symptomText(Symptom symptom);

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_DEVICE_EMULATOR_LINT_RECORDS_H
