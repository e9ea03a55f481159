//===- unicode.cpp - Code points: UTF-8, classes, normal forms ------------===//
#include "runtime/text/tokenizer/unicode.h"

#include <algorithm>
#include <utf8proc.h>
#include <vector>

namespace ane::rt::text {

size_t characterBytes(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : 0u; };
  auto continues = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  unsigned first = byte(0);
  if (first < 0x80)
    return at < text.size();
  if (first < 0xc2 || first > 0xf4 || !continues(1))
    return 0;
  if (first < 0xe0)
    return 2;
  if (!continues(2))
    return 0;
  if (first < 0xf0) {
    bool isTooLong = first == 0xe0 && byte(1) < 0xa0, isSurrogate = first == 0xed && byte(1) >= 0xa0;
    return isTooLong || isSurrogate ? 0 : 3;
  }
  bool isTooLong = first == 0xf0 && byte(1) < 0x90, isTooLarge = first == 0xf4 && byte(1) >= 0x90;
  return !continues(3) || isTooLong || isTooLarge ? 0 : 4;
}

uint32_t decodeNext(std::string_view text, size_t &at) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  uint32_t first = byte(0);
  if (first < 0x80) {
    ++at;
    return first;
  }
  size_t length = characterBytes(text, at);
  if (length == 0) {
    ++at;
    return 0xfffd;
  }
  uint32_t value = first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i)
    value = value << 6 | (byte(i) & 0x3fu);
  at += length;
  return value;
}

void appendUtf8(std::string &text, uint32_t codePoint) {
  if (codePoint < 0x80) {
    text += static_cast<char>(codePoint);
  } else {
    int more = codePoint < 0x800 ? 1 : codePoint < 0x10000 ? 2 : 3;
    text += static_cast<char>((0xffu << (7 - more) & 0xff) | codePoint >> 6 * more);
    while (more-- > 0)
      text += static_cast<char>(0x80 | (codePoint >> 6 * more & 0x3f));
  }
}

/// Where the text stops to be valid.
static size_t validBytes(std::string_view text) {
  size_t at = 0;
  while (size_t bytes = characterBytes(text, at))
    at += bytes;
  return at;
}

bool isValidUtf8(std::string_view text) { return validBytes(text) == text.size(); }

std::string replaceInvalid(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (true) {
    size_t valid = validBytes(bytes);
    text.append(bytes.substr(0, valid));
    if (valid == bytes.size())
      return text;
    appendUtf8(text, 0xfffd);
    bytes.remove_prefix(valid + 1);
  }
}

static utf8proc_category_t category(uint32_t codePoint) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(codePoint));
}
static bool isBetween(uint32_t codePoint, utf8proc_category_t first, utf8proc_category_t last) {
  utf8proc_category_t found = category(codePoint);
  return found >= first && found <= last;
}

bool isWhitespace(uint32_t c) {
  if (c < 0x80)
    return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

bool isNumeric(uint32_t c) {
  return c < 0x80 ? c >= '0' && c <= '9' : isBetween(c, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool isPunctuation(uint32_t c) {
  if (c < 0x80)
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
  return isBetween(c, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

bool isWord(uint32_t c) {
  bool isCircledLetter = (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) ||
                         (c >= 0x1f150 && c <= 0x1f169) || (c >= 0x1f170 && c <= 0x1f189);
  return isBetween(c, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_NL) || category(c) == UTF8PROC_CATEGORY_PC ||
         isCircledLetter || c == 0x200c || c == 0x200d;
}

bool isMark(uint32_t c) { return isBetween(c, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME); }
bool isNonspacingMark(uint32_t c) { return category(c) == UTF8PROC_CATEGORY_MN; }

bool isOther(uint32_t c) {
  utf8proc_category_t found = category(c);
  return found == UTF8PROC_CATEGORY_CC || found == UTF8PROC_CATEGORY_CF || found == UTF8PROC_CATEGORY_CO;
}

bool isIdeograph(uint32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
         (c >= 0x2a700 && c <= 0x2b73f) || (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

std::string lowercase(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    uint32_t c = decodeNext(text, at);
    if (c < 0x80)
      result += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    else if (c == 0x130) // the only character whose lower case is two: i with a dot above
      result += "i\xcc\x87";
    else
      appendUtf8(result, static_cast<uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
  }
  return result;
}

std::string normalize(std::string_view text, NormalForm form) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; }))
    return std::string(text);
  bool isCompatible = form == NormalForm::NFKC || form == NormalForm::NFKD;
  auto options = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | (isCompatible ? UTF8PROC_COMPAT : 0));
  std::vector<utf8proc_int32_t> points;
  points.reserve(text.size());
  // No character has a longer decomposition than U+FDFA: 18.
  utf8proc_int32_t parts[32];
  for (size_t at = 0; at < text.size();) {
    uint32_t c = decodeNext(text, at);
    int boundary = 0;
    utf8proc_ssize_t count = c < 0x80 ? 0
                                      : utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts,
                                                                std::size(parts), options, &boundary);
    if (count <= 0 || count > static_cast<utf8proc_ssize_t>(std::size(parts)))
      points.push_back(static_cast<utf8proc_int32_t>(c));
    else
      points.insert(points.end(), parts, parts + count);
  }
  // Runs of combining marks in the order of their classes.
  auto markClass = [](utf8proc_int32_t c) { return c < 0x300 ? 0 : utf8proc_get_property(c)->combining_class; };
  for (size_t i = 0; i < points.size();) {
    size_t end = i;
    while (end < points.size() && markClass(points[end]) != 0)
      ++end;
    std::stable_sort(points.begin() + static_cast<ptrdiff_t>(i), points.begin() + static_cast<ptrdiff_t>(end),
                     [&](auto a, auto b) { return markClass(a) < markClass(b); });
    i = end + 1;
  }
  auto length = static_cast<utf8proc_ssize_t>(points.size());
  if (form == NormalForm::NFC || form == NormalForm::NFKC)
    length = utf8proc_normalize_utf32(points.data(), length,
                                      static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  std::string result;
  result.reserve(text.size());
  for (utf8proc_ssize_t i = 0; i < length; ++i)
    appendUtf8(result, static_cast<uint32_t>(points[static_cast<size_t>(i)]));
  return result;
}

size_t graphemeBytes(std::string_view text, size_t at) {
  size_t end = at;
  uint32_t last = decodeNext(text, end);
  utf8proc_int32_t state = 0;
  while (end < text.size()) {
    size_t next = end;
    uint32_t c = decodeNext(text, next);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(last), static_cast<utf8proc_int32_t>(c), &state))
      break;
    last = c;
    end = next;
  }
  return end - at;
}

} // namespace ane::rt::text
