//===- Translate.cpp - ane-translate's MIL options ------------------------===//

#include "ane/IR/ANE.h"
#include "ane/Target/MIL/MIL.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ane;

void mlir::ane::mil::registerTranslations() {
  static llvm::cl::OptionCategory category("Flags of --mil-to-ane");
  static llvm::cl::opt<std::string> weights(
      "mil-weights", llvm::cl::value_desc("dir"), llvm::cl::cat(category),
      llvm::cl::desc("what @model_path stands for in --mil-to-ane (default: the folder of the input)"));
  static TranslateFromMLIRRegistration toMIL(
      "ane-to-mil", "print an ane program as MIL text",
      [](Operation *op, raw_ostream &os) { return serialize(op, os); },
      [](DialectRegistry &registry) { registry.insert<ANEDialect, func::FuncDialect>(); });
  static TranslateToMLIRRegistration fromMIL(
      "mil-to-ane", "read MIL text as an ane program",
      [](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(sources.getMainFileID());
        DeserializeOptions options;
        options.fileName = buffer->getBufferIdentifier().str();
        options.weightsDir = weights.empty() ? llvm::sys::path::parent_path(options.fileName).str() : weights;
        if (options.weightsDir.empty())
          options.weightsDir = ".";
        return deserialize(buffer->getBuffer(), options, context).release().getOperation();
      },
      [](DialectRegistry &registry) { registry.insert<ANEDialect, func::FuncDialect>(); });
}
