//===- context.cpp - What the bundles of a process share ------------------===//
#include "runtime/core/context.h"
#include "runtime/core/devices.h"
#include <unistd.h>

namespace ane::rt {

std::shared_ptr<Context> Context::process() {
  // Never freed: threads may use it while the process ends.
  struct Owned {
    pid_t owner;
    std::shared_ptr<Context> context;
  };
  static std::mutex mutex;
  static Owned *current = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (!current || current->owner != getpid())
    current = new Owned{getpid(), std::make_shared<Context>()};
  return current->context;
}

absl::StatusOr<std::shared_ptr<ThreadPool>> Context::pool(int threads) {
  return pools.get(
      threads, [&]() -> absl::StatusOr<std::unique_ptr<ThreadPool>> { return std::make_unique<ThreadPool>(threads); });
}

absl::StatusOr<std::shared_ptr<Device>> Context::device(const std::string &name, const std::string &emulatorMode,
                                                        const manifest::Target &target) {
  if (absl::Status status = checkDeviceName(name); !status.ok())
    return status;
  if (!hasPrograms(name))
    return std::shared_ptr<Device>();
  // The engine is one, whatever programs are for; the emulator stands for each target's.
  const std::string device = resolvedDevice(name);
  std::string key = device == "emulator" ? absl::StrCat(name, "\n", emulatorMode, "\n", target.chip, "\n", target.route,
                                                        "\n", target.os, "\n", target.strictness)
                                         : device;
  return devices.get(key, [&] { return makeDevice(name, emulatorMode, target); });
}

absl::StatusOr<std::shared_ptr<SurfacePool>> Context::surfaces(const std::shared_ptr<Device> &device) {
  return surfacePools.get(device.get(), [&]() -> absl::StatusOr<std::unique_ptr<SurfacePool>> {
    return std::make_unique<SurfacePool>(device, surfacesInUse);
  });
}

absl::StatusOr<std::shared_ptr<DevicePrograms>> Context::programs(const std::shared_ptr<Device> &device) {
  return devicePrograms.get(device.get(), [&]() -> absl::StatusOr<std::unique_ptr<DevicePrograms>> {
    auto made = std::make_unique<DevicePrograms>();
    made->device = device;
    made->known = device->budgets();
    return made;
  });
}

absl::StatusOr<std::shared_ptr<CachedProgram>> Context::program(const std::string &key,
                                                                std::shared_ptr<DevicePrograms> device,
                                                                std::string name, int64_t bytes,
                                                                CachedProgram::Creator creator) {
  return cachedPrograms.get(key, [&]() -> absl::StatusOr<std::unique_ptr<CachedProgram>> {
    return std::make_unique<CachedProgram>(programCache, std::move(device), std::move(name), bytes, std::move(creator));
  });
}

} // namespace ane::rt
