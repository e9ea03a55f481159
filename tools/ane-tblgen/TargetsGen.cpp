//===- TargetsGen.cpp - target tables as plain C++ -----------------------===//
//
// The output uses no LLVM type, so that a program without LLVM can include it.
//
//===----------------------------------------------------------------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;
using namespace ane_tblgen;

static bool emitDecls(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-target-decls.\n";
  os << "/// Chips with the same capabilities. Unknown is a chip without a record: the worst of all tiers.\n";
  os << "enum class Tier : unsigned {\n";
  for (const NamedIndex &tier : readIndexed(records, "Tier"))
    os << "  " << tier.name << " = " << tier.index << ", // " << tier.text << "\n";
  os << "  Unknown\n};\n\n/// Integer limits, see TargetEnv::limit.\nenum class Limit : unsigned {\n";
  for (const LimitEntry &limit : readLimits(records))
    os << "  " << limit.name << ", // " << limit.summary << " [" << limit.unit << "]\n";
  os << "};\n\n/// Numbers that no pass uses, see factOf.\nenum class Fact : unsigned {\n";
  std::vector<FactEntry> facts = readFacts(records);
  for (const FactEntry &fact : facts)
    os << "  " << fact.name << ", // " << fact.summary << " [" << fact.unit << "]\n";
  os << "};\ninline constexpr unsigned numLimits = " << readLimits(records).size() << ", numFacts = " << facts.size()
     << ";\n\n/// Numbers of the engine's arithmetic, see TargetEnv::numeric.\nenum class Numeric : unsigned {\n";
  for (const NumericEntry &numeric : readNumerics(records))
    os << "  " << numeric.name << ", // " << numeric.value << ": " << numeric.summary << "\n";
  os << "};\n";
  return false;
}

static void emitNames(const std::vector<std::string> &names, StringRef variable, raw_ostream &os) {
  os << "static const char *const " << variable << "[] = {";
  for (const std::string &name : names)
    os << quoted(name) << ", ";
  os << "nullptr};\n";
}

static bool emitDefs(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-target-defs.\n";
  std::vector<ChipEntry> chips = readChips(records);
  for (const ChipEntry &chip : chips) {
    emitNames(chip.aliases, chip.target + "Aliases", os);
    emitNames(chip.runtimeNames, chip.target + "RuntimeNames", os);
    os << "static const EvidenceInfo " << chip.target << "Evidence[] = {";
    for (const EvidenceEntry &evidence : chip.evidence) {
      emitEvidence(evidence, os);
      os << ", ";
    }
    os << "};\n";
  }
  os << "static const ChipInfo chipTable[] = {\n";
  for (auto [index, chip] : llvm::enumerate(chips))
    os << "  {" << index << ", " << quoted(chip.target) << ", Tier::" << chip.tier << ", " << chip.ne << ", "
       << quoted(chip.silicon) << ", " << chip.target << "Aliases, " << chip.target << "RuntimeNames, " << chip.hasMIL
       << ", " << chip.mSeries << ", " << chip.clockMHz << ", " << chip.effectiveMHz << ", " << quoted(chip.note)
       << ", " << chip.target << "Evidence, " << chip.evidence.size() << "},\n";
  os << "};\n\n";

  std::vector<LimitEntry> limits = readLimits(records);
  os << "static const LimitRow limitRows[] = {\n";
  emitLimitRows(limits, os);
  os << "};\n\nstatic const LimitInfo limitInfos[] = {\n";
  for (const LimitEntry &limit : limits)
    os << "  {" << quoted(limit.name) << ", " << quoted(limit.unit) << ", " << quoted(limit.summary) << ", "
       << limit.worstIsLow << "},\n";
  os << "};\n\nstatic constexpr long long unknownFact = -1;\n// By fact and chip.\nstatic const long long factTable[]["
     << chips.size() << "] = {\n";
  std::vector<FactEntry> facts = readFacts(records);
  for (const FactEntry &fact : facts) {
    os << "  {";
    for (const ChipEntry &chip : chips) {
      const FactRow *row = fact.at(chip);
      os << (row ? row->value : -1) << ", ";
    }
    os << "}, // " << fact.name << "\n";
  }
  os << "};\n\nstatic const FactInfo factInfos[] = {\n";
  for (const FactEntry &fact : facts)
    os << "  {" << quoted(fact.name) << ", " << quoted(fact.group) << ", " << quoted(fact.unit) << ", "
       << quoted(fact.summary) << "},\n";
  os << "};\n\nstatic const char *const tierNames[] = {";
  for (const NamedIndex &tier : readIndexed(records, "Tier"))
    os << quoted(tier.name) << ", ";
  os << "\"unknown\"};\n\nstatic const double numericTable[] = {\n";
  for (const NumericEntry &numeric : readNumerics(records))
    os << "  " << numeric.value << ", // " << numeric.name << "\n";
  os << "};\n";
  return false;
}

static mlir::GenRegistration decls("gen-ane-target-decls", "Enums of tiers, limits and numbers", emitDecls);
static mlir::GenRegistration defs("gen-ane-target-defs", "Tables of chips, limits and numbers", emitDefs);
