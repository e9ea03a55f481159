//===- OpGroupsGen.cpp - groups of ops for the compiler -------------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace ane_tblgen;

static bool emitEnum(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-op-groups-enum.\nenum class OpGroup {\n";
  for (const OpGroupEntry &group : readOpGroups(records))
    os << "  " << group.name << ", ///< " << group.text << "\n";
  os << "};\n";
  return false;
}

static bool emitTests(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-op-groups.\n"
     << "bool mlir::ane::isIn(OpGroup group, Operation *op) {\n  switch (group) {\n";
  for (const OpGroupEntry &group : readOpGroups(records))
    os << "  case OpGroup::" << group.name << ":\n    return isa<" << join(group.classes, ", ") << ">(op);\n";
  os << "  }\n  llvm_unreachable(\"no such group\");\n}\n";
  return false;
}

static mlir::GenRegistration groupEnum("gen-ane-op-groups-enum", "Names of groups of ops", emitEnum);
static mlir::GenRegistration tests("gen-ane-op-groups", "Membership in groups of ops", emitTests);
