//===- Targets.cpp - the list of targets ----------------------------------===//

#include "ane/Report/Targets.h"
#include "ane/Constraint/Constraints.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ane;

static SmallVector<StringRef> namesIn(const char *const *names) {
  SmallVector<StringRef> result;
  for (; *names; ++names)
    result.push_back(*names);
  return result;
}

static long long limitAt(Limit limit, const ChipInfo &chip, Route route, int64_t os) {
  return limitOf(limit, chip.tier, static_cast<unsigned>(route), os);
}

static ArrayRef<EvidenceInfo> evidenceOf(const ChipInfo &chip) { return {chip.evidence, chip.evidenceCount}; }

/// The best that is known of a chip: what its evidence is, and on which devices.
static std::string evidenceSummary(const ChipInfo &chip) {
  if (!chip.hasMIL)
    return "no MIL path";
  for (const EvidenceInfo &evidence : evidenceOf(chip))
    if (evidence.supports && evidence.strength == "measured" && !evidence.chip.empty())
      return ("measured on " + StringRef(evidence.chip)).str();
  return "its compiler's table";
}

std::string mlir::ane::targetsText(Route route, int64_t version) {
  std::string text;
  llvm::raw_string_ostream os(text);
  constexpr const char *row = "{0,-6} {1,-6} {2,4} {3,5} {4,6} {5,6} {6,6} {7,7} {8,-33} {9,-40} {10,-12} {11}\n";
  os << llvm::formatv(row, "target", "tier", "sets", "MHz", "axis", "kernel", "rank", "operand", "products", "also",
                      "devices say", "evidence");
  for (const ChipInfo &chip : allChips()) {
    std::optional<long long> operand = factOf(Fact::OperandBytes, chip);
    os << llvm::formatv(
        row, chip.target, tierName(chip.tier), chip.engineSets, chip.clockMHz ? std::to_string(chip.clockMHz) : "?",
        limitAt(Limit::SpatialAxis, chip, route, version), limitAt(Limit::KernelWidth, chip, route, version),
        limitAt(Limit::Rank, chip, route, version), operand ? llvm::formatv("{0} MB", *operand >> 20).str() : "?",
        chip.silicon, llvm::join(namesIn(chip.aliases), " "), llvm::join(namesIn(chip.runtimeNames), " "),
        evidenceSummary(chip));
  }
  os << "\nsets: engine sets of a die; MHz: highest clock; axis: longest height or width; kernel: widest convolution; "
        "rank: most\n"
        "axes; operand: what stays on the chip. Limits are those of route "
     << stringifyRoute(route) << ", macOS " << version
     << " (--route, --os). All limits, facts and evidence:\n--json. Sets of chips: any-m, ";
  SmallVector<StringRef> macs;
  for (const ChipInfo &chip : allChips())
    if (chip.mSeries)
      macs.push_back(chip.target);
  os << "which is " << llvm::join(macs, ",") << "; or names joined by commas.\n";
  return text;
}

static llvm::json::Object limitsJSON(const ChipInfo &chip, Route route, int64_t os) {
  llvm::json::Object limits;
  for (unsigned i = 0; i < numLimits; ++i)
    limits[limitInfo(static_cast<Limit>(i)).name] = limitAt(static_cast<Limit>(i), chip, route, os);
  return limits;
}

static llvm::json::Object factsJSON(const ChipInfo &chip) {
  llvm::json::Object facts;
  for (unsigned i = 0; i < numFacts; ++i) {
    std::optional<long long> value = factOf(static_cast<Fact>(i), chip);
    facts[factInfo(static_cast<Fact>(i)).name] = value ? llvm::json::Value(*value) : llvm::json::Value(nullptr);
  }
  return facts;
}

static llvm::json::Value clock(int megahertz) { return megahertz ? llvm::json::Value(megahertz) : nullptr; }

std::string mlir::ane::targetsJSON(Route route, int64_t os) {
  llvm::json::Array targets;
  for (const ChipInfo &chip : allChips())
    targets.push_back(llvm::json::Object{{"target", chip.target},
                                         {"tier", tierName(chip.tier)},
                                         {"silicon", chip.silicon},
                                         {"aliases", llvm::json::Array(namesIn(chip.aliases))},
                                         {"runtime_names", llvm::json::Array(namesIn(chip.runtimeNames))},
                                         {"engine_sets", chip.engineSets},
                                         {"clock_mhz", clock(chip.clockMHz)},
                                         {"effective_clock_mhz", clock(chip.effectiveMHz)},
                                         {"mil", chip.hasMIL},
                                         {"m_series", chip.mSeries},
                                         {"note", chip.note},
                                         {"limits", limitsJSON(chip, route, os)},
                                         {"facts", factsJSON(chip)},
                                         {"evidence", evidenceJSON(evidenceOf(chip))}});
  llvm::json::Object limits, facts;
  for (unsigned i = 0; i < numLimits; ++i) {
    const LimitInfo &info = limitInfo(static_cast<Limit>(i));
    limits[info.name] = llvm::json::Object{{"unit", info.unit}, {"summary", info.summary}};
  }
  for (unsigned i = 0; i < numFacts; ++i) {
    const FactInfo &info = factInfo(static_cast<Fact>(i));
    facts[info.name] = llvm::json::Object{{"group", info.group}, {"unit", info.unit}, {"summary", info.summary}};
  }
  llvm::json::Object root{{"schema", 1},
                          {"route", stringifyRoute(route)},
                          {"os", os},
                          {"limits", std::move(limits)},
                          {"facts", std::move(facts)},
                          {"targets", std::move(targets)}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(root)));
}
