//===- print.cpp - Values as Python and JSON print them -------------------===//
#include "runtime/text/template/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utf8proc.h>

namespace ane::rt::text::jinja {
namespace {

/// Python's repr of a float: as few digits as tell it from its neighbours, with
/// an exponent below 1e-4 and from 1e16 on.
std::string floatText(double value, bool json) {
  if (std::isnan(value))
    return json ? "NaN" : "nan";
  if (std::isinf(value))
    return (value < 0 ? "-" : "") + std::string(json ? "Infinity" : "inf");
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string scientific(buffer, end);
  size_t mark = scientific.find('e');
  int exponent = std::stoi(scientific.substr(mark + 1));
  if (exponent < -4 || exponent >= 16)
    return scientific;
  bool negative = scientific[0] == '-';
  std::string digits = scientific.substr(negative, 1);
  if (mark > digits.size() + negative)
    digits += scientific.substr(negative + 2, mark - negative - 2);
  size_t point = static_cast<size_t>(std::max(exponent + 1, 1));
  if (exponent < 0)
    digits.insert(0, static_cast<size_t>(-exponent), '0');
  if (digits.size() <= point)
    digits.append(point + 1 - digits.size(), '0');
  digits.insert(point, ".");
  return (negative ? "-" : "") + digits;
}

std::string hex(uint32_t value, int digits) {
  constexpr char figures[] = "0123456789abcdef";
  std::string out;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += figures[value >> shift & 15];
  return out;
}

/// Python's str.isprintable of one code point.
bool isPrintable(uint32_t c) {
  if (c == ' ')
    return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
  case UTF8PROC_CATEGORY_CN:
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_CO:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
  case UTF8PROC_CATEGORY_ZS:
    return false;
  default:
    return true;
  }
}

/// Appends each code point of `text` as `spell` spells it, or as it is where
/// that gives nothing.
template <typename Spell>
void appendSpelled(Text &out, const Text &text, Spell spell) {
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    std::string spelled = spell(nextCodePoint(text.bytes, at));
    out.append(spelled.empty() ? std::string_view(text.bytes).substr(begin, at - begin) : std::string_view(spelled),
               text.foreignAt(begin));
  }
}

void appendRepr(Text &out, const Text &text) {
  bool doubled = text.bytes.find('\'') != std::string::npos && text.bytes.find('"') == std::string::npos;
  char quote = doubled ? '"' : '\'';
  out.append(std::string(1, quote), false);
  appendSpelled(out, text, [&](uint32_t c) -> std::string {
    if (c == static_cast<uint32_t>(quote) || c == '\\')
      return {'\\', static_cast<char>(c)};
    if (c == '\n')
      return "\\n";
    if (c == '\r')
      return "\\r";
    if (c == '\t')
      return "\\t";
    if (c >= kInvalidByte)
      return "\\x" + hex(c - kInvalidByte, 2);
    if (isPrintable(c))
      return "";
    return c < 0x100 ? "\\x" + hex(c, 2) : c < 0x10000 ? "\\u" + hex(c, 4) : "\\U" + hex(c, 8);
  });
  out.append(std::string(1, quote), false);
}

class Printer {
public:
  explicit Printer(Budget &budget) : budget(budget) {}
  Text out;

  void print(const Value &value, bool isInside) {
    budget.spend(4);
    if (const Text *text = value.text()) {
      budget.spend(text->size() * (isInside ? 2 : 1));
      isInside ? appendRepr(out, *text) : out.append(*text);
    } else if (const Sequence *sequence = value.sequence()) {
      printSequence(*sequence);
    } else if (const Mapping *mapping = value.mapping()) {
      out.append("{", false);
      for (size_t i = 0; i < mapping->entries.size(); ++i) {
        out.append(i ? ", " : "", false);
        print(mapping->entries[i].first, true);
        out.append(": ", false);
        print(mapping->entries[i].second, true);
      }
      out.append("}", false);
    } else if (value.is<None>()) {
      out.append("None", false);
    } else if (value.is<bool>()) {
      out.append(value.isTrue() ? "True" : "False", false);
    } else if (std::optional<int64_t> integer = value.integer()) {
      out.append(std::to_string(*integer), false);
    } else if (std::optional<double> number = value.number()) {
      out.append(floatText(*number, false), false);
    } else if (!value.undefined()) {
      throw Failure{"a '" + std::string(value.typeName()) + "' can't be printed"};
    } else if (isInside) {
      out.append("Undefined", false);
    }
  }

private:
  void printSequence(const Sequence &sequence) {
    if (sequence.kind > Sequence::Kind::Tuple)
      throw Failure{"a generator or view can't be printed; make it a list by the filter `list`"};
    bool isTuple = sequence.kind == Sequence::Kind::Tuple;
    out.append(isTuple ? "(" : "[", false);
    for (size_t i = 0; i < sequence.items.size(); ++i) {
      out.append(i ? ", " : "", false);
      print(sequence.items[i], true);
    }
    out.append(isTuple ? sequence.items.size() == 1 ? ",)" : ")" : "]", false);
  }

