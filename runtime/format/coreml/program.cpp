//===- program.cpp - programs of MIL as protocol buffers ------------------===//

#include "runtime/format/coreml/program.h"
#include "absl/strings/str_cat.h"
#include "runtime/format/coreml/model.h"
#include "runtime/support/quote.h"

#include <map>

using namespace ane::rt;
using namespace ane::rt::coreml;

namespace {

/// "CoreML7" is the opset "ios17" (coreml-mlprogram.md 1.2).
constexpr std::pair<const char *, const char *> kOpsets[] = {
    {"CoreML5", "ios15"}, {"CoreML6", "ios16"}, {"CoreML7", "ios17"}, {"CoreML8", "ios18"}, {"CoreML9", "ios26"}};

absl::Status in(const std::string &where, const absl::Status &status) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", std::string(status.message())));
}

absl::Status wrong(const std::string &what) { return absl::InvalidArgumentError(what); }

/// The entries of a map in the order of their keys.
template <typename Map>
auto sorted(const Map &map) {
  std::map<std::string_view, const typename Map::mapped_type *> entries;
  for (const auto &[key, value] : map)
    entries.emplace(key, &value);
  return entries;
}

template <typename Map>
absl::Status namedValuesFrom(const Map &map, std::vector<mil::NamedValue> &out) {
  for (auto [name, value] : sorted(map)) {
    absl::StatusOr<mil::Value> read = fromProto(*value);
    if (!read.ok())
      return in(absl::StrCat("attribute ", quote(name)), read.status());
    out.push_back({std::string(name), std::move(*read), {}});
  }
  return absl::OkStatus();
}

absl::StatusOr<mil::Variable> variableFrom(const proto::NamedValueType &from) {
  absl::StatusOr<mil::Type> type = fromProto(from.type());
  if (!type.ok())
    return in(quote(from.name()), type.status());
  return mil::Variable{std::move(*type), from.name(), {}};
}

absl::StatusOr<mil::Value> argumentFrom(const proto::Argument &from) {
  std::vector<mil::Value> items;
  for (const proto::Argument::Binding &binding : from.arguments()) {
    if (binding.has_value()) {
      absl::StatusOr<mil::Value> value = fromProto(binding.value());
      if (!value.ok())
        return value.status();
      items.push_back(std::move(*value));
    } else {
      items.push_back(mil::Value::reference(binding.name()));
    }
  }
  if (items.empty())
    return wrong("is bound to nothing");
  return items.size() == 1 ? std::move(items.front()) : mil::Value::tuple(std::move(items));
}

absl::StatusOr<mil::Statement> statementFrom(const proto::Operation &from) {
  mil::Statement statement;
  statement.op = from.type();
  if (from.blocks_size() != 0)
    return wrong("control flow is not supported: it has blocks of its own. Trace the model for fixed shapes, or unroll "
                 "the loop, before it is converted");
  for (const proto::NamedValueType &output : from.outputs()) {
    absl::StatusOr<mil::Variable> result = variableFrom(output);
    if (!result.ok())
      return result.status();
    statement.results.push_back(std::move(*result));
  }
  for (auto [name, argument] : sorted(from.inputs())) {
    absl::StatusOr<mil::Value> value = argumentFrom(*argument);
    if (!value.ok())
      return in(absl::StrCat("argument ", quote(name)), value.status());
    statement.arguments.push_back({std::string(name), std::move(*value), {}});
  }
  if (absl::Status status = namedValuesFrom(from.attributes(), statement.attributes); !status.ok())
    return status;
  return statement;
}

absl::StatusOr<mil::Function> functionFrom(std::string_view name, const proto::Function &from) {
  mil::Function function;
  function.name = name;
  for (auto [key, opset] : kOpsets)
    if (from.opset() == key)
      function.opset = opset;
  if (function.opset.empty())
    return wrong(absl::StrCat("the opset ", quote(from.opset()), " is not known: CoreML5 to CoreML9 are"));
  auto block = from.block_specializations().find(from.opset());
  if (block == from.block_specializations().end())
    return wrong(absl::StrCat("has no block for its opset ", quote(from.opset())));
  for (const proto::NamedValueType &input : from.inputs()) {
    absl::StatusOr<mil::Variable> param = variableFrom(input);
    if (!param.ok())
      return in("input", param.status());
    function.params.push_back(std::move(*param));
  }
  for (const proto::Operation &operation : block->second.operations()) {
    absl::StatusOr<mil::Statement> statement = statementFrom(operation);
    if (!statement.ok())
      return in(absl::StrCat("operation ", quote(operation.type()),
                             operation.outputs_size() ? absl::StrCat(" of ", quote(operation.outputs(0).name())) : ""),
                statement.status());
    function.statements.push_back(std::move(*statement));
  }
  function.outputs.assign(block->second.outputs().begin(), block->second.outputs().end());
  return function;
}

