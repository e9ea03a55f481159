//===- FindChips.cpp - chips by their names -------------------------------===//

#include "ane/Constraint/TargetEnv.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#ifdef __APPLE__
#include <CoreFoundation/CoreFoundation.h>
#include <IOKit/IOKitLib.h>
#include <sys/sysctl.h>
#endif

using namespace mlir;
using namespace mlir::ane;

ArrayRef<ChipInfo> mlir::ane::allChips() { return {chipsBegin(), chipsEnd()}; }

/// "Apple M4 Pro" -> "m4pro".
static std::string normalised(StringRef spelling) {
  std::string result;
  for (char c : spelling)
    if (!llvm::isSpace(c) && c != '-' && c != '_')
      result += llvm::toLower(c);
  StringRef view = result;
  view.consume_front("apple");
  return view.str();
}

const ChipInfo *mlir::ane::findChip(StringRef spelling, std::string &error) {
  std::string name = normalised(spelling);
  std::vector<StringRef> names;
  for (const ChipInfo &chip : allChips()) {
    size_t first = names.size();
    names.push_back(chip.target);
    for (const char *const *alias = chip.aliases; *alias; ++alias)
      names.push_back(*alias);
    if (llvm::is_contained(ArrayRef(names).drop_front(first), name))
      return &chip;
  }
  names.insert(names.end(), {anyMac, thisHost});
  StringRef nearest;
  unsigned best = 3; // more edits than this are another word
  for (StringRef known : names)
    if (unsigned distance = known.edit_distance(name, /*AllowReplacements=*/true, best); distance < best) {
      best = distance;
      nearest = known;
    }
  error = ("unknown target '" + spelling + "'").str();
  if (!nearest.empty())
    error += ("; did you mean '" + nearest + "'?").str();
  error += " (known: " + llvm::join(names, ", ") + ")";
  return nullptr;
}

FailureOr<SmallVector<const ChipInfo *>> mlir::ane::findDeviceChips(StringRef runtimeName, StringRef processor,
                                                                    std::string &error) {
  SmallVector<const ChipInfo *> candidates;
  for (const ChipInfo &chip : allChips())
    for (const char *const *name = chip.runtimeNames; *name; ++name)
      if (runtimeName == *name)
        candidates.push_back(&chip);
  const ChipInfo *named = processor.empty() ? nullptr : findChip(processor, error);
  if (named && (candidates.empty() || llvm::is_contained(candidates, named)))
    return SmallVector<const ChipInfo *>{named};
  if (!candidates.empty())
    return candidates;
  error = ("no record says which chip this machine has: its engine calls itself '" + runtimeName +
           "', its processor '" + processor + "'; name the chip, as in --target=m4 (--list-targets shows all)")
              .str();
  return failure();
}

#ifdef __APPLE__
/// The string under a key that ends with ANEArchitectureTypeStr (ane-op-chip-matrix.md 1.2), in a dictionary or in one
/// inside.
static std::string findRuntimeName(CFDictionaryRef properties) {
  CFIndex count = CFDictionaryGetCount(properties);
  SmallVector<const void *> keys(count), values(count);
  CFDictionaryGetKeysAndValues(properties, keys.data(), values.data());
  for (auto [key, value] : llvm::zip_equal(keys, values)) {
    if (CFGetTypeID(value) == CFDictionaryGetTypeID()) {
      if (std::string name = findRuntimeName(static_cast<CFDictionaryRef>(value)); !name.empty())
        return name;
    }
    char text[64];
    if (CFStringHasSuffix(static_cast<CFStringRef>(key), CFSTR("ANEArchitectureTypeStr")) &&
        CFGetTypeID(value) == CFStringGetTypeID() &&
        CFStringGetCString(static_cast<CFStringRef>(value), text, sizeof text, kCFStringEncodingUTF8))
      return text;
  }
  return "";
}

/// What the engine calls itself: a property of its node in the registry, wherever that stands. Never run by this
/// project.
static std::string readRuntimeName() {
  std::string name;
  io_iterator_t nodes = IO_OBJECT_NULL;
  if (IORegistryCreateIterator(MACH_PORT_NULL, kIOServicePlane, kIORegistryIterateRecursively, &nodes) != KERN_SUCCESS)
    return name;
  while (io_registry_entry_t node = name.empty() ? IOIteratorNext(nodes) : IO_OBJECT_NULL) {
    CFMutableDictionaryRef properties = nullptr;
    if (IORegistryEntryCreateCFProperties(node, &properties, kCFAllocatorDefault, 0) == KERN_SUCCESS && properties) {
      name = findRuntimeName(properties);
      CFRelease(properties);
    }
    IOObjectRelease(node);
  }
  IOObjectRelease(nodes);
  return name;
}

static std::string readProcessor() {
  char text[128] = "";
  size_t size = sizeof text;
  return sysctlbyname("machdep.cpu.brand_string", text, &size, nullptr, 0) == 0 ? text : "";
}
#endif

static FailureOr<SmallVector<const ChipInfo *>> findHostChips(std::string &error) {
#ifdef __APPLE__
  return findDeviceChips(readRuntimeName(), readProcessor(), error);
#else
  error = "--target=host is the engine of the machine that compiles, and this machine is no Mac: name the chip of the "
          "machine that "
          "will run the bundle, as in --target=m4, or take --target=any-m for every Mac (--list-targets shows all)";
  return failure();
#endif
}

FailureOr<SmallVector<const ChipInfo *>> mlir::ane::findChips(StringRef spelling, std::string &error) {
  llvm::SmallPtrSet<const ChipInfo *, 8> found;
  for (StringRef name : llvm::split(spelling, ',')) {
    if (name.trim().equals_insensitive(anyMac)) {
      for (const ChipInfo &chip : allChips())
        if (chip.mSeries)
          found.insert(&chip);
    } else if (name.trim().equals_insensitive(thisHost)) {
      FailureOr<SmallVector<const ChipInfo *>> chips = findHostChips(error);
      if (failed(chips))
        return failure();
      found.insert(chips->begin(), chips->end());
    } else if (const ChipInfo *chip = findChip(name, error)) {
      found.insert(chip);
    } else {
      return failure();
    }
  }
  SmallVector<const ChipInfo *> chips(found.begin(), found.end());
  llvm::sort(chips); // one table: in its order
  return chips;
}
