//===- context.cpp - What the bundles of a process share ------------------===//
#include "runtime/core/context.h"
#include "runtime/support/of_process.h"

namespace ane::rt {

std::shared_ptr<Context> Context::process() { return ofProcess<Context>(); }

absl::StatusOr<std::shared_ptr<ThreadPool>> Context::pool(int threads) {
  return pools.get(
      threads, [&]() -> absl::StatusOr<std::unique_ptr<ThreadPool>> { return std::make_unique<ThreadPool>(threads); });
}

absl::StatusOr<std::shared_ptr<SurfacePool>> Context::surfaces(const std::shared_ptr<Device> &device) {
  return surfacePools.get(device.get(), [&]() -> absl::StatusOr<std::unique_ptr<SurfacePool>> {
    return std::make_unique<SurfacePool>(device, surfacesInUse);
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
