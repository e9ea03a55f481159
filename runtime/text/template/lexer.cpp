//===- lexer.cpp - Tokens of a template -----------------------------------===//
#include "runtime/text/template/lexer.h"
#include "runtime/support/quote.h"

#include <algorithm>

namespace ane::rt::text::jinja {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Line ends become "\n", and one at the end of the template goes.
std::string normalized(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      i += i + 1 < source.size() && source[i + 1] == '\n';
    } else {
      out += source[i];
    }
  }
  if (!out.empty() && out.back() == '\n')
    out.pop_back();
  return out;
}

class Lexer {
public:
  explicit Lexer(std::string source) : source(std::move(source)) {}

  std::vector<Token> run() {
    while (at < source.size())
      lexData();
    add(Token::Kind::End, "");
    return std::move(tokens);
  }

private:
  enum class Tag { Block, Print, Comment };

  [[noreturn]] void fail(const std::string &message) { throw PlacedFailure{position, message}; }

  std::string_view rest() const { return std::string_view(source).substr(at); }
  bool looksAt(std::string_view text) const { return rest().substr(0, text.size()) == text; }
  char look(size_t ahead = 0) const { return at + ahead < source.size() ? source[at + ahead] : '\0'; }

  void advance(size_t bytes) {
    for (size_t end = at + bytes; at < end; ++at) {
      if (source[at] == '\n')
        position = {position.line + 1, 1};
      else if ((static_cast<uint8_t>(source[at]) & 0xC0) != 0x80)
        ++position.column;
    }
  }
  void skipSpace() { advance(leadingSpace(rest())); }

  void add(Token::Kind kind, std::string text) { tokens.push_back({kind, position, std::move(text)}); }
  void addData(std::string_view text, Position where) {
    if (!text.empty())
      tokens.push_back({Token::Kind::Data, where, std::string(text)});
  }

  /// Text up to the next tag, and the tag.
  void lexData() {
    size_t begin = at, tag = at;
    auto isTag = [&] {
      return source[tag] == '{' && std::string_view("%{#").find(source[tag + 1]) != std::string::npos;
    };
    while (tag + 1 < source.size() && !isTag())
      ++tag;
    if (tag + 1 >= source.size())
      tag = std::string::npos;
    Position where = position;
    std::string_view text = std::string_view(source).substr(begin, tag - begin);
    if (tag == std::string::npos) {
      advance(text.size());
      return addData(text, where);
    }
    Tag kind = source[tag + 1] == '%' ? Tag::Block : source[tag + 1] == '{' ? Tag::Print : Tag::Comment;
    char sign = tag + 2 < source.size() ? source[tag + 2] : '\0';
    bool isLineStart = lineStarts;
    advance(text.size());
    addData(cutEnd(text, sign, kind, isLineStart), where);
    Position tagAt = position;
    advance(sign == '-' || sign == '+' ? 3 : 2);
    if (kind == Tag::Comment)
      return lexComment(tagAt);
    if (kind == Tag::Block && lexRaw(tagAt))
      return;
    tokens.push_back({kind == Tag::Block ? Token::Kind::BlockBegin : Token::Kind::PrintBegin, tagAt, ""});
    lexTag(kind, tagAt);
  }

  /// What is left of the text before a tag.
  std::string_view cutEnd(std::string_view text, char sign, Tag kind, bool isLineStart) {
    if (sign == '-')
      return text.substr(0, text.size() - trailingSpace(text));
    if (sign == '+' || kind == Tag::Print)
      return text;
    size_t line = text.rfind('\n');
    line = line == std::string_view::npos ? 0 : line + 1;
    bool isBlank = leadingSpace(text.substr(line)) == text.size() - line;
    return isBlank && (line > 0 || isLineStart) ? text.substr(0, line) : text;
  }

  /// Takes the end of a tag, whose two characters are `mark`; whether it is there.
  bool takeEnd(std::string_view mark, bool trims) {
    if (look() == '-' && rest().substr(1, 2) == mark) {
      advance(3);
      skipSpace();
    } else if (trims && look() == '+' && rest().substr(1, 2) == mark) {
      advance(3);
    } else if (looksAt(mark)) {
      advance(2);
      advance(trims && look() == '\n');
    } else {
      return false;
    }
    lineStarts = source[at - 1] == '\n';
    return true;
  }

  void lexComment(Position tagAt) {
    size_t end = source.find("#}", at);
    if (end == std::string::npos)
      throw PlacedFailure{tagAt, "this comment has no end '#}'"};
    bool isSigned = end > at && (source[end - 1] == '-' || source[end - 1] == '+');
    advance(end - at - isSigned);
    takeEnd("#}", true);
  }

  /// A raw block, which begins behind its "{%"; whether it is one.
  bool lexRaw(Position tagAt) {
    std::string_view head = rest();
    size_t word = leadingSpace(head);
    if (head.substr(word, 3) != "raw")
      return false;
    size_t end = word + 3 + leadingSpace(head.substr(word + 3));
    if (head.substr(end, 2) != "%}" && head.substr(end, 3) != "-%}")
      return false;
    advance(end);
    takeEnd("%}", false);
    Position where = position;
    for (size_t tag = source.find("{%", at); tag != std::string::npos; tag = source.find("{%", tag + 1)) {
      char sign = tag + 2 < source.size() ? source[tag + 2] : '\0';
      size_t name = tag + (sign == '-' || sign == '+' ? 3 : 2);
      std::string_view behind = std::string_view(source).substr(name);
      size_t space = leadingSpace(behind);
      if (behind.substr(space, 6) != "endraw")
        continue;
      space += 6 + leadingSpace(behind.substr(space + 6));
      std::string_view close = behind.substr(space);
      if (close.substr(0, 2) != "%}" && close.substr(0, 3) != "-%}" && close.substr(0, 3) != "+%}")
        continue;
      addData(cutEnd(std::string_view(source).substr(at, tag - at), sign, Tag::Block, lineStarts), where);
      advance(name + space - at);
      takeEnd("%}", true);
      return true;
    }
    throw PlacedFailure{tagAt, "this raw block has no 'endraw'"};
  }

