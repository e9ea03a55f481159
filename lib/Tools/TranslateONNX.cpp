//===- TranslateONNX.cpp - ane-translate --onnx-to-ane --------------------===//

#include "ane/IR/ANE.h"
#include "ane/Import/ONNX.h"
#include "ane/Tools/ToolMain.h"
#include "ane/Tools/Translate.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ane;

void mlir::ane::registerONNXTranslation() {
  static llvm::cl::OptionCategory category("Flags of --onnx-to-ane");
  static llvm::cl::list<std::string> dims("dim", llvm::cl::value_desc("NAME=SIZE"), llvm::cl::cat(category),
                                          llvm::cl::desc("bind a symbolic dimension of the model's inputs"));
  static llvm::cl::list<std::string> shapes("shape", llvm::cl::value_desc("INPUT=AxBxC"), llvm::cl::cat(category),
                                            llvm::cl::desc("bind the whole shape of an input"));
  static llvm::cl::list<std::string> values("value", llvm::cl::value_desc("INPUT=VALUE"), llvm::cl::cat(category),
                                            llvm::cl::desc("compile an input in as a constant"));
  static TranslateToMLIRRegistration registration(
      "onnx-to-ane", "import an ONNX model",
      [](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
        ONNXImportOptions options;
        for (const std::string &dim : dims)
          if (std::string problem = options.addDim(dim); !problem.empty())
            return (void)usedWrongly("--dim: " + problem), nullptr;
        for (const std::string &shape : shapes)
          if (std::string problem = options.addShape(shape); !problem.empty())
            return (void)usedWrongly("--shape: " + problem), nullptr;
        for (const std::string &value : values)
          if (std::string problem = options.addValue(value); !problem.empty())
            return (void)usedWrongly("--value: " + problem), nullptr;
        StringRef path = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
        Location loc = FileLineColLoc::get(context, path, 0, 0);
        if (path == "<stdin>")
          return emitError(loc, "the model must be a file: its weights are referenced, not copied"), nullptr;
        auto module = importONNX(path, options, context);
        return failed(module) ? OwningOpRef<Operation *>() : OwningOpRef<Operation *>(module->release());
      },
      [](DialectRegistry &registry) { registry.insert<ANEDialect, func::FuncDialect>(); });
}
