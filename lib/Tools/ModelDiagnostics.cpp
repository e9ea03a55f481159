//===- ModelDiagnostics.cpp - prints diagnostics of models ----------------===//

#include "ModelDiagnostics.h"
#include "ane/Support/Diagnostics.h"
#include "ane/Tools/ToolMain.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::ane;

/// "file:line:col: " of the first file location in `loc`, or nothing. Models have no lines: "file: ".
static std::string position(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream os(text);
    os << file.getFilename().getValue() << ":";
    if (file.getLine() != 0)
      os << file.getLine() << ":" << file.getColumn() << ":";
    os << " ";
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

static StringRef spelling(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  llvm_unreachable("no other severity");
}

/// Whether the message or one of its notes says the name.
static bool says(Diagnostic &diagnostic, StringRef name) {
  return StringRef(diagnostic.str()).contains(name) ||
         llvm::any_of(diagnostic.getNotes(), [&](Diagnostic &note) { return StringRef(note.str()).contains(name); });
}

void ModelDiagnostics::print(Diagnostic &diagnostic) {
  Location loc = diagnostic.getLocation();
  StringRef severity = spelling(diagnostic.getSeverity());
  llvm::json::Array notes;
  std::string node = nodeName(loc);
  std::string line = (position(loc) + severity + ": " + diagnostic.str()).str();
  if (!said.insert(node + "\n" + line).second)
    return;
  bool isNamed = node.empty() || says(diagnostic, "'" + node + "'");
  if (!json)
    llvm::errs() << printable(line) << "\n";
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string text = note.str();
    if (json)
      notes.push_back(printable(text));
    else
      llvm::errs() << printable(position(note.getLocation()) + "note: " + text) << "\n";
  }
  if (!json) {
    if (!isNamed)
      llvm::errs() << printable(position(loc) + "note: imported from node '" + node + "'") << "\n";
    return;
  }
  llvm::json::Object object{{"severity", severity}, {"message", printable(diagnostic.str())}};
  if (!node.empty())
    object["node"] = printable(node);
  if (std::string place = position(loc); !place.empty())
    object["location"] = printable(StringRef(place).drop_back(2).str());
  if (!notes.empty())
    object["notes"] = std::move(notes);
  printJSON(std::move(object));
}

void ModelDiagnostics::say(StringRef severity, const Twine &message) const {
  if (json)
    printJSON(llvm::json::Object{{"severity", severity}, {"message", printable(message.str())}});
  else
    llvm::errs() << "ane-compile: " << (severity == "progress" ? "" : severity + ": ") << message << "\n";
}

ModelDiagnostics::ModelDiagnostics(MLIRContext *context, bool json) : ScopedDiagnosticHandler(context), json(json) {
  // That repeats the whole op, too much for a model of thousands, and what prints it looks at all dialects, which
  // another thread may be loading.
  context->printOpOnDiagnostic(false);
  setHandler([this](Diagnostic &diagnostic) {
    print(diagnostic);
    return success();
  });
}
