//===- ane-translate.cpp - ONNX and MIL to ane, ane to MIL ----------------===//

#include "ane/Tools/ToolMain.h"
#include "ane/Tools/Translate.h"

int main(int argc, char **argv) {
  return mlir::ane::toolMain("ane-translate", [&] { return mlir::ane::translate(argc, argv); });
}
