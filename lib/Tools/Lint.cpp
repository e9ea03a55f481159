//===- Lint.cpp - ane-translate --lint ------------------------------------===//
//
// The emulator's linter for MIL that people write by hand. It shares nothing with the compiler but the records.
//
//===----------------------------------------------------------------------===//

#include "ane/Tools/Lint.h"
#include "ane/Tools/ToolMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "runtime/lint/linter.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ane;
namespace lint = ::ane::rt::lint;

namespace {
struct LintCommandLine {
  llvm::cl::OptionCategory category{"Flags of --lint"};
  llvm::cl::opt<std::string> target{"target", llvm::cl::cat(category),
                                    llvm::cl::desc("--lint: chip, such as m4 (default h16), or several: m1,m4; any-m"),
                                    llvm::cl::value_desc("chip")};
  llvm::cl::opt<std::string> route{"route", llvm::cl::cat(category),
                                   llvm::cl::desc("--lint: in_memory (default), coreml, e5rt or netlist")};
  llvm::cl::opt<std::string> os{"os", llvm::cl::cat(category), llvm::cl::desc("--lint: macOS version (default 15)")};
  llvm::cl::opt<std::string> strictness{"strictness", llvm::cl::cat(category),
                                        llvm::cl::desc("--lint: catalog (default) or evidence")};
  llvm::cl::opt<std::string> weights{
      "weights", llvm::cl::cat(category),
      llvm::cl::desc("--lint: what @model_path stands for (default: the program's folder)")};
  llvm::cl::opt<bool> json{"json", llvm::cl::cat(category), llvm::cl::desc("--lint: print one JSON object")};
  llvm::cl::opt<std::string> switchedOff{"ane-testing-switch-off", llvm::cl::ReallyHidden,
                                         llvm::cl::desc("for tests: --lint finds nothing of this record"),
                                         llvm::cl::value_desc("id")};
};
} // namespace

static LogicalResult lintProgram(const LintCommandLine &options, llvm::SourceMgr &sources, llvm::raw_ostream &os) {
  const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(sources.getMainFileID());
  std::string file = buffer->getBufferIdentifier().str();
  lint::TargetSpelling target{options.target, options.route, options.os, options.strictness};
  if (auto known = lint::Target::parse(target); !known.ok())
    return usedWrongly(std::string(known.status().message()));
  std::string folder = options.weights;
  if (folder.empty() && file != "<stdin>")
    folder = llvm::sys::path::has_parent_path(file) ? llvm::sys::path::parent_path(file).str() : ".";
  lint::switchOffForTesting(options.switchedOff);
  auto report = lint::lintSource(buffer->getBuffer().str(), file, folder, target, options.json);
  if (!report.ok()) {
    std::string message(report.status().message());
    if (options.json)
      printError(message);
    else // it begins with its place in the text
      llvm::errs() << message << "\n";
    return failure();
  }
  os << report->text;
  return failure(report->failed);
}

void mlir::ane::registerLintTranslation() {
  static LintCommandLine options;
  static TranslateRegistration registration("lint",
                                            "check a MIL program for documented misuse of the engine of --target",
                                            [](const std::shared_ptr<llvm::SourceMgr> &sources, llvm::raw_ostream &os,
                                               MLIRContext *) { return lintProgram(options, *sources, os); });
}
