//===- Catalog.td - all constraints -------------------------------------===//
// One file per subject under Catalog/; this file only includes them.
#ifndef ANE_CONSTRAINT_CATALOG_TD
#define ANE_CONSTRAINT_CATALOG_TD

include "ane/Constraint/Constraint.td"
include "ane/Constraint/Facts.td"
include "ane/IR/ANEOps.td"
include "ane/Transforms/Passes.td"

include "ane/Constraint/Catalog/Families.td"
include "ane/Constraint/Catalog/OpLegality.td"
include "ane/Constraint/Catalog/Shape.td"
include "ane/Constraint/Catalog/Spelling.td"
include "ane/Constraint/Catalog/Twenty.td"
include "ane/Constraint/Catalog/Windows.td"

include "ane/Constraint/Disputes.td"
include "ane/Constraint/Legality/Activation.td"
include "ane/Constraint/Legality/Comparison.td"
include "ane/Constraint/Legality/Control.td"
include "ane/Constraint/Legality/Convolution.td"
include "ane/Constraint/Legality/Dialect.td"
include "ane/Constraint/Legality/Elementwise.td"
include "ane/Constraint/Legality/Image.td"
include "ane/Constraint/Legality/Movement.td"
include "ane/Constraint/Legality/Normalization.td"
include "ane/Constraint/Legality/Quantization.td"
include "ane/Constraint/Legality/Reduction.td"
include "ane/Constraint/Legality/Trigonometry.td"

#endif // ANE_CONSTRAINT_CATALOG_TD
