//===- arithmetic.cpp - Operators of templates ----------------------------===//
#include "runtime/text/template/evaluator.h"

#include <cmath>

namespace ane::rt::text::jinja {
namespace {

[[noreturn]] void tooLarge() { throw Failure{"an integer does not fit 64 bits"}; }

[[noreturn]] void noOperator(std::string_view op, const Value &left, const Value &right) {
  requireDefined(left);
  requireDefined(right);
  throw Failure{"'" + std::string(op) + "' is not for '" + std::string(left.typeName()) + "' and '" +
                std::string(right.typeName()) + "'" +
                (left.isText() || right.isText() ? "; the filter `string` or '~' makes text of both" : "")};
}

int64_t integerPower(int64_t base, int64_t exponent, Budget &budget) {
  int64_t result = 1;
  for (int64_t i = 0; i < exponent && (base < -1 || base > 1 || i < 2); ++i) {
    budget.spend(1);
    if (__builtin_mul_overflow(result, base, &result))
      tooLarge();
  }
  return base == -1 && exponent % 2 == 1 ? -1 : result;
}

Value calculateIntegers(std::string_view op, int64_t a, int64_t b, Budget &budget) {
  int64_t result = 0;
  bool overflows = false;
  if (op == "+")
    overflows = __builtin_add_overflow(a, b, &result);
  else if (op == "-")
    overflows = __builtin_sub_overflow(a, b, &result);
  else if (op == "*")
    overflows = __builtin_mul_overflow(a, b, &result);
  else if (op == "**")
    return b < 0 ? Value(std::pow(static_cast<double>(a), static_cast<double>(b))) : integerPower(a, b, budget);
  else if (b == 0)
    throw Failure{"division by zero"};
  else if (op == "/")
    return static_cast<double>(a) / static_cast<double>(b);
  else if (b == -1)
    overflows = op == "//" && __builtin_sub_overflow(int64_t(0), a, &result);
  else // towards negative infinity
    result = op == "//" ? a / b - (a % b != 0 && (a < 0) != (b < 0)) : (a % b + b) % b;
  if (overflows)
    tooLarge();
  return result;
}

Value calculateFloats(std::string_view op, double a, double b) {
  if (op == "+")
    return a + b;
  if (op == "-")
    return a - b;
  if (op == "*")
    return a * b;
  if (op == "**")
    return std::pow(a, b);
  if (b == 0)
    throw Failure{"division by zero"};
  if (op == "/")
    return a / b;
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0))
    rest += b;
  return op == "%" ? rest : std::floor((a - rest) / b + 0.5);
}

/// As `markupsafe.escape`, for what is added to a text that the filter `safe` has marked.
Text escaped(const Text &text) {
  Text out;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text.bytes[i];
    std::string_view entity = c == '&'    ? "&amp;"
                              : c == '<'  ? "&lt;"
                              : c == '>'  ? "&gt;"
                              : c == '\'' ? "&#39;"
                              : c == '"'  ? "&#34;"
                                          : std::string_view(&text.bytes[i], 1);
    out.append(entity, text.foreignAt(i));
  }
  return out;
}

Text joined(const Text &left, const Text &right) {
  bool markup = left.markup || right.markup;
  Text out = markup && !left.markup ? escaped(left) : left;
  out.append(markup && !right.markup ? escaped(right) : right);
  out.markup = markup;
  return out;
}

Value repeated(const Value &value, int64_t count, Budget &budget) {
  count = std::max<int64_t>(count, 0);
  if (const Text *text = value.text()) {
    Text out;
    for (int64_t i = 0; i < count; ++i) {
      budget.spend(text->size() + 1);
      out.append(*text);
    }
    return out;
  }
  std::vector<Value> items;
  const Sequence &sequence = *value.sequence();
  for (int64_t i = 0; i < count; ++i) {
    budget.spend(8 * sequence.items.size() + 1);
    items.insert(items.end(), sequence.items.begin(), sequence.items.end());
  }
  return Value::list(std::move(items), sequence.kind);
}

bool isList(const Value &value) { return value.sequence() && value.sequence()->kind <= Sequence::Kind::Tuple; }

} // namespace

Value calculate(std::string_view op, const Value &left, const Value &right, Budget &budget) {
  if (left.integer() && right.integer())
    return calculateIntegers(op, *left.integer(), *right.integer(), budget);
  if (left.isNumber() && right.isNumber())
    return calculateFloats(op, *left.number(), *right.number());
  if (op == "+" && left.isText() && right.isText()) {
    budget.spend(32 + left.text()->size() + right.text()->size());
    return joined(*left.text(), *right.text());
  }
  if (op == "+" && isList(left) && isList(right) && left.sequence()->kind == right.sequence()->kind) {
    std::vector<Value> items = takeItems(left, budget), more = takeItems(right, budget);
    items.insert(items.end(), more.begin(), more.end());
    return Value::list(std::move(items), left.sequence()->kind);
  }
  if (op == "*" && (left.isText() || isList(left)) && right.integer())
    return repeated(left, *right.integer(), budget);
  if (op == "*" && (right.isText() || isList(right)) && left.integer())
    return repeated(right, *left.integer(), budget);
  if (op == "%" && left.isText() && !left.text()->markup) {
    bool isTuple = right.sequence() && right.sequence()->kind == Sequence::Kind::Tuple;
    return formatPercent(*left.text(), isTuple ? right.sequence()->items : std::vector<Value>{right}, budget);
  }
  noOperator(op, left, right);
}

Text formatPercent(const Text &format, const std::vector<Value> &arguments, Budget &budget) {
  Text out;
  size_t used = 0, begin = 0;
  for (size_t at = format.bytes.find('%'); at != std::string::npos; at = format.bytes.find('%', begin)) {
    out.append(format, begin, at);
    char kind = at + 1 < format.size() ? format.bytes[at + 1] : '\0';
    begin = at + 2;
    if (kind == '%') {
      out.append(format, at, at + 1);
      continue;
    }
    if (kind != 's' && kind != 'd')
      throw Failure{"of the conversions of text % values, %s, %d and %% are supported"};
    if (used == arguments.size())
      throw Failure{"the format has more conversions than there are values"};
    const Value &value = arguments[used++];
    requireDefined(value);
    if (kind == 'd' && !value.integer())
      throw Failure{"%d is for integers, not '" + std::string(value.typeName()) + "'"};
    out.append(kind == 'd' ? Text(std::to_string(*value.integer())) : toText(value, budget));
  }
  if (used < arguments.size())
    throw Failure{"the format has fewer conversions than there are values"};
  out.append(format, begin, format.size());
  budget.spend(32 + out.size());
  return out;
}

} // namespace ane::rt::text::jinja
