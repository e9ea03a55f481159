//===- ast.cpp - Syntax tree of MIL text ----------------------------------===//
#include "runtime/format/mil/ast.h"

#include <cstring>
#include <limits>
#include <utility>

namespace ane::rt::mil {
namespace {

const Value *find(const std::vector<NamedValue> &values, std::string_view name) {
  for (const NamedValue &value : values)
    if (value.name == name)
      return &value.value;
  return nullptr;
}

/// Equal bits, so that NaN equals itself and -0.0 differs from 0.0.
bool sameBits(const std::vector<double> &a, const std::vector<double> &b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void respell(Type &type, Spelling spelling) {
  if (spelling == Spelling::Long && type.isScalar())
    type.kind = Type::Kind::Tensor;
  else if (spelling == Spelling::Short && type.isTensor() && type.dims.empty())
    type.kind = Type::Kind::Scalar;
  for (Type &param : type.params)
    respell(param, spelling);
}

void respell(std::vector<NamedValue> &values, Spelling spelling);

void respell(Value &value, Spelling spelling) {
  // A bare literal has no spelled type; its suggested one stays as parsed.
  if (value.typed && !value.isReference())
    respell(value.type, spelling);
  for (Value &item : value.items)
    respell(item, spelling);
}

void respell(std::vector<NamedValue> &values, Spelling spelling) {
  for (NamedValue &value : values)
    respell(value.value, spelling);
}

} // namespace

std::optional<ElementType> dtypeFromName(std::string_view name) {
  std::optional<ElementType> type = elementTypeFromName(name);
  return type && milName(*type) == name ? type : std::nullopt;
}

std::optional<int64_t> Type::numElements() const {
  if (isScalar())
    return 1;
  if (!isTensor())
    return std::nullopt;
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    if (dim != 0 && count > std::numeric_limits<int64_t>::max() / dim)
      return std::nullopt;
    count *= dim;
  }
  return count;
}

std::string Type::str() const {
  auto dim = [](int64_t size) { return size == kUnknownDim ? std::string("?") : std::to_string(size); };
  auto join = [](const std::vector<Type> &types) {
    std::string text;
    for (const Type &type : types)
      text += (text.empty() ? "" : ", ") + type.str();
    return text;
  };
  switch (kind) {
  case Kind::Scalar:
    return std::string(milName(dtype));
  case Kind::Tensor: {
    std::string text = "tensor<" + std::string(milName(dtype)) + ", [";
    for (size_t i = 0; i < dims.size(); ++i)
      text += (i ? ", " : "") + dim(dims[i]);
    return text + "]>";
  }
  case Kind::Dict:
    return "dict<" + join(params) + ">";
  case Kind::List:
    return "list<" + join(params) + ", " + dim(dims.at(0)) + ">";
  case Kind::Tuple:
    return "tuple<" + join(params) + ">";
  case Kind::State:
    return "state<" + join(params) + ">";
  }
  return {};
}

std::optional<std::string> Value::asString() const {
  if (isElements() && strings.size() == 1)
    return strings[0];
  return std::nullopt;
}

std::optional<int64_t> Value::asInt() const {
  if (isElements() && ints.size() == 1)
    return ints[0];
  return std::nullopt;
}

std::optional<double> Value::asFloat() const {
  if (isElements() && floats.size() == 1)
    return floats[0];
  return std::nullopt;
}

std::optional<bool> Value::asBool() const {
  if (isElements() && type.dtype == ElementType::Bool && ints.size() == 1)
    return ints[0] != 0;
  return std::nullopt;
}

Value Value::reference(std::string name) {
  Value value;
  value.name = std::move(name);
  return value;
}

Value Value::tuple(std::vector<Value> items) {
  Value value;
  value.kind = Kind::Tuple;
  value.typed = false;
  value.items = std::move(items);
  return value;
}

Value Value::string(std::string text, Type type) {
  Value value;
  value.kind = Kind::Elements;
  value.type = std::move(type);
  value.strings.push_back(std::move(text));
  return value;
}

Value Value::integers(Type type, std::vector<int64_t> ints) {
  Value value;
  value.kind = Kind::Elements;
  value.type = std::move(type);
  value.ints = std::move(ints);
  return value;
}

Value Value::reals(Type type, std::vector<double> floats) {
  Value value;
  value.kind = Kind::Elements;
  value.type = std::move(type);
  value.floats = std::move(floats);
  return value;
}

Value Value::blob(Type type, std::string path, uint64_t offset) {
  Value value;
  value.kind = Kind::Blob;
  value.type = std::move(type);
  value.path = std::move(path);
  value.offset = offset;
  return value;
}

const Value *Statement::argument(std::string_view name) const { return find(arguments, name); }

const Value *Statement::attribute(std::string_view name) const { return find(attributes, name); }

const Value *Statement::operand(std::string_view name) const {
  const Value *value = argument(name);
  return value ? value : attribute(name);
}

std::string Statement::nameAttribute() const {
  const Value *value = attribute("name");
  return value ? value->asString().value_or("") : "";
}

const Function *Program::function(std::string_view name) const {
  for (const Function &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

const Value *Program::buildInfo() const { return find(attributes, "buildInfo"); }

bool operator==(const Type &a, const Type &b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.dims == b.dims && a.params == b.params;
}

bool operator==(const Value &a, const Value &b) {
  return a.kind == b.kind && a.typed == b.typed && a.type == b.type && a.name == b.name && a.items == b.items &&
         a.ints == b.ints && a.strings == b.strings && a.path == b.path && a.offset == b.offset &&
         sameBits(a.floats, b.floats);
}

bool operator==(const NamedValue &a, const NamedValue &b) { return a.name == b.name && a.value == b.value; }

bool operator==(const Variable &a, const Variable &b) { return a.name == b.name && a.type == b.type; }

bool operator==(const Statement &a, const Statement &b) {
  return a.op == b.op && a.results == b.results && a.arguments == b.arguments && a.attributes == b.attributes;
}

bool operator==(const Function &a, const Function &b) {
  return a.name == b.name && a.opset == b.opset && a.params == b.params && a.attributes == b.attributes &&
         a.statements == b.statements && a.outputs == b.outputs;
}

bool operator==(const Program &a, const Program &b) {
  return a.version == b.version && a.attributes == b.attributes && a.functions == b.functions;
}

void respell(Program &program, Spelling spelling) {
  respell(program.attributes, spelling);
  for (Function &function : program.functions) {
    for (Variable &param : function.params)
      respell(param.type, spelling);
    respell(function.attributes, spelling);
    for (Statement &statement : function.statements) {
      for (Variable &result : statement.results)
        respell(result.type, spelling);
      respell(statement.arguments, spelling);
      respell(statement.attributes, spelling);
    }
  }
}

} // namespace ane::rt::mil
