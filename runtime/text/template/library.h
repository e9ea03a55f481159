//===- library.h - Filters, tests, methods and functions --------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TEMPLATE_LIBRARY_H
#define ANE_RUNTIME_TEXT_TEMPLATE_LIBRARY_H

#include "runtime/text/template/value.h"

#include <initializer_list>

namespace ane::rt::text::jinja {

class Evaluator;

/// Of a call, without what it is called on.
struct Arguments {
  std::vector<Value> values;
  std::vector<std::pair<std::string, Value>> keywords;
};

/// The arguments of a call by the callee's parameters. Failures name what is
/// missing or too much.
class Bound {
public:
  Bound(std::string_view callee, const Arguments &arguments, std::initializer_list<std::string_view> parameters,
        size_t required = 0);

  bool has(size_t i) const { return values[i] != nullptr; }
  const Value &value(size_t i) const { return *values[i]; }
  bool flag(size_t i, bool standard) const { return has(i) ? value(i).isTrue() : standard; }
  const Text &text(size_t i) const;
  std::optional<Text> textOrNone(size_t i) const;
  int64_t integer(size_t i) const;
  int64_t integerOr(size_t i, int64_t standard) const { return has(i) ? integer(i) : standard; }

private:
  [[noreturn]] void wrongType(size_t i, const char *wanted) const;

  std::string callee;
  std::vector<std::string_view> names;
  std::vector<const Value *> values;
};

using Filter = Value (*)(Evaluator &, const Value &, const Arguments &);
using Test = bool (*)(Evaluator &, const Value &, const Arguments &);
struct NamedFilter {
  std::string_view name;
  Filter apply;
};

/// Null for names that are unknown, about which the others have a message.
Filter findFilter(std::string_view name);
Test findTest(std::string_view name);
std::string unknownFilter(std::string_view name);
std::string unknownTest(std::string_view name);
/// Filters on lists; the end has no name.
extern const NamedFilter listFilters[];

/// Whether values of this kind have a method of this name, also one that is
/// refused when it is called.
bool hasMethod(const Value &value, std::string_view name);
Value callMethod(Evaluator &evaluator, const Value &self, const std::string &name, const Arguments &arguments);

bool isFunction(std::string_view name);
Value callFunction(Evaluator &evaluator, const std::string &name, const Arguments &arguments);

} // namespace ane::rt::text::jinja

#endif // ANE_RUNTIME_TEXT_TEMPLATE_LIBRARY_H
