//===- methods.cpp - Methods of strings, lists and mappings ---------------===//
#include "runtime/text/template/evaluator.h"

#include <algorithm>
#include <limits>

namespace ane::rt::text::jinja {
namespace {

using TextMethod = Value (*)(Evaluator &, const Text &, const Arguments &);

/// What Python has, also where it is not supported here: an attribute that these
/// names hide is not taken from the mapping, as in Python.
constexpr std::string_view kMappingMethods[] = {"clear", "copy",    "fromkeys",   "get",    "items", "keys",
                                                "pop",   "popitem", "setdefault", "update", "values"};
constexpr std::string_view kListMethods[] = {"append", "clear", "copy",   "count",   "extend", "index",
                                             "insert", "pop",   "remove", "reverse", "sort"};
constexpr std::string_view kTextMethods[] = {
    "capitalize",   "casefold",   "center",    "count",       "encode",    "endswith",     "expandtabs",   "find",
    "format",       "format_map", "index",     "isalnum",     "isalpha",   "isascii",      "isdecimal",    "isdigit",
    "isidentifier", "islower",    "isnumeric", "isprintable", "isspace",   "istitle",      "isupper",      "join",
    "ljust",        "lower",      "lstrip",    "maketrans",   "partition", "removeprefix", "removesuffix", "replace",
    "rfind",        "rindex",     "rjust",     "rpartition",  "rsplit",    "rstrip",       "split",        "splitlines",
    "startswith",   "strip",      "swapcase",  "title",       "translate", "upper",        "zfill"};

template <size_t count>
bool isIn(const std::string_view (&names)[count], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

template <bool left, bool right>
Value strip(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound("strip", arguments, {"chars"});
  std::optional<Text> chars = bound.textOrNone(0);
  evaluator.budget.spend(text.size() * (chars ? chars->size() + 1 : 1));
  if (!chars) {
    size_t begin = left ? leadingSpace(text.bytes) : 0;
    size_t end = text.size() - (right && begin < text.size() ? trailingSpace(text.bytes) : 0);
    return evaluator.paidFor(text.part(begin, end));
  }
  std::vector<size_t> starts = codePointStarts(text.bytes);
  auto isStripped = [&](size_t i) {
    std::string_view one = std::string_view(text.bytes).substr(starts[i], starts[i + 1] - starts[i]);
    return chars->bytes.find(one) != std::string::npos;
  };
  size_t begin = 0, end = starts.size() - 1;
  while (left && begin < end && isStripped(begin))
    ++begin;
  while (right && end > begin && isStripped(end - 1))
    --end;
  return evaluator.paidFor(text.part(starts[begin], starts[end]));
}

Value splitAtSpace(Evaluator &evaluator, const Text &text, int64_t most, bool fromRight) {
  std::vector<std::pair<size_t, size_t>> words; // where they begin and end
  for (size_t at = leadingSpace(text.bytes); at < text.size();) {
    size_t begin = at, end = at;
    while (at < text.size() && !isSpace(nextCodePoint(text.bytes, at)))
      end = at;
    words.emplace_back(begin, end);
    at = end + leadingSpace(std::string_view(text.bytes).substr(end));
  }
  size_t kept = most < 0 ? words.size() : std::min(words.size(), static_cast<size_t>(most) + 1);
  std::vector<Value> out;
  // Where there are no more splits, the rest stays as it is.
  bool hasRest = most >= 0 && kept == static_cast<size_t>(most) + 1;
  for (size_t i = 0; i < kept; ++i) {
    auto [begin, end] = words[fromRight ? words.size() - kept + i : i];
    if (hasRest && fromRight && i == 0)
      begin = 0, end = words[words.size() - kept].second;
    if (hasRest && !fromRight && i + 1 == kept)
      end = text.size();
    evaluator.budget.spend(32);
    out.emplace_back(text.part(begin, end));
  }
  return Value::list(std::move(out));
}

template <bool fromRight>
Value split(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound("split", arguments, {"sep", "maxsplit"});
  std::optional<Text> separator = bound.textOrNone(0);
  int64_t most = bound.integerOr(1, -1);
  evaluator.budget.spend(2 * text.size());
  if (!separator)
    return splitAtSpace(evaluator, text, most, fromRight);
  if (separator->size() == 0)
    throw Failure{"the separator of 'split' is empty"};
  size_t limit = most < 0 ? std::numeric_limits<size_t>::max() : static_cast<size_t>(most), width = separator->size();
  std::vector<size_t> places;
  if (fromRight) {
    for (size_t end = text.size(); places.size() < limit && end >= width;) {
      size_t at = text.bytes.rfind(separator->bytes, end - width);
      if (at == std::string::npos)
        break;
      places.push_back(end = at);
    }
    std::reverse(places.begin(), places.end());
  } else {
    for (size_t at = text.bytes.find(separator->bytes); at != std::string::npos && places.size() < limit;
         at = text.bytes.find(separator->bytes, at + width))
      places.push_back(at);
  }
  std::vector<Value> out;
  size_t begin = 0;
  places.push_back(text.size());
  for (size_t place : places) {
    evaluator.budget.spend(32);
    out.emplace_back(text.part(begin, place));
    begin = place + width;
  }
  return Value::list(std::move(out));
}

Value splitLines(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound("splitlines", arguments, {"keepends"});
  bool keeps = bound.flag(0, false);
  std::vector<Value> out;
  for (size_t begin = 0, at = 0; begin < text.size();) {
    size_t end = at = begin;
    bool ended = false;
    while (!ended && at < text.size()) {
      end = at;
      uint32_t c = nextCodePoint(text.bytes, at);
      ended = (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
      at += c == '\r' && at < text.size() && text.bytes[at] == '\n';
    }
    evaluator.budget.spend(32 + at - begin);
    out.emplace_back(text.part(begin, ended && !keeps ? end : at));
    begin = at;
  }
  return Value::list(std::move(out));
}

template <bool atEnd>
Value isAffix(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound(atEnd ? "endswith" : "startswith", arguments, {"prefix"}, 1);
  auto matches = [&](const Value &affix) {
    if (!affix.isText())
      throw Failure{"'startswith' and 'endswith' take a string or a tuple of strings, not '" +
                    std::string(affix.typeName()) + "'"};
    const std::string &part = affix.text()->bytes;
    evaluator.budget.spend(part.size());
    return part.size() <= text.size() &&
           text.bytes.compare(atEnd ? text.size() - part.size() : 0, part.size(), part) == 0;
  };
  const Sequence *several = bound.value(0).sequence();
  if (several && several->kind == Sequence::Kind::Tuple)
    return std::any_of(several->items.begin(), several->items.end(), matches);
  return matches(bound.value(0));
}

template <bool atEnd>
Value removeAffix(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound(atEnd ? "removesuffix" : "removeprefix", arguments, {"affix"}, 1);
  size_t width = bound.text(0).size();
  if (!isAffix<atEnd>(evaluator, text, {{bound.value(0)}, {}}).isTrue())
    return text;
  return evaluator.paidFor(atEnd ? text.part(0, text.size() - width) : text.part(width, text.size()));
}

Value replace(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound("replace", arguments, {"old", "new", "count"}, 2);
  const Text &old = bound.text(0), &with = bound.text(1);
  int64_t most = bound.has(2) && bound.value(2).is<None>() ? -1 : bound.integerOr(2, -1);
  evaluator.budget.spend(text.size());
  Text out;
  size_t begin = 0;
  for (size_t at = text.bytes.find(old.bytes); at != std::string::npos && most != 0; --most) {
    evaluator.budget.spend(with.size() + 1);
    out.append(text, begin, at);
    out.append(with);
    begin = at + old.size();
    if (at >= text.size())
      break;
    if (old.size() == 0) { // before each code point
      nextCodePoint(text.bytes, at);
    } else {
      at = begin;
    }
    at = text.bytes.find(old.bytes, at);
  }
  out.append(text, begin, text.size());
  return evaluator.paidFor(std::move(out));
}

template <bool last, bool isRequired>
Value findText(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound("find", arguments, {"sub"}, 1);
  evaluator.budget.spend(text.size());
  const std::string &part = bound.text(0).bytes;
  size_t at = last ? text.bytes.rfind(part) : text.bytes.find(part);
  if (at != std::string::npos)
    return static_cast<int64_t>(codePointCount(std::string_view(text.bytes).substr(0, at)));
  if (isRequired)
    throw Failure{"the text that 'index' looks for is not there"};
  return int64_t(-1);
}

Value countText(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound("count", arguments, {"sub"}, 1);
  evaluator.budget.spend(text.size());
  const std::string &part = bound.text(0).bytes;
  if (part.empty())
    return static_cast<int64_t>(codePointCount(text.bytes) + 1);
  int64_t count = 0;
  for (size_t at = text.bytes.find(part); at != std::string::npos; at = text.bytes.find(part, at + part.size()))
    ++count;
  return count;
}

Value joinTexts(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound("join", arguments, {"iterable"}, 1);
  Text out;
  std::vector<Value> items = takeItems(bound.value(0), evaluator.budget);
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].isText())
      throw Failure{"'join' joins strings, not '" + std::string(items[i].typeName()) + "'"};
    evaluator.budget.spend(text.size() + items[i].text()->size());
    if (i)
      out.append(text);
    out.append(*items[i].text());
  }
  return out;
}

Value changeFirst(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound("capitalize", arguments, {});
  evaluator.budget.spend(3 * text.size());
  size_t first = 0;
  if (text.size())
    nextCodePoint(text.bytes, first);
  Text out = uppered(text.part(0, first));
  out.append(lowered(text.part(first, text.size())));
  return out;
}

template <Text (*mapCase)(const Text &)>
Value changeCase(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound("upper or lower", arguments, {});
  evaluator.budget.spend(3 * text.size());
  return mapCase(text);
}

/// "{} {0} {name}" without conversions.
Value format(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Text out;
  size_t automatic = 0, begin = 0;
  bool isNumbered = false;
  const std::string &bytes = text.bytes;
  for (size_t at = bytes.find_first_of("{}"); at != std::string::npos; at = bytes.find_first_of("{}", begin)) {
    out.append(text, begin, at);
    if (at + 1 < bytes.size() && bytes[at + 1] == bytes[at]) {
      out.append(text, at, at + 1);
      begin = at + 2;
      continue;
    }
    size_t end = bytes.find('}', at);
    if (bytes[at] == '}' || end == std::string::npos)
      throw Failure{"a brace of the format stands alone"};
    std::string field = bytes.substr(at + 1, end - at - 1);
    begin = end + 1;
    if (field.find_first_of("{.[:!") != std::string::npos)
      throw Failure{"of a format's fields, {}, {0} and {name} are supported, not '{" + field + "}'"};
    bool isIndex = field.find_first_not_of("0123456789") == std::string::npos && field.size() < 10;
    const Value *value = nullptr;
    if (isIndex) {
      isNumbered |= !field.empty();
      if (isNumbered && (field.empty() || automatic))
        throw Failure{"a format has fields with numbers, {0}, or without, {}, not both"};
      size_t i = field.empty() ? automatic++ : std::stoul(field);
      value = i < arguments.values.size() ? &arguments.values[i] : nullptr;
    }
    for (const auto &[name, argument] : arguments.keywords)
      if (name == field)
        value = &argument;
    if (!value)
      throw Failure{"the format's field '{" + field + "}' has no value"};
    out.append(evaluator.textOf(*value));
    evaluator.budget.spend(out.size() / 16);
  }
  out.append(text, begin, text.size());
  return evaluator.paidFor(std::move(out));
}

/// Python's isdigit, isalpha, ... of ASCII; others are not supported.
template <bool (*holds)(char)>
Value isAll(Evaluator &evaluator, const Text &text, const Arguments &arguments) {
  Bound bound("is...", arguments, {});
  evaluator.budget.spend(text.size());
  for (char c : text.bytes)
    if (static_cast<uint8_t>(c) >= 0x80)
      throw Failure{"this method supports ASCII only"};
  return !text.bytes.empty() && std::all_of(text.bytes.begin(), text.bytes.end(), holds);
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isAlnum(char c) { return isDigit(c) || isAlpha(c); }
bool isAsciiSpace(char c) { return isSpace(static_cast<uint8_t>(c)); }

struct NamedMethod {
  std::string_view name;
  TextMethod apply;
};
constexpr NamedMethod textMethods[] = {
    {"capitalize", changeFirst},
    {"count", countText},
    {"endswith", isAffix<true>},
    {"find", findText<false, false>},
    {"format", format},
    {"index", findText<false, true>},
    {"isalnum", isAll<isAlnum>},
    {"isalpha", isAll<isAlpha>},
    {"isdigit", isAll<isDigit>},
    {"isspace", isAll<isAsciiSpace>},
    {"join", joinTexts},
    {"lower", changeCase<lowered>},
    {"lstrip", strip<true, false>},
    {"removeprefix", removeAffix<false>},
    {"removesuffix", removeAffix<true>},
    {"replace", replace},
    {"rfind", findText<true, false>},
    {"rindex", findText<true, true>},
    {"rsplit", split<true>},
    {"rstrip", strip<false, true>},
    {"split", split<false>},
    {"splitlines", splitLines},
    {"startswith", isAffix<false>},
    {"strip", strip<true, true>},
    {"upper", changeCase<uppered>},
};

[[noreturn]] void notSupported(const Value &self, const std::string &name) {
  constexpr std::string_view changing[] = {"append",  "clear", "extend",  "insert",     "pop",   "remove",
                                           "reverse", "sort",  "popitem", "setdefault", "update"};
  throw Failure{isIn(changing, name)
                    ? "'" + name + "' would change a '" + std::string(self.typeName()) +
                          "', which templates may not; use a namespace and '+'"
                    : "method '" + name + "' of '" + std::string(self.typeName()) + "' is not supported"};
}

Value callMappingMethod(Evaluator &evaluator, const Value &self, const std::string &name, const Arguments &arguments) {
  const Mapping &mapping = *self.mapping();
  if (name == "get") {
    Bound bound("get", arguments, {"key", "default"}, 1);
    const Value *item = find(mapping, bound.value(0), evaluator.budget);
    return item ? *item : bound.has(1) ? bound.value(1) : Value(None{});
  }
  bool isItems = name == "items";
  if (name == "copy" || (!isItems && name != "keys" && name != "values")) {
    if (name != "copy")
      notSupported(self, name);
    return self;
  }
  Bound bound(name, arguments, {});
  std::vector<Value> out;
  evaluator.budget.spend(24 * mapping.entries.size());
  for (const auto &[key, item] : mapping.entries)
    out.push_back(isItems ? Value::list({key, item}, Sequence::Kind::Tuple) : name == "keys" ? key : item);
  return Value::list(std::move(out), Sequence::Kind::View);
}

Value callListMethod(Evaluator &evaluator, const Value &self, const std::string &name, const Arguments &arguments) {
  const Sequence &list = *self.sequence();
  if (name == "copy")
    return self;
  if (name != "count" && name != "index")
    notSupported(self, name);
  Bound bound(name, arguments, {"value"}, 1);
  auto isIt = [&](const Value &item) { return areEqual(item, bound.value(0), evaluator.budget); };
  if (name == "count")
    return static_cast<int64_t>(std::count_if(list.items.begin(), list.items.end(), isIt));
  auto found = std::find_if(list.items.begin(), list.items.end(), isIt);
  if (found == list.items.end())
    throw Failure{"the item that 'index' looks for is not in the list"};
  return static_cast<int64_t>(found - list.items.begin());
}

} // namespace

bool hasMethod(const Value &value, std::string_view name) {
  if (value.isText())
    return isIn(kTextMethods, name);
  if (value.mapping())
    return isIn(kMappingMethods, name);
  if (const Sequence *sequence = value.sequence()) {
    bool isList = sequence->kind == Sequence::Kind::List;
    return isList ? isIn(kListMethods, name)
                  : sequence->kind <= Sequence::Kind::Range && (name == "count" || name == "index");
  }
  return false;
}

Value callMethod(Evaluator &evaluator, const Value &self, const std::string &name, const Arguments &arguments) {
  if (const Text *text = self.text()) {
    for (const NamedMethod &method : textMethods)
      if (method.name == name)
        return method.apply(evaluator, *text, arguments);
  } else if (self.mapping()) {
    return callMappingMethod(evaluator, self, name, arguments);
  } else if (self.sequence()) {
    return callListMethod(evaluator, self, name, arguments);
  } else if (const Loop *loop = self.loop()) { // cycle
    if (arguments.values.empty())
      throw Failure{"'loop.cycle' needs the values to take in turns"};
    return arguments.values[loop->index % arguments.values.size()];
  }
  notSupported(self, name);
}

} // namespace ane::rt::text::jinja
