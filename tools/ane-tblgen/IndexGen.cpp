//===- IndexGen.cpp - the list of ids for the coverage test ---------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"

using namespace llvm;
using namespace ane_tblgen;

/// One line for each record: id, slug, scope, enforcer, symptom, and whether a pass legalises it.
static bool emitIndex(const RecordKeeper &records, raw_ostream &os) {
  for (const ConstraintEntry &entry : readConstraints(records))
    os << entry.id << " " << entry.slug << " " << entry.scope << " " << entry.enforcedBy << " " << entry.symptom << " "
       << (entry.passes.empty() ? "remedy" : "legalised") << "\n";
  return false;
}

static mlir::GenRegistration indexFile("gen-ane-constraint-index", "List of constraint ids", emitIndex);
