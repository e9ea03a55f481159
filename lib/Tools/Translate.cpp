//===- Translate.cpp - the body of ane-translate --------------------------===//

#include "ane/Tools/Translate.h"
#include "ane/Support/InputFile.h"
#include "ane/Target/MIL/MIL.h"
#include "ane/Tools/Lint.h"
#include "ane/Tools/ToolMain.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "runtime/format/coreml/package.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::ane;
namespace cl = llvm::cl;

namespace {
struct Flags {
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"), cl::init("-")};
  cl::opt<std::string> output{"o", cl::desc("File to write (default: standard output)"), cl::value_desc("file"),
                              cl::init("-")};
  cl::opt<const Translation *, false, TranslationParser> translation{"", cl::desc("Translation to perform")};
  cl::opt<bool> split{"split-input-file", cl::desc("Translate the parts between lines of '// -----' one by one")};
  cl::opt<bool> verify{"verify-diagnostics", cl::desc("Compare messages with the expected-* comments of the input")};
};
} // namespace

static LogicalResult translatePart(const Flags &flags, std::unique_ptr<llvm::MemoryBuffer> part, raw_ostream &os) {
  MLIRContext context;
  context.printOpOnDiagnostic(!flags.verify);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(part), llvm::SMLoc());
  if (!flags.verify) {
    SourceMgrDiagnosticHandler handler(*sources, &context);
    return (*flags.translation.getValue())(sources, os, &context);
  }
  SourceMgrDiagnosticVerifierHandler handler(*sources, &context);
  (void)(*flags.translation.getValue())(sources, os, &context); // failures are expected
  return handler.verify();
}

// Not MLIR's main: that reads pipes and devices, and its errors are neither JSON nor of one line.
LogicalResult mlir::ane::translate(int argc, char **argv) {
  registerONNXTranslation();
  mil::registerTranslations();
  static std::string package; // where --ane-to-mlpackage writes
  registerCoreMLTranslations(package);
  registerLintTranslation();
  llvm::InitLLVM init(argc, argv);
  static Flags flags;
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerTranslationCLOptions();
  parseFlags(argc, argv, "Anemone: translation driver\n");
  if (flags.translation.getNumOccurrences() != 1) {
    std::string names;
    const auto &parser = flags.translation.getParser();
    for (unsigned i = 0; i != parser.getNumOptions(); ++i)
      names += (names.empty() ? "--" : ", --") + parser.getOption(i).str();
    return usedWrongly("give one translation: " + names);
  }
  auto wrong = [](const Twine &message) {
    printError(message);
    return failure();
  };
  // The folder of a model is read by its translation.
  auto input =
      ::ane::rt::coreml::findModel(flags.input) == ::ane::rt::coreml::Kind::None
          ? readToolInput(flags.input)
          : llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>(llvm::MemoryBuffer::getMemBuffer("", flags.input));
  if (!input)
    return wrong(llvm::toString(input.takeError()));
  const bool makesFolder = flags.translation.getValue()->getDescription() == toPackageText;
  if (makesFolder && flags.output == "-")
    return usedWrongly("a package is a folder: give its name, -o NAME.mlpackage");
  package = flags.output;
  std::string problem;
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(makesFolder ? "-" : flags.output.getValue(), &problem);
  if (!output)
    return wrong(problem);
  auto process = [](std::unique_ptr<llvm::MemoryBuffer> part, raw_ostream &os) {
    return translatePart(flags, std::move(part), os);
  };
  if (failed(splitAndProcessBuffer(std::move(*input), process, output->os(), flags.split ? kDefaultSplitMarker : "")))
    return failure();
  output->keep();
  return success();
}
