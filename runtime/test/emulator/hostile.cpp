//===- hostile.cpp - Wrong programs made from right ones ------------------===//

#include "runtime/test/emulator/hostile.h"

#include <limits>
#include <set>

namespace ane::rt::emulator {
namespace {

constexpr ElementType kTypes[] = {ElementType::Float16, ElementType::Float32, ElementType::Int32, ElementType::Bool,
                                  ElementType::Int8,    ElementType::UInt16,  ElementType::Int4,  ElementType::UInt1,
                                  ElementType::Int64,   ElementType::String};

/// What a change writes to whose place another change removed.
template <typename T>
T &spare() {
  static T place;
  return place = T();
}

/// Every type of the function's parameters, results and literals.
std::vector<mil::Type *> typesOf(mil::Function &function) {
  std::vector<mil::Type *> types;
  for (mil::Variable &parameter : function.params)
    types.push_back(&parameter.type);
  for (mil::Statement &statement : function.statements) {
    for (mil::Variable &result : statement.results)
      types.push_back(&result.type);
    for (auto *list : {&statement.arguments, &statement.attributes})
      for (mil::NamedValue &named : *list)
        if (!named.value.isReference())
          types.push_back(&named.value.type);
  }
  return types;
}

/// The literal with as many elements as its type has.
void resize(mil::Value &value) {
  std::optional<int64_t> count = value.type.numElements();
  size_t size = count ? static_cast<size_t>(std::min<int64_t>(*count, 1 << 12)) : 0;
  bool floats = isFloat(value.type.dtype), strings = value.type.dtype == ElementType::String;
  if (floats && value.floats.empty())
    value.floats.assign(value.ints.begin(), value.ints.end());
  if (!floats && value.ints.empty())
    value.ints.assign(value.floats.size(), 1);
  value.floats.resize(floats ? size : 0, 1);
  value.ints.resize(floats || strings ? 0 : size, 1);
  value.strings.resize(strings ? size : 0, "x");
}

} // namespace

HostilePrograms::HostilePrograms(const mil::Function &function, std::vector<int64_t> numbers)
    : valid(function), numbers(std::move(numbers)) {
  for (size_t i = 0; i < valid.params.size(); ++i)
    changeType([=](mil::Function &f) { return &f.params[i].type; }, valid.params[i].type);
  for (size_t s = 0; s < valid.statements.size(); ++s) {
    const mil::Statement &statement = valid.statements[s];
    for (size_t i = 0; i < statement.results.size(); ++i)
      changeType(
          [=](mil::Function &f) {
            std::vector<mil::Variable> &results = f.statements[s].results;
            return i < results.size() ? &results[i].type : &spare<mil::Type>();
          },
          statement.results[i].type);
    changes.push_back([=](mil::Function &f) { f.statements[s].results.resize(f.statements[s].results.size() / 2); });
    changes.push_back([=](mil::Function &f) { f.statements[s].results.push_back({{}, "more", {}}); });
    changeArguments(s, false, statement.arguments);
    changeArguments(s, true, statement.attributes);
  }
  for (const char *opset : {"ios15", "ios16", "ios17", "ios18", "ios99999999999", "x"})
    changes.push_back([=](mil::Function &f) { f.opset = opset; });
  changeEqualAxes();
}

void HostilePrograms::changeType(const std::function<mil::Type *(mil::Function &)> &find, const mil::Type &now) {
  for (size_t axis = 0; axis < now.dims.size(); ++axis) {
    for (int64_t number : numbers)
      changes.push_back([=](mil::Function &f) {
        if (mil::Type *type = find(f); axis < type->dims.size())
          type->dims[axis] = std::max(number, mil::kUnknownDim);
      });
    changes.push_back([=](mil::Function &f) {
      if (mil::Type *type = find(f); axis < type->dims.size())
        type->dims.erase(type->dims.begin() + static_cast<int64_t>(axis));
    });
  }
  for (size_t more : {size_t(1), size_t(40)})
    changes.push_back([=](mil::Function &f) {
      mil::Type *type = find(f);
      type->kind = mil::Type::Kind::Tensor;
      type->dims.insert(type->dims.begin(), more, 1);
    });
  for (ElementType dtype : kTypes)
    if (dtype != now.dtype)
      changes.push_back([=](mil::Function &f) { find(f)->dtype = dtype; });
}

void HostilePrograms::changeLiteral(const std::function<mil::Value *(mil::Function &)> &find, const mil::Value &now) {
  for (size_t i = 0; i < now.ints.size(); ++i)
    for (int64_t number : numbers)
      changes.push_back([=](mil::Function &f) {
        mil::Value *value = find(f);
        if (i >= value->ints.size())
          return;
        value->ints[i] = number;
        bool isWide = number > std::numeric_limits<int32_t>::max();
        if (isWide && value->type.dtype == ElementType::Int32)
          value->type.dtype = ElementType::Int64;
        value->typed |= isWide;
      });
  for (size_t i = 0; i < now.floats.size(); ++i)
    for (double number : {0.0, -1.0, 3.0e9, 1e-40, 3e38, std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()})
      changes.push_back([=](mil::Function &f) {
        if (mil::Value *value = find(f); i < value->floats.size()) {
          value->floats[i] = number;
          if (value->type.dtype == ElementType::Float16 && number == number && number > 65504)
            value->type.dtype = ElementType::Float32;
          value->typed = true;
        }
      });
  if (!now.strings.empty())
    for (const char *word : {"", "other", "int8", "fp32", "custom", "same", "symmetric", "update", "ab,bc->ac",
                             "STRICT_ALIGN_CORNERS", "NEAREST_NEIGHBOR", "@model_path/../x"})
      changes.push_back([=](mil::Function &f) {
        if (mil::Value *value = find(f); !value->strings.empty())
          value->strings.front() = word;
      });
  for (int64_t count : {0, 1, 2, 3, 5, 300})
    changes.push_back([=](mil::Function &f) {
      mil::Value *value = find(f);
      value->type = mil::Type::tensor(value->type.dtype, {count});
      value->typed = true;
      resize(*value);
    });
  for (ElementType dtype : kTypes)
    changes.push_back([=](mil::Function &f) {
      mil::Value *value = find(f);
      value->type.dtype = dtype;
      value->typed = true;
      resize(*value);
    });
  for (size_t axis = 0; axis < now.type.dims.size(); ++axis)
    for (int64_t number : numbers)
      changes.push_back([=](mil::Function &f) {
        mil::Value *value = find(f);
        if (axis >= value->type.dims.size())
          return;
        value->type.dims[axis] = std::max(number, mil::kUnknownDim);
        value->typed = true;
        resize(*value);
      });
}

void HostilePrograms::changeArguments(size_t statement, bool attributes, const std::vector<mil::NamedValue> &now) {
  auto list = [=](mil::Function &f) -> std::vector<mil::NamedValue> & {
    return attributes ? f.statements[statement].attributes : f.statements[statement].arguments;
  };
  for (size_t i = 0; i < now.size(); ++i) {
    std::string name = now[i].name;
    auto value = [=](mil::Function &f) -> mil::Value * {
      for (mil::NamedValue &named : list(f))
        if (named.name == name)
          return &named.value;
      return &spare<mil::Value>();
    };
    changes.push_back([=](mil::Function &f) {
      if (i < list(f).size())
        list(f).erase(list(f).begin() + static_cast<int64_t>(i));
    });
    for (const char *reference : {"x", "y", "nothing"})
      changes.push_back([=](mil::Function &f) { *value(f) = mil::Value::reference(reference); });
    changes.push_back([=](mil::Function &f) { *value(f) = mil::Value::tuple({}); });
    changes.push_back([=](mil::Function &f) { *value(f) = mil::Value::tuple({*value(f), *value(f)}); });
    changes.push_back([=](mil::Function &f) { *value(f) = mil::Value::string("word"); });
    for (int64_t number : numbers)
      changes.push_back(
          [=](mil::Function &f) { *value(f) = mil::Value::integers(mil::Type::scalar(ElementType::Int64), {number}); });
    if (now[i].value.isElements())
      changeLiteral(value, now[i].value);
  }
}

/// All axes of one size together: shapes that still belong together, so that
/// the checks of shapes pass.
void HostilePrograms::changeEqualAxes() {
  std::set<int64_t> sizes;
  for (mil::Type *type : typesOf(valid))
    sizes.insert(type->dims.begin(), type->dims.end());
  for (int64_t size : sizes)
    for (int64_t number : numbers)
      changes.push_back([=](mil::Function &f) {
        for (mil::Type *type : typesOf(f))
          for (int64_t &dim : type->dims)
            if (dim == size)
              dim = std::max(number, mil::kUnknownDim);
      });
}

mil::Function HostilePrograms::single(size_t index) const {
  mil::Function function = valid;
  changes[index](function);
  return function;
}

mil::Function HostilePrograms::several(std::mt19937 &random) const {
  mil::Function function = valid;
  for (size_t count = 2 + random() % 3; count > 0; --count)
    changes[random() % changes.size()](function);
  return function;
}

bool declareAsGiven(mil::Function &function, const std::string &message) {
  const std::string start = " gives tensor<";
  size_t at = message.find(start);
  size_t open = message.find('[', at), close = message.find(']', at);
  if (at == std::string::npos || message.find("declared is") == std::string::npos)
    return false;
  at += start.size();
  mil::Type type =
      mil::Type::tensor(*mil::dtypeFromName(std::string_view(message).substr(at, message.find(',', at) - at)), {});
  for (size_t digit = open + 1; digit < close; digit = message.find_first_of(",]", digit) + 1)
    type.dims.push_back(std::stoll(message.substr(digit)));
  size_t index = 0;
  if (size_t more = message.find(" as result "); more != std::string::npos)
    index = std::stoull(message.substr(more + 11)) - 1;
  for (mil::Statement &statement : function.statements)
    if (!statement.results.empty() &&
        message.find("'" + statement.op + "' (result '" + statement.results[0].name + "'") != std::string::npos &&
        index < statement.results.size()) {
      statement.results[index].type = type;
      return true;
    }
  return false;
}

} // namespace ane::rt::emulator
