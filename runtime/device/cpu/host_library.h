//===- host_library.h - Native code of a bundle ------------------*- C++
//-*-===//
#ifndef ANE_RUNTIME_DEVICE_CPU_HOST_LIBRARY_H
#define ANE_RUNTIME_DEVICE_CPU_HOST_LIBRARY_H

#include "ane/runtime/host_abi.h"
#include "runtime/format/manifest/manifest.h"
#include <memory>

namespace ane::rt {

/// The triple of this machine, e.g. "x86_64-unknown-linux-gnu".
std::string machineTriple();

/// Whether code for `triple` runs here. Only processor and operating system
/// count: a host library imports nothing, so vendor and C library do not
/// matter.
bool runsHere(const std::string &triple);

/// The library of the list that runs here; NotFound names those there are.
absl::StatusOr<const manifest::HostLibrary *>
selectHostLibrary(const std::vector<manifest::HostLibrary> &libraries);

/// A loaded host/<triple>.so. Loading a library runs its code: bundles are
/// checked for damage, not for intent, and must come from a trusted source.
class HostLibrary {
public:
  /// Loads, checks ane_host_abi, and passes hostTable(). FailedPrecondition
  /// when the library is not for this runtime or this processor.
  static absl::StatusOr<std::unique_ptr<HostLibrary>>
  load(const std::string &path);
  ~HostLibrary();
  HostLibrary(const HostLibrary &) = delete;
  HostLibrary &operator=(const HostLibrary &) = delete;

  absl::StatusOr<ane_host_fn> find(const std::string &symbol) const;

private:
  HostLibrary(void *handle, std::string path)
      : handle(handle), path(std::move(path)) {}
  void *handle;
  std::string path;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_DEVICE_CPU_HOST_LIBRARY_H
