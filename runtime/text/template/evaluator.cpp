//===- evaluator.cpp - Expressions of templates ---------------------------===//
#include "runtime/text/template/evaluator.h"

#include <algorithm>

namespace ane::rt::text::jinja {
namespace {

/// Of nested expressions, statements and macros. A level takes some hundred bytes of
/// stack, a few times that under sanitizers.
constexpr size_t kMaxDepth = 800;

std::string inQuotes(std::string_view name) { return "'" + std::string(name) + "'"; }

Undefined missing(const Value &value, std::string_view name) {
  return {"'" + std::string(value.typeName()) + "' has no " + inQuotes(name)};
}

/// Python's rules for where a slice begins and ends.
int64_t clampIndex(const Value &index, int64_t size, int64_t low, int64_t high, int64_t standard) {
  if (index.undefined() || index.is<None>())
    return standard;
  int64_t at = *index.integer();
  if (at < 0)
    at = at < -size ? low : at + size;
  return std::clamp(at, low, high);
}

} // namespace

const Value *Scope::find(std::string_view name) const {
  for (const Scope *scope = this; scope; scope = scope->parent.get())
    for (const auto &[candidate, value] : scope->names)
      if (candidate == name)
        return &value;
  return nullptr;
}

void Scope::set(std::string_view name, Value value) {
  for (auto &[candidate, old] : names)
    if (candidate == name) {
      old = std::move(value);
      return;
    }
  names.emplace_back(name, std::move(value));
}

void requireDefined(const Value &value) {
  if (value.undefined())
    throw Failure{value.undefined()->what + " is not defined"};
}

Value Evaluator::paidFor(Text text) {
  budget.spend(32 + text.size());
  return text;
}

Value Evaluator::makeNamespace(std::vector<std::pair<std::string, Value>> entries) {
  budget.spend(64 + 64 * entries.size());
  for (const auto &[name, value] : entries)
    if (name[0] == '_')
      throw Failure{"a namespace takes no name that begins with '_', such as " + inQuotes(name)};
  namespaces.push_back({std::move(entries)});
  return &namespaces.back();
}

void Evaluator::enter() {
  if (++depth > kMaxDepth)
    throw Failure{"macros and expressions are nested deeper than " + std::to_string(kMaxDepth) + " levels"};
}

Value Evaluator::evaluate(const Node &node, const ScopePointer &scope) {
  enter();
  budget.spend(1);
  position = node.at;
  Value value = evaluateAt(node, scope);
  --depth;
  return value;
}

Value Evaluator::evaluateAt(const Node &node, const ScopePointer &scope) {
  auto operand = [&](size_t i) { return evaluate(*node.children[i], scope); };
  switch (node.kind) {
  case Kind::Constant:
    return node.constant;
  case Kind::Name:
    return lookUp(node.name, scope);
  case Kind::Tuple:
    return Value::list(evaluateAll(node.children, 0, scope), Sequence::Kind::Tuple);
  case Kind::List:
    return Value::list(evaluateAll(node.children, 0, scope));
  case Kind::Dict:
    return dict(node, scope);
  case Kind::Attribute: {
    Value value = operand(0);
    position = node.at;
    return attribute(value, node.name);
  }
  case Kind::Subscript: {
    Value value = operand(0), index = operand(1);
    position = node.at;
    return element(value, index);
  }
  case Kind::Slice:
    return slice(node, scope);
  case Kind::Call: {
    Value callee = operand(0);
    Arguments arguments = evaluateArguments(node, scope);
    position = node.at;
    return call(callee, arguments);
  }
  case Kind::Filter:
    return filtered(node, operand(0), scope);
  case Kind::Test: {
    Value value = operand(0);
    Arguments arguments = evaluateArguments(node, scope);
    position = node.at;
    return applyTest(node.name, value, arguments);
  }
  case Kind::Not:
    return !operand(0).isTrue();
  case Kind::Negative:
  case Kind::Positive: {
    Value value = operand(0);
    position = node.at;
    requireDefined(value);
    if (!value.isNumber())
      throw Failure{"'" + std::string(value.typeName()) + "' has no sign"};
    return calculate("*", value, int64_t(node.kind == Kind::Negative ? -1 : 1), budget);
  }
  case Kind::Binary: {
    Value left = operand(0), right = operand(1);
    position = node.at;
    return calculate(node.name, left, right, budget);
  }
  case Kind::Compare:
    return compare(node, scope);
  case Kind::And: {
    Value left = operand(0);
    return left.isTrue() ? operand(1) : left;
  }
  case Kind::Or: {
    Value left = operand(0);
    return left.isTrue() ? left : operand(1);
  }
  case Kind::Concat: {
    Text out;
    for (const Value &item : evaluateAll(node.children, 0, scope))
      out.append(textOf(item));
    return paidFor(std::move(out));
  }
  case Kind::Conditional:
    if (operand(0).isTrue())
      return operand(1);
    return node.children[2] ? operand(2) : Value(Undefined{"a condition without 'else'"});
  default:
    throw Failure{"this is no expression"};
  }
}

Value Evaluator::lookUp(const std::string &name, const ScopePointer &scope) {
  if (const Value *value = scope->find(name))
    return *value;
  if (isFunction(name)) {
    auto function = std::make_shared<Callable>();
    function->name = name;
    return CallablePointer(std::move(function));
  }
  return Undefined{inQuotes(name)};
}

std::vector<Value> Evaluator::evaluateAll(const Body &nodes, size_t from, const ScopePointer &scope) {
  std::vector<Value> values;
  for (size_t i = from; i < nodes.size(); ++i)
    values.push_back(evaluate(*nodes[i], scope));
  budget.spend(8 * values.size());
  return values;
}

Arguments Evaluator::evaluateArguments(const Node &node, const ScopePointer &scope) {
  Arguments arguments = {evaluateAll(node.children, 1, scope), {}};
  for (const Keyword &keyword : node.keywords)
    arguments.keywords.emplace_back(keyword.name, evaluate(*keyword.value, scope));
  return arguments;
}

Value Evaluator::filtered(const Node &filter, const Value &value, const ScopePointer &scope) {
  Arguments arguments = evaluateArguments(filter, scope);
  position = filter.at;
  return applyFilter(filter.name, value, arguments);
}

Value Evaluator::applyFilter(const std::string &name, const Value &value, const Arguments &arguments) {
  Filter filter = findFilter(name);
  if (!filter)
    throw Failure{unknownFilter(name)};
  return filter(*this, value, arguments);
}

bool Evaluator::applyTest(const std::string &name, const Value &value, const Arguments &arguments) {
  Test test = findTest(name);
  if (!test)
    throw Failure{unknownTest(name)};
  return test(*this, value, arguments);
}

Value Evaluator::call(const Value &callee, const Arguments &arguments) {
  requireDefined(callee);
  const Callable *callable = callee.callable();
  if (!callable)
    throw Failure{"'" + std::string(callee.typeName()) + "' can't be called"};
  budget.spend(16);
  if (callable->macro)
    return callMacro(*callable, arguments);
  return callable->self.undefined() ? callFunction(*this, callable->name, arguments)
                                    : callMethod(*this, callable->self, callable->name, arguments);
}

Value Evaluator::attribute(const Value &value, const std::string &name) {
  requireDefined(value);
  if (const Loop *loop = value.loop())
    return loopAttribute(*loop, name, value);
  if (const Namespace *space = value.space()) {
    budget.spend(space->entries.size());
    for (const auto &[candidate, item] : space->entries)
      if (candidate == name)
        return item;
    return missing(value, name);
  }
  if (hasMethod(value, name)) {
    auto method = std::make_shared<Callable>();
    method->self = value;
    method->name = name;
    budget.spend(32);
    return CallablePointer(std::move(method));
  }
  if (const Mapping *mapping = value.mapping())
    if (const Value *item = jinja::find(*mapping, name, budget))
      return *item;
  return missing(value, name);
}

Value Evaluator::loopAttribute(const Loop &loop, std::string_view name, const Value &self) {
  int64_t index = static_cast<int64_t>(loop.index), count = static_cast<int64_t>(loop.items.size());
  const std::pair<std::string_view, int64_t> numbers[] = {
      {"index", index + 1}, {"index0", index},     {"revindex", count - index}, {"revindex0", count - 1 - index},
      {"length", count},    {"depth", loop.depth}, {"depth0", loop.depth - 1}};
  for (const auto &[known, number] : numbers)
    if (known == name)
      return number;
  if (name == "first" || name == "last")
    return name == "first" ? index == 0 : index + 1 == count;
  if (name == "previtem")
    return index > 0 ? loop.items[loop.index - 1] : Value(Undefined{"the item before the first"});
  if (name == "nextitem")
    return index + 1 < count ? loop.items[loop.index + 1] : Value(Undefined{"the item behind the last"});
  if (name != "cycle")
    throw Failure{"'loop' has no " + inQuotes(name) + " that is supported"};
  auto method = std::make_shared<Callable>();
  method->self = self;
  method->name = name;
  return CallablePointer(std::move(method));
}

Value Evaluator::element(const Value &value, const Value &index) {
  requireDefined(value);
  if (const Mapping *mapping = value.mapping())
    if (const Value *item = jinja::find(*mapping, index, budget))
      return *item;
  const Sequence *sequence = value.sequence();
  const Text *text = value.text();
  std::optional<int64_t> at = index.integer();
  if (at && ((sequence && sequence->kind <= Sequence::Kind::Range) || text)) {
    int64_t size = *length(value, budget);
    if (*at < 0)
      *at += size;
    if (*at < 0 || *at >= size)
      return missing(value, std::to_string(*at));
    if (sequence)
      return sequence->items[static_cast<size_t>(*at)];
    budget.spend(text->size());
    std::vector<size_t> starts = codePointStarts(text->bytes);
    return text->part(starts[static_cast<size_t>(*at)], starts[static_cast<size_t>(*at) + 1]);
  }
  if (index.isText() && !value.mapping())
    return attribute(value, index.text()->bytes);
  if (index.isText() && hasMethod(value, index.text()->bytes))
    return attribute(value, index.text()->bytes);
  return missing(value, textOf(index).bytes.substr(0, 100));
}

Value Evaluator::dict(const Node &node, const ScopePointer &scope) {
  std::vector<std::pair<Value, Value>> entries;
  for (size_t i = 0; i < node.children.size(); i += 2) {
    Value key = evaluate(*node.children[i], scope), value = evaluate(*node.children[i + 1], scope);
    if (key.sequence() || key.mapping() || key.undefined())
      throw Failure{"a '" + std::string(key.typeName()) + "' is no key of a mapping"};
    budget.spend(16);
    auto same = std::find_if(entries.begin(), entries.end(),
                             [&](const auto &entry) { return areEqual(entry.first, key, budget); });
    if (same != entries.end())
      same->second = std::move(value);
    else
      entries.emplace_back(std::move(key), std::move(value));
  }
  return Value::mapping(std::move(entries));
}

Value Evaluator::slice(const Node &node, const ScopePointer &scope) {
  Value value = evaluate(*node.children[0], scope), bounds[3];
  for (size_t i = 0; i < 3; ++i)
    if (node.children[i + 1]) {
      bounds[i] = evaluate(*node.children[i + 1], scope);
      if (!bounds[i].integer() && !bounds[i].is<None>())
        throw Failure{"the bounds of a slice are integers, not '" + std::string(bounds[i].typeName()) + "'"};
    }
  position = node.at;
  requireDefined(value);
  const Sequence *sequence = value.sequence();
  const Text *text = value.text();
  if (!text && (!sequence || sequence->kind > Sequence::Kind::Tuple))
    throw Failure{"'" + std::string(value.typeName()) + "' has no slices"};
  int64_t size = *length(value, budget);
  int64_t step = bounds[2].undefined() || bounds[2].is<None>() ? 1 : *bounds[2].integer();
  if (step == 0)
    throw Failure{"the step of a slice is 0"};
  step = std::clamp(step, -size - 1, size + 1); // larger ones are the same
  bool forward = step > 0;
  int64_t low = forward ? 0 : -1, high = forward ? size : size - 1;
  int64_t begin = clampIndex(bounds[0], size, low, high, forward ? 0 : size - 1);
  int64_t end = clampIndex(bounds[1], size, low, high, forward ? size : -1);
  std::vector<size_t> starts;
  if (text)
    starts = codePointStarts(text->bytes);
  if (text && step == 1)
    return paidFor(begin < end ? text->part(starts[static_cast<size_t>(begin)], starts[static_cast<size_t>(end)])
                               : Text());
  Text out;
  std::vector<Value> items;
  for (int64_t i = begin; forward ? i < end : i > end; i += step) {
    size_t at = static_cast<size_t>(i);
    budget.spend(8);
    if (text)
      out.append(*text, starts[at], starts[at + 1]);
    else
      items.push_back(sequence->items[at]);
  }
  return text ? paidFor(std::move(out)) : Value::list(std::move(items), sequence->kind);
}

Value Evaluator::compare(const Node &node, const ScopePointer &scope) {
  Value left = evaluate(*node.children[0], scope);
  for (size_t i = 0; i < node.operators.size(); ++i) {
    const std::string &op = node.operators[i];
    Value right = evaluate(*node.children[i + 1], scope);
    position = node.at;
    bool holds = false;
    if (op == "==" || op == "!=") {
      holds = areEqual(left, right, budget) == (op == "==");
    } else if (op == "in" || op == "not in") {
      holds = contains(right, left, budget) == (op == "in");
    } else {
      requireDefined(left);
      requireDefined(right);
      bool swapped = op[0] == '>', orEqual = op.size() == 2;
      holds = (swapped ? isLess(right, left, budget) : isLess(left, right, budget)) ||
              (orEqual && areEqual(left, right, budget));
    }
    if (!holds)
      return false;
    left = std::move(right);
  }
  return true;
}

} // namespace ane::rt::text::jinja
