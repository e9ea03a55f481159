//===- linter.h - Documented misuse of the engine, found in programs ------===//
//
// The linter reads MIL text, weight files and surface descriptions on its own
// and names every record of the catalog that a program breaks on a target.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_LINT_LINTER_H
#define ANE_RUNTIME_DEVICE_EMULATOR_LINT_LINTER_H

#include "runtime/format/mil/program_desc.h"
#include "runtime/lint/diagnostic.h"

#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::lint {

struct LintOptions {
  /// The functions that are meant, and how inputs and outputs lie in memory; empty:
  /// all functions. Without surfaces the rules about allocations are warnings that
  /// say what to allocate.
  std::vector<ProcedureDesc> procedures = {};
  /// Where the weight files are; those that are not there are not checked.
  const Folder *folder = nullptr;
  /// Programs that the process has compiled before this one (C05).
  int64_t compiled = 0;
  /// Programs that are loaded now, and the bytes of their weights.
  int64_t loadedPrograms = 0, loadedBytes = 0;
  /// The text, for what the syntax tree does not keep; may be empty.
  std::string_view source;
  /// Weight files that were changed after the program was loaded (C07).
  std::vector<std::string> changedFiles;
  /// Records that only may hold are left out (Target::measuredRuleOf), as are
  /// those of speed and accuracy.
  bool measuredOnly = false;
};

/// In the order of the text.
std::vector<Diagnostic> lint(const mil::Program &program, const Target &target, const LintOptions &options = {});

/// Whether the records have heard of an operation of that name.
bool isKnownOperation(std::string_view op);

/// Paths of the weight files that a program names and that are there.
std::vector<std::string> weightFiles(const mil::Program &program, const Folder &folder);

/// What a linter of hand-written MIL prints.
struct LintReport {
  std::string text; ///< printText or printJson
  bool failed;      ///< some diagnostic is an error
};

/// Parses and lints MIL text; InvalidArgument for text that is no MIL and for
/// targets that do not exist. `modelDir` has the weight files, if it is there.
absl::StatusOr<LintReport> lintSource(const std::string &source, const std::string &fileName,
                                      const std::string &modelDir, const TargetSpelling &target, bool json);

/// OK, or InvalidArgument with all errors as printText gives them.
absl::Status lintStatus(absl::Span<const Diagnostic> diagnostics, const Target &target, std::string_view fileName,
                        std::string_view source);

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_DEVICE_EMULATOR_LINT_LINTER_H
