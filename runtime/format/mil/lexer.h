//===- lexer.h - Tokens of MIL text -----------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_MIL_LEXER_H
#define ANE_RUNTIME_FORMAT_MIL_LEXER_H

#include "runtime/format/mil/ast.h"

#include <string>
#include <string_view>

namespace ane::rt::mil {

struct Token {
  enum class Kind : uint8_t {
    End,
    Error,      ///< text says what is wrong
    Identifier, ///< [A-Za-z_][A-Za-z0-9_@]*
    Number,     ///< decimal, hex or `-inf`; `text` is the source spelling
    String,     ///< `text` is the decoded content
    Punct,      ///< one of ()[]{}<>,=;? ; `text` is that character
    Arrow,      ///< ->
  };
  Kind kind = Kind::End;
  std::string text;
  Location loc;
  size_t offset = 0; ///< byte offset in the source, for excerpts

  bool is(char punct) const { return kind == Kind::Punct && text[0] == punct; }
  bool isIdentifier(std::string_view word) const { return kind == Kind::Identifier && text == word; }
  /// For messages: "identifier 'foo'", "end of file", "','".
  std::string describe() const;
};

/// Splits MIL text. Blanks, newlines and comments (`//`, `/* */`) separate
/// tokens. After an Error token every further token is the same error.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Token next();
  std::string_view source() const { return text; }

private:
  std::string_view text;
  size_t pos = 0;
  uint32_t line = 1;
  size_t lineStart = 0;
  bool failed = false;
  Token failure;

  char peek(size_t ahead = 0) const { return pos + ahead < text.size() ? text[pos + ahead] : '\0'; }
  void newline() {
    ++line;
    lineStart = pos;
  }
  Location here() const { return {line, static_cast<uint32_t>(pos - lineStart + 1)}; }
  Token fail(std::string message);
  bool skipBlanks(Token &error);
  Token lexString();
  Token lexNumber();
};

/// "name:line:column: error: message", the source line and a caret under
/// `offset`. Long lines are cut to a window, control characters blanked.
std::string formatError(std::string_view fileName, std::string_view source, Location loc, size_t offset,
                        std::string_view message, std::string_view severity = "error");

} // namespace ane::rt::mil

#endif // ANE_RUNTIME_FORMAT_MIL_LEXER_H
