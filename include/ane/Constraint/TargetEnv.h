//===- TargetEnv.h - the machine that programs are compiled for -*- C++ -*-===//
//
// The one wrapper over #ane.target. No pass names a chip or a number: it asks for a limit, or whether an op is legal. A
// target may be several chips: then a limit is the worst of theirs, a record is enforced when it may hold on one of
// them, and a rule is lifted when it is lifted on all.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_TARGETENV_H
#define ANE_CONSTRAINT_TARGETENV_H

#include "ane/Constraint/Targets.h"
#include "ane/IR/ANE.h"
#include <optional>

namespace mlir::ane {

/// Where a record holds: bit masks over Tier and Route, macOS major versions (0 is open).
struct Applicability {
  uint32_t tiers, routes;
  int64_t osFrom, osTo;
  bool ahead = true; // programs for an older OS than osFrom obey it, too
};

class TargetEnv {
public:
  /// A chip without a record is legal here: it gets the worst of everything. `keep` are ids of rules that evidence does
  /// not lift, and of disputed ones that are enforced (the module's `ane.keep`).
  explicit TargetEnv(TargetAttr target, ArrayAttr keep = {}, bool speed = false);

  TargetAttr getAttr() const { return target; }
  /// The names of the chips, in the order of the records.
  llvm::ArrayRef<llvm::StringRef> getChips() const { return chips; }
  Route getRoute() const { return target.getRoute(); }
  int64_t getOS() const { return target.getOs(); }
  Opset getOpset() const { return target.getOpset(); }
  Strictness getStrictness() const { return target.getStrictness(); }

  /// The tiers of the target's chips, ascending; Tier::Unknown for a chip without a record.
  llvm::ArrayRef<Tier> getTiers() const { return tiers; }
  /// False: on one of the chips no program in MIL text runs, everything goes to the CPU. A chip without a record is
  /// taken to have a path.
  bool hasMIL() const { return withoutMIL().empty(); }
  /// The names of the chips without a path for MIL programs, joined.
  std::string withoutMIL() const;

  /// The worst over the chips.
  int64_t limit(Limit limit) const;
  double numeric(Numeric numeric) const { return numericOf(numeric); }

  /// True when the record may hold on one of the chips; on one without a record, when it holds for some tier. A program
  /// must run on the target's OS and every later one, so a record that ends before that OS does not hold, and one that
  /// begins later does, unless it is not `ahead`.
  bool mayApply(const Applicability &where) const;
  /// True when the record holds for sure on chips of that tier, on the whole range of OS versions: what lifting a rule
  /// needs.
  bool surelyApplies(const Applicability &where, Tier tier) const;
  /// The same for all chips of the target.
  bool surelyApplies(const Applicability &where) const;
  /// True when the target asks for this rule although evidence may lift it, or disputes it.
  bool keeps(llvm::StringRef constraint) const;
  /// Short spellings stay where longer ones would only be more accurate (the module's `ane.prefer = "speed"`).
  bool prefersSpeed() const { return speed; }

  /// "h16 (in_memory, macOS 15)", "h13, h16 (in_memory, macOS 15)"; of many chips the first and the last.
  std::string str() const;

private:
  TargetAttr target;
  ArrayAttr keep;
  bool speed;
  llvm::SmallVector<llvm::StringRef, 2> chips;
  llvm::SmallVector<Tier, 2> tiers;
};

/// `--target` without a value.
inline constexpr llvm::StringLiteral defaultTargetName = "m4";
/// The set of all chips in Macs.
inline constexpr llvm::StringLiteral anyMac = "any-m";
/// The chip of the machine that compiles.
inline constexpr llvm::StringLiteral nativeTarget = "native";

/// All chips with a record, in the order of the records.
llvm::ArrayRef<ChipInfo> allChips();

/// The record for a name: the compiler's or a marketing name in any case, spaces, '-' and '_' ignored, with or without
/// "Apple". On failure `error` lists what there is and the nearest name.
const ChipInfo *findChip(llvm::StringRef spelling, std::string &error);

/// The records for a spelling of `--target`: names separated by commas, `any-m` or `native` among them; in the order of
/// the records, each once.
FailureOr<llvm::SmallVector<const ChipInfo *>> findChips(llvm::StringRef spelling, std::string &error);

/// The target attribute for chips of findChips; the defaults are those of the command line.
FailureOr<TargetAttr> makeTarget(MLIRContext *context, llvm::ArrayRef<const ChipInfo *> chips, std::string &error,
                                 Route route = Route::InMemory, int64_t os = 15,
                                 Strictness strictness = Strictness::Catalog);
/// The same for their spelling.
FailureOr<TargetAttr> parseTarget(MLIRContext *context, llvm::StringRef spelling, std::string &error,
                                  Route route = Route::InMemory, int64_t os = 15,
                                  Strictness strictness = Strictness::Catalog);
/// `ane.keep` for ids or names of rules of the catalog or disputed ones; "disputed" is all of these.
FailureOr<ArrayAttr> parseKeep(MLIRContext *context, llvm::ArrayRef<std::string> rules, std::string &error);
/// Attaches both to a module; an empty `keep` is left out.
void setTarget(ModuleOp module, TargetAttr target, ArrayAttr keep);
/// Attaches `ane.prefer = "speed"`, or takes it away.
void setPreference(ModuleOp module, bool speed);
/// A route by its name; `error` lists what there is.
FailureOr<Route> parseRoute(llvm::StringRef name, std::string &error);

/// What is wrong with a macOS major version, or "".
std::string checkOS(int64_t os);

/// From `ane.target`, `ane.keep` and `ane.prefer` of the nearest module that has a target, else the default target.
TargetEnv lookupTargetEnv(Operation *op);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_TARGETENV_H
