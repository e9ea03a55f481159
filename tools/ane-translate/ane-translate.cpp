//===- ane-translate.cpp - ONNX and MIL to ane, ane to MIL ----------------===//

#include "ane/InitAll.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mlir::ane::registerTranslations();
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "Anemone: translation driver\n"));
}
