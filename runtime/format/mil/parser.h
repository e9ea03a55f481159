//===- parser.h - MIL text to syntax tree -----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_MIL_PARSER_H
#define ANE_RUNTIME_FORMAT_MIL_PARSER_H

#include "absl/status/statusor.h"
#include "runtime/format/mil/ast.h"

#include <optional>
#include <string>
#include <string_view>

namespace ane::rt::mil {

struct ParseOptions {
  /// Shown in messages.
  std::string fileName = "<mil>";
  /// Text above this is refused; large constants belong in blobs.
  size_t maxBytes = size_t(64) << 20;
};

/// Parses one program (grammar: ane-programming.md 4.1, and what other
/// generators write: comments, nested lists, bare literals, `topk`-like
/// statements with two results, dict/list/tuple/state types).
///
/// The parser checks syntax, the range of literals and that a list has as many
/// elements as its type. It does not know ops, does not resolve names and
/// accepts redefinitions: those belong to the reader of the tree.
///
/// Input is taken as hostile: nesting, the number of nodes and the size of the
/// text are bounded, numbers are range checked.
/// Errors are kInvalidArgument with "file:line:column: error: ...", the source
/// line and a caret.
absl::StatusOr<Program> parse(std::string_view text, const ParseOptions &options = {});

/// An error in parts, for callers with diagnostics of their own.
struct ParseError {
  Location loc;
  std::string message; ///< without position and excerpt
};

/// The same; nullopt and `error` filled when the text is rejected.
std::optional<Program> parse(std::string_view text, const ParseOptions &options, ParseError &error);

/// The text of a file; kNotFound and friends when it cannot be read, an error
/// when it is above ParseOptions::maxBytes.
absl::StatusOr<std::string> readText(const std::string &path);

/// Reads a file and parses it.
absl::StatusOr<Program> parseFile(const std::string &path);

} // namespace ane::rt::mil

#endif // ANE_RUNTIME_FORMAT_MIL_PARSER_H
