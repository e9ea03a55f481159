//===- value.cpp - Values of templates ------------------------------------===//
#include "runtime/text/template/value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utf8proc.h>

namespace ane::rt::text::jinja {
namespace {

int checkedDepth(int depth) {
  if (depth > Value::kMaxDepth)
    throw Failure{"lists or mappings are nested deeper than " + std::to_string(Value::kMaxDepth) + " levels"};
  return depth;
}

/// "user", "tool_response": what can't name a special token by itself.
bool isPlainWord(std::string_view text) {
  return !text.empty() && text.size() <= 32 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

Value fromJsonAt(const nlohmann::ordered_json &json, bool isTrusted, int depth, Budget &budget) {
  using Type = nlohmann::ordered_json::value_t;
  checkedDepth(depth);
  budget.spend(8);
  switch (json.type()) {
  case Type::null:
    return None{};
  case Type::boolean:
    return json.get<bool>();
  case Type::number_unsigned:
    if (json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      throw Failure{"the integer " + json.dump() + " of a message or tool does not fit 64 bits"};
    return json.get<int64_t>();
  case Type::number_integer:
    return json.get<int64_t>();
  case Type::number_float:
    return json.get<double>();
  case Type::string: {
    const std::string &text = json.get_ref<const std::string &>();
    budget.spend(text.size());
    return Text(text, !isTrusted);
  }
  case Type::array: {
    std::vector<Value> items;
    for (const nlohmann::ordered_json &item : json)
      items.push_back(fromJsonAt(item, isTrusted, depth + 1, budget));
    return Value::list(std::move(items));
  }
  case Type::object: {
    std::vector<std::pair<Value, Value>> entries;
    for (const auto &[key, item] : json.items()) {
      budget.spend(key.size());
      bool isRole = key == "role" && item.is_string() && isPlainWord(item.get_ref<const std::string &>());
      entries.emplace_back(Text(key, !isTrusted), fromJsonAt(item, isTrusted || isRole, depth + 1, budget));
    }
    return Value::mapping(std::move(entries));
  }
  default:
    throw Failure{"a message or tool has a value that is no JSON"};
  }
}

int sign(int order) { return order < 0 ? -1 : order > 0; }

/// -1, 0 or 1; 2 if one is not a number.
int compareNumbers(const Value &a, const Value &b) {
  std::optional<int64_t> left = a.integer(), right = b.integer();
  if (left && right)
    return *left < *right ? -1 : *left > *right;
  double x = *a.number(), y = *b.number();
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

template <typename Convert>
Text mapCodePoints(const Text &text, Convert convert) {
  Text out;
  std::string one;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    uint32_t c = nextCodePoint(text.bytes, at);
    one.clear();
    appendCodePoint(one, c >= kInvalidByte ? c : static_cast<uint32_t>(convert(static_cast<int32_t>(c))));
    out.append(one, text.foreignAt(begin));
  }
  out.markup = text.markup;
  return out;
}

} // namespace

Value Value::list(std::vector<Value> items, Sequence::Kind kind) {
  auto sequence = std::make_shared<Sequence>();
  for (const Value &item : items)
    sequence->depth = checkedDepth(std::max(sequence->depth, item.depth() + 1));
  sequence->kind = kind;
  sequence->items = std::move(items);
  return SequencePointer(std::move(sequence));
}

Value Value::mapping(std::vector<std::pair<Value, Value>> entries) {
  auto mapping = std::make_shared<Mapping>();
  for (const auto &[key, item] : entries)
    mapping->depth = checkedDepth(std::max({mapping->depth, item.depth() + 1, key.depth() + 1}));
  mapping->entries = std::move(entries);
  return MappingPointer(std::move(mapping));
}

Value Value::fromJson(const nlohmann::ordered_json &json, bool isTrusted, Budget &budget) {
  return fromJsonAt(json, isTrusted, 1, budget);
}

std::optional<int64_t> Value::integer() const {
  if (auto *flag = std::get_if<bool>(&held))
    return *flag;
  if (auto *value = std::get_if<int64_t>(&held))
    return *value;
  return std::nullopt;
}

std::optional<double> Value::number() const {
  if (auto *value = std::get_if<double>(&held))
    return *value;
  if (std::optional<int64_t> value = integer())
    return static_cast<double>(*value);
  return std::nullopt;
}

bool Value::isTrue() const {
  if (undefined() || is<None>())
    return false;
  if (isNumber())
    return *number() != 0;
  if (const Text *value = text())
    return value->size() != 0;
  if (const Sequence *value = sequence())
    return value->kind == Sequence::Kind::Iterator || !value->items.empty();
  if (const Mapping *value = mapping())
    return !value->entries.empty();
  return true;
}

std::string_view Value::typeName() const {
  if (const Sequence *value = sequence()) {
    constexpr std::string_view names[] = {"list", "tuple", "range", "dict view", "generator"};
    return names[static_cast<size_t>(value->kind)];
  }
  constexpr std::string_view names[] = {"Undefined", "NoneType", "bool",        "int",      "float",    "str",
                                        "list",      "dict",     "LoopContext", "function", "Namespace"};
  return names[held.index()];
}

int Value::depth() const {
  if (const Sequence *value = sequence())
    return value->depth;
  if (const Mapping *value = mapping())
    return value->depth;
  if (const Loop *value = loop()) {
    int depth = 0;
    for (const Value &item : value->items)
      depth = std::max(depth, item.depth());
    return depth + 1;
  }
  if (const Callable *value = callable())
    return value->self.depth() + 1;
  return 0;
}

bool areEqual(const Value &a, const Value &b, Budget &budget) {
  budget.spend(1);
  if (a.isNumber() && b.isNumber())
    return compareNumbers(a, b) == 0;
  if (const Text *x = a.text(), *y = b.text(); x && y) {
    budget.spend(std::min(x->size(), y->size()) / 16);
    return x->bytes == y->bytes;
  }
  if (const Sequence *x = a.sequence(), *y = b.sequence(); x && y) {
    if (x->kind != y->kind || x->kind > Sequence::Kind::Range)
      return x == y;
    return x->items.size() == y->items.size() &&
           std::equal(x->items.begin(), x->items.end(), y->items.begin(),
                      [&](const Value &p, const Value &q) { return areEqual(p, q, budget); });
  }
  if (const Mapping *x = a.mapping(), *y = b.mapping(); x && y) {
    if (x->entries.size() != y->entries.size())
      return false;
    for (const auto &[key, item] : x->entries) {
      const Value *other = find(*y, key, budget);
      if (!other || !areEqual(item, *other, budget))
        return false;
    }
    return true;
  }
  if (a.undefined() || b.undefined())
    return a.undefined() && b.undefined();
  if (a.is<None>() || b.is<None>())
    return a.is<None>() && b.is<None>();
  return (a.space() && a.space() == b.space()) || (a.callable() && a.callable() == b.callable()) ||
         (a.loop() && a.loop() == b.loop());
}

bool isLess(const Value &a, const Value &b, Budget &budget) {
  budget.spend(1);
  if (a.isNumber() && b.isNumber())
    return compareNumbers(a, b) == -1;
  if (const Text *x = a.text(), *y = b.text(); x && y) {
    budget.spend(std::min(x->size(), y->size()) / 16);
    return sign(x->bytes.compare(y->bytes)) < 0; // the order of UTF-8 is that of code points
  }
  const Sequence *x = a.sequence(), *y = b.sequence();
  if (x && y && x->kind == y->kind && x->kind <= Sequence::Kind::Tuple) {
    size_t common = std::min(x->items.size(), y->items.size());
    for (size_t i = 0; i < common; ++i)
      if (!areEqual(x->items[i], y->items[i], budget))
        return isLess(x->items[i], y->items[i], budget);
    return x->items.size() < y->items.size();
  }
  throw Failure{"'" + std::string(a.typeName()) + "' and '" + std::string(b.typeName()) + "' have no order"};
}

std::vector<size_t> sortedOrder(const std::vector<Value> &keys, bool isReversed, Budget &budget) {
  // A tree is in no danger from keys that have no order among themselves (nan).
  auto isBefore = [&](size_t a, size_t b) {
    return isLess(keys[isReversed ? b : a], keys[isReversed ? a : b], budget);
  };
  std::multiset<size_t, decltype(isBefore)> order(isBefore);
  for (size_t i = 0; i < keys.size(); ++i)
    order.insert(i);
  return {order.begin(), order.end()};
}

const Value *find(const Mapping &mapping, const Value &key, Budget &budget) {
  for (const auto &[candidate, item] : mapping.entries)
    if (areEqual(candidate, key, budget))
      return &item;
  return nullptr;
}

const Value *find(const Mapping &mapping, std::string_view key, Budget &budget) {
  budget.spend(mapping.entries.size());
  for (const auto &[candidate, item] : mapping.entries)
    if (const Text *text = candidate.text(); text && text->bytes == key)
      return &item;
  return nullptr;
}

bool contains(const Value &container, const Value &item, Budget &budget) {
  if (const Text *text = container.text()) {
    if (!item.isText())
      throw Failure{"'in <string>' needs a string on its left, not '" + std::string(item.typeName()) + "'"};
    budget.spend(text->size());
    return text->bytes.find(item.text()->bytes) != std::string::npos;
  }
  if (const Mapping *mapping = container.mapping()) {
    if (item.sequence() ? item.sequence()->kind != Sequence::Kind::Tuple : item.mapping() != nullptr)
      throw Failure{"a '" + std::string(item.typeName()) + "' is no key of a mapping"};
    return find(*mapping, item, budget) != nullptr;
  }
  std::vector<Value> items = takeItems(container, budget);
  return std::any_of(items.begin(), items.end(),
                     [&](const Value &candidate) { return areEqual(candidate, item, budget); });
}

std::vector<Value> takeItems(const Value &value, Budget &budget) {
  if (value.undefined())
    return {};
  if (Sequence *sequence = value.sequence()) {
    size_t from = sequence->taken;
    if (sequence->kind == Sequence::Kind::Iterator)
      sequence->taken = sequence->items.size();
    budget.spend(8 * (sequence->items.size() - from));
    return std::vector<Value>(sequence->items.begin() + static_cast<ptrdiff_t>(from), sequence->items.end());
  }
  std::vector<Value> items;
  if (const Mapping *mapping = value.mapping()) {
    budget.spend(8 * mapping->entries.size());
    for (const auto &[key, item] : mapping->entries)
      items.push_back(key);
    return items;
  }
  if (const Text *text = value.text()) {
    budget.spend(32 * text->size());
    std::vector<size_t> starts = codePointStarts(text->bytes);
    for (size_t i = 0; i + 1 < starts.size(); ++i)
      items.emplace_back(text->part(starts[i], starts[i + 1]));
    return items;
  }
  throw Failure{"'" + std::string(value.typeName()) + "' is nothing to iterate over"};
}

std::optional<int64_t> length(const Value &value, Budget &budget) {
  if (value.undefined())
    return 0;
  if (const Text *text = value.text()) {
    budget.spend(text->size());
    return static_cast<int64_t>(codePointCount(text->bytes));
  }
  if (const Mapping *mapping = value.mapping())
    return static_cast<int64_t>(mapping->entries.size());
  if (const Sequence *sequence = value.sequence(); sequence && sequence->kind != Sequence::Kind::Iterator)
    return static_cast<int64_t>(sequence->items.size());
  if (const Loop *loop = value.loop())
    return static_cast<int64_t>(loop->items.size());
  return std::nullopt;
}

Text lowered(const Text &text) { return mapCodePoints(text, utf8proc_tolower); }
Text uppered(const Text &text) { return mapCodePoints(text, utf8proc_toupper); }

} // namespace ane::rt::text::jinja
