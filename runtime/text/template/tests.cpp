//===- tests.cpp - Tests of templates: `x is NAME` ------------------------===//
#include "runtime/text/template/evaluator.h"

#include <algorithm>
#include <array>

namespace ane::rt::text::jinja {
namespace {

using Predicate = bool (*)(const Value &);

const Value &onlyArgument(const Arguments &arguments) { return Bound("a test", arguments, {"other"}, 1).value(0); }

int64_t integerOf(const Value &value) {
  requireDefined(value);
  if (!value.integer())
    throw Failure{"this test is for integers, not '" + std::string(value.typeName()) + "'"};
  return *value.integer();
}

bool isIterable(const Value &value) {
  return value.undefined() || value.isText() || value.sequence() || value.mapping() || value.loop();
}

struct NamedPredicate {
  std::string_view name;
  Predicate holds;
};

/// Tests without arguments.
constexpr NamedPredicate predicates[] = {
    {"boolean", [](const Value &v) { return v.is<bool>(); }},
    {"callable", [](const Value &v) { return v.callable() != nullptr; }},
    {"defined", [](const Value &v) { return !v.undefined(); }},
    {"even", [](const Value &v) { return integerOf(v) % 2 == 0; }},
    {"false", [](const Value &v) { return v.is<bool>() && !v.isTrue(); }},
    {"float", [](const Value &v) { return v.is<double>(); }},
    {"integer", [](const Value &v) { return v.is<int64_t>(); }},
    {"iterable", isIterable},
    {"mapping", [](const Value &v) { return v.mapping() != nullptr; }},
    {"none", [](const Value &v) { return v.is<None>(); }},
    {"number", [](const Value &v) { return v.isNumber(); }},
    {"odd", [](const Value &v) { return integerOf(v) % 2 != 0; }},
    {"sequence",
     [](const Value &v) {
       return v.undefined() || v.isText() || v.mapping() ||
              (v.sequence() && v.sequence()->kind <= Sequence::Kind::Range);
     }},
    {"string", [](const Value &v) { return v.isText(); }},
    {"true", [](const Value &v) { return v.is<bool>() && v.isTrue(); }},
    {"undefined", [](const Value &v) { return v.undefined() != nullptr; }},
};

template <size_t i>
bool applyPredicate(Evaluator &, const Value &value, const Arguments &arguments) {
  Bound bound(predicates[i].name, arguments, {});
  return predicates[i].holds(value);
}

struct NamedTest {
  std::string_view name;
  Test apply;
};

template <size_t... i>
constexpr std::array<NamedTest, sizeof...(i)> makePredicateTests(std::index_sequence<i...>) {
  return {NamedTest{predicates[i].name, applyPredicate<i>}...};
}
constexpr auto predicateTests = makePredicateTests(std::make_index_sequence<std::size(predicates)>());

bool equals(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  return areEqual(value, onlyArgument(arguments), evaluator.budget);
}
bool differs(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  return !equals(evaluator, value, arguments);
}
bool less(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  return isLess(value, onlyArgument(arguments), evaluator.budget);
}
bool greater(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  return isLess(onlyArgument(arguments), value, evaluator.budget);
}
bool atMost(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  return less(evaluator, value, arguments) || equals(evaluator, value, arguments);
}
bool atLeast(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  return greater(evaluator, value, arguments) || equals(evaluator, value, arguments);
}
bool isIn(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  return contains(onlyArgument(arguments), value, evaluator.budget);
}
bool divides(Evaluator &, const Value &value, const Arguments &arguments) {
  int64_t by = integerOf(onlyArgument(arguments));
  if (by == 0)
    throw Failure{"division by zero"};
  return by == -1 || integerOf(value) % by == 0;
}
bool isSame(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  const Value &other = onlyArgument(arguments);
  bool isSimple = other.is<None>() || other.is<bool>();
  if (!isSimple)
    throw Failure{"'sameas' supports none, true and false only"};
  return value.typeName() == other.typeName() && areEqual(value, other, evaluator.budget);
}
template <bool lower>
bool hasCase(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("lower or upper", arguments, {});
  Text text = evaluator.textOf(value);
  evaluator.budget.spend(4 * text.size());
  std::string low = lowered(text).bytes, high = uppered(text).bytes;
  return low != high && text.bytes == (lower ? low : high);
}

constexpr NamedTest tests[] = {
    {"==", equals},
    {"eq", equals},
    {"equalto", equals},
    {"!=", differs},
    {"ne", differs},
    {"<", less},
    {"lt", less},
    {"lessthan", less},
    {">", greater},
    {"gt", greater},
    {"greaterthan", greater},
    {"<=", atMost},
    {"le", atMost},
    {">=", atLeast},
    {"ge", atLeast},
    {"in", isIn},
    {"divisibleby", divides},
    {"sameas", isSame},
    {"lower", hasCase<true>},
    {"upper", hasCase<false>},
};

} // namespace

Test findTest(std::string_view name) {
  for (const NamedTest &test : predicateTests)
    if (test.name == name)
      return test.apply;
  for (const NamedTest &test : tests)
    if (test.name == name)
      return test.apply;
  return nullptr;
}

std::string unknownTest(std::string_view name) {
  std::string message = "there is no test '" + std::string(name) + "'; there are";
  for (const NamedTest &test : predicateTests)
    message += " " + std::string(test.name);
  for (const NamedTest &test : tests)
    message += " " + std::string(test.name);
  return message;
}

} // namespace ane::rt::text::jinja
