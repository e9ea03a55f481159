//===- host_library.h - Native code of a bundle -----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_CPU_HOST_LIBRARY_H
#define ANE_RUNTIME_DEVICE_CPU_HOST_LIBRARY_H

#include "ane/runtime/host_abi.h"
#include "runtime/format/manifest/manifest.h"
#include <functional>
#include <memory>

namespace ane::rt {

/// The triple of this machine, e.g. "x86_64-unknown-linux-gnu".
std::string machineTriple();

/// Triple and level, as ane-compile --host takes them:
/// "x86_64-unknown-linux-gnu:x86-64-v4".
std::string nameOf(const manifest::HostLibrary &library);

/// Whether code for `triple` runs here. Only processor and operating system
/// count: a host library imports nothing, so vendor and C library do not
/// matter.
bool runsHere(const std::string &triple);

/// What this processor lacks of a level (manifest::HostLibrary::cpu), for
/// example "AVX2, FMA"; empty: it has all of it.
std::string missingFeatures(const std::string &level);

/// The first library of the list that runs here: of several levels the list
/// has the highest first. The environment variable ANE_HOST_CPU names the only
/// level to take. NotFound names the libraries there are, FailedPrecondition
/// what the processor lacks for them.
absl::StatusOr<const manifest::HostLibrary *>
selectHostLibrary(const std::vector<manifest::HostLibrary> &libraries,
                  const std::function<std::string(const std::string &level)> &missing = missingFeatures);

/// A loaded host/<triple>.so. Loading a library runs its code: bundles are
/// checked for damage, not for intent, and must come from a trusted source.
class HostLibrary {
public:
  /// Loads an open file, checks ane_host_abi, and passes hostTable().
  /// FailedPrecondition when the library is not for this runtime. `path` is for
  /// messages.
  static absl::StatusOr<std::unique_ptr<HostLibrary>> load(Descriptor file, const std::string &path);
  ~HostLibrary();
  HostLibrary(const HostLibrary &) = delete;
  HostLibrary &operator=(const HostLibrary &) = delete;

  absl::StatusOr<ane_host_fn> find(const std::string &symbol) const;

private:
  struct Unload {
    void operator()(void *handle) const;
  };
  using Handle = std::unique_ptr<void, Unload>;
  HostLibrary(Descriptor file, std::string path) : file(std::move(file)), path(std::move(path)) {}

  Handle handle; ///< null until loaded
  /// Open as long as the library is loaded: its number is part of the name that
  /// the library was loaded by, and a second library must not get the same.
  Descriptor file;
  std::string path;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_DEVICE_CPU_HOST_LIBRARY_H
