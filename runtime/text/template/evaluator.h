//===- evaluator.h - What a template gives ----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TEMPLATE_EVALUATOR_H
#define ANE_RUNTIME_TEXT_TEMPLATE_EVALUATOR_H

#include "runtime/text/template/library.h"
#include "runtime/text/template/syntax.h"

#include <ctime>
#include <deque>

namespace ane::rt::text::jinja {

/// Names of a body: those of loops, macros and blocks are not seen outside.
struct Scope {
  std::shared_ptr<Scope> parent;
  std::vector<std::pair<std::string_view, Value>> names;

  const Value *find(std::string_view name) const;
  void set(std::string_view name, Value value);
};

/// One rendering. Throws Failure; `position` is then where it happened.
class Evaluator {
public:
  Evaluator(std::tm now, uint64_t maxOutputBytes, Budget &budget)
      : now(now), budget(budget), maxOutputBytes(maxOutputBytes) {}

  Text run(const Body &body, std::vector<std::pair<std::string, Value>> variables);

  // For the library
  Value call(const Value &callee, const Arguments &arguments);
  Value applyFilter(const std::string &name, const Value &value, const Arguments &arguments);
  bool applyTest(const std::string &name, const Value &value, const Arguments &arguments);
  /// `value.name`, and `value[index]`; undefined where there is no such thing.
  Value attribute(const Value &value, const std::string &name);
  Value element(const Value &value, const Value &index);
  Value makeNamespace(std::vector<std::pair<std::string, Value>> entries);
  Text textOf(const Value &value) { return toText(value, budget); }
  Value paidFor(Text text);

  const std::tm now;
  Budget &budget;
  Position position;

private:
  enum class Flow { Normal, Break, Continue };
  using ScopePointer = std::shared_ptr<Scope>;

  // Statements: evaluator_statements.cpp
  Flow runBody(const Body &body, const ScopePointer &scope, Text &out);
  Flow runStatement(const Node &node, const ScopePointer &scope, Text &out);
  Flow runIf(const Node &node, const ScopePointer &scope, Text &out);
  Flow runFor(const Node &node, const ScopePointer &scope, Text &out);
  void runSetBlock(const Node &node, const ScopePointer &scope);
  void runCallBlock(const Node &node, const ScopePointer &scope, Text &out);
  Flow runWith(const Node &node, const ScopePointer &scope, Text &out);
  Text runApart(const Body &body, const ScopePointer &scope);
  void write(const Text &text, Text &out);
  void assign(const Node &target, const Value &value, const ScopePointer &scope);
  Value callMacro(const Callable &macro, const Arguments &arguments);
  ScopePointer inside(const ScopePointer &scope);

  // Expressions: evaluator.cpp
  Value evaluate(const Node &node, const ScopePointer &scope);
  Value evaluateAt(const Node &node, const ScopePointer &scope);
  Value lookUp(const std::string &name, const ScopePointer &scope);
  std::vector<Value> evaluateAll(const Body &nodes, size_t from, const ScopePointer &scope);
  Arguments evaluateArguments(const Node &node, const ScopePointer &scope);
  Value filtered(const Node &filter, const Value &value, const ScopePointer &scope);
  Value filteredBlock(const Node &filter, const Value &text, const ScopePointer &scope);
  Value dict(const Node &node, const ScopePointer &scope);
  Value slice(const Node &node, const ScopePointer &scope);
  Value compare(const Node &node, const ScopePointer &scope);
  Value loopAttribute(const Loop &loop, std::string_view name, const Value &self);

  /// One level deeper, whose end is --depth.
  void enter();

  const uint64_t maxOutputBytes;
  std::deque<Namespace> namespaces;
  size_t depth = 0;
};

/// `left OP right` for Python's arithmetic: arithmetic.cpp.
Value calculate(std::string_view op, const Value &left, const Value &right, Budget &budget);
/// text % arguments: %s, %d, %%.
Text formatPercent(const Text &format, const std::vector<Value> &arguments, Budget &budget);
/// A failure for a value that is not defined.
void requireDefined(const Value &value);

} // namespace ane::rt::text::jinja

#endif // ANE_RUNTIME_TEXT_TEMPLATE_EVALUATOR_H
