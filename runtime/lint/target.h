//===- target.h - The engine that a program is linted for -----------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_LINT_TARGET_H
#define ANE_RUNTIME_DEVICE_EMULATOR_LINT_TARGET_H

#include "absl/status/statusor.h"
#include "runtime/lint/records.h"

#include <string>
#include <vector>

namespace ane::rt::lint {

/// Words of a target, as command lines and manifests spell them. Empty words
/// are the defaults of the compiler: h16, in_memory, 15, catalog.
struct TargetSpelling {
  std::string chip;       ///< "m4", "Apple M4 Pro"; several: "h13,h16", "any-m"
  std::string route;      ///< "in_memory", "coreml", "e5rt", "netlist"
  std::string os;         ///< macOS major version: "15", "macos15"
  std::string strictness; ///< "catalog" or "evidence"
};

/// One chip, or several that a program must be legal on: then a limit is the
/// worst of theirs, a record holds where it may hold on one of them, and a rule
/// is lifted where it is on all.
class Target {
public:
  /// InvalidArgument with what there is to choose from.
  static absl::StatusOr<Target> parse(const TargetSpelling &spelling);

  int64_t limit(Limit limit) const;
  /// The oldest macOS that must run the program.
  int64_t macOS() const { return os; }
  /// Indices of the tiers and the route in a table of tiers by routes.
  std::vector<size_t> cells() const;
  /// The chips that run no program in MIL: "h11, h12"; empty if all do.
  std::string withoutMIL() const;
  /// "h16 (in_memory, macOS 15)".
  std::string str() const;

  /// Whether a fact may hold here: bounds of the OS from below are no excuse,
  /// a fault that was seen in one version may be older.
  bool mayApply(const Where &where) const;
  /// Whether its bounds include this OS.
  bool includesOS(const Where &where) const;

  /// The rule of a record that is in force here: its own, or what the lift of
  /// strictness "evidence" leaves. Null when the record does not hold here.
  const RuleCall *ruleOf(const Record &record) const;
  /// ruleOf, for faithful emulation: only where the OS is in the bounds.
  const RuleCall *measuredRuleOf(const Record &record) const;
  /// Whether the engine does here what the record says, be there a rule for
  /// programs or not.
  bool wasSeen(const Record &record) const;

private:
  /// The lift of a record that was seen to hold on a tier, or null.
  const Lift *liftOf(const Record &record, unsigned tier) const;
  bool matches(const Where &where) const;
  /// Whether some place of the record includes this tier, route and OS.
  bool includes(const Record &record) const;

  std::vector<const Chip *> chips; ///< one at least
  unsigned route = 0;
  int64_t os = 15;
  bool evidence = false;
};

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_DEVICE_EMULATOR_LINT_TARGET_H
