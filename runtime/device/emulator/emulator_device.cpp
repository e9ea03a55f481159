//===- emulator_device.cpp - The emulated engine as a device --------------===//

#include "runtime/device/emulator/emulator_device.h"

#include "runtime/device/emulator/emulator_program.h"

namespace ane::rt::emulator {
namespace {

/// The kernels are compiled for x86-64-v3 (CMakeLists.txt of this directory).
absl::Status checkProcessor() {
#if defined(ANE_EMULATOR_X86_64_V3)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return absl::FailedPreconditionError("the emulator is built for processors with AVX2 and FMA; configure "
                                         "with -DANE_EMULATOR_ARCH=x86-64 for others");
#endif
  return absl::OkStatus();
}

class EmulatorDevice final : public Device {
public:
  explicit EmulatorDevice(const EmulatorOptions &options) : process(std::make_shared<Process>(options)) {}

  std::string_view name() const override { return "emulator"; }

  absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &desc) override {
    if (absl::Status status = checkProcessor(); !status.ok())
      return status;
    return guarded(desc.name, [&]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
      auto text = parseText(desc);
      if (!text.ok())
        return text.status();
      return std::make_unique<EmulatorProgram>(*std::move(text), desc.folder, process);
    });
  }

  /// The engine's, where it is to be taken at its word.
  ProgramBudgets budgets() const override {
    const EmulatorOptions &options = process->options;
    absl::StatusOr<lint::Target> target = lint::Target::parse(options.target);
    if (options.mode != Mode::Faithful || !target.ok())
      return {};
    return {options.machine.compilations.value_or(target->limit(lint::Limit::CompiledPrograms)),
            target->limit(lint::Limit::LoadedPrograms), target->limit(lint::Limit::LoadedBytes)};
  }

private:
  std::shared_ptr<Process> process;
};

} // namespace

std::unique_ptr<Device> makeEmulatorDevice(const EmulatorOptions &options) {
  return std::make_unique<EmulatorDevice>(options);
}

} // namespace ane::rt::emulator
