//===- OpGroups.cpp - ops that constraints name together ------------------===//

#include "OpGroups.h"

using namespace mlir;
using namespace mlir::ane;

#include "ane/Constraint/OpGroups.cpp.inc"