//===-- the other way -----------------------------------------------------===//

absl::Status variableTo(const mil::Variable &variable, proto::NamedValueType &out) {
  out.set_name(variable.name);
  return toProto(variable.type, *out.mutable_type());
}

absl::Status bind(const mil::Value &value, proto::Argument &out) {
  if (value.kind == mil::Value::Kind::Tuple) {
    for (const mil::Value &item : value.items)
      if (absl::Status status = bind(item, out); !status.ok())
        return status;
    return absl::OkStatus();
  }
  proto::Argument::Binding &binding = *out.add_arguments();
  if (!value.isReference())
    return toProto(value, *binding.mutable_value());
  binding.set_name(value.name);
  return absl::OkStatus();
}

absl::Status statementTo(const mil::Statement &statement, proto::Operation &out) {
  out.set_type(statement.op);
  for (const mil::Variable &result : statement.results)
    if (absl::Status status = variableTo(result, *out.add_outputs()); !status.ok())
      return status;
  for (const mil::NamedValue &argument : statement.arguments)
    if (absl::Status status = bind(argument.value, (*out.mutable_inputs())[argument.name]); !status.ok())
      return in(absl::StrCat("argument ", quote(argument.name)), status);
  for (const mil::NamedValue &attribute : statement.attributes)
    if (absl::Status status = toProto(attribute.value, (*out.mutable_attributes())[attribute.name]); !status.ok())
      return in(absl::StrCat("attribute ", quote(attribute.name)), status);
  return absl::OkStatus();
}

absl::Status functionTo(const mil::Function &function, proto::Function &out) {
  for (auto [key, opset] : kOpsets)
    if (function.opset == opset)
      out.set_opset(key);
  if (out.opset().empty())
    return wrong(absl::StrCat("the opset ", quote(function.opset), " is not known: ios15 to ios18, and ios26, are"));
  for (const mil::Variable &param : function.params)
    if (absl::Status status = variableTo(param, *out.add_inputs()); !status.ok())
      return status;
  proto::Block &block = (*out.mutable_block_specializations())[out.opset()];
  for (const mil::Statement &statement : function.statements)
    if (absl::Status status = statementTo(statement, *block.add_operations()); !status.ok())
      return in(absl::StrCat("operation ", quote(statement.op), " ", quote(statement.nameAttribute())), status);
  for (const std::string &output : function.outputs)
    block.add_outputs(output);
  return absl::OkStatus();
}

} // namespace

std::optional<std::string> coreml::opsetOf(int32_t specification) {
  if (specification < kPrograms)
    return std::nullopt;
  return kOpsets[std::min(specification, kFunctions) - kPrograms].second;
}

std::optional<int32_t> coreml::specificationOf(std::string_view opset) {
  for (size_t i = 0; i < std::size(kOpsets); ++i)
    if (opset == kOpsets[i].second)
      return kPrograms + static_cast<int32_t>(i);
  return std::nullopt;
}

absl::StatusOr<mil::Program> coreml::fromProto(const proto::Program &program) {
  if (program.version() != 1)
    return wrong(absl::StrCat("the program has version ", program.version(), ", 1 is known"));
  mil::Program result;
  result.version = "1.0";
  if (absl::Status status = namedValuesFrom(program.attributes(), result.attributes); !status.ok())
    return status;
  for (auto [name, function] : sorted(program.functions())) {
    absl::StatusOr<mil::Function> read = functionFrom(name, *function);
    if (!read.ok())
      return in(absl::StrCat("function ", quote(name)), read.status());
    result.functions.push_back(std::move(*read));
  }
  return result;
}

absl::StatusOr<proto::Program> coreml::toProto(const mil::Program &program) {
  proto::Program out;
  out.set_version(1);
  for (const mil::NamedValue &attribute : program.attributes)
    if (absl::Status status = toProto(attribute.value, (*out.mutable_attributes())[attribute.name]); !status.ok())
      return in(absl::StrCat("attribute ", quote(attribute.name)), status);
  for (const mil::Function &function : program.functions)
    if (absl::Status status = functionTo(function, (*out.mutable_functions())[function.name]); !status.ok())
      return in(absl::StrCat("function ", quote(function.name)), status);
  return out;
}
