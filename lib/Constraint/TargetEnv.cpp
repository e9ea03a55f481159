//===- TargetEnv.cpp - the machine that programs are compiled for ---------===//

#include "ane/Constraint/TargetEnv.h"
#include "ane/Constraint/Constraints.h"
#include "ane/IR/DialectAttrs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;

static const ChipInfo *chipOfTarget(StringRef target) {
  auto chip = llvm::find_if(allChips(), [&](const ChipInfo &chip) { return target == chip.target; });
  return chip == allChips().end() ? nullptr : chip;
}

TargetEnv::TargetEnv(TargetAttr target, ArrayAttr keep, bool speed) : target(target), keep(keep), speed(speed) {
  target.getChip().split(chips, ',');
  for (StringRef name : chips) {
    const ChipInfo *chip = chipOfTarget(name);
    tiers.push_back(chip ? chip->tier : Tier::Unknown);
  }
  llvm::sort(tiers);
  tiers.erase(std::unique(tiers.begin(), tiers.end()), tiers.end());
}

std::string TargetEnv::withoutMIL() const {
  SmallVector<StringRef> names;
  for (StringRef name : chips)
    if (const ChipInfo *chip = chipOfTarget(name); chip && !chip->hasMIL)
      names.push_back(name);
  return llvm::join(names, ", ");
}

int64_t TargetEnv::limit(Limit limit) const {
  auto values = llvm::map_range(
      tiers, [&](Tier tier) -> int64_t { return limitOf(limit, tier, static_cast<unsigned>(getRoute()), getOS()); });
  return limitInfo(limit).worstIsLow ? *std::min_element(values.begin(), values.end())
                                     : *std::max_element(values.begin(), values.end());
}

static bool matches(const Applicability &where, Tier tier, Route route) {
  return (tier == Tier::Unknown || (where.tiers >> static_cast<unsigned>(tier) & 1)) &&
         (where.routes >> static_cast<unsigned>(route) & 1);
}

bool TargetEnv::mayApply(const Applicability &where) const {
  return (!where.osTo || getOS() <= where.osTo) && (where.ahead || getOS() >= where.osFrom) &&
         llvm::any_of(tiers, [&](Tier tier) { return matches(where, tier, getRoute()); });
}

bool TargetEnv::surelyApplies(const Applicability &where, Tier tier) const {
  return tier != Tier::Unknown && matches(where, tier, getRoute()) && (!where.osFrom || getOS() >= where.osFrom) &&
         !where.osTo;
}

bool TargetEnv::surelyApplies(const Applicability &where) const {
  return llvm::all_of(tiers, [&](Tier tier) { return surelyApplies(where, tier); });
}

bool TargetEnv::keeps(StringRef constraint) const {
  return keep && llvm::any_of(keep.getAsRange<StringAttr>(), [&](StringAttr kept) { return kept == constraint; });
}

std::string TargetEnv::str() const {
  constexpr size_t shown = 4;
  std::string names;
  if (chips.size() > shown)
    names = (chips.front() + " ... " + chips.back() + ", " + Twine(chips.size()) + " chips").str();
  else
    names = llvm::join(chips, ", ");
  return (names + (llvm::is_contained(tiers, Tier::Unknown) ? ", unknown" : "") + " (" + stringifyRoute(getRoute()) +
          ", macOS " + Twine(getOS()) + ")")
      .str();
}

FailureOr<Route> mlir::ane::parseRoute(StringRef name, std::string &error) {
  if (std::optional<Route> route = symbolizeRoute(name))
    return *route;
  SmallVector<StringRef> names;
  for (uint32_t i = 0; i <= getMaxEnumValForRoute(); ++i)
    names.push_back(stringifyRoute(static_cast<Route>(i)));
  error = ("no route '" + name + "': one of " + llvm::join(names, ", ")).str();
  return failure();
}

std::string mlir::ane::checkOS(int64_t os) {
  // macOS went from 15 to 26; 11 is the first that runs on Apple silicon.
  if (os < 11 || (os > 15 && os < 26) || os > 99)
    return "no macOS " + std::to_string(os) + ": --os takes a major version, 11 to 15 or 26 and later";
  return "";
}

FailureOr<TargetAttr> mlir::ane::makeTarget(MLIRContext *context, ArrayRef<const ChipInfo *> chips, std::string &error,
                                            Route route, int64_t os, Strictness strictness) {
  if (route == Route::Netlist) {
    error = "no program is made for route netlist: it takes hand-written Espresso networks, and this compiler writes "
            "MIL text; "
            "take in_memory, coreml or e5rt";
    return failure();
  }
  if (error = checkOS(os); !error.empty())
    return failure();
  std::string names = llvm::join(llvm::map_range(chips, [](const ChipInfo *chip) { return chip->target; }), ",");
  // ios16 is the opset with the widest evidence: it compiles on every generation (ane-programming.md 0, rule 6).
  return TargetAttr::get(context, names, route, os, Opset::ios16, strictness);
}

FailureOr<TargetAttr> mlir::ane::parseTarget(MLIRContext *context, StringRef spelling, std::string &error, Route route,
                                             int64_t os, Strictness strictness) {
  FailureOr<SmallVector<const ChipInfo *>> chips = findChips(spelling, error);
  if (failed(chips))
    return failure();
  return makeTarget(context, *chips, error, route, os, strictness);
}

FailureOr<ArrayAttr> mlir::ane::parseKeep(MLIRContext *context, ArrayRef<std::string> rules, std::string &error) {
  SmallVector<Attribute> codes;
  SmallVector<StringRef> disputed;
  for (const ConstraintInfo &record : allConstraints())
    if (record.disputed)
      disputed.push_back(record.code);
  for (const std::string &rule : rules) {
    if (rule == "disputed") {
      for (StringRef code : disputed)
        codes.push_back(StringAttr::get(context, code));
      continue;
    }
    std::optional<ConstraintID> id = findConstraint(rule);
    if (!id || (!info(*id).catalog && !info(*id).disputed)) {
      error = "no rule '" + rule + "' to keep: only those of the published catalog, C01 to C20, can be lifted, and " +
              llvm::join(disputed, ", ") + " are disputed ('disputed' keeps all of them)";
      return failure();
    }
    codes.push_back(StringAttr::get(context, info(*id).code));
  }
  return ArrayAttr::get(context, codes);
}

void mlir::ane::setTarget(ModuleOp module, TargetAttr target, ArrayAttr keep) {
  attrs::target.set(module, target);
  if (keep && !keep.empty())
    attrs::keep.set(module, keep);
  else
    attrs::keep.remove(module);
}

void mlir::ane::setPreference(ModuleOp module, bool speed) {
  if (speed)
    attrs::prefer.set(module, StringAttr::get(module.getContext(), "speed"));
  else
    attrs::prefer.remove(module);
}

TargetEnv mlir::ane::lookupTargetEnv(Operation *op) {
  for (Operation *parent = op; parent; parent = parent->getParentOp())
    if (auto target = attrs::target.get(parent))
      return TargetEnv(target, attrs::keep.get(parent), attrs::prefer.isOn(parent));
  std::string error;
  return TargetEnv(*parseTarget(op->getContext(), defaultTargetName, error));
}
