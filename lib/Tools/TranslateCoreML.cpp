//===- TranslateCoreML.cpp - ane-translate's options for Core ML ----------===//

#include "ane/Bundle/Package.h"
#include "ane/IR/ANE.h"
#include "ane/Target/CoreML/CoreML.h"
#include "ane/Tools/Translate.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ane;

static LogicalResult writeFolder(Operation *op, StringRef path) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module || !llvm::hasSingleElement(module.getOps<ProgramOp>()))
    return op->emitError("a package holds one program: the module has another number of ane.program");
  auto fault = [&](const Twine &message) { op->emitError() << message; };
  auto directory = BundleDirectory::create(path, fault);
  if (failed(directory) || failed(writePackage(module, {}, *directory)))
    return failure();
  return directory->commit(fault, [] { return success(); });
}

void mlir::ane::registerCoreMLTranslations(const std::string &output) {
  static TranslateFromMLIRRegistration toPackage(
      "ane-to-mlpackage", toPackageText, [&output](Operation *op, raw_ostream &) { return writeFolder(op, output); },
      [](DialectRegistry &registry) { registry.insert<ANEDialect, func::FuncDialect>(); });
  static TranslateToMLIRRegistration fromPackage(
      "mlpackage-to-ane", "read a package of Core ML (.mlpackage, .mlmodel, .mlmodelc) as an ane program",
      [](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(sources.getMainFileID());
        return coreml::readModel(buffer->getBufferIdentifier(), context).release().getOperation();
      },
      [](DialectRegistry &registry) { registry.insert<ANEDialect, func::FuncDialect>(); });
}
