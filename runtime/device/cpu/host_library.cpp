//===- host_library.cpp - Native code of a bundle -------------------------===//
#include "runtime/device/cpu/host_library.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/device/cpu/thread_pool.h"
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <unistd.h>
#include <unordered_map>
#if defined(__APPLE__)
#include <fcntl.h>
#include <sys/param.h>
#endif

namespace ane::rt {
namespace {

struct Machine {
  std::string processor, system;
};

/// Processor and operating system of an LLVM triple, in one spelling.
Machine parseTriple(const std::string &triple) {
  std::vector<std::string> parts = absl::StrSplit(triple, '-');
  Machine machine;
  machine.processor = parts[0];
  if (machine.processor == "amd64")
    machine.processor = "x86_64";
  if (machine.processor == "arm64")
    machine.processor = "aarch64";
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].compare(0, 5, "linux") == 0)
      machine.system = "linux";
    if (parts[i].compare(0, 6, "darwin") == 0 || parts[i].compare(0, 5, "macos") == 0)
      machine.system = "macos";
  }
  return machine;
}

struct Feature {
  const char *name;
  bool present;
};

/// Features of the levels of the x86-64 psABI beyond SSE4.2, and of v4 with
/// products of integers; none: no such level. Those of AVX count only where the
/// system saves the registers.
std::vector<Feature> featuresOf(const std::string &level) {
#if defined(__x86_64__)
#define ANE_FEATURE(name, key) {name, __builtin_cpu_supports(key) != 0}
  std::vector<Feature> list = {ANE_FEATURE("AVX", "avx"),     ANE_FEATURE("AVX2", "avx2"),  ANE_FEATURE("BMI1", "bmi"),
                               ANE_FEATURE("BMI2", "bmi2"),   ANE_FEATURE("F16C", "f16c"),  ANE_FEATURE("FMA", "fma"),
                               ANE_FEATURE("LZCNT", "lzcnt"), ANE_FEATURE("MOVBE", "movbe")};
  if (level == "x86-64-v3")
    return list;
  list.insert(list.end(), {ANE_FEATURE("AVX512F", "avx512f"), ANE_FEATURE("AVX512BW", "avx512bw"),
                           ANE_FEATURE("AVX512CD", "avx512cd"), ANE_FEATURE("AVX512DQ", "avx512dq"),
                           ANE_FEATURE("AVX512VL", "avx512vl")});
  if (level == "x86-64-v4")
    return list;
  list.push_back(ANE_FEATURE("AVX512_VNNI", "avx512vnni"));
  if (level == "x86-64-v4-vnni")
    return list;
#undef ANE_FEATURE
#endif
  return {};
}

} // namespace

std::string machineTriple() {
#if defined(__x86_64__)
  const char *processor = "x86_64";
#elif defined(__aarch64__)
  const char *processor = "aarch64";
#else
  const char *processor = "unknown";
#endif
#if defined(__APPLE__)
  return absl::StrCat(processor, "-apple-macosx");
#elif defined(__linux__)
  return absl::StrCat(processor, "-unknown-linux-gnu");
#else
  return absl::StrCat(processor, "-unknown-unknown");
#endif
}

std::string nameOf(const manifest::HostLibrary &library) {
  return absl::StrCat(library.triple, library.cpu.empty() ? "" : ":", library.cpu);
}

bool runsHere(const std::string &triple) {
  Machine wanted = parseTriple(triple), here = parseTriple(machineTriple());
  return wanted.processor == here.processor && wanted.system == here.system && !wanted.system.empty();
}

std::string missingFeatures(const std::string &level) {
  if (level.empty())
    return "";
  std::vector<Feature> features = featuresOf(level);
  if (features.empty())
    return "a level that this runtime knows";
  std::string missing;
  for (const Feature &feature : features)
    if (!feature.present)
      absl::StrAppend(&missing, missing.empty() ? "" : ", ", feature.name);
  return missing;
}

