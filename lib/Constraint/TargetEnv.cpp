//===- TargetEnv.cpp - the machine that programs are compiled for ---------===//

#include "ane/Constraint/TargetEnv.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;

static ArrayRef<ChipInfo> allChips() { return {chipsBegin(), chipsEnd()}; }

static const ChipInfo *chipOfTarget(StringRef target) {
  for (const ChipInfo &chip : allChips())
    if (target == chip.target && chip.selectable)
      return &chip;
  return nullptr;
}

TargetEnv::TargetEnv(TargetAttr target) : target(target), chip(chipOfTarget(target.getChip())) {}

static bool matches(const Applicability &where, const TargetEnv &env) {
  bool tier = env.getTier() == Tier::Unknown || (where.tiers >> static_cast<unsigned>(env.getTier()) & 1);
  return tier && (where.routes >> static_cast<unsigned>(env.getRoute()) & 1);
}

bool TargetEnv::mayApply(const Applicability &where) const {
  return matches(where, *this) && (!where.osTo || getOS() <= where.osTo);
}

bool TargetEnv::surelyApplies(const Applicability &where) const {
  return getTier() != Tier::Unknown && matches(where, *this) && (!where.osFrom || getOS() >= where.osFrom) && !where.osTo;
}

std::string TargetEnv::str() const {
  return (target.getChip() + (chip ? "" : ", unknown") + " (" + stringifyRoute(getRoute()) + ", macOS " + Twine(getOS()) + ")")
      .str();
}

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
    if (!chip.selectable)
      continue;
    size_t first = names.size();
    names.push_back(chip.target);
    for (const char *const *alias = chip.aliases; *alias; ++alias)
      names.push_back(*alias);
    if (llvm::is_contained(ArrayRef(names).drop_front(first), name))
      return &chip;
  }
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

FailureOr<TargetAttr> mlir::ane::parseTarget(MLIRContext *context, StringRef spelling, std::string &error, Route route,
                                             int64_t os, Strictness strictness) {
  const ChipInfo *chip = findChip(spelling, error);
  if (!chip)
    return failure();
  // macOS went from 15 to 26; 11 is the first that runs on Apple silicon.
  if (os < 11 || (os > 15 && os < 26) || os > 99) {
    error = "no macOS " + std::to_string(os) + ": --os takes a major version, 11 to 15 or 26 and later";
    return failure();
  }
  // ios16 is the opset with the widest evidence: it compiles on every generation (ane-programming.md 0, rule 6).
  return TargetAttr::get(context, chip->target, route, os, Opset::ios16, strictness);
}

TargetEnv mlir::ane::lookupTargetEnv(Operation *op) {
  for (Operation *parent = op; parent; parent = parent->getParentOp())
    if (auto target = parent->getAttrOfType<TargetAttr>("ane.target"))
      return TargetEnv(target);
  std::string error;
  return TargetEnv(*parseTarget(op->getContext(), defaultTargetName, error));
}
