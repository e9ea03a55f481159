//===- host_library.cpp - Native code of a bundle -------------------------===//
#include "runtime/device/cpu/host_library.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/device/cpu/thread_pool.h"
#include <dlfcn.h>

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
    if (parts[i].compare(0, 6, "darwin") == 0 ||
        parts[i].compare(0, 5, "macos") == 0)
      machine.system = "macos";
  }
  return machine;
}

/// Generated x86 code needs AVX2, FMA and F16C.
bool processorSuffices() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
#else
  return true;
#endif
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

bool runsHere(const std::string &triple) {
  Machine wanted = parseTriple(triple), here = parseTriple(machineTriple());
  return wanted.processor == here.processor && wanted.system == here.system &&
         !wanted.system.empty();
}

absl::StatusOr<const manifest::HostLibrary *>
selectHostLibrary(const std::vector<manifest::HostLibrary> &libraries) {
  std::string others;
  for (const manifest::HostLibrary &library : libraries) {
    if (runsHere(library.triple))
      return &library;
    absl::StrAppend(&others, others.empty() ? "" : ", ", library.triple);
  }
  return absl::NotFoundError(absl::StrCat(
      "the bundle has no CPU code for this machine (", machineTriple(), "); ",
      others.empty() ? "it has none at all" : "it has ", others,
      "; compile the model with --host=", machineTriple()));
}

absl::StatusOr<std::unique_ptr<HostLibrary>>
HostLibrary::load(const std::string &path) {
  if (!processorSuffices())
    return absl::FailedPreconditionError(absl::StrCat(
        path,
        ": needs a processor of level x86-64-v3 (AVX2, FMA, F16C, BMI2)"));
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return absl::FailedPreconditionError(
        absl::StrCat("cannot load host library: ", dlerror()));
  std::unique_ptr<HostLibrary> library(new HostLibrary(handle, path));
  auto *abi =
      reinterpret_cast<ane_host_abi_fn>(dlsym(handle, ANE_HOST_ABI_SYMBOL));
  auto *init =
      reinterpret_cast<ane_host_init_fn>(dlsym(handle, ANE_HOST_INIT_SYMBOL));
  if (!abi || !init)
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": is no host library; it does not export ",
                     abi ? ANE_HOST_INIT_SYMBOL : ANE_HOST_ABI_SYMBOL));
  if (uint32_t version = abi(); version != ANE_HOST_ABI_VERSION)
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": has host ABI ", version, ", this runtime has ",
                     ANE_HOST_ABI_VERSION, "; compile the model again"));
  init(&hostTable());
  return library;
}

HostLibrary::~HostLibrary() { dlclose(handle); }

absl::StatusOr<ane_host_fn> HostLibrary::find(const std::string &symbol) const {
  auto *function = reinterpret_cast<ane_host_fn>(dlsym(handle, symbol.c_str()));
  if (!function)
    return absl::NotFoundError(
        absl::StrCat(path, ": has no function ", symbol,
                     "; the bundle is damaged, compile the model again"));
  return function;
}

} // namespace ane::rt
