//===- emulator_program.h - A program of the emulated engine ----*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_EMULATOR_PROGRAM_H
#define ANE_RUNTIME_DEVICE_EMULATOR_EMULATOR_PROGRAM_H

#include "runtime/device/emulator/judgement.h"
#include "runtime/device/emulator/procedure.h"

#include <memory>
#include <vector>

namespace ane::rt::emulator {

/// Reads weights and gets memory when it is loaded, and gives both up when it is unloaded.
class EmulatorProgram final : public DeviceProgram {
public:
  /// `folder` has its weights.
  EmulatorProgram(std::shared_ptr<const ParsedText> text, std::shared_ptr<const Folder> folder,
                  std::shared_ptr<Process> process)
      : text(std::move(text)), folder(std::move(folder)), process(std::move(process)) {}
  ~EmulatorProgram() override { leave(); }

  absl::Status load() override;
  void unload() override;
  absl::StatusOr<std::unique_ptr<Request>> request(size_t procedure, absl::Span<Surface *const> inputs,
                                                   absl::Span<Surface *const> outputs) override;
  absl::StatusOr<Completion> submit(const Request &request) override;

protected:
  absl::Status compileNow() override;
  absl::StatusOr<std::unique_ptr<DeviceProgram>> updateWeightsNow(WeightWay way, std::shared_ptr<const Folder> files,
                                                                  absl::Span<const WeightRange> changed) override;

private:
  absl::Status makeProcedures();
  ConstantOptions constantOptions() const;
  absl::Status run(const Request &request);
  absl::Status checkFiles() const;
  /// Takes and gives up a place among the loaded programs of the process.
  void enter();
  void leave();
  const std::string &name() const { return text->desc.name; }
  /// Of faithful mode; null in others.
  const Machine *machine() const {
    return process->options.mode == Mode::Faithful ? &process->options.machine : nullptr;
  }

  const std::shared_ptr<const ParsedText> text;
  const std::shared_ptr<const Folder> folder;
  const std::shared_ptr<Process> process;
  Judgement judgement;
  std::vector<std::unique_ptr<Procedure>> procedures;
  int64_t compiledBefore = 0; ///< in the process
  bool isLoaded = false;
  bool isGone = false; ///< it was patched
};

/// What `body` gives, or the status of a process without memory.
template <typename F>
auto guarded(const std::string &program, F body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError(absl::StrCat("program '", program, "': no memory"));
  }
}

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_EMULATOR_PROGRAM_H
