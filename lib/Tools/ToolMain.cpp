//===- ToolMain.cpp - what the compiler's tools have in common ------------===//

#include "ane/Tools/ToolMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace mlir;
using namespace mlir::ane;

static StringRef tool;
static bool asksForJSON = false;

/// MLIR's mains return after every error but that of the command line, for which LLVM's parser calls exit(1).
static bool isInside = false;
static bool wasUsedWrongly = false;

/// Standard error while LLVM's parser runs: only there it says which value of a flag it can't read. A static object, as
/// the parser ends the process for --help.
class CollectedErrors {
public:
  void begin() {
    file = std::tmpfile();
    before = file ? dup(STDERR_FILENO) : -1;
    if (before >= 0)
      dup2(fileno(file), STDERR_FILENO);
  }

  /// What was written since begin(); from now on standard error is what it was.
  std::string end() {
    std::string text;
    if (before >= 0) {
      dup2(before, STDERR_FILENO);
      close(before);
      text.resize(4096);
      text.resize(std::max<ssize_t>(0, pread(fileno(file), text.data(), text.size(), 0)));
    }
    if (file)
      std::fclose(file);
    file = nullptr;
    before = -1;
    return text;
  }

private:
  std::FILE *file = nullptr;
  int before = -1;
};
static CollectedErrors collectedErrors;

static void sayUnwritten(const Twine &problem) { printError("can't write the output: " + problem); }

/// At the end of the process, before LLVM closes its streams, which would end with a message of its own.
static void endTool(int code, void *) {
  int wanted = isInside && code == EXIT_FAILURE ? usageError : code;
  llvm::errs() << collectedErrors.end();
  llvm::outs().flush();
  std::error_code problem = llvm::outs().error();
  llvm::outs().clear_error();
  // A reader that has gone away has seen what it wanted.
  if (problem && problem != std::errc::broken_pipe) {
    sayUnwritten(problem.message());
    wanted = std::max(wanted, EXIT_FAILURE);
  }
  llvm::errs().clear_error(); // nobody is left to be told
  if (wanted != code)
    std::_Exit(wanted);
}

/// What LLVM takes for its end is also a file of -o that can't be written. On return LLVM removes it, and ends with 1.
static void sayFatalError(void *, const char *reason, bool) {
  isInside = false;
  llvm::errs() << collectedErrors.end();
  StringRef problem = reason;
  if (!problem.consume_front("IO failure on output stream: "))
    llvm::errs() << "LLVM ERROR: " << problem << "\n";
  else if (problem != std::make_error_code(std::errc::broken_pipe).message())
    sayUnwritten(problem);
  else
    std::_Exit(EXIT_SUCCESS);
}

/// A write to a reader that has gone away fails, and ends nothing. Blocked, not ignored: LLVM's mains install a handler
/// of their own.
static void blockPipeSignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void mlir::ane::describeTool(llvm::StringLiteral name) {
  tool = name;
  blockPipeSignal();
  llvm::cl::SetVersionPrinter([name](llvm::raw_ostream &os) {
    os << name << " (Anemone) " ANE_PROJECT_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
  // Flags that exist already are those of libraries.
  llvm::cl::HideUnrelatedOptions(ArrayRef<const llvm::cl::OptionCategory *>());
  // What is made before endTool() is registered lives longer.
  (void)llvm::outs();
  (void)llvm::errs();
  on_exit(endTool, nullptr);
  llvm::install_fatal_error_handler(sayFatalError);
}

int mlir::ane::toolMain(llvm::StringLiteral name, llvm::function_ref<LogicalResult()> body) {
  describeTool(name);
  isInside = true;
  LogicalResult result = body();
  isInside = false;
  return wasUsedWrongly ? usageError : failed(result);
}

/// Of LLVM's parser, without the tool's name before each. It suggests the nearest flag, however far it is: '--os' for
/// '--bogus'. This drops suggestions that differ in more than a third of the word.
static std::vector<std::string> problemsOfParser(StringRef lines) {
  std::vector<std::string> problems;
  StringRef unknown;
  for (StringRef line : llvm::split(lines.rtrim(), '\n')) {
    StringRef message = line.split(": ").second;
    auto flagAfter = [&](StringRef words) {
      return message.split(words).second.split('\'').first.ltrim('-').split('=').first;
    };
    if (StringRef suggested = flagAfter("Did you mean '"); suggested.empty())
      problems.push_back(message.str());
    else if (!problems.empty() && suggested.edit_distance(unknown) <= unknown.size() / 3)
      (problems.back() += ". ") += message;
    if (message.contains("Unknown command line argument '"))
      unknown = flagAfter("argument '");
  }
  return problems;
}

void mlir::ane::printJSON(llvm::json::Object object) {
  // One write a line: the process may be killed between two.
  std::string line = llvm::formatv("{0}\n", llvm::json::Value(std::move(object)));
  llvm::errs() << line;
}

void mlir::ane::printError(const Twine &message) {
  if (asksForJSON)
    printJSON(llvm::json::Object{{"severity", "error"}, {"message", llvm::json::fixUTF8(message.str())}});
  else
    llvm::errs() << tool << ": error: " << message << "\n";
}

LogicalResult mlir::ane::usedWrongly(const Twine &message) {
  printError(message);
  wasUsedWrongly = true;
  return failure();
}

void mlir::ane::parseFlags(int argc, char **argv, StringRef overview) {
  asksForJSON = llvm::any_of(ArrayRef(argv, argc), [](StringRef argument) {
    argument = argument.ltrim('-');
    return argument == "json" || argument == "diagnostics=json";
  });
  std::string problems;
  llvm::raw_string_ostream os(problems);
  collectedErrors.begin();
  bool isRight = llvm::cl::ParseCommandLineOptions(argc, argv, overview, &os);
  problems += collectedErrors.end();
  if (isRight)
    return;
  for (const std::string &problem : problemsOfParser(problems))
    printError(problem);
  std::exit(usageError);
}