  void lexTag(Tag kind, Position tagAt) {
    bool isBlock = kind == Tag::Block;
    std::vector<char> open;
    for (;;) {
      skipSpace();
      if (at == source.size())
        throw PlacedFailure{tagAt, isBlock ? "this tag has no end '%}'" : "this tag has no end '}}'"};
      Position end = position;
      if (open.empty() && takeEnd(isBlock ? "%}" : "}}", isBlock)) {
        tokens.push_back({isBlock ? Token::Kind::BlockEnd : Token::Kind::PrintEnd, end, ""});
        return;
      }
      lexToken(open);
    }
  }

  void lexToken(std::vector<char> &open) {
    char c = look();
    if (isDigit(c))
      return lexNumber();
    if (c == '"' || c == '\'')
      return lexString();
    if (isNameStart(c)) {
      size_t length = 1;
      while (isNameStart(look(length)) || isDigit(look(length)))
        ++length;
      return addAndAdvance(Token::Kind::Name, length);
    }
    for (std::string_view two : {"//", "**", "==", "!=", ">=", "<="})
      if (looksAt(two))
        return addAndAdvance(Token::Kind::Operator, 2);
    if (std::string_view("+-/*%~[](){}><=.:|,;").find(c) == std::string_view::npos)
      fail("there is no token that begins with " + quote(rest().substr(0, 1)));
    if (c == '(' || c == '[' || c == '{') {
      open.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.empty() || open.back() != c)
        fail(std::string("'") + c + "' closes nothing" +
             (open.empty() ? "" : std::string("; '") + open.back() + "' is expected"));
      open.pop_back();
    }
    addAndAdvance(Token::Kind::Operator, 1);
  }

  void addAndAdvance(Token::Kind kind, size_t length) {
    add(kind, std::string(rest().substr(0, length)));
    advance(length);
  }

  void lexNumber() {
    size_t length = 0;
    auto digits = [&] {
      while (isDigit(look(length)))
        ++length;
    };
    digits();
    bool isFloat = look(length) == '.' && isDigit(look(length + 1));
    if (isFloat) {
      ++length;
      digits();
    }
    if (char e = look(length); e == 'e' || e == 'E') {
      size_t sign = look(length + 1) == '+' || look(length + 1) == '-';
      if (isDigit(look(length + 1 + sign))) {
        length += 1 + sign;
        digits();
        isFloat = true;
      }
    }
    if (isNameStart(look(length)) ||
        (!isFloat && look() == '0' && rest().substr(0, length).find_first_not_of('0') < length))
      fail("only decimal numbers are supported, not " + quote(rest().substr(0, length + 1)));
    addAndAdvance(isFloat ? Token::Kind::Float : Token::Kind::Integer, length);
  }

  void lexString() {
    Position begin = position;
    char end = look();
    size_t length = 1;
    while (look(length) != end) {
      if (at + length >= source.size())
        fail("this string has no end");
      length += look(length) == '\\' ? 2 : 1;
    }
    std::string text = unescaped(std::string_view(source).substr(at + 1, length - 1));
    tokens.push_back({Token::Kind::String, begin, std::move(text)});
    advance(length + 1);
  }

  /// As Python's literals.
  std::string unescaped(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size();) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        out += text[i++];
        continue;
      }
      char c = text[i + 1];
      i += 2;
      constexpr std::string_view letters = "\\'\"abfnrtv", meant = "\\'\"\a\b\f\n\r\t\v";
      if (size_t known = letters.find(c); known != std::string_view::npos)
        out += meant[known];
      else if (c == 'x' || c == 'u' || c == 'U')
        appendNumber(out, text, i, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8);
      else if (c >= '0' && c <= '7')
        appendNumber(out, text, --i, 8, 3);
      else if (c == 'N')
        fail("characters by name, \\N{...}, are not supported; write \\u and a number");
      else if (c != '\n')
        out += {'\\', c};
    }
    return out;
  }

  /// A code point in `base`: all of `width` digits, or as many as there are in octal.
  void appendNumber(std::string &out, std::string_view text, size_t &i, uint32_t base, size_t width) {
    uint32_t value = 0;
    size_t count = 0;
    for (; count < width && i < text.size(); ++count, ++i) {
      char c = text[i];
      uint32_t digit = isDigit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
      if (digit >= base)
        break;
      value = value * base + digit;
    }
    if ((base == 16 && count < width) || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
      fail("an escape sequence of this string is no character");
    appendCodePoint(out, value);
  }

  std::string source;
  size_t at = 0;
  Position position;
  bool lineStarts = true; ///< what was taken last ended a line
  std::vector<Token> tokens;
};

} // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(normalized(source)).run(); }

} // namespace ane::rt::text::jinja
