//===- filters_lists.cpp - Filters of lists and mappings ------------------===//
#include "runtime/text/template/evaluator.h"

#include <algorithm>

namespace ane::rt::text::jinja {
namespace {

Value iterator(std::vector<Value> items) { return Value::list(std::move(items), Sequence::Kind::Iterator); }

/// Of what is false, such as none, there are no items.
std::vector<Value> itemsIfAny(Evaluator &evaluator, const Value &value) {
  return value.isTrue() ? takeItems(value, evaluator.budget) : std::vector<Value>();
}

Value applyLength(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("length", arguments, {});
  if (std::optional<int64_t> count = length(value, evaluator.budget))
    return *count;
  throw Failure{"'" + std::string(value.typeName()) + "' has no length"};
}

Value applyList(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("list", arguments, {});
  return Value::list(takeItems(value, evaluator.budget));
}

Value applyFirst(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("first", arguments, {});
  Undefined nothing = {"the first item of an empty '" + std::string(value.typeName()) + "'"};
  if (Sequence *sequence = value.sequence()) {
    if (sequence->taken == sequence->items.size())
      return nothing;
    size_t at = sequence->kind == Sequence::Kind::Iterator ? sequence->taken++ : 0;
    return sequence->items[at];
  }
  std::vector<Value> items = takeItems(value, evaluator.budget);
  return items.empty() ? Value(nothing) : items.front();
}

Value applyLast(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("last", arguments, {});
  const Sequence *sequence = value.sequence();
  if (sequence && sequence->kind == Sequence::Kind::Iterator)
    throw Failure{"a generator has no last item; make it a list by the filter `list`"};
  if (sequence && !sequence->items.empty())
    return sequence->items.back();
  std::vector<Value> items = takeItems(value, evaluator.budget);
  return items.empty() ? Value(Undefined{"the last item of an empty '" + std::string(value.typeName()) + "'"})
                       : items.back();
}

/// The value at a path: "function.name", or an index. What is missing on the
/// way is `standard`, if there is one.
Value valueAt(Evaluator &evaluator, const Value &value, const Value &path, const Value *standard = nullptr) {
  Value at = value;
  if (!path.isText()) {
    at = evaluator.element(value, path);
    return at.undefined() && standard ? *standard : at;
  }
  const std::string &names = path.text()->bytes;
  for (size_t begin = 0; begin <= names.size();) {
    size_t end = std::min(names.find('.', begin), names.size());
    std::string name = names.substr(begin, end - begin);
    bool isIndex = !name.empty() && name.size() < 10 && name.find_first_not_of("0123456789") == std::string::npos;
    at = evaluator.element(at, isIndex ? Value(int64_t(std::stoll(name))) : Value::of(name));
    if (at.undefined() && standard)
      at = *standard;
    begin = end + 1;
  }
  return at;
}

Value applyJoin(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("join", arguments, {"d", "attribute"});
  Text separator = bound.has(0) ? evaluator.textOf(bound.value(0)) : Text(), out;
  bool isFirst = true;
  for (const Value &item : takeItems(value, evaluator.budget)) {
    if (!isFirst)
      out.append(separator);
    isFirst = false;
    out.append(evaluator.textOf(bound.has(1) ? valueAt(evaluator, item, bound.value(1)) : item));
    evaluator.budget.spend(separator.size());
  }
  return evaluator.paidFor(std::move(out));
}

Value applyItems(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("items", arguments, {});
  if (value.undefined())
    return iterator({});
  if (!value.mapping())
    throw Failure{"the filter `items` is for mappings, not '" + std::string(value.typeName()) + "'"};
  return iterator(takeItems(callMethod(evaluator, value, "items", {}), evaluator.budget));
}

Value applyMap(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  std::vector<Value> out;
  std::vector<Value> items = itemsIfAny(evaluator, value);
  if (arguments.values.empty()) {
    Bound bound("map", arguments, {"attribute", "default"}, 1);
    for (const Value &item : items)
      out.push_back(valueAt(evaluator, item, bound.value(0), bound.has(1) ? &bound.value(1) : nullptr));
    return iterator(std::move(out));
  }
  if (!arguments.values[0].isText())
    throw Failure{"the filter `map` needs the name of a filter, or attribute="};
  Arguments rest = {{arguments.values.begin() + 1, arguments.values.end()}, arguments.keywords};
  for (const Value &item : items)
    out.push_back(evaluator.applyFilter(arguments.values[0].text()->bytes, item, rest));
  return iterator(std::move(out));
}

/// select, reject, selectattr, rejectattr.
template <bool keeps, bool byAttribute>
Value applySelect(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  size_t first = byAttribute ? 1 : 0;
  if (arguments.values.size() < first)
    throw Failure{"the filters `selectattr` and `rejectattr` need the name of an attribute"};
  Arguments rest;
  std::string test;
  if (arguments.values.size() > first) {
    if (!arguments.values[first].isText())
      throw Failure{"the name of a test is a string"};
    test = arguments.values[first].text()->bytes;
    rest = {{arguments.values.begin() + static_cast<ptrdiff_t>(first) + 1, arguments.values.end()}, arguments.keywords};
  }
  std::vector<Value> kept;
  for (const Value &item : itemsIfAny(evaluator, value)) {
    Value tested = byAttribute ? valueAt(evaluator, item, arguments.values[0]) : item;
    if ((test.empty() ? tested.isTrue() : evaluator.applyTest(test, tested, rest)) == keeps)
      kept.push_back(item);
  }
  return iterator(std::move(kept));
}

/// What is compared: an attribute of the item, without case unless that counts.
Value sortKey(Evaluator &evaluator, const Value &item, const Value *attribute, bool caseCounts) {
  Value key = attribute ? valueAt(evaluator, item, *attribute) : item;
  if (const Text *text = key.text(); text && !caseCounts) {
    evaluator.budget.spend(2 * text->size());
    return lowered(*text);
  }
  return key;
}

std::vector<Value> sorted(Evaluator &evaluator, const std::vector<Value> &items, const Value *attribute,
                          bool caseCounts, bool reversed) {
  std::vector<Value> keys, out;
  for (const Value &item : items) {
    keys.push_back(sortKey(evaluator, item, attribute, caseCounts));
    requireDefined(keys.back());
  }
  for (size_t i : sortedOrder(keys, reversed, evaluator.budget))
    out.push_back(items[i]);
  return out;
}

Value applySort(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("sort", arguments, {"reverse", "case_sensitive", "attribute"});
  return Value::list(sorted(evaluator, takeItems(value, evaluator.budget), bound.has(2) ? &bound.value(2) : nullptr,
                            bound.flag(1, false), bound.flag(0, false)));
}

Value applyDictSort(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("dictsort", arguments, {"case_sensitive", "by", "reverse"});
  requireDefined(value);
  if (!value.mapping())
    throw Failure{"the filter `dictsort` is for mappings, not '" + std::string(value.typeName()) + "'"};
  std::string by = bound.has(1) ? bound.text(1).bytes : "key";
  if (by != "key" && by != "value")
    throw Failure{"the filter `dictsort` sorts by \"key\" or \"value\""};
  Value place = int64_t(by == "value");
  std::vector<Value> items = takeItems(callMethod(evaluator, value, "items", {}), evaluator.budget);
  return Value::list(sorted(evaluator, items, &place, bound.flag(0, false), bound.flag(2, false)));
}

Value applyUnique(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("unique", arguments, {"case_sensitive", "attribute"});
  std::vector<Value> keys, kept;
  for (const Value &item : takeItems(value, evaluator.budget)) {
    Value key = sortKey(evaluator, item, bound.has(1) ? &bound.value(1) : nullptr, bound.flag(0, false));
    if (std::any_of(keys.begin(), keys.end(), [&](const Value &k) { return areEqual(k, key, evaluator.budget); }))
      continue;
    keys.push_back(std::move(key));
    kept.push_back(item);
  }
  return iterator(std::move(kept));
}

Value applyReverse(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("reverse", arguments, {});
  requireDefined(value);
  std::vector<Value> items = takeItems(value, evaluator.budget);
  std::reverse(items.begin(), items.end());
  if (!value.isText())
    return iterator(std::move(items));
  Text out;
  for (const Value &item : items)
    out.append(*item.text());
  return out;
}

template <bool largest>
Value applyExtreme(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound(largest ? "max" : "min", arguments, {"case_sensitive", "attribute"});
  std::vector<Value> items = sorted(evaluator, takeItems(value, evaluator.budget),
                                    bound.has(1) ? &bound.value(1) : nullptr, bound.flag(0, false), largest);
  return items.empty() ? Value(Undefined{"the largest or smallest item of nothing"}) : items.front();
}

Value applySum(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("sum", arguments, {"attribute", "start"});
  Value sum = bound.has(1) ? bound.value(1) : Value(int64_t(0));
  bool byAttribute = bound.has(0) && !bound.value(0).is<None>();
  for (const Value &item : takeItems(value, evaluator.budget))
    sum = calculate("+", sum, byAttribute ? valueAt(evaluator, item, bound.value(0)) : item, evaluator.budget);
  return sum;
}

} // namespace

const NamedFilter listFilters[] = {
    {"count", applyLength},
    {"dictsort", applyDictSort},
    {"first", applyFirst},
    {"items", applyItems},
    {"join", applyJoin},
    {"last", applyLast},
    {"length", applyLength},
    {"list", applyList},
    {"map", applyMap},
    {"max", applyExtreme<true>},
    {"min", applyExtreme<false>},
    {"reject", applySelect<false, false>},
    {"rejectattr", applySelect<false, true>},
    {"reverse", applyReverse},
    {"select", applySelect<true, false>},
    {"selectattr", applySelect<true, true>},
    {"sort", applySort},
    {"sum", applySum},
    {"unique", applyUnique},
    {"", nullptr},
};

} // namespace ane::rt::text::jinja
