//===- machine.cpp - Which engine this machine has ------------------------===//
#include "runtime/device/ane/machine.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/device/ane/foundation.h"

#include <algorithm>

namespace ane::rt::engine {
namespace {

using objc::Foundation;
using objc::Id;

struct Chip {
  std::string_view target;
  unsigned tier; ///< chips of one have the same capabilities
  std::vector<std::string_view> aliases, runtimeNames;
};
const Chip kChips[] = {
#include "runtime/device/ane/chips.inc"
};

const char kNative[] = "native", kNativeOf[] = "native:";

std::vector<std::string> systemLibraries() {
#ifdef __APPLE__
  return {"/usr/lib/libobjc.A.dylib", "/System/Library/Frameworks/Foundation.framework/Foundation",
          "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation",
          "/System/Library/Frameworks/IOKit.framework/IOKit"};
#else
  return {};
#endif
}

/// The registry of devices: IOKit's C functions, with their documented types.
struct Registry {
  using Object = unsigned int;
  int (*createIterator)(unsigned int port, const char *plane, uint32_t options, Object *nodes);
  Object (*next)(Object nodes);
  int (*properties)(Object node, Id *dictionary, const void *allocator, uint32_t options);
  int (*release)(Object);

  explicit Registry(const objc::Libraries &libraries)
      : createIterator(
            libraries.function<int(unsigned int, const char *, uint32_t, Object *)>("IORegistryCreateIterator")),
        next(libraries.function<Object(Object)>("IOIteratorNext")),
        properties(libraries.function<int(Object, Id *, const void *, uint32_t)>("IORegistryEntryCreateCFProperties")),
        release(libraries.function<int(Object)>("IOObjectRelease")) {}
  bool isThere() const { return createIterator && next && properties && release; }
};

/// The text under a key that ends with ANEArchitectureTypeStr (ane-op-chip-matrix.md 1.2), in a dictionary or in one
/// inside.
std::string findEngine(const Foundation &foundation, Id dictionary) {
  const objc::Runtime &runtime = foundation.runtime;
  auto isA = [&](Id object, const char *name) {
    return runtime.send<objc::Bool>(object, "isKindOfClass:", runtime.classNamed(name)) != 0;
  };
  for (Id key : foundation.objects(runtime.send(dictionary, "allKeys"))) {
    Id value = runtime.send(dictionary, "objectForKey:", key);
    std::string found;
    if (isA(value, "NSDictionary"))
      found = findEngine(foundation, value);
    else if (isA(value, "NSString") && absl::EndsWith(foundation.text(key), "ANEArchitectureTypeStr"))
      found = foundation.text(value);
    if (!found.empty())
      return found;
  }
  return "";
}

/// A property of the engine's node in the registry, wherever that stands.
std::string readEngine(const objc::Libraries &libraries) {
  const Registry registry(libraries);
  auto runtime = objc::Runtime::in(libraries);
  Registry::Object nodes = 0;
  constexpr uint32_t kRecursively = 1;
  if (!registry.isThere() || !runtime.ok() || registry.createIterator(0, "IOService", kRecursively, &nodes) != 0)
    return "";
  const Foundation foundation(*runtime);
  std::string engine;
  while (Registry::Object node = engine.empty() ? registry.next(nodes) : 0) {
    const objc::Runtime::Pool pool(*runtime);
    Id dictionary = nullptr;
    if (registry.properties(node, &dictionary, nullptr, 0) == 0 && dictionary) {
      engine = findEngine(foundation, dictionary);
      runtime->release(dictionary);
    }
    registry.release(node);
  }
  registry.release(nodes);
  return engine;
}

/// "Apple M4 Pro" -> "m4pro", as aliases are spelled.
std::string normalised(const std::string &name) {
  std::string result;
  for (char c : name)
    if (!absl::ascii_isspace(static_cast<unsigned char>(c)))
      result += absl::ascii_tolower(static_cast<unsigned char>(c));
  return std::string(absl::StripPrefix(result, "apple"));
}

/// What sysctl says under a name.
std::string systemText(const objc::Libraries &libraries, const char *name) {
  auto *byName = libraries.function<int(const char *, void *, size_t *, void *, size_t)>("sysctlbyname");
  char value[256] = "";
  size_t size = sizeof value - 1;
  return byName && byName(name, value, &size, nullptr, 0) == 0 ? value : "";
}
constexpr char kProcessor[] = "machdep.cpu.brand_string", kBuild[] = "kern.osversion";

template <typename Names>
bool contains(const Names &names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

std::string Machine::str() const {
  return absl::StrCat(processor.empty() ? "a machine that does not name its processor" : processor,
                      engine.empty() ? ", whose engine does not say what it is"
                                     : ", whose engine calls itself " + engine);
}

absl::StatusOr<Machine> readMachine(const std::vector<std::string> &given) {
  const std::vector<std::string> paths = given.empty() ? systemLibraries() : given;
  if (paths.empty())
    return absl::UnimplementedError("this machine is no Mac");
  auto libraries = objc::Libraries::open(paths);
  if (!libraries.ok())
    return libraries.status();
  Machine machine;
  machine.processor = systemText(*libraries, kProcessor);
  machine.model = systemText(*libraries, "hw.model");
  machine.osVersion = systemText(*libraries, "kern.osproductversion");
  machine.osBuild = systemText(*libraries, kBuild);
  absl::StatusOr<std::string> engine = objc::Runtime::guarded(
      "the registry of devices", [&]() -> absl::StatusOr<std::string> { return readEngine(*libraries); });
  if (engine.ok()) // else the processor says enough
    machine.engine = *std::move(engine);
  return machine;
}

std::string chipAndBuild(const std::vector<std::string> &given) {
  auto libraries = objc::Libraries::open(given.empty() ? systemLibraries() : given);
  if (!libraries.ok())
    return "";
  const std::string processor = systemText(*libraries, kProcessor), build = systemText(*libraries, kBuild);
  return processor.empty() || build.empty() ? "" : absl::StrCat(processor, ", ", build);
}

absl::StatusOr<std::vector<std::string>> targetsOf(const Machine &machine) {
  std::vector<std::string> candidates;
  const Chip *named = nullptr;
  for (const Chip &chip : kChips) {
    if (contains(chip.runtimeNames, machine.engine))
      candidates.emplace_back(chip.target);
    if (contains(chip.aliases, normalised(machine.processor)))
      named = &chip;
  }
  if (named && (candidates.empty() || contains(candidates, named->target)))
    return std::vector<std::string>{std::string(named->target)};
  if (candidates.empty())
    return absl::NotFoundError(absl::StrCat("no record says which chip this machine has: its engine calls itself '",
                                            machine.engine, "', its processor '", machine.processor, "'"));
  return candidates;
}

bool isNative(const std::string &target) {
  return target == kNative || (absl::StartsWith(target, kNativeOf) && target != kNativeOf);
}

absl::StatusOr<Machine> nativeMachine(const std::string &target) {
  return target == kNative ? readMachine() : readMachine({target.substr(sizeof kNativeOf - 1)});
}

absl::StatusOr<std::vector<std::string>> namedTargets(const std::string &target) {
  if (!isNative(target))
    return std::vector<std::string>{target};
  auto machine = nativeMachine(target);
  auto targets = machine.ok() ? targetsOf(*machine) : machine.status();
  if (!absl::IsUnimplemented(targets.status()) && !absl::IsNotFound(targets.status()))
    return targets;
  return absl::Status(targets.status().code(),
                      absl::StrCat("target native is the engine of the machine that asks, and ",
                                   targets.status().message(),
                                   ": name the chip of the machine that will run the bundle, as in --target=m4, or "
                                   "take --target=any-m for every Mac (ane-compile --list-targets shows all)"));
}

absl::Status checkTarget(const std::string &chips, const Machine &machine) {
  auto own = targetsOf(machine);
  if (!own.ok())
    return own.status();
  const std::vector<std::string> targets = absl::StrSplit(chips, ',');
  for (const Chip &has : kChips)
    for (const Chip &compiledFor : kChips)
      if (has.tier == compiledFor.tier && contains(targets, compiledFor.target) && contains(*own, has.target))
        return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the bundle is compiled for ", chips, ", and this machine has ", absl::StrJoin(*own, " or "), " (", machine.str(),
      "): compile it with --target=", own->front(), ", or for both with --target=", chips, ",", own->front()));
}

} // namespace ane::rt::engine
