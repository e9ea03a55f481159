//===- functions.cpp - Functions of templates -----------------------------===//
#include "runtime/text/template/evaluator.h"

#include <algorithm>

namespace ane::rt::text::jinja {
namespace {

Value callRange(Evaluator &evaluator, const Arguments &arguments) {
  constexpr int64_t kMaxRange = 100000; // of Jinja's sandbox
  Bound bound("range", arguments, {"start", "stop", "step"}, 1);
  int64_t begin = bound.has(1) ? bound.integer(0) : 0, end = bound.integer(bound.has(1) ? 1 : 0);
  int64_t step = bound.integerOr(2, 1);
  if (step == 0)
    throw Failure{"the step of 'range' is 0"};
  std::vector<Value> items;
  for (__int128 at = begin; step > 0 ? at < end : at > end; at += step) {
    if (items.size() == kMaxRange)
      throw Failure{"a range of more than " + std::to_string(kMaxRange) + " numbers"};
    evaluator.budget.spend(8);
    items.emplace_back(static_cast<int64_t>(at));
  }
  return Value::list(std::move(items), Sequence::Kind::Range);
}

/// The entries of `dict(...)` and `namespace(...)`: of one mapping, and keywords.
std::vector<std::pair<Value, Value>> entriesOf(const char *callee, const Arguments &arguments) {
  if (arguments.values.size() > 1 || (arguments.values.size() == 1 && !arguments.values[0].mapping()))
    throw Failure{std::string("'") + callee + "' takes one mapping, and keywords"};
  std::vector<std::pair<Value, Value>> entries;
  if (!arguments.values.empty())
    entries = arguments.values[0].mapping()->entries;
  for (const auto &[name, value] : arguments.keywords) {
    auto isName = [&name = name](const auto &entry) {
      return entry.first.isText() && entry.first.text()->bytes == name;
    };
    auto same = std::find_if(entries.begin(), entries.end(), isName);
    if (same != entries.end())
      same->second = value;
    else
      entries.emplace_back(Value::of(name), value);
  }
  return entries;
}

Value callDict(Evaluator &evaluator, const Arguments &arguments) {
  auto entries = entriesOf("dict", arguments);
  evaluator.budget.spend(16 * entries.size());
  return Value::mapping(std::move(entries));
}

Value callNamespace(Evaluator &evaluator, const Arguments &arguments) {
  std::vector<std::pair<std::string, Value>> entries;
  for (auto &[key, value] : entriesOf("namespace", arguments)) {
    if (!key.isText() || key.text()->size() == 0)
      throw Failure{"the names of a namespace are strings"};
    entries.emplace_back(key.text()->bytes, value);
  }
  return evaluator.makeNamespace(std::move(entries));
}

Value callRaiseException(Evaluator &evaluator, const Arguments &arguments) {
  Bound bound("raise_exception", arguments, {"message"}, 1);
  throw Failure{evaluator.textOf(bound.value(0)).bytes};
}

std::string padded(int value, size_t width, char fill) {
  std::string digits = std::to_string(value);
  return digits.size() < width ? std::string(width - digits.size(), fill) + digits : digits;
}

/// strftime in the C locale, whatever the process's is.
Value callStrftimeNow(Evaluator &evaluator, const Arguments &arguments) {
  constexpr std::string_view months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
  constexpr std::string_view days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  Bound bound("strftime_now", arguments, {"format"}, 1);
  const std::tm &now = evaluator.now;
  std::string_view month = months[static_cast<size_t>(std::clamp(now.tm_mon, 0, 11))];
  std::string_view day = days[static_cast<size_t>(std::clamp(now.tm_wday, 0, 6))];
  int hour12 = (now.tm_hour + 11) % 12 + 1;
  std::string out;
  const std::string &format = bound.text(0).bytes;
  evaluator.budget.spend(10 * format.size());
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    bool isPlain = i + 1 < format.size() && format[i + 1] == '-';
    i += isPlain ? 2 : 1;
    auto two = [&](int value) { return padded(value, isPlain ? 1 : 2, '0'); };
    switch (i < format.size() ? format[i] : '\0') {
    case 'Y':
      out += std::to_string(now.tm_year + 1900);
      break;
    case 'y':
      out += two(now.tm_year % 100);
      break;
    case 'm':
      out += two(now.tm_mon + 1);
      break;
    case 'd':
      out += two(now.tm_mday);
      break;
    case 'e':
      out += padded(now.tm_mday, isPlain ? 1 : 2, ' ');
      break;
    case 'j':
      out += padded(now.tm_yday + 1, isPlain ? 1 : 3, '0');
      break;
    case 'H':
      out += two(now.tm_hour);
      break;
    case 'I':
      out += two(hour12);
      break;
    case 'M':
      out += two(now.tm_min);
      break;
    case 'S':
      out += two(now.tm_sec);
      break;
    case 'p':
      out += now.tm_hour < 12 ? "AM" : "PM";
      break;
    case 'B':
      out += month;
      break;
    case 'b':
      out += month.substr(0, 3);
      break;
    case 'A':
      out += day;
      break;
    case 'a':
      out += day.substr(0, 3);
      break;
    case '%':
      out += '%';
      break;
    default:
      throw Failure{"'strftime_now' supports %Y %y %m %d %e %j %H %I %M %S %p %B %b %A %a and %%"};
    }
  }
  return Text(out);
}

struct NamedFunction {
  std::string_view name;
  Value (*call)(Evaluator &, const Arguments &);
};
constexpr NamedFunction functions[] = {
    {"dict", callDict},   {"namespace", callNamespace},      {"raise_exception", callRaiseException},
    {"range", callRange}, {"strftime_now", callStrftimeNow},
};

} // namespace

bool isFunction(std::string_view name) {
  return std::any_of(std::begin(functions), std::end(functions),
                     [&](const NamedFunction &function) { return function.name == name; });
}

Value callFunction(Evaluator &evaluator, const std::string &name, const Arguments &arguments) {
  for (const NamedFunction &function : functions)
    if (function.name == name)
      return function.call(evaluator, arguments);
  throw Failure{"there is no function '" + name + "'"};
}

} // namespace ane::rt::text::jinja
