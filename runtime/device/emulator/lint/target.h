//===- target.h - The engine that a program is linted for -----------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_LINT_TARGET_H
#define ANE_RUNTIME_DEVICE_EMULATOR_LINT_TARGET_H

#include "absl/status/statusor.h"
#include "runtime/device/emulator/lint/records.h"

#include <string>

namespace ane::rt::lint {

/// Words of a target, as command lines and manifests spell them. Empty words
/// are the defaults of the compiler: h16, in_memory, 15, catalog.
struct TargetSpelling {
  std::string chip;       ///< "m4", "h16", "Apple M4 Pro"
  std::string route;      ///< "in_memory", "coreml", "e5rt", "netlist"
  std::string os;         ///< macOS major version: "15", "macos15"
  std::string strictness; ///< "catalog" or "evidence"
};

class Target {
public:
  /// InvalidArgument with what there is to choose from.
  static absl::StatusOr<Target> parse(const TargetSpelling &spelling);

  int64_t limit(Limit limit) const { return limitOf(limit, tier, route); }
  /// Index of the tier and route in a table of tiers by routes.
  size_t cell() const { return size_t(tier) * kRoutes + route; }
  bool hasMIL() const { return chip->hasMIL; }
  const std::string &chipName() const { return chip->name; }
  /// "h16 (in_memory, macOS 15)".
  std::string str() const;

  /// Whether a fact may hold here: bounds of the OS from below are no excuse,
  /// a fault that was seen in one version may be older.
  bool mayApply(const Where &where) const;
  /// Whether it was seen to hold here.
  bool surelyApplies(const Where &where) const;
  /// Whether its bounds include this OS.
  bool includesOS(const Where &where) const;

  /// The rule of a record that is in force here: its own, or what the lift of
  /// strictness "evidence" leaves. Null when the record does not hold here.
  const RuleCall *ruleOf(const Record &record) const;
  /// ruleOf, for faithful emulation: only where the OS is in the bounds.
  const RuleCall *measuredRuleOf(const Record &record) const;

private:
  const Chip *chip = nullptr;
  unsigned tier = 0, route = 0;
  int64_t os = 15;
  bool evidence = false;
};

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_DEVICE_EMULATOR_LINT_TARGET_H
