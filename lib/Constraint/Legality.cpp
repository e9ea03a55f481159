//===- Legality.cpp - how ops fare on chips and routes --------------------===//

#include "ane/Constraint/Legality.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
struct StatusInfo {
  StringRef mark, text;
  bool runs;
};
struct Cell {
  LegalityStatus status;
  LegalityOrigin origin;
  Tier from;
  bool conflict;
  uint32_t rows; // bit mask
};
struct OpLegality {
  StringRef op;
  int64_t osFrom; // for programs for this macOS and later, until the op's next entry
  ArrayRef<LegalityRow> rows;
  Cell cells[static_cast<unsigned>(Tier::Unknown) + 1][getMaxEnumValForRoute() + 1];
};
} // namespace

namespace mlir::ane {
#include "ane/Constraint/LegalityTable.cpp.inc"
} // namespace mlir::ane

StringRef mlir::ane::markOf(LegalityStatus status) { return statusTable[static_cast<unsigned>(status)].mark; }
StringRef mlir::ane::textOf(LegalityStatus status) { return statusTable[static_cast<unsigned>(status)].text; }

/// The entries of an op, by the macOS from which they hold.
static ArrayRef<OpLegality> find(StringRef op) {
  auto entries = llvm::make_range(std::begin(legalityTable), std::end(legalityTable));
  auto first = llvm::lower_bound(entries, op, [](const OpLegality &row, StringRef name) { return row.op < name; });
  return ArrayRef(first, std::end(legalityTable)).take_while([&](const OpLegality &row) { return row.op == op; });
}

ArrayRef<LegalityRow> mlir::ane::legalityRows(StringRef op) {
  ArrayRef<OpLegality> entries = find(op);
  return entries.empty() ? ArrayRef<LegalityRow>() : entries.front().rows;
}

SmallVector<int64_t> mlir::ane::legalityChanges(StringRef op) {
  SmallVector<int64_t> versions;
  for (const OpLegality &entry : find(op))
    if (entry.osFrom)
      versions.push_back(entry.osFrom);
  return versions;
}

Legality mlir::ane::legalityOf(StringRef op, Tier tier, Route route, int64_t os) {
  ArrayRef<OpLegality> entries = find(op).take_while([&](const OpLegality &entry) { return entry.osFrom <= os; });
  if (entries.empty())
    return {LegalityStatus::Unknown, LegalityOrigin::Nothing, tier, false, {}};
  const OpLegality &entry = entries.back();
  const Cell &cell = entry.cells[static_cast<unsigned>(tier)][static_cast<unsigned>(route)];
  Legality result{cell.status, cell.origin, cell.from, cell.conflict, {}};
  for (auto [i, row] : llvm::enumerate(entry.rows))
    if (cell.rows >> i & 1)
      result.rows.push_back(&row);
  return result;
}

Legality mlir::ane::legalityOf(Operation *op, const TargetEnv &env) {
  // Of several tiers one on which it does not run decides.
  for (Tier tier : env.getTiers())
    if (Legality legality = legalityOf(op->getName().stripDialect(), tier, env.getRoute(), env.getOS());
        !legality.runs() || tier == env.getTiers().back())
      return legality;
  llvm_unreachable("a target has a tier");
}

bool Legality::runs() const { return statusTable[static_cast<unsigned>(status)].runs; }

std::string Legality::inheritedFrom() const {
  switch (origin) {
  case LegalityOrigin::Exact:
    return "";
  case LegalityOrigin::OtherTier:
    return std::string("tier ") + tierName(from);
  case LegalityOrigin::Tables:
    return "the compiler's tables";
  case LegalityOrigin::Nothing:
    return "nothing";
  }
  llvm_unreachable("all origins are listed");
}

std::string Legality::str() const {
  std::string text = textOf(status).str();
  // The row that gave the status, and the first that speaks for it.
  for (const LegalityRow *row : rows) {
    if (row->status != status)
      continue;
    if (!row->condition.empty())
      text += ": " + row->condition.str();
    for (const EvidenceInfo &evidence : row->evidence)
      if (evidence.supports) {
        llvm::raw_string_ostream(text) << " (" << evidence.source << (evidence.chip.empty() ? "" : ", ")
                                       << evidence.chip << (evidence.os.empty() ? "" : ", ") << evidence.os << ": "
                                       << evidence.note << ")";
        break;
      }
    break;
  }
  if (isInherited() && origin != LegalityOrigin::Nothing)
    text += ", inherited from " + inheritedFrom();
  return text;
}
