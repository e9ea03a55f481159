//===- IndexGen.cpp - the list of ids for the coverage test ---------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace ane_tblgen;

/// One line for each record: id, slug, scope, enforcer, symptom, and the passes that legalise it, or "remedy".
static bool emitIndex(const RecordKeeper &records, raw_ostream &os) {
  for (const ConstraintEntry &entry : readConstraints(records))
    os << entry.id << " " << entry.slug << " " << entry.scope << " " << entry.enforcedBy << " " << entry.symptom << " "
       << (entry.passes.empty() ? "remedy" : join(entry.passes, ",")) << "\n";
  return false;
}

static mlir::GenRegistration indexFile("gen-ane-constraint-index", "List of constraint ids", emitIndex);
