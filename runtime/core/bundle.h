//===- bundle.h - An opened bundle ------------------------------*- C++ -*-===//
//
// Holds what all functions of a bundle share: the manifest, the host library and
// its mapped weights; and, with other bundles of its context, the device, the
// programs on it and the threads.
// Everything is loaded at the first use: a bundle without code for this machine
// can still be looked at.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_BUNDLE_H
#define ANE_RUNTIME_CORE_BUNDLE_H

#include "runtime/core/context.h"
#include "runtime/device/cpu/host_library.h"
#include "runtime/device/cpu/trust.h"
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

struct Plan;
struct PlannedState;

/// What happens when fp16 did not hold the values of a run.
enum class NumericPolicy {
  Rescue, ///< the CPU computes them again, and an event says so
  Report, ///< they stay, and an event says so
  Off,    ///< nobody looks: infinities are wanted, as where a loss is scaled
  Clamp   ///< what is infinite in an input or output of a program becomes 65,504, with its sign, and is counted
};

struct BundleOptions {
  /// Null: that of the process.
  std::shared_ptr<Context> context;
  std::string device = "auto";     ///< DeviceChoice::name
  std::string emulatorMode;        ///< DeviceChoice::mode
  std::string evaluation = "auto"; ///< DeviceChoice::evaluation
  int threads = 0;                 ///< see resolveThreadCount
  bool verifyHashes = false;
  /// Whose native code is loaded. Of nobody's, nothing of the bundle is executed: what would run on the CPU is refused.
  Trust trust = Trust::Owner;
  NumericPolicy numeric = NumericPolicy::Rescue;
  /// Bytes that each executor may allocate, other than for weights.
  int64_t memoryLimit = usableMemory();
  /// The way in which weights that sessions set get into programs; nothing: the cheapest that works.
  std::optional<WeightWay> weightsBy;
  /// Replaces makeDevice, for tests.
  std::function<absl::StatusOr<std::unique_ptr<Device>>()> makeDevice;
};

/// Maps a weight file, to be changed or not. Native code goes straight to its
/// payloads, so the records around them are checked here, which reads 64 bytes
/// each.
absl::StatusOr<MappedFile> mapWeights(const Folder &folder, const manifest::File &listed, bool copy = false);

class Bundle {
public:
  static absl::StatusOr<std::shared_ptr<Bundle>> open(const std::string &dir, const BundleOptions &options = {});

  /// Of a manifest that has passed manifest::verify; `folder` has its files.
  /// Bundles of one `identity` are the same files, and share loaded programs;
  /// empty: this one shares none.
  static absl::StatusOr<std::shared_ptr<Bundle>> make(std::shared_ptr<const Folder> folder, manifest::Manifest content,
                                                      const BundleOptions &options, std::string identity = "");

  const manifest::Manifest &manifest() const { return content; }
  /// Null when everything runs on the CPU.
  Device *device() const { return engine.get(); }
  /// Its surfaces; null with it.
  const std::shared_ptr<SurfacePool> &surfaces() const { return surfacePool; }
  Context &context() const { return *shared; }
  std::string deviceName() const;
  ThreadPool &pool() const { return *threads; }
  int64_t memoryLimit() const { return limit; }
  NumericPolicy numeric() const { return numericPolicy; }
  std::optional<WeightWay> wantedWay() const { return way; }
  /// How weights that are set get into programs here, and why not otherwise: WeightWays::text(), which may probe the
  /// device; "memory" on the CPU.
  std::string weightsBy() const;
  /// Which of the bundle's libraries of CPU code is in use, see nameOf(); empty
  /// until one is needed. Stays where it is.
  const std::string &hostName() const;

  /// By name, "main" first when the name is empty; NotFound lists the names.
  absl::StatusOr<const manifest::Function *> function(const std::string &name) const;
  /// The buckets that `name` is of, "main" first or the only ones of a bundle without other functions when the name is
  /// empty; null if there are none.
  const manifest::Bucket *bucket(const std::string &name) const;
  const manifest::Program &program(const std::string &name) const;
  const manifest::HostFunction &hostFunction(const std::string &name) const;

  /// Copies a part of a file that the manifest lists. DataLoss when the file no
  /// longer has it.
  absl::Status readFile(const std::string &path, int64_t offset, void *to, int64_t bytes) const;

  /// A program on the device, not loaded yet.
  absl::StatusOr<std::shared_ptr<CachedProgram>> cached(const manifest::Program &program);
  /// The same from other `files`, for one session.
  absl::StatusOr<std::shared_ptr<CachedProgram>> cachedFrom(const manifest::Program &program,
                                                            std::shared_ptr<const Folder> files);
  /// ProgramCache::hasRoomFor(), on the device.
  bool hasRoomFor(int64_t programs, int64_t bytes) const {
    return shared->cache().hasRoomFor(*devicePrograms, programs, bytes);
  }
  /// The files that the manifest lists.
  const Folder &files() const { return *folder; }

  /// Native code of a host function; loads the library and maps its weights.
  absl::StatusOr<ane_host_fn> code(const manifest::HostFunction &function);
  /// What runs of a function of this bundle do, for all sessions: made when the first asks, and kept while the bundle
  /// is open.
  absl::StatusOr<std::shared_ptr<const Plan>> plan(const manifest::Function &function);
  /// The states that its sessions have.
  const std::vector<PlannedState> &states();
  /// Valid once code() has succeeded.
  const void *const *weights() const { return weightBases.data(); }

private:
  Bundle() = default;
  absl::Status loadHostLibrary();
  absl::StatusOr<std::shared_ptr<CachedProgram>> share(const std::string &key, const manifest::Program &program,
                                                       std::shared_ptr<const Folder> files) const;

  /// Opens only what the manifest lists.
  std::shared_ptr<const Folder> folder;
  manifest::Manifest content;
  std::unordered_map<std::string, size_t> programIndex, hostIndex;
  std::unordered_map<std::string, const manifest::File *> fileIndex; ///< by path
  std::string identity;
  Trust trust = Trust::Owner;
  NumericPolicy numericPolicy = NumericPolicy::Rescue;
  int64_t limit = 0;
  std::optional<WeightWay> way;
  // The context outlives what it shares.
  std::shared_ptr<Context> shared;
  std::shared_ptr<ThreadPool> threads;
  std::shared_ptr<Device> engine;
  std::shared_ptr<SurfacePool> surfacePool;
  std::shared_ptr<DevicePrograms> devicePrograms;

  mutable std::mutex mutex; ///< guards what is loaded lazily
  /// Stay while the bundle is open, whether a session uses them or not.
  std::unordered_map<std::string, std::shared_ptr<CachedProgram>> programs;
  std::unique_ptr<HostLibrary> library;
  std::string libraryName;
  std::vector<MappedFile> weightFiles;
  std::vector<const void *> weightBases;

  std::mutex planning; ///< guards what follows; held while one is made, which takes `mutex`
  std::unordered_map<const manifest::Function *, std::shared_ptr<const Plan>> plans;
  std::shared_ptr<const std::vector<PlannedState>> statePlan; ///< once somebody has asked
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_BUNDLE_H
