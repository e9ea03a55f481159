//===- diagnostic.cpp - What the linter found -----------------------------===//

#include "runtime/lint/diagnostic.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/format/mil/lexer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ane::rt::lint {
namespace {

/// "input channels: 98304, limit 31999".
std::string findingText(const Diagnostic &diagnostic) {
  std::string text = diagnostic.subject;
  if (!diagnostic.actual.empty())
    absl::StrAppend(&text, text.empty() ? "" : ": ", diagnostic.actual);
  const std::string &limit = diagnostic.limit;
  if (!limit.empty()) {
    bool number = absl::ascii_isdigit(static_cast<unsigned char>(limit[0]));
    absl::StrAppend(&text, number ? ", limit " : ", must be ", limit);
  }
  return text;
}

/// Offsets of locations that come in the order of the text, as a rule.
class Offsets {
public:
  explicit Offsets(std::string_view source) : source(source) {}

  size_t of(mil::Location loc) {
    if (loc.line < line) {
      line = 1;
      at = 0;
    }
    for (; line < loc.line && at < source.size(); ++line) {
      size_t end = source.find('\n', at);
      at = end == std::string_view::npos ? source.size() : end + 1;
    }
    return std::min(source.size(), at + (loc.column ? loc.column - 1 : 0));
  }

private:
  std::string_view source;
  uint32_t line = 1;
  size_t at = 0; ///< where the line begins
};

} // namespace

std::string Diagnostic::message(const Target &target) const {
  std::string who = absl::StrCat("'", op.empty() ? function : op, "'");
  if (!op.empty() && isOneOfSeveral)
    absl::StrAppend(&who, " of '", function, "'");
  return absl::StrCat(who, warning ? " meets " : " violates ", record->id, " ", record->slug, " on ", target.str(),
                      ": ", findingText(*this));
}

bool hasErrors(absl::Span<const Diagnostic> diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic &d) { return !d.warning; });
}

std::string printText(absl::Span<const Diagnostic> diagnostics, const Target &target, std::string_view fileName,
                      std::string_view source) {
  std::string text;
  Offsets offsets(source);
  for (const Diagnostic &d : diagnostics) {
    mil::Location loc = d.loc.line ? d.loc : mil::Location{1, 1};
    absl::StrAppend(
        &text,
        mil::formatError(fileName, source, loc, offsets.of(loc), d.message(target), d.warning ? "warning" : "error"),
        "\n");
    absl::StrAppend(&text, "  note: ", d.record->summary, "; ", std::string(symptomText(d.record->symptom)), "\n");
    if (!d.remedy.empty())
      absl::StrAppend(&text, "  note: remedy: ", d.remedy, "\n");
    absl::StrAppend(&text, "  note: see 'ane-compile --explain=", d.record->id, "'\n");
  }
  return text;
}

std::string printJson(absl::Span<const Diagnostic> diagnostics, const Target &target, std::string_view fileName) {
  nlohmann::ordered_json list = nlohmann::json::array();
  size_t errors = 0;
  for (const Diagnostic &d : diagnostics) {
    nlohmann::ordered_json entry;
    entry["id"] = d.record->id;
    entry["slug"] = d.record->slug;
    entry["severity"] = d.warning ? "warning" : "error";
    entry["symptom"] = std::string(symptomText(d.record->symptom));
    entry["line"] = d.loc.line;
    entry["column"] = d.loc.column;
    entry["function"] = d.function;
    entry["op"] = d.op;
    entry["subject"] = d.subject;
    entry["actual"] = d.actual;
    entry["limit"] = d.limit;
    entry["message"] = d.message(target);
    entry["summary"] = d.record->summary;
    entry["remedy"] = d.remedy;
    entry["evidence"] = d.record->evidence;
    list.push_back(std::move(entry));
    errors += !d.warning;
  }
  nlohmann::ordered_json whole;
  whole["file"] = fileName;
  whole["target"] = target.str();
  whole["errors"] = errors;
  whole["warnings"] = diagnostics.size() - errors;
  whole["diagnostics"] = std::move(list);
  // Names come from the text and may hold any bytes.
  return whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace ane::rt::lint
