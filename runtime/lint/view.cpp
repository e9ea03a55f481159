//===- view.cpp - A MIL function as rules see it --------------------------===//

#include "runtime/lint/view.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>

namespace ane::rt::lint {
namespace {

/// Calls `visit(argument, value)` for every value that a statement reads.
template <typename F>
void forEachValue(const mil::Statement &statement, F visit) {
  auto one = [&](const mil::NamedValue &named) {
    if (named.value.kind != mil::Value::Kind::Tuple)
      return visit(named.name, named.value);
    for (size_t i = 0; i < named.value.items.size(); ++i)
      visit(absl::StrCat(named.name, "[", i, "]"), named.value.items[i]);
  };
  for (const mil::NamedValue &argument : statement.arguments)
    one(argument);
  for (const mil::NamedValue &attribute : statement.attributes)
    if (attribute.name != "name")
      one(attribute);
}

} // namespace

FunctionView::FunctionView(const mil::Function &function) : source(function) {
  std::map<std::string_view, Definition *> names;
  auto define = [&](const mil::Variable &variable, const mil::Statement *statement, bool constant) {
    all.push_back({&variable, statement, constant, {}, false});
    names[variable.name] = &all.back();
    return &all.back();
  };
  for (const mil::Variable &parameter : function.params)
    params.push_back(define(parameter, nullptr, false));
  for (const mil::Statement &statement : function.statements) {
    bool constant = true, reads = false;
    forEachValue(statement, [&](const std::string &, const mil::Value &value) {
      reads = true;
      if (!value.isReference())
        return;
      auto found = names.find(value.name);
      if (found == names.end())
        return void(constant = false);
      references[&value] = found->second;
      found->second->users.push_back(&statement);
      constant &= found->second->constant;
    });
    constant &= reads;
    for (const mil::Variable &result : statement.results) {
      const Definition *made = define(result, &statement, constant);
      firstResults.emplace(&statement, made);
    }
  }
  for (const std::string &output : function.outputs) {
    auto found = names.find(output);
    if (found != names.end())
      found->second->returned = true;
    results.push_back(found == names.end() ? nullptr : found->second);
  }
}

const Definition *FunctionView::definition(const mil::Value &value) const {
  auto found = references.find(&value);
  return found == references.end() ? nullptr : found->second;
}

std::vector<Use> FunctionView::uses(const mil::Statement &statement) const {
  std::vector<Use> result;
  forEachValue(statement, [&](std::string name, const mil::Value &value) {
    result.push_back({std::move(name), &value, definition(value)});
  });
  return result;
}

const Definition *FunctionView::result(const mil::Statement &statement) const {
  auto found = firstResults.find(&statement);
  return found == firstResults.end() ? nullptr : found->second;
}

bool FunctionView::isConstant(const mil::Value &value) const {
  if (!value.isReference())
    return value.kind != mil::Value::Kind::Tuple ||
           std::all_of(value.items.begin(), value.items.end(), [&](const mil::Value &v) { return isConstant(v); });
  const Definition *found = definition(value);
  return found && found->constant;
}

std::optional<mil::Type> FunctionView::type(const mil::Value &value) const {
  if (!value.isReference())
    return value.type;
  const Definition *found = definition(value);
  return found ? std::optional(found->type()) : std::nullopt;
}

std::optional<mil::Type> FunctionView::type(const mil::Statement &statement, std::string_view name) const {
  const mil::Value *value = statement.operand(name);
  return value ? type(*value) : std::nullopt;
}

const mil::Value *FunctionView::literal(const mil::Value *value) const {
  if (!value)
    return nullptr;
  if (value->isElements())
    return value;
  const Definition *found = definition(*value);
  if (!found || !found->statement || !found->statement->isConst())
    return nullptr;
  const mil::Value *held = found->statement->operand("val");
  return held && held->isElements() ? held : nullptr;
}

std::vector<int64_t> FunctionView::integers(const mil::Statement &statement, std::string_view name) const {
  const mil::Value *found = literal(statement, name);
  return found ? found->ints : std::vector<int64_t>();
}

std::optional<int64_t> FunctionView::integer(const mil::Statement &statement, std::string_view name) const {
  const mil::Value *found = literal(statement, name);
  return found ? found->asInt() : std::nullopt;
}

std::optional<double> FunctionView::real(const mil::Statement &statement, std::string_view name) const {
  const mil::Value *found = literal(statement, name);
  if (!found)
    return std::nullopt;
  if (found->floats.size() == 1)
    return found->floats[0];
  return found->ints.size() == 1 ? std::optional(static_cast<double>(found->ints[0])) : std::nullopt;
}

std::optional<double> FunctionView::splat(const mil::Value &value) const {
  const mil::Value *found = literal(&value);
  if (!found || found->floats.empty() ||
      std::any_of(found->floats.begin(), found->floats.end(), [&](double other) { return other != found->floats[0]; }))
    return std::nullopt;
  return found->floats[0];
}

std::string FunctionView::string(const mil::Statement &statement, std::string_view name) const {
  const mil::Value *found = literal(statement, name);
  return found && !found->strings.empty() ? found->strings[0] : "";
}

int64_t axisFromRight(const mil::Type &type, size_t fromRight) {
  return fromRight < type.dims.size() ? type.dims[type.dims.size() - 1 - fromRight] : 0;
}

int64_t rowBytes(const mil::Type &type) {
  // Extents of a hostile text are bounded only by int64.
  int64_t width = type.dims.empty() ? 1 : type.dims.back();
  width = std::clamp<int64_t>(width, 0, int64_t(1) << 40);
  return (width * bitWidth(type.dtype) + 7) / 8;
}

std::optional<int64_t> axisOf(const FunctionView &view, const mil::Statement &statement, std::string_view name,
                              const mil::Type &type) {
  std::optional<int64_t> axis = view.integer(statement, name);
  auto rank = static_cast<int64_t>(type.dims.size());
  if (!axis || *axis < -rank || *axis >= rank)
    return std::nullopt;
  return *axis < 0 ? *axis + rank : *axis;
}

int64_t matmulDepth(const FunctionView &view, const mil::Statement &statement) {
  std::optional<mil::Type> x = view.type(statement, "x");
  bool transposed = view.integer(statement, "transpose_x").value_or(0) != 0;
  return x ? axisFromRight(*x, transposed ? 1 : 0) : 0;
}

const Definition *softmaxOf(const FunctionView &view, const mil::Statement &statement) {
  const Definition *result = view.result(statement);
  if (statement.op == "softmax" || statement.op == "scaled_dot_product_attention")
    return result;
  if (statement.op != "real_div" || !result)
    return nullptr;
  const Definition *x = view.definition(statement.operand("x")), *sums = view.definition(statement.operand("y"));
  bool isShare =
      x && x->statement && x->statement->op == "exp" && sums && elementsOf(sums->type()) < elementsOf(x->type());
  return isShare ? sums : nullptr;
}

bool isWeightExpression(const FunctionView &view, const mil::Statement &statement) {
  if (statement.isConst() || absl::StartsWith(statement.op, "constexpr_"))
    return true;
  const Definition *result = view.result(statement);
  return result && result->constant;
}

} // namespace ane::rt::lint
