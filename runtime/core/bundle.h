//===- bundle.h - An opened bundle -------------------------------*- C++
//-*-===//
//
// Holds what all functions of a bundle share: the manifest, the device and the
// programs loaded on it, the host library, its mapped weights and its threads.
// Everything is loaded at the first use: a bundle without code for this machine
// can still be looked at.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_BUNDLE_H
#define ANE_RUNTIME_CORE_BUNDLE_H

#include "runtime/device/cpu/host_library.h"
#include "runtime/device/cpu/thread_pool.h"
#include "runtime/device/device.h"
#include "runtime/format/manifest/manifest.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/memory_budget.h"
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace ane::rt {

struct BundleOptions {
  /// "auto", "emulator" or "cpu"; see makeDevice.
  std::string device = "auto";
  /// How the emulator treats misuse; empty is its default.
  std::string emulatorMode;
  int threads = 0; ///< see resolveThreadCount
  bool verifyHashes = false;
  /// Without it, nothing of the bundle is executed: what would run on the CPU is
  /// refused.
  bool nativeCode = true;
  /// Bytes that each executor may allocate.
  int64_t memoryLimit = usableMemory();
  /// Replaces makeDevice, for tests.
  std::function<absl::StatusOr<std::unique_ptr<Device>>()> makeDevice;
};

/// A program on the device, or the reason why it is not there.
struct LoadedProgram {
  std::unique_ptr<DeviceProgram> program; ///< null when refused
  absl::Status refusal;
  std::mutex mutex; ///< a device program runs for one thread at a time
};

/// Whether a device's status is a refusal, after which the CPU twin runs: the
/// program is sound but not for this device. Everything else is an error that
/// the user must see: a file that is missing, damaged or contradicts itself.
bool isRefusal(const absl::Status &status);

class Bundle {
public:
  static absl::StatusOr<std::shared_ptr<Bundle>> open(const std::string &dir, const BundleOptions &options = {});

  /// Of a manifest that has passed manifest::verify; `folder` has its files.
  static absl::StatusOr<std::shared_ptr<Bundle>> make(std::shared_ptr<const Folder> folder, manifest::Manifest content,
                                                      const BundleOptions &options);

  const manifest::Manifest &manifest() const { return content; }
  /// Null when everything runs on the CPU.
  Device *device() const { return engine.get(); }
  std::string deviceName() const;
  ThreadPool &pool() const { return *threads; }
  int64_t memoryLimit() const { return limit; }
  /// Which of the bundle's libraries of CPU code is in use, see nameOf(); empty
  /// until one is needed.
  std::string hostName() const;

  /// By name, "main" first when the name is empty; NotFound lists the names.
  absl::StatusOr<const manifest::Function *> function(const std::string &name) const;
  const manifest::Program &program(const std::string &name) const;
  const manifest::HostFunction &hostFunction(const std::string &name) const;

  /// Copies a part of a file that the manifest lists. DataLoss when the file no
  /// longer has it.
  absl::Status readFile(const std::string &path, int64_t offset, void *to, int64_t bytes) const;

  /// Loads a program on the device, once. Only errors that are no refusal are
  /// returned as such.
  absl::StatusOr<LoadedProgram *> load(const manifest::Program &program);

  /// Native code of a host function; loads the library and maps its weights.
  absl::StatusOr<ane_host_fn> code(const manifest::HostFunction &function);
  /// Valid once code() has succeeded.
  const void *const *weights() const { return weightBases.data(); }

private:
  Bundle() = default;
  absl::Status loadHostLibrary();

  /// Opens only what the manifest lists.
  std::shared_ptr<const Folder> folder;
  manifest::Manifest content;
  std::unordered_map<std::string, size_t> programIndex, hostIndex;
  std::unordered_map<std::string, const manifest::File *> fileIndex; ///< by path
  std::unique_ptr<ThreadPool> threads;
  bool nativeCode = true;
  int64_t limit = 0;
  // Programs go before the device that they are loaded on.
  std::unique_ptr<Device> engine;

  mutable std::mutex mutex; ///< guards what is loaded lazily
  std::unordered_map<std::string, std::unique_ptr<LoadedProgram>> programs;
  std::unique_ptr<HostLibrary> library;
  std::string libraryName;
  std::vector<MappedFile> weightFiles;
  std::vector<const void *> weightBases;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_BUNDLE_H
