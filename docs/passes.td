//===- passes.td - all passes, for their page ---------------------------===//
include "ane/Constraint/Passes.td"
include "ane/Transforms/Passes.td"
