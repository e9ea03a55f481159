//===- ane-lsp-server.cpp - language server for ane modules ---------------===//

#include "ane/InitAll.h"
#include "ane/Tools/ToolMain.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::ane::registerDialects(registry);
  return mlir::ane::toolMain("ane-lsp-server", [&] { return mlir::MlirLspServerMain(argc, argv, registry); });
}
