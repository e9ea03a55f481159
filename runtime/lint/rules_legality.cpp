//===- rules_legality.cpp - Whether an operation runs there at all --------===//

#include "runtime/lint/rules.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace ane::rt::lint {
namespace {

struct LegalityStatus {
  const char *text;
  bool runs;
};
struct OpLegality {
  std::string_view op;
  const char *cells;
  int64_t osFrom = 0; // for programs for this macOS and later, until the op's next row
};
struct LegalityReason {
  std::string_view op;
  uint32_t tiers, routes;
  const char *text;
};
#include "runtime/lint/legality.inc"

/// What was seen on the tier and route of a cell; empty where nothing was.
std::string reasonFor(std::string_view op, size_t cell) {
  for (const LegalityReason &reason : legalityReasons)
    if (reason.op == op && (reason.tiers >> cell / kRoutes & 1) && (reason.routes >> cell % kRoutes & 1))
      return absl::StrCat(" (", reason.text, ")");
  return "";
}

/// Whether another record that is in force and about this kind of operation, or
/// about all operations of the chip or of the data type, finds fault with it.
bool isRefusedOtherwise(const RuleContext &context) {
  constexpr std::array<std::string_view, 2> kForAllOps = {"checkMILPath", "checkIntegerCompute"};
  std::vector<Diagnostic> found;
  RuleContext other(context.view, context.target, context.options, found);
  other.program = context.program;
  other.statement = context.statement;
  for (const Record &record : allRecords()) {
    bool concerns = std::find(record.ops.begin(), record.ops.end(), context.statement->op) != record.ops.end() ||
                    std::find(kForAllOps.begin(), kForAllOps.end(), record.rule.name) != kForAllOps.end();
    const RuleCall *call = context.target.ruleOf(record);
    if (!concerns || !record.perOp || !call)
      continue;
    other.record = &record;
    other.arguments = &call->arguments;
    if (RuleFunction function = findRule(call->name))
      function(other);
  }
  return !found.empty();
}

/// In programs for that macOS and later; null for an operation that no record has heard of.
const OpLegality *findOperation(std::string_view op, int64_t os) {
  auto next =
      std::upper_bound(std::begin(legalityTable), std::end(legalityTable), std::pair(op, os),
                       [](const auto &key, const OpLegality &row) { return key < std::pair(row.op, row.osFrom); });
  return next != std::begin(legalityTable) && std::prev(next)->op == op ? std::prev(next) : nullptr;
}

void checkOpLegality(RuleContext &context) {
  const std::string &op = context.statement->op;
  const OpLegality *known = findOperation(op, context.target.macOS());
  for (size_t index : context.target.cells()) {
    // Faithful mode only does what was seen on this tier and route.
    char cell = known ? known->cells[index] : '\0';
    bool seen = cell >= 'A' && cell <= 'Z';
    if (context.options.measuredOnly && !seen)
      continue;
    const LegalityStatus &status =
        known ? legalityStatuses[cell - (seen ? 'A' : 'a')] : *(std::end(legalityStatuses) - 1);
    if (status.runs || isRefusedOtherwise(context))
      continue;
    context.report(op, absl::StrCat(status.text, reasonFor(op, index), known && !seen ? ", inherited" : ""));
    return;
  }
}

constexpr RuleEntry kRules[] = {{"checkOpLegality", checkOpLegality}};

} // namespace

absl::Span<const RuleEntry> legalityRules() { return kRules; }

bool isKnownOperation(std::string_view op) { return findOperation(op, 0); }

} // namespace ane::rt::lint
