//===- TargetEnv.h - the machine that programs are compiled for -*- C++ -*-===//
//
// The one wrapper over #ane.target. No pass names a chip or a number: it asks for a limit, or whether an op is legal.
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
};

class TargetEnv {
public:
  /// A chip without a record is legal here: it gets the worst of everything.
  explicit TargetEnv(TargetAttr target);

  TargetAttr getAttr() const { return target; }
  /// Null for a chip without a record.
  const ChipInfo *getChip() const { return chip; }
  Tier getTier() const { return chip ? chip->tier : Tier::Unknown; }
  Route getRoute() const { return target.getRoute(); }
  int64_t getOS() const { return target.getOs(); }
  Opset getOpset() const { return target.getOpset(); }
  Strictness getStrictness() const { return target.getStrictness(); }
  /// False: no program in MIL text runs there, everything goes to the CPU. An unknown chip is taken to have a path.
  bool hasMIL() const { return !chip || chip->hasMIL; }

  int64_t limit(Limit limit) const { return limitOf(limit, getTier(), static_cast<unsigned>(getRoute())); }
  double numeric(Numeric numeric) const { return numericOf(numeric); }

  /// True when the record may hold: for an unknown chip, when it holds for some tier. A program must run on the target's
  /// OS and every later one, so a record that ends before that OS does not hold, and one that begins later does.
  bool mayApply(const Applicability &where) const;
  /// True when the record holds for sure on the whole range of OS versions: what lifting a rule needs.
  bool surelyApplies(const Applicability &where) const;

  /// "h16 (in_memory, macOS 15)".
  std::string str() const;

private:
  TargetAttr target;
  const ChipInfo *chip;
};

/// `--target` without a value.
inline constexpr llvm::StringLiteral defaultTargetName = "m4";

/// The record for a spelling of `--target`: the compiler's or a marketing name in any case, spaces, '-' and '_' ignored, with
/// or without "Apple". On failure `error` lists what there is and the nearest name.
const ChipInfo *findChip(llvm::StringRef spelling, std::string &error);

/// The target attribute for a spelling, with the defaults of the command line where nothing else is given.
FailureOr<TargetAttr> parseTarget(MLIRContext *context, llvm::StringRef spelling, std::string &error,
                                  Route route = Route::InMemory, int64_t os = 15,
                                  Strictness strictness = Strictness::Catalog);

/// From `ane.target` of the nearest module that has it, else the default target.
TargetEnv lookupTargetEnv(Operation *op);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_TARGETENV_H
