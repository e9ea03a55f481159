//===- ane-translate.cpp - ONNX and MIL to ane, ane to MIL ----------------===//

#include "ane/InitAll.h"
#include "ane/Tools/Lint.h"
#include "ane/Tools/ToolMain.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  return mlir::ane::toolMain("ane-translate", [&] {
    mlir::ane::registerTranslations();
    mlir::ane::registerLintTranslation();
    return mlir::mlirTranslateMain(argc, argv, "Anemone: translation driver\n");
  });
}
