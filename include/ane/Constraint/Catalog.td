//===- Catalog.td - all constraints -------------------------------------===//
// One file per subject under Catalog/; this file only includes them.
#ifndef ANE_CONSTRAINT_CATALOG_TD
#define ANE_CONSTRAINT_CATALOG_TD

include "ane/Constraint/Constraint.td"
include "ane/IR/ANEOps.td"
include "ane/Transforms/Passes.td"

include "ane/Constraint/Catalog/Families.td"
include "ane/Constraint/Catalog/Shape.td"
include "ane/Constraint/Catalog/Spelling.td"
include "ane/Constraint/Catalog/Twenty.td"
include "ane/Constraint/Catalog/Windows.td"

#endif // ANE_CONSTRAINT_CATALOG_TD
