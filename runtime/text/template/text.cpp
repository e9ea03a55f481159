//===- text.cpp - Strings that know where they are from -------------------===//
#include "runtime/text/template/text.h"

#include <algorithm>

namespace ane::rt::text::jinja {

void Text::append(std::string_view text, bool isForeign) {
  if (text.empty())
    return;
  size_t begin = bytes.size();
  bytes.append(text);
  if (!isForeign)
    return;
  if (!foreign.empty() && foreign.back().end == begin)
    foreign.back().end = bytes.size();
  else
    foreign.push_back({begin, bytes.size()});
}

void Text::append(const Text &text, size_t begin, size_t end) {
  std::string_view all = text.bytes;
  auto range = std::partition_point(text.foreign.begin(), text.foreign.end(),
                                    [&](const Range &candidate) { return candidate.end <= begin; });
  for (; range != text.foreign.end() && range->begin < end; ++range) {
    size_t from = std::max(begin, range->begin), to = std::min(end, range->end);
    append(all.substr(begin, from - begin), false);
    append(all.substr(from, to - from), true);
    begin = to;
  }
  append(all.substr(begin, end - begin), false);
}

Text Text::part(size_t begin, size_t end) const {
  Text out;
  out.append(*this, begin, end);
  out.markup = markup;
  return out;
}

bool Text::foreignAt(size_t byte) const {
  auto range = std::partition_point(foreign.begin(), foreign.end(),
                                    [&](const Range &candidate) { return candidate.end <= byte; });
  return range != foreign.end() && range->begin <= byte;
}

uint32_t nextCodePoint(std::string_view text, size_t &at) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint32_t first = byte(at++);
  if (first < 0x80)
    return first;
  int following = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  constexpr uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
  if (first < 0xC2 || first > 0xF4 || text.size() - at < static_cast<size_t>(following))
    return kInvalidByte + first;
  uint32_t value = first & (0x3Fu >> following);
  for (int i = 0; i < following; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80)
      return kInvalidByte + first;
    value = value << 6 | (byte(at + i) & 0x3F);
  }
  if (value < smallest[following] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
    return kInvalidByte + first;
  at += static_cast<size_t>(following);
  return value;
}

void appendCodePoint(std::string &out, uint32_t codePoint) {
  if (codePoint >= kInvalidByte) {
    out += static_cast<char>(codePoint - kInvalidByte);
  } else if (codePoint < 0x80) {
    out += static_cast<char>(codePoint);
  } else if (codePoint < 0x800) {
    out += static_cast<char>(0xC0 | codePoint >> 6);
    out += static_cast<char>(0x80 | (codePoint & 0x3F));
  } else if (codePoint < 0x10000) {
    out += static_cast<char>(0xE0 | codePoint >> 12);
    out += static_cast<char>(0x80 | (codePoint >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (codePoint & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | codePoint >> 18);
    out += static_cast<char>(0x80 | (codePoint >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (codePoint >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (codePoint & 0x3F));
  }
}

size_t codePointCount(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count)
    nextCodePoint(text, at);
  return count;
}

std::vector<size_t> codePointStarts(std::string_view text) {
  std::vector<size_t> starts;
  for (size_t at = 0; at < text.size(); nextCodePoint(text, at))
    starts.push_back(at);
  starts.push_back(text.size());
  return starts;
}

bool isUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (nextCodePoint(text, at) >= kInvalidByte)
      return false;
  return true;
}

bool isSpace(uint32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

size_t leadingSpace(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    if (!isSpace(nextCodePoint(text, at)))
      return begin;
  }
  return text.size();
}

size_t trailingSpace(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    size_t begin = end - 1;
    while (begin > 0 && (static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80 && end - begin < 4)
      --begin;
    size_t at = begin;
    if (!isSpace(nextCodePoint(text, at)) || at != end)
      break;
    end = begin;
  }
  return text.size() - end;
}

} // namespace ane::rt::text::jinja
