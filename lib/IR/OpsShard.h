// What the generated op definitions need (lib/IR/OpsShard*.cpp).
#include "ane/IR/ANE.h"
#include "ane/IR/Inference.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::ane;

#include "ane/IR/ANEOps.cpp.inc"
