//===- lexer.cpp - Tokens of MIL text -------------------------------------===//
#include "runtime/format/mil/lexer.h"

#include <algorithm>
#include <cstdio>

namespace ane::rt::mil {
namespace {

// <cctype> depends on the locale and is undefined for negative char.
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isHexDigit(char c) { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
// '@' is legal inside names (coreml-mlprogram.md 1.4), not at their start.
bool isIdentifierChar(char c) { return isAlpha(c) || isDigit(c) || c == '@'; }

std::string showChar(char c) {
  if (c >= 0x20 && c < 0x7f)
    return std::string("'") + c + "'";
  char buffer[16];
  std::snprintf(buffer, sizeof(buffer), "byte 0x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return buffer;
}

} // namespace

std::string Token::describe() const {
  constexpr size_t kMaxShown = 40;
  std::string shown = text.substr(0, kMaxShown);
  if (text.size() > kMaxShown)
    shown += "...";
  switch (kind) {
  case Kind::End:
    return "end of text";
  case Kind::Identifier:
    return "identifier '" + shown + "'";
  case Kind::Number:
    return "number '" + shown + "'";
  case Kind::String:
    return "string \"" + shown + "\"";
  case Kind::Arrow:
    return "'->'";
  case Kind::Error:
  case Kind::Punct:
    break;
  }
  return "'" + shown + "'";
}

Token Lexer::fail(std::string message) {
  failed = true;
  failure = {Token::Kind::Error, std::move(message), here(), pos};
  return failure;
}

bool Lexer::skipBlanks(Token &error) {
  while (pos < text.size()) {
    char c = text[pos];
    if (c == '\n') {
      ++pos;
      newline();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++pos;
    } else if (c == '/' && peek(1) == '/') {
      pos = std::min(text.find('\n', pos), text.size());
    } else if (c == '/' && peek(1) == '*') {
      size_t end = text.find("*/", pos + 2);
      if (end == std::string_view::npos) {
        error = fail("comment is not closed by '*/'");
        return false;
      }
      for (pos += 2; pos < end;)
        if (text[pos++] == '\n')
          newline();
      pos = end + 2;
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::lexString() {
  Token token{Token::Kind::String, {}, here(), pos};
  ++pos;
  while (true) {
    if (pos >= text.size())
      return fail("string is not closed by '\"'");
    char c = text[pos];
    if (c == '"') {
      ++pos;
      return token;
    }
    if (static_cast<unsigned char>(c) < 0x20)
      return fail(c == '\n' ? "string is not closed before the end of the line"
                            : "control character (" + showChar(c) + ") in a string");
    if (c != '\\') {
      token.text += c;
      ++pos;
      continue;
    }
    switch (peek(1)) {
    case '"':
    case '\\':
      token.text += text[pos + 1];
      break;
    case 'n':
      token.text += '\n';
      break;
    case 't':
      token.text += '\t';
      break;
    default:
      return fail("unknown escape in a string; known are \\\" \\\\ \\n \\t");
    }
    pos += 2;
  }
}

Token Lexer::lexNumber() {
  Token token{Token::Kind::Number, {}, here(), pos};
  size_t start = pos;
  auto digits = [&](bool hex) {
    size_t first = pos;
    while (hex ? isHexDigit(peek()) : isDigit(peek()))
      ++pos;
    return pos - first;
  };
  if (peek() == '+' || peek() == '-')
    ++pos;
  if (isAlpha(peek())) { // -inf, -nan; the parser knows which words are numbers
    while (isIdentifierChar(peek()))
      ++pos;
    token.text = std::string(text.substr(start, pos - start));
    return token;
  }
  bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
  if (hex)
    pos += 2;
  size_t mantissa = digits(hex);
  if (peek() == '.') {
    ++pos;
    mantissa += digits(hex);
  }
  bool good = mantissa > 0;
  if (hex ? peek() == 'p' || peek() == 'P' : peek() == 'e' || peek() == 'E') {
    ++pos;
    if (peek() == '+' || peek() == '-')
      ++pos;
    good &= digits(false) > 0;
  }
  if (!good || isIdentifierChar(peek()) || peek() == '.')
    return fail("malformed number '" + std::string(text.substr(start, std::min<size_t>(pos + 1 - start, 40))) + "'");
  token.text = std::string(text.substr(start, pos - start));
  return token;
}

Token Lexer::next() {
  if (failed)
    return failure;
  Token token;
  if (!skipBlanks(token))
    return token;
  token = {Token::Kind::End, {}, here(), pos};
  if (pos >= text.size())
    return token;
  char c = text[pos];
  if (isAlpha(c)) {
    size_t start = pos;
    while (isIdentifierChar(peek()))
      ++pos;
    token.kind = Token::Kind::Identifier;
    token.text = std::string(text.substr(start, pos - start));
    return token;
  }
  if (c == '"')
    return lexString();
  if (c == '-' && peek(1) == '>') {
    pos += 2;
    token.kind = Token::Kind::Arrow;
    token.text = "->";
    return token;
  }
  if (isDigit(c) || c == '-' || c == '+' || (c == '.' && isDigit(peek(1))))
    return lexNumber();
  if (c != '\0' && std::string_view("()[]{}<>,=;?").find(c) != std::string_view::npos) {
    ++pos;
    token.kind = Token::Kind::Punct;
    token.text = std::string(1, c);
    return token;
  }
  return fail("unexpected " + showChar(c));
}

std::string formatError(std::string_view fileName, std::string_view source, Location loc, size_t offset,
                        std::string_view message, std::string_view severity) {
  constexpr size_t kBefore = 60, kAfter = 40;
  offset = std::min(offset, source.size());
  size_t begin = offset - std::min<size_t>(offset, loc.column - 1);
  size_t end = std::min(source.find('\n', offset), source.size());
  std::string_view prefix, suffix;
  if (offset - begin > kBefore) {
    begin = offset - kBefore;
    prefix = "...";
  }
  if (end - offset > kAfter) {
    end = offset + kAfter;
    suffix = "...";
  }
  std::string excerpt(source.substr(begin, end - begin));
  for (char &c : excerpt)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = ' ';
  std::string text(fileName);
  text += ":" + std::to_string(loc.line) + ":" + std::to_string(loc.column) + ": ";
  text += severity;
  text += ": ";
  text += message;
  text += "\n  ";
  text += prefix;
  text += excerpt;
  text += suffix;
  text += "\n  " + std::string(prefix.size() + offset - begin, ' ') + "^";
  return text;
}

} // namespace ane::rt::mil
