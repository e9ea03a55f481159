// What the generated op definitions need (lib/IR/OpsShard*.cpp).
#include "ane/IR/ANE.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::ane;

#include "ane/IR/ANEOps.cpp.inc"
