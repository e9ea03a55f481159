//===- emulator.cpp - The emulator, if it is there ------------------------===//
#include "runtime/core/emulator.h"
#include "absl/strings/str_cat.h"
#include "ane/runtime/ane.h"
#include <atomic>
#include <cstring>
#include <dlfcn.h>

namespace ane::rt {
namespace {

#if defined(__APPLE__)
constexpr char kFile[] = "@rpath/libanemone_emulator.so";
#else
constexpr char kFile[] = "libanemone_emulator.so";
#endif

std::atomic<const emulator::Module *> known{nullptr};

} // namespace

void setEmulatorModule(const emulator::Module *module) { known = module; }

absl::StatusOr<const emulator::Module *> emulatorModule() {
  if (const emulator::Module *module = known)
    return module;
  // Never unloaded: devices and programs have their code in it.
  void *library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return absl::UnimplementedError(
        absl::StrCat("the emulator is an optional part of the runtime, and cannot be loaded: ", dlerror(),
                     "; install it beside libanemone (component Emulator, built with -DANE_EMULATOR=ON), "
                     "with the libraries that it needs"));
  auto *entry = reinterpret_cast<decltype(&ane_emulator_module)>(dlsym(library, "ane_emulator_module"));
  const emulator::Module *module = entry ? entry() : nullptr;
  if (!module || std::strcmp(module->version, ANE_VERSION) != 0) {
    std::string version = module ? module->version : "unknown";
    dlclose(library);
    return absl::UnimplementedError(absl::StrCat(kFile, ": is of version ", version, ", the runtime is of " ANE_VERSION,
                                                 "; install both from one build"));
  }
  known = module;
  return module;
}

} // namespace ane::rt
