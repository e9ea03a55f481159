//===- Legality.h - how ops fare on chips and routes -----------*- C++ -*-===//
//
// Answers are made by ane-tblgen from Legality/*.td; Legality.td says how rows become an answer.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_LEGALITY_H
#define ANE_CONSTRAINT_LEGALITY_H

#include "ane/Constraint/Constraints.h"

namespace mlir::ane {

#include "ane/Constraint/LegalityEnum.h.inc"

enum class LegalityOrigin : unsigned char {
  Exact,     // rows for this tier and route
  OtherTier, // rows of another tier for this route
  Tables,    // what the compiler's tables say of this tier
  Nothing,   // unknown
};

/// What was seen. `routes` is 0 for a row of the compiler's tables.
struct LegalityRow {
  LegalityStatus status;
  uint32_t tiers, routes; // bit masks over Tier and Route
  llvm::StringRef condition;
  llvm::ArrayRef<EvidenceInfo> evidence;
};

/// The answer for an op, a tier, a route and a macOS.
struct Legality {
  LegalityStatus status;
  LegalityOrigin origin;
  Tier from;                                      // of OtherTier, and of an unknown chip: the tier that decided
  bool conflict;                                  // rows that decided, or their evidence, contradict each other
  llvm::SmallVector<const LegalityRow *, 2> rows; // that decided

  /// Whether the op may stand in a program.
  bool runs() const;
  bool isInherited() const { return origin != LegalityOrigin::Exact; }
  /// "tier H15", "the compiler's tables", "nothing"; empty for an exact answer.
  std::string inheritedFrom() const;
  /// "rejected (ANEForge, M5 Pro: not implemented on the engine)".
  std::string str() const;
};

/// For programs that macOS `os` and later must run. `op` is a MIL name, or a mnemonic of the dialect where MIL has
/// none. A name without a record is unknown everywhere.
Legality legalityOf(llvm::StringRef op, Tier tier, Route route, int64_t os);
Legality legalityOf(Operation *op, const TargetEnv &env);
/// What is known of an op: all rows. Empty for a name without a record.
llvm::ArrayRef<LegalityRow> legalityRows(llvm::StringRef op);
/// The versions of macOS from which on other rows decide.
llvm::SmallVector<int64_t> legalityChanges(llvm::StringRef op);

/// Mark in tables, and words.
llvm::StringRef markOf(LegalityStatus status);
llvm::StringRef textOf(LegalityStatus status);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_LEGALITY_H
