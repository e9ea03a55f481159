//===- judgement.h - What the records say of a program ----------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_JUDGEMENT_H
#define ANE_RUNTIME_DEVICE_EMULATOR_JUDGEMENT_H

#include "runtime/device/device.h"
#include "runtime/device/emulator/emulator_device.h"
#include "runtime/device/emulator/faithful.h"
#include "runtime/format/mil/ast.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ane::rt::emulator {

/// What all programs of a device share: one process of the engine's users.
/// Programs are compiled, loaded, run and destroyed on any thread.
struct Process {
  explicit Process(EmulatorOptions options) : options(std::move(options)) {}
  /// How many programs were compiled before one that is given to `compile` (C05). One with the identity of an earlier
  /// one is not compiled again; one without is.
  int64_t compiledBefore(const std::optional<std::string> &identity);

  const EmulatorOptions options;
  std::atomic<int64_t> loaded{0}, loadedBytes{0}; ///< now, and of their weight files
  std::atomic<bool> poisoned{false};              ///< by a program that must not be (C48)
  std::atomic<int64_t> evaluations{0};            ///< that were asked for

private:
  std::mutex mutex; ///< of the following
  int64_t compiled = 0;
  std::unordered_map<std::string, int64_t> places; ///< of identities: what was compiled before
};

/// A parsed program, which its loads and those with other weights share.
struct ParsedText {
  ProgramDesc desc; ///< its text is in `tree`, too
  mil::Program tree;
  std::string source; ///< what messages call the text
};

absl::StatusOr<std::shared_ptr<const ParsedText>> parseText(const ProgramDesc &desc);

/// Counts the compilation of a text: how many there were before in the process, or what a machine of faithful mode says
/// that compiles no more.
absl::StatusOr<int64_t> countCompilation(const ParsedText &text, Process &process);

/// Size and time of a weight file when it was read.
struct FileStamp {
  std::string path;
  int64_t bytes = 0;
  std::pair<int64_t, int64_t> time;

  static FileStamp of(const Folder &folder, const std::string &path);
  bool operator!=(const FileStamp &other) const { return bytes != other.bytes || time != other.time; }
};

/// What a mode adds to running.
struct Judgement {
  std::vector<Behaviour> behaviours; ///< of each procedure
  int64_t weightBytes = 0;           ///< of the files
  /// Lint mode: looked at before each evaluation.
  std::vector<FileStamp> weights;
  std::function<absl::Status(std::vector<std::string>)> reportChanged; ///< may be called on any thread
};

/// Lints a program that is to be loaded with the weights in `folder`: the errors in lint mode, what happens in faithful
/// mode.
absl::StatusOr<Judgement> judge(const std::shared_ptr<const ParsedText> &text, int64_t compiledBefore,
                                const std::shared_ptr<const Folder> &folder, const Process &process);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_JUDGEMENT_H
