//===- rules.h - How each record is found in a program --------------------===//
//
// A record names a rule and its arguments. A rule is a function that looks at
// one statement (records about operations) or at one function (the others) and
// reports what it finds. Rules are grouped by subject, one file each;
// registry.cpp lists them.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_LINT_RULES_H
#define ANE_RUNTIME_DEVICE_EMULATOR_LINT_RULES_H

#include "absl/strings/str_cat.h"
#include "runtime/lint/linter.h"
#include "runtime/lint/view.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::lint {

/// An input or output of the function that is linted.
struct PortView {
  bool isInput;
  std::string name;
  const Definition *definition;
  mil::Location loc;
  /// Null where nothing is known of the allocation.
  const SurfaceDesc *surface;

  const mil::Type &type() const { return definition->type(); }
  /// "input 'x'".
  std::string subject() const;
  /// Of the surface, or the least that the engine's rows of 64 bytes take
  /// (ane-programming.md 2.3).
  int64_t bytes() const;
};

/// What a rule sees, and where it reports.
class RuleContext {
public:
  RuleContext(const FunctionView &view, const Target &target, const LintOptions &options, std::vector<Diagnostic> &out)
      : view(view), target(target), options(options), out(out) {}

  const FunctionView &view;
  const Target &target;
  const LintOptions &options;
  const mil::Program *program = nullptr;
  /// How the function's inputs and outputs lie in memory; null where nobody says.
  const ProcedureDesc *procedure = nullptr;
  /// Of the functions that are meant. What is said of the program, is said of this
  /// one.
  bool isFirst = true;
  /// The statement; null for rules about functions.
  const mil::Statement *statement = nullptr;
  /// Of the record, e.g. the name of an operand.
  const std::vector<std::string> *arguments = nullptr;
  const Record *record = nullptr;

  int64_t limit(Limit which) const { return target.limit(which); }
  std::vector<PortView> ports() const;
  std::vector<PortView> ports(bool inputs) const;

  /// At the operation, or at the function.
  Diagnostic &report(std::string subject, std::string actual, std::string limit = "");
  Diagnostic &reportAt(mil::Location loc, std::string subject, std::string actual, std::string limit = "");
  Diagnostic &reportPort(const PortView &port, std::string subject, std::string actual, std::string limit = "");
  /// Reports `subject` where `actual` is above `limit`.
  void atMost(int64_t actual, int64_t limit, std::string_view subject);
  void atMost(int64_t actual, Limit which, std::string_view subject) { atMost(actual, limit(which), subject); }

private:
  std::vector<Diagnostic> &out;
  Diagnostic surplus; ///< the last that found no room in `out`
};

using RuleFunction = void (*)(RuleContext &);

struct RuleEntry {
  std::string_view name;
  RuleFunction function;
};

/// Null when there is none.
RuleFunction findRule(std::string_view name);

// Tables of the subjects.
absl::Span<const RuleEntry> declarativeRules();
absl::Span<const RuleEntry> surfaceRules();
absl::Span<const RuleEntry> programRules();
absl::Span<const RuleEntry> blobRules();
absl::Span<const RuleEntry> typeRules();
absl::Span<const RuleEntry> spellingRules();
absl::Span<const RuleEntry> windowRules();
absl::Span<const RuleEntry> rangeRules();
absl::Span<const RuleEntry> sliceRules();
absl::Span<const RuleEntry> attentionRules();
absl::Span<const RuleEntry> neighbourRules();
absl::Span<const RuleEntry> extentRules();
absl::Span<const RuleEntry> speedRules();
absl::Span<const RuleEntry> compressionRules();
absl::Span<const RuleEntry> legalityRules();

/// "operand 'x'", "operand 'values'[1]".
std::string operandSubject(const Use &use);

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_DEVICE_EMULATOR_LINT_RULES_H
