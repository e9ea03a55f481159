//===- ChecksGen.cpp - predicate bodies and the index by op --------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace llvm;
using namespace ane_tblgen;

static void emitFunction(StringRef name, const ConstraintEntry &entry, const PredicateEntry &predicate,
                         raw_ostream &os) {
  os << "// " << predicate.english << "\n"
     << "static std::optional<Finding> " << name
     << "([[maybe_unused]] Operation *op, [[maybe_unused]] const TargetEnv &env, "
        "[[maybe_unused]] ValueRanges &ranges) {\n"
     << "#line " << 1 << " \"" << entry.id << " " << entry.slug << "\"\n  " << predicate.body << "\n}\n";
}

static bool emitChecks(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-constraint-checks.\n";
  std::vector<ConstraintEntry> constraints = readConstraints(records);
  std::set<std::pair<std::string, bool>> custom; // name, whether it wants ranges
  for (const ConstraintEntry &entry : constraints) {
    custom.insert({entry.predicate.function, entry.predicate.wantsRanges});
    for (const LiftEntry &lift : entry.lifts)
      custom.insert({lift.remains.function, lift.remains.wantsRanges});
  }
  custom.erase({"", false});
  os << "// Bodies are in lib/Constraint/Checks; one that is missing is an error of the linker.\n";
  for (const auto &[function, wantsRanges] : custom)
    os << "std::optional<Finding> " << function << "(Operation *op, const TargetEnv &env"
       << (wantsRanges ? ", ValueRanges &ranges" : "") << ");\n";

  os << "\n";
  for (const ConstraintEntry &entry : constraints) {
    emitFunction("check" + entry.id, entry, entry.predicate, os);
    for (auto [i, lift] : llvm::enumerate(entry.lifts))
      emitFunction("check" + entry.id + "Lifted" + std::to_string(i), entry, lift.remains, os);
  }
  os << "\nusing CheckFunction = std::optional<Finding> (*)(Operation *, const TargetEnv &, ValueRanges &);\n";
  os << "struct CheckRow { CheckFunction check; std::initializer_list<CheckFunction> lifted; };\n";
  os << "static const CheckRow checkTable[] = {\n";
  for (const ConstraintEntry &entry : constraints) {
    os << "  {check" << entry.id << ", {";
    for (size_t i = 0; i < entry.lifts.size(); ++i)
      os << "check" << entry.id << "Lifted" << i << ", ";
    os << "}},\n";
  }
  os << "};\n\n";

  std::map<std::string, std::vector<std::string>> byOp;
  std::vector<std::string> anyOp;
  for (const ConstraintEntry &entry : constraints) {
    if (entry.scope != "PerOp")
      continue;
    if (entry.anyOp)
      anyOp.push_back(entry.id);
    for (const std::string &op : entry.ops)
      byOp[op].push_back(entry.id);
  }
  auto printIDs = [&](const std::vector<std::string> &ids) {
    for (const std::string &id : ids)
      os << "ConstraintID::" << id << ", ";
  };
  os << "struct OpRow { StringRef op; std::initializer_list<ConstraintID> ids; };\n";
  os << "static const std::initializer_list<ConstraintID> anyOpConstraints = {";
  printIDs(anyOp);
  os << "};\nstatic const OpRow opTable[] = {\n";
  for (const auto &[op, ids] : byOp) {
    os << "  {" << quoted(op) << ", {";
    printIDs(ids);
    os << "}},\n";
  }
  os << "};\n";
  return false;
}

static mlir::GenRegistration checks("gen-ane-constraint-checks", "Predicates of constraints and their index by op",
                                    emitChecks);