  Budget &budget;
};

class JsonPrinter {
public:
  JsonPrinter(const JsonStyle &style, Budget &budget) : style(style), budget(budget) {
    between = style.itemSeparator.value_or(style.indent ? "," : ", ");
    afterKey = style.keySeparator.value_or(": ");
  }
  Text out;

  void print(const Value &value) {
    budget.spend(4);
    if (const Text *text = value.text()) {
      printText(*text);
    } else if (const Sequence *sequence = value.sequence(); sequence && sequence->kind <= Sequence::Kind::Tuple) {
      printAll('[', sequence->items.size(), [&](size_t i) { print(sequence->items[i]); }, ']');
    } else if (const Mapping *mapping = value.mapping()) {
      printMapping(*mapping);
    } else if (value.is<None>() || value.isNumber()) {
      out.append(scalar(value), false);
    } else {
      throw Failure{"a '" + std::string(value.typeName()) + "' can't be written as JSON" +
                    (value.undefined() ? ": " + value.undefined()->what + " is not defined"
                     : sequence        ? "; make it a list by the filter `list`"
                                       : "")};
    }
  }

private:
  static std::string scalar(const Value &value) {
    if (value.is<None>())
      return "null";
    if (value.is<bool>())
      return value.isTrue() ? "true" : "false";
    if (std::optional<int64_t> integer = value.integer())
      return std::to_string(*integer);
    return floatText(*value.number(), true);
  }

  void newLine() {
    if (!style.indent)
      return;
    budget.spend(level * style.indent->size() + 1);
    out.append("\n", false);
    for (size_t i = 0; i < level; ++i)
      out.append(*style.indent, false);
  }

  template <typename One>
  void printAll(char open, size_t count, One printOne, char close) {
    out.append(std::string(1, open), false);
    if (count) {
      ++level;
      for (size_t i = 0; i < count; ++i) {
        budget.spend(between.size());
        out.append(i ? between : "", false);
        newLine();
        printOne(i);
      }
      --level;
      newLine();
    }
    out.append(std::string(1, close), false);
  }

  void printMapping(const Mapping &mapping) {
    std::vector<size_t> order(mapping.entries.size());
    std::iota(order.begin(), order.end(), size_t(0));
    if (style.sorted) {
      std::vector<Value> keys;
      for (const auto &[key, value] : mapping.entries)
        keys.push_back(key);
      order = sortedOrder(keys, /*isReversed=*/false, budget);
    }
    auto printEntry = [&](size_t i) {
      const auto &[key, value] = mapping.entries[order[i]];
      if (!key.isText() && !key.isNumber() && !key.is<None>())
        throw Failure{"a key of a mapping is a '" + std::string(key.typeName()) + "', which JSON has not"};
      printText(key.isText() ? *key.text() : Text(scalar(key)));
      budget.spend(afterKey.size());
      out.append(afterKey, false);
      print(value);
    };
    printAll('{', order.size(), printEntry, '}');
  }

  void printText(const Text &text) {
    budget.spend(2 * text.size());
    out.append("\"", false);
    appendSpelled(out, text, [&](uint32_t c) -> std::string {
      if (c == '"' || c == '\\')
        return {'\\', static_cast<char>(c)};
      constexpr std::string_view controls = "\b\t\n\f\r", letters = "btnfr";
      if (size_t known = c < 0x20 ? controls.find(static_cast<char>(c)) : controls.npos; known != controls.npos)
        return {'\\', letters[known]};
      if (c < 0x20)
        return "\\u" + hex(c, 4);
      if (!style.asciiOnly || c < 0x7F || c >= kInvalidByte)
        return "";
      if (c < 0x10000)
        return "\\u" + hex(c, 4);
      return "\\u" + hex(0xD800 + ((c - 0x10000) >> 10), 4) + "\\u" + hex(0xDC00 + ((c - 0x10000) & 0x3FF), 4);
    });
    out.append("\"", false);
  }

  const JsonStyle &style;
  Budget &budget;
  std::string between, afterKey;
  size_t level = 0;
};

} // namespace

Text toText(const Value &value, Budget &budget) {
  Printer printer(budget);
  printer.print(value, false);
  return std::move(printer.out);
}

Text toJson(const Value &value, const JsonStyle &style, Budget &budget) {
  JsonPrinter printer(style, budget);
  printer.print(value);
  return std::move(printer.out);
}

} // namespace ane::rt::text::jinja