absl::StatusOr<const manifest::HostLibrary *>
selectHostLibrary(const std::vector<manifest::HostLibrary> &libraries,
                  const std::function<std::string(const std::string &level)> &missing) {
  const char *only = std::getenv("ANE_HOST_CPU");
  std::string others, lacking;
  for (const manifest::HostLibrary &library : libraries) {
    std::string name = nameOf(library);
    if (!runsHere(library.triple) || (only && *only && library.cpu != only)) {
      absl::StrAppend(&others, others.empty() ? "" : ", ", name);
      continue;
    }
    std::string features = missing(library.cpu);
    if (features.empty())
      return &library;
    absl::StrAppend(&lacking, lacking.empty() ? "" : "; ", "code for ", name, " needs ", features);
  }
  if (!lacking.empty())
    return absl::FailedPreconditionError(absl::StrCat("this processor cannot run the bundle's CPU code: ", lacking));
  if (only && *only && !others.empty())
    return absl::NotFoundError(
        absl::StrCat("ANE_HOST_CPU asks for ", only, " on ", machineTriple(), ", the bundle has ", others));
  return absl::NotFoundError(absl::StrCat("the bundle has no CPU code for this machine (", machineTriple(), "); ",
                                          others.empty() ? "it has none at all" : "it has ", others,
                                          "; compile the model with --host=", machineTriple()));
}

namespace {

/// A name of an open file for dlopen(), which takes no descriptor. What has the
/// file's own name by now may be another file.
std::string nameToLoad(const Descriptor &file, const std::string &path) {
#if defined(__linux__)
  // dlopen() knows a library by the first name that it was loaded under, which must not come back with the number of a
  // file: each load spells the path in its own way.
  static std::atomic<uint32_t> loads{0};
  std::string name = "/proc/self/fd";
  for (uint32_t bit = 0, count = loads++; bit < 32; ++bit)
    name += count >> bit & 1 ? "/." : "/";
  absl::StrAppend(&name, "/", file.get());
  return access(name.c_str(), R_OK) == 0 ? name : path;
#elif defined(__APPLE__)
  char name[MAXPATHLEN];
  return fcntl(file.get(), F_GETPATH, name) == 0 ? name : path;
#else
  return path;
#endif
}

/// The system gives one handle for one file, however often it is loaded, and
/// another bundle may be running its code: init() is for the first user only.
struct LoadedLibraries {
  std::mutex mutex;
  std::unordered_map<void *, int> users;
};
LoadedLibraries &loadedLibraries() {
  static auto *libraries = new LoadedLibraries; // needed until the last bundle is gone
  return *libraries;
}

} // namespace

absl::StatusOr<std::unique_ptr<HostLibrary>> HostLibrary::load(Descriptor file, const std::string &path) {
  std::unique_ptr<HostLibrary> library(new HostLibrary(std::move(file), path));
  LoadedLibraries &loaded = loadedLibraries();
  std::lock_guard<std::mutex> lock(loaded.mutex);
  Handle handle(dlopen(nameToLoad(library->file, path).c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle)
    return absl::FailedPreconditionError(absl::StrCat("cannot load host library ", path, ": ", dlerror()));
  auto *abi = reinterpret_cast<ane_host_abi_fn>(dlsym(handle.get(), ANE_HOST_ABI_SYMBOL));
  auto *init = reinterpret_cast<ane_host_init_fn>(dlsym(handle.get(), ANE_HOST_INIT_SYMBOL));
  if (!abi || !init)
    return absl::FailedPreconditionError(absl::StrCat(path, ": is no host library; it does not export ",
                                                      abi ? ANE_HOST_INIT_SYMBOL : ANE_HOST_ABI_SYMBOL));
  if (uint32_t version = abi(); version != ANE_HOST_ABI_VERSION)
    return absl::FailedPreconditionError(absl::StrCat(path, ": has host ABI ", version, ", this runtime has ",
                                                      ANE_HOST_ABI_VERSION, "; compile the model again"));
  if (loaded.users[handle.get()]++ == 0)
    init(&hostTable());
  library->handle = std::move(handle);
  return library;
}

HostLibrary::~HostLibrary() {
  if (!handle)
    return;
  LoadedLibraries &loaded = loadedLibraries();
  std::lock_guard<std::mutex> lock(loaded.mutex);
  auto users = loaded.users.find(handle.get());
  if (--users->second == 0)
    loaded.users.erase(users);
  handle.reset();
}

void HostLibrary::Unload::operator()(void *handle) const { dlclose(handle); }

absl::StatusOr<ane_host_fn> HostLibrary::find(const std::string &symbol) const {
  auto *function = reinterpret_cast<ane_host_fn>(dlsym(handle.get(), symbol.c_str()));
  if (!function)
    return absl::NotFoundError(
        absl::StrCat(path, ": has no function ", symbol, "; the bundle is damaged, compile the model again"));
  return function;
}

} // namespace ane::rt
