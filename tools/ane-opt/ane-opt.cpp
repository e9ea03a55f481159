//===- ane-opt.cpp - runs passes on ane modules ---------------------------===//

#include "ane/InitAll.h"
#include "ane/Tools/ToolMain.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::ane::registerDialects(registry);
  mlir::ane::registerPasses();
  return mlir::ane::toolMain("ane-opt",
                             [&] { return mlir::MlirOptMain(argc, argv, "Anemone: pass driver\n", registry); });
}
