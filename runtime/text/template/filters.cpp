//===- filters.cpp - Filters of templates ---------------------------------===//
#include "runtime/text/template/evaluator.h"

#include "absl/strings/charconv.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace ane::rt::text::jinja {
namespace {

/// What filters for strings take: everything printable.
Text textOrPrinted(Evaluator &evaluator, const Value &value) {
  return value.text() ? *value.text() : evaluator.textOf(value);
}

Value applyTrim(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("trim", arguments, {"chars"});
  Value text = textOrPrinted(evaluator, value);
  return callMethod(evaluator, text, "strip", {arguments.values, {}});
}

template <Text (*mapCase)(const Text &)>
Value applyCase(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("upper or lower", arguments, {});
  Text text = textOrPrinted(evaluator, value);
  evaluator.budget.spend(2 * text.size());
  return evaluator.paidFor(mapCase(text));
}

template <const char *const *method>
Value applyMethod(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  return callMethod(evaluator, textOrPrinted(evaluator, value), *method, arguments);
}
constexpr const char *kCapitalize = "capitalize", *kReplace = "replace";

Value applyString(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("string", arguments, {});
  return value.text() ? value : evaluator.paidFor(evaluator.textOf(value));
}

Value applySafe(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("safe", arguments, {});
  Text text = textOrPrinted(evaluator, value);
  text.markup = true;
  return evaluator.paidFor(std::move(text));
}

Value applyToJson(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("tojson", arguments, {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.asciiOnly = bound.flag(0, false);
  style.sorted = bound.flag(3, false);
  if (bound.has(1) && !bound.value(1).is<None>()) {
    const Value &indent = bound.value(1);
    style.indent = indent.isText()
                       ? indent.text()->bytes
                       : std::string(static_cast<size_t>(std::clamp<int64_t>(bound.integer(1), 0, 100)), ' ');
  }
  if (bound.has(2) && !bound.value(2).is<None>()) {
    const Sequence *pair = bound.value(2).sequence();
    if (!pair || pair->items.size() != 2 || !pair->items[0].isText() || !pair->items[1].isText())
      throw Failure{"the separators of the filter `tojson` are two strings"};
    style.itemSeparator = pair->items[0].text()->bytes;
    style.keySeparator = pair->items[1].text()->bytes;
  }
  return evaluator.paidFor(toJson(value, style, evaluator.budget));
}

Value applyDefault(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("default", arguments, {"default_value", "boolean"});
  if (!value.undefined() && (value.isTrue() || !bound.flag(1, false)))
    return value;
  return bound.has(0) ? bound.value(0) : Value(Text());
}

Value applyIndent(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("indent", arguments, {"width", "first", "blank"});
  bool isText = bound.has(0) && bound.value(0).isText();
  int64_t width = isText ? 0 : std::clamp<int64_t>(bound.integerOr(0, 4), 0, 1000);
  Text indent = isText ? bound.text(0) : Text(std::string(static_cast<size_t>(width), ' '));
  bool indentsFirst = bound.flag(1, false), indentsBlank = bound.flag(2, false);
  Text text = textOrPrinted(evaluator, value), out;
  text.append("\n", false); // the last line counts, also an empty one
  // Every end of a line that Python knows becomes "\n".
  std::vector<Value> lines = takeItems(callMethod(evaluator, text, "splitlines", {}), evaluator.budget);
  for (size_t i = 0; i < lines.size(); ++i) {
    const Text &line = *lines[i].text();
    evaluator.budget.spend(indent.size() + line.size() + 1);
    if (i > 0)
      out.append("\n", false);
    if (i > 0 ? indentsBlank || line.size() > 0 : indentsFirst)
      out.append(indent);
    out.append(line);
  }
  return out;
}

std::from_chars_result readNumber(std::string_view text, int64_t &number) {
  return std::from_chars(text.data(), text.data() + text.size(), number);
}

/// Abseil's: libc++ reads no floats before release 20.
absl::from_chars_result readNumber(std::string_view text, double &number) {
  return absl::from_chars(text.data(), text.data() + text.size(), number);
}

/// Python's int(text) and float(text), whose blanks and sign may stand around.
template <typename Number>
std::optional<Number> parseNumber(std::string_view text) {
  text.remove_prefix(leadingSpace(text));
  text.remove_suffix(trailingSpace(text));
  if (text.substr(0, 1) == "+" && text.substr(1, 1) != "-")
    text.remove_prefix(1);
  Number number = 0;
  auto [end, error] = readNumber(text, number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

Value applyInt(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("int", arguments, {"default", "base"});
  if (bound.integerOr(1, 10) != 10)
    throw Failure{"the filter `int` supports base 10 only"};
  Value standard = bound.has(0) ? bound.value(0) : Value(int64_t(0));
  std::optional<double> number = value.number();
  if (std::optional<int64_t> integer = value.integer())
    return *integer;
  if (value.isText()) {
    if (std::optional<int64_t> integer = parseNumber<int64_t>(value.text()->bytes))
      return *integer;
    number = parseNumber<double>(value.text()->bytes);
  }
  if (!number || std::isnan(*number))
    return standard;
  if (std::fabs(*number) >= 9223372036854775808.0)
    throw Failure{"an integer does not fit 64 bits"};
  return static_cast<int64_t>(*number);
}

Value applyFloat(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("float", arguments, {"default"});
  std::optional<double> number = value.isText() ? parseNumber<double>(value.text()->bytes) : value.number();
  return number ? Value(*number) : bound.has(0) ? bound.value(0) : Value(0.0);
}

Value applyAbs(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  Bound bound("abs", arguments, {});
  if (!value.isNumber())
    throw Failure{"the filter `abs` is for numbers, not '" + std::string(value.typeName()) + "'"};
  return *value.number() < 0 ? calculate("-", int64_t(0), value, evaluator.budget)
                             : calculate("+", int64_t(0), value, evaluator.budget);
}

Value applyFormat(Evaluator &evaluator, const Value &value, const Arguments &arguments) {
  if (!arguments.keywords.empty())
    throw Failure{"the filter `format` supports arguments without names only"};
  return formatPercent(textOrPrinted(evaluator, value), arguments.values, evaluator.budget);
}

constexpr NamedFilter textFilters[] = {
    {"abs", applyAbs},
    {"capitalize", applyMethod<&kCapitalize>},
    {"d", applyDefault},
    {"default", applyDefault},
    {"float", applyFloat},
    {"format", applyFormat},
    {"indent", applyIndent},
    {"int", applyInt},
    {"lower", applyCase<lowered>},
    {"replace", applyMethod<&kReplace>},
    {"safe", applySafe},
    {"string", applyString},
    {"tojson", applyToJson},
    {"trim", applyTrim},
    {"upper", applyCase<uppered>},
};

} // namespace

Filter findFilter(std::string_view name) {
  for (const NamedFilter &filter : textFilters)
    if (filter.name == name)
      return filter.apply;
  for (const NamedFilter *filter = listFilters; !filter->name.empty(); ++filter)
    if (filter->name == name)
      return filter->apply;
  return nullptr;
}

std::string unknownFilter(std::string_view name) {
  std::string message = "there is no filter '" + std::string(name) + "'; there are";
  for (const NamedFilter &filter : textFilters)
    message += " " + std::string(filter.name);
  for (const NamedFilter *filter = listFilters; !filter->name.empty(); ++filter)
    message += " " + std::string(filter->name);
  return message;
}

Bound::Bound(std::string_view callee, const Arguments &arguments, std::initializer_list<std::string_view> parameters,
             size_t required)
    : callee(callee), names(parameters), values(parameters.size(), nullptr) {
  if (arguments.values.size() > names.size())
    throw Failure{"'" + this->callee + "' takes at most " + std::to_string(names.size()) + " arguments, not " +
                  std::to_string(arguments.values.size())};
  for (size_t i = 0; i < arguments.values.size(); ++i)
    values[i] = &arguments.values[i];
  for (const auto &[name, value] : arguments.keywords) {
    size_t i = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (i == names.size() || values[i])
      throw Failure{"'" + this->callee + "' takes no argument '" + name + "'" +
                    (i < names.size() ? " a second time" : "")};
    values[i] = &value;
  }
  for (size_t i = 0; i < required; ++i)
    if (!values[i])
      throw Failure{"'" + this->callee + "' needs the argument '" + std::string(names[i]) + "'"};
}

void Bound::wrongType(size_t i, const char *wanted) const {
  throw Failure{"argument '" + std::string(names[i]) + "' of '" + callee + "' is " + wanted + ", not '" +
                std::string(values[i]->typeName()) + "'"};
}

const Text &Bound::text(size_t i) const {
  if (!values[i]->isText())
    wrongType(i, "a string");
  return *values[i]->text();
}

std::optional<Text> Bound::textOrNone(size_t i) const {
  if (!has(i) || values[i]->is<None>())
    return std::nullopt;
  return text(i);
}

int64_t Bound::integer(size_t i) const {
  if (!values[i]->integer())
    wrongType(i, "an integer");
  return *values[i]->integer();
}

} // namespace ane::rt::text::jinja
