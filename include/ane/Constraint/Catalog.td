//===- Catalog.td - all constraints -------------------------------------===//
// One file per subject under Catalog/; this file only includes them.
#ifndef ANE_CONSTRAINT_CATALOG_TD
#define ANE_CONSTRAINT_CATALOG_TD

include "ane/Constraint/Constraint.td"
include "ane/Constraint/Facts.td"
include "ane/IR/ANEOps.td"
include "ane/Transforms/Passes.td"

include "ane/Constraint/Catalog/Attention.td"
include "ane/Constraint/Catalog/Compression.td"
include "ane/Constraint/Catalog/Extents.td"
include "ane/Constraint/Catalog/Families.td"
include "ane/Constraint/Catalog/Neighbours.td"
include "ane/Constraint/Catalog/Netlist.td"
include "ane/Constraint/Catalog/Numerics.td"
include "ane/Constraint/Catalog/OpLegality.td"
include "ane/Constraint/Catalog/Performance.td"
include "ane/Constraint/Catalog/Precision.td"
include "ane/Constraint/Catalog/Program.td"
include "ane/Constraint/Catalog/Shape.td"
include "ane/Constraint/Catalog/Slices.td"
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
