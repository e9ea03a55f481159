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
  static llvm::cl::list<std::string> states("state", llvm::cl::value_desc("INPUT=OUTPUT"), llvm::cl::cat(category),
                                            llvm::cl::desc("keep an input from run to run; its next value is OUTPUT"));
  static llvm::cl::list<std::string> stateValues("state-init", llvm::cl::value_desc("INPUT=VALUE"),
                                                 llvm::cl::cat(category),
                                                 llvm::cl::desc("what a state holds at first (default 0)"));
  static llvm::cl::opt<std::string> findStates("states", llvm::cl::value_desc("HOW"), llvm::cl::cat(category),
                                               llvm::cl::desc("auto: find states by the names that exporters give"));
  static llvm::cl::list<std::string> trainable(
      "trainable", llvm::cl::value_desc("PATTERN"), llvm::cl::cat(category),
      llvm::cl::desc("keep weights of these names apart, whatever their size"));
  static TranslateToMLIRRegistration registration(
      "onnx-to-ane", "import an ONNX model",
      [](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
        ONNXImportOptions options;
        using Add = std::string (ONNXImportOptions::*)(StringRef);
        const std::tuple<StringRef, const llvm::cl::list<std::string> &, Add> lists[] = {
            {"--dim", dims, &ONNXImportOptions::addDim},
            {"--shape", shapes, &ONNXImportOptions::addShape},
            {"--value", values, &ONNXImportOptions::addValue},
            {"--state", states, &ONNXImportOptions::addState},
            {"--state-init", stateValues, &ONNXImportOptions::addStateValue}};
        for (auto &[flag, texts, add] : lists)
          for (const std::string &text : texts)
            if (std::string problem = (options.*add)(text); !problem.empty())
              return (void)usedWrongly(flag + ": " + problem), nullptr;
        if (!findStates.empty() && findStates != "auto")
          return (void)usedWrongly("--states=" + findStates +
                                   ": auto, which goes by names; --state INPUT=OUTPUT names one"),
                 nullptr;
        options.findStates = !findStates.empty();
        options.trainable.assign(trainable.begin(), trainable.end());
        StringRef path = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
        Location loc = FileLineColLoc::get(context, path, 0, 0);
        if (path == "<stdin>")
          return emitError(loc, "the model must be a file: its weights are referenced, not copied"), nullptr;
        auto module = importONNX(path, options, context);
        return failed(module) ? OwningOpRef<Operation *>() : OwningOpRef<Operation *>(module->release());
      },
      [](DialectRegistry &registry) { registry.insert<ANEDialect, func::FuncDialect>(); });
}
