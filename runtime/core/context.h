//===- context.h - What the bundles of a process share ----------*- C++ -*-===//
//
// Threads, surfaces and loaded programs belong to no bundle: two pools of threads
// would be in each other's way. Bundles of one context share them; each is freed
// with its last user. Devices and their budgets are the process's (devices.h).
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_CONTEXT_H
#define ANE_RUNTIME_CORE_CONTEXT_H

#include "runtime/core/program_cache.h"
#include "runtime/core/shared_table.h"
#include "runtime/core/surface_pool.h"
#include "runtime/device/cpu/thread_pool.h"

namespace ane::rt {

class Context {
public:
  Context() = default;
  Context(const Context &) = delete;

  /// The one of this process. A child of fork() gets another: its parent's has
  /// threads that the child does not have.
  static std::shared_ptr<Context> process();

  Log &log() { return logger; }
  ProgramCache &cache() { return programCache; }

  /// The pool of that many threads, see resolveThreadCount.
  absl::StatusOr<std::shared_ptr<ThreadPool>> pool(int threads);

  /// The pool of surfaces of a device.
  absl::StatusOr<std::shared_ptr<SurfacePool>> surfaces(const std::shared_ptr<Device> &device);
  SurfaceUse &surfaceUse() { return surfacesInUse; }

  /// The program of that key, which names device, files and program.
  absl::StatusOr<std::shared_ptr<CachedProgram>> program(const std::string &key, std::shared_ptr<DevicePrograms> device,
                                                         std::string name, int64_t bytes,
                                                         CachedProgram::Creator creator);

private:
  Log logger;
  ProgramCache programCache{logger};
  SharedTable<int, ThreadPool> pools;
  SurfaceUse surfacesInUse;
  SharedTable<Device *, SurfacePool> surfacePools;
  SharedTable<std::string, CachedProgram> cachedPrograms;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_CONTEXT_H
