//===- diagnostic.h - What the linter found -------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_LINT_DIAGNOSTIC_H
#define ANE_RUNTIME_DEVICE_EMULATOR_LINT_DIAGNOSTIC_H

#include "absl/types/span.h"
#include "runtime/format/mil/ast.h"
#include "runtime/lint/target.h"

#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::lint {

struct Diagnostic {
  /// The fact that is violated.
  const Record *record = nullptr;
  /// Does not fail: slow or inaccurate only, or a matter of how surfaces will
  /// be allocated.
  bool warning = false;
  mil::Location loc;
  std::string function;        ///< of the program
  bool isOneOfSeveral = false; ///< the function, in the program
  std::string op;              ///< empty where the function as a whole is meant
  /// "input channels", "98304", "31999"; `limit` may be empty or a phrase.
  std::string subject, actual, limit;
  std::string remedy;
  /// Inputs and outputs that the fault is about, or the results of the
  /// operation.
  std::vector<std::string> ports, results;
  bool isInput = false; ///< the port is one

  /// "C05".
  const std::string &code() const { return record->id; }
  /// "'tile' violates C48 tile on h16 (in_memory, macOS 15): ...".
  std::string message(const Target &target) const;
};

/// Whether the program must not be loaded.
bool hasErrors(absl::Span<const Diagnostic> diagnostics);

/// Like a compiler's messages: place, severity, message, the line with a caret,
/// notes with remedy and where to read on.
std::string printText(absl::Span<const Diagnostic> diagnostics, const Target &target, std::string_view fileName,
                      std::string_view source);

/// One object: {"file", "target", "errors", "warnings", "diagnostics": [{"id",
/// "slug", "severity", "symptom", "line", "column", "function", "op",
/// "subject", "actual", "limit", "message", "summary", "remedy",
/// "evidence": [..]}]}.
std::string printJson(absl::Span<const Diagnostic> diagnostics, const Target &target, std::string_view fileName);

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_DEVICE_EMULATOR_LINT_DIAGNOSTIC_H
