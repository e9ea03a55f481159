//===- ModelDiagnostics.cpp - prints diagnostics of models ----------------===//

#include "ModelDiagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::ane;

/// "file:line:col: " of the first file location in `loc`, or nothing.
static std::string position(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream(text) << file.getFilename().getValue() << ":" << file.getLine() << ":" << file.getColumn()
                                   << ": ";
    return WalkResult::interrupt();
  });
  return text;
}

/// Names come from files that may be damaged: what is no text is printed as \xNN.
static std::string printable(std::string text) {
  bool isText = llvm::json::isUTF8(text) && llvm::none_of(text, [](unsigned char c) { return c < ' ' && c != '\n'; });
  if (isText)
    return text;
  std::string out;
  llvm::raw_string_ostream os(out);
  for (unsigned char c : text)
    if ((c >= ' ' && c < 0x7f) || c == '\n')
      os << c;
    else
      os << "\\x" << llvm::hexdigit(c >> 4) << llvm::hexdigit(c & 15);
  return out;
}

static void print(Diagnostic &diagnostic) {
  StringRef severity;
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    severity = "error";
    break;
  case DiagnosticSeverity::Warning:
    severity = "warning";
    break;
  case DiagnosticSeverity::Remark:
    severity = "remark";
    break;
  case DiagnosticSeverity::Note:
    severity = "note";
    break;
  }
  llvm::errs() << printable((position(diagnostic.getLocation()) + severity + ": " + diagnostic.str()).str()) << "\n";
  for (Diagnostic &note : diagnostic.getNotes()) {
    // "see current operation" repeats the whole op: too much for a model of thousands.
    std::string text = note.str();
    if (!StringRef(text).starts_with("see current operation"))
      llvm::errs() << printable(position(note.getLocation()) + "note: " + text) << "\n";
  }
}

ModelDiagnostics::ModelDiagnostics(MLIRContext *context) : ScopedDiagnosticHandler(context) {
  setHandler([](Diagnostic &diagnostic) {
    print(diagnostic);
    return success();
  });
}
