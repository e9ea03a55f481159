//===- FindChips.cpp - chips by their names -------------------------------===//

#include "ane/Constraint/TargetEnv.h"
#include "runtime/device/ane/machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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
  names.insert(names.end(), {anyMac, nativeTarget});
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

/// The chip that the machine of this compiler has: several where its engine's name is that of several.
static FailureOr<SmallVector<const ChipInfo *>> findNativeChips(StringRef spelling, std::string &error) {
  absl::StatusOr<std::vector<std::string>> names = ::ane::rt::engine::namedTargets(spelling.str());
  if (!names.ok()) {
    error = "--target: " + std::string(names.status().message());
    return failure();
  }
  return llvm::map_to_vector(*names, [&](const std::string &name) { return findChip(name, error); });
}

FailureOr<SmallVector<const ChipInfo *>> mlir::ane::findChips(StringRef spelling, std::string &error) {
  llvm::SmallPtrSet<const ChipInfo *, 8> found;
  for (StringRef name : llvm::split(spelling, ',')) {
    if (name.trim().equals_insensitive("host")) // what it was called before
      name = nativeTarget;
    if (name.trim().equals_insensitive(anyMac)) {
      for (const ChipInfo &chip : allChips())
        if (chip.mSeries)
          found.insert(&chip);
    } else if (::ane::rt::engine::isNative(name.trim().str())) {
      FailureOr<SmallVector<const ChipInfo *>> chips = findNativeChips(name.trim(), error);
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
