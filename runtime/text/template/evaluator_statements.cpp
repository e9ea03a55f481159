//===- evaluator_statements.cpp - Tags of templates -----------------------===//
#include "runtime/text/template/evaluator.h"

#include <algorithm>

namespace ane::rt::text::jinja {

Text Evaluator::run(const Body &body, std::vector<std::pair<std::string, Value>> variables) {
  auto scope = std::make_shared<Scope>();
  for (const auto &[name, value] : variables)
    scope->set(name, value);
  Text out;
  // What the template sets hides the variables, which stay as they are.
  runBody(body, inside(scope), out);
  return out;
}

Evaluator::ScopePointer Evaluator::inside(const ScopePointer &scope) {
  budget.spend(32);
  auto inner = std::make_shared<Scope>();
  inner->parent = scope;
  return inner;
}

void Evaluator::write(const Text &text, Text &out) {
  budget.spend(text.size());
  if (out.size() + text.size() > maxOutputBytes)
    throw Failure{"the template gives more than " + std::to_string(maxOutputBytes) + " bytes"};
  out.append(text);
}

Text Evaluator::runApart(const Body &body, const ScopePointer &scope) {
  Text out;
  runBody(body, inside(scope), out);
  return out;
}

Evaluator::Flow Evaluator::runBody(const Body &body, const ScopePointer &scope, Text &out) {
  enter();
  Flow flow = Flow::Normal;
  for (size_t i = 0; i < body.size() && flow == Flow::Normal; ++i) {
    budget.spend(1);
    position = body[i]->at;
    flow = runStatement(*body[i], scope, out);
  }
  --depth;
  return flow;
}

Evaluator::Flow Evaluator::runStatement(const Node &node, const ScopePointer &scope, Text &out) {
  switch (node.kind) {
  case Kind::Output:
    write(*node.constant.text(), out);
    return Flow::Normal;
  case Kind::Print: {
    Value value = evaluate(*node.children[0], scope);
    position = node.at;
    write(textOf(value), out);
    return Flow::Normal;
  }
  case Kind::If:
    return runIf(node, scope, out);
  case Kind::For:
    return runFor(node, scope, out);
  case Kind::Set:
    assign(*node.children[0], evaluate(*node.children[1], scope), scope);
    return Flow::Normal;
  case Kind::SetBlock:
    runSetBlock(node, scope);
    return Flow::Normal;
  case Kind::Macro: {
    auto macro = std::make_shared<Callable>();
    macro->macro = &node;
    macro->scope = scope;
    macro->name = node.name;
    scope->set(node.name, CallablePointer(std::move(macro)));
    return Flow::Normal;
  }
  case Kind::CallBlock:
    runCallBlock(node, scope, out);
    return Flow::Normal;
  case Kind::FilterBlock: {
    Value value = filteredBlock(*node.children[0], runApart(node.bodies[0], scope), scope);
    write(textOf(value), out);
    return Flow::Normal;
  }
  case Kind::With:
    return runWith(node, scope, out);
  case Kind::Generation:
    return runBody(node.bodies[0], inside(scope), out);
  case Kind::Break:
    return Flow::Break;
  case Kind::Continue:
    return Flow::Continue;
  default:
    throw Failure{"this is no statement"};
  }
}

Evaluator::Flow Evaluator::runIf(const Node &node, const ScopePointer &scope, Text &out) {
  for (size_t i = 0; i < node.bodies.size(); ++i)
    if (i == node.children.size() || evaluate(*node.children[i], scope).isTrue())
      return runBody(node.bodies[i], scope, out);
  return Flow::Normal;
}

Evaluator::Flow Evaluator::runFor(const Node &node, const ScopePointer &scope, Text &out) {
  const Node &target = *node.children[0];
  Value iterable = evaluate(*node.children[1], scope);
  position = node.at;
  auto loop = std::make_shared<Loop>();
  loop->items = takeItems(iterable, budget);
  if (node.children[2]) {
    std::vector<Value> kept;
    for (Value &item : loop->items) {
      ScopePointer inner = inside(scope);
      assign(target, item, inner);
      if (evaluate(*node.children[2], inner).isTrue())
        kept.push_back(std::move(item));
    }
    loop->items = std::move(kept);
  }
  for (const Value &item : loop->items) {
    ScopePointer inner = inside(scope);
    assign(target, item, inner);
    inner->set("loop", LoopPointer(loop));
    if (runBody(node.bodies[0], inner, out) == Flow::Break)
      break;
    ++loop->index;
  }
  if (loop->items.empty() && node.bodies.size() > 1)
    return runBody(node.bodies[1], inside(scope), out);
  return Flow::Normal;
}

void Evaluator::runSetBlock(const Node &node, const ScopePointer &scope) {
  Value value = paidFor(runApart(node.bodies[0], scope));
  if (node.children[1])
    value = filteredBlock(*node.children[1], value, scope);
  assign(*node.children[0], value, scope);
}

Value Evaluator::filteredBlock(const Node &filter, const Value &text, const ScopePointer &scope) {
  Value value = filter.children[0] ? filteredBlock(*filter.children[0], text, scope) : text;
  return filtered(filter, value, scope);
}

void Evaluator::runCallBlock(const Node &node, const ScopePointer &scope, Text &out) {
  const Node &called = *node.children[0];
  auto caller = std::make_shared<Callable>();
  caller->macro = &node;
  caller->scope = scope;
  caller->name = "caller";
  Value callee = evaluate(*called.children[0], scope);
  Arguments arguments = evaluateArguments(called, scope);
  arguments.keywords.emplace_back("caller", CallablePointer(std::move(caller)));
  position = called.at;
  write(textOf(call(callee, arguments)), out);
}

Evaluator::Flow Evaluator::runWith(const Node &node, const ScopePointer &scope, Text &out) {
  ScopePointer inner = inside(scope);
  for (size_t i = 0; i < node.children.size(); i += 2)
    assign(*node.children[i], evaluate(*node.children[i + 1], scope), inner);
  return runBody(node.bodies[0], inner, out);
}

void Evaluator::assign(const Node &target, const Value &value, const ScopePointer &scope) {
  budget.spend(4);
  position = target.at;
  if (target.kind == Kind::Name)
    return scope->set(target.name, value);
  if (target.kind == Kind::Attribute) {
    const Node &of = *target.children[0];
    Value holder = evaluate(of, scope);
    Namespace *space = holder.space();
    if (!space)
      throw Failure{"'" + of.name + "' is a '" + std::string(holder.typeName()) +
                    "'; only attributes of a namespace can be set"};
    if (target.name[0] == '_')
      throw Failure{"a namespace takes no name that begins with '_', such as '" + target.name + "'"};
    budget.spend(space->entries.size());
    for (auto &[name, old] : space->entries)
      if (name == target.name) {
        old = value;
        return;
      }
    space->entries.emplace_back(target.name, value);
    return;
  }
  requireDefined(value);
  std::vector<Value> items = takeItems(value, budget);
  if (items.size() != target.children.size())
    throw Failure{"a value of " + std::to_string(items.size()) + " items is assigned to " +
                  std::to_string(target.children.size()) + " names"};
  for (size_t i = 0; i < items.size(); ++i)
    assign(*target.children[i], items[i], scope);
}

Value Evaluator::callMacro(const Callable &macro, const Arguments &arguments) {
  const Node &node = *macro.macro;
  ScopePointer outside = macro.scope.lock();
  if (!outside)
    throw Failure{"macro '" + macro.name + "' is called outside of the block that it was made in"};
  ScopePointer scope = inside(outside);
  if (arguments.values.size() > node.parameters.size())
    throw Failure{"macro '" + macro.name + "' takes " + std::to_string(node.parameters.size()) + " arguments, not " +
                  std::to_string(arguments.values.size())};
  auto named = [&](const std::string &name) {
    return std::find_if(arguments.keywords.begin(), arguments.keywords.end(),
                        [&](const auto &keyword) { return keyword.first == name; });
  };
  for (const auto &[name, value] : arguments.keywords) {
    auto isThis = [&name = name](const Keyword &parameter) { return parameter.name == name; };
    auto parameter = std::find_if(node.parameters.begin(), node.parameters.end(), isThis);
    bool isGiven = parameter - node.parameters.begin() < static_cast<ptrdiff_t>(arguments.values.size());
    if (name != "caller" && (parameter == node.parameters.end() || isGiven))
      throw Failure{"macro '" + macro.name + "' takes no argument '" + name + "'" + (isGiven ? " a second time" : "")};
  }
  if (auto caller = named("caller"); caller != arguments.keywords.end())
    scope->set("caller", caller->second);
  for (size_t i = 0; i < node.parameters.size(); ++i) {
    const Keyword &parameter = node.parameters[i];
    auto keyword = named(parameter.name);
    Value value = Undefined{"parameter '" + parameter.name + "'"};
    if (i < arguments.values.size())
      value = arguments.values[i];
    else if (keyword != arguments.keywords.end())
      value = keyword->second;
    else if (parameter.value)
      value = evaluate(*parameter.value, scope);
    scope->set(parameter.name, std::move(value));
  }
  Text out;
  runBody(node.bodies[0], scope, out);
  return paidFor(std::move(out));
}

} // namespace ane::rt::text::jinja
