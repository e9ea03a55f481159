//===- text.h - Strings that know where they are from -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TEMPLATE_TEXT_H
#define ANE_RUNTIME_TEXT_TEMPLATE_TEXT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::text::jinja {

/// A string of which some ranges are foreign: not from the template.
struct Text {
  struct Range {
    size_t begin, end; ///< bytes
  };

  std::string bytes;
  std::vector<Range> foreign; ///< in order, neither empty nor touching
  bool markup = false;        ///< the filter `safe` was applied: `+` escapes what is added

  Text() = default;
  explicit Text(std::string_view text, bool isForeign = false) { append(text, isForeign); }

  size_t size() const { return bytes.size(); }
  void append(std::string_view text, bool isForeign);
  void append(const Text &text) { append(text, 0, text.size()); }
  /// Bytes [begin, end) of `text`.
  void append(const Text &text, size_t begin, size_t end);
  Text part(size_t begin, size_t end) const;
  bool foreignAt(size_t byte) const;
  /// Whether any of it is foreign: what stands in the place of all of it is, too.
  bool anyForeign() const { return !foreign.empty(); }
};

/// The code point that begins at `at`, which is moved behind it. A byte that
/// begins none is one of its own, above all code points.
uint32_t nextCodePoint(std::string_view text, size_t &at);
constexpr uint32_t kInvalidByte = 0x110000;
void appendCodePoint(std::string &out, uint32_t codePoint);
size_t codePointCount(std::string_view text);
/// Where each code point begins, and the size of the text.
std::vector<size_t> codePointStarts(std::string_view text);
bool isUtf8(std::string_view text);

/// Python's str.isspace of one code point.
bool isSpace(uint32_t codePoint);
/// How many bytes of white space `text` begins and ends with.
size_t leadingSpace(std::string_view text);
size_t trailingSpace(std::string_view text);

} // namespace ane::rt::text::jinja

#endif // ANE_RUNTIME_TEXT_TEMPLATE_TEXT_H
