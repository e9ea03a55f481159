//===- ane-opt.cpp - runs passes on ane modules ---------------------------===//

#include "ane/Tools/Opt.h"
#include "ane/Tools/ToolMain.h"

int main(int argc, char **argv) {
  return mlir::ane::toolMain("ane-opt", [&] { return mlir::ane::optimize(argc, argv); });
}
