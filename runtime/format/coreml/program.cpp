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

/// The same error, with the place where it was found.
absl::Status in(const std::string &where, const absl::Status &status) {
  return absl::Status(status.code(), absl::StrCat(where, ": ", std::string(status.message())));
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

/// A program of protocol buffers as a syntax tree.
class Reader {
public:
  absl::StatusOr<mil::Program> read(const proto::Program &from);

private:
  template <typename Map>
  absl::Status attributes(const Map &from, std::vector<mil::NamedValue> &to);
  absl::StatusOr<mil::Variable> variable(const proto::NamedValueType &from);
  absl::StatusOr<mil::Value> argument(const proto::Argument &from);
  absl::Status statement(const proto::Operation &from, mil::Statement &to);
  absl::Status function(const proto::Function &from, mil::Function &to);

  Count count;
};

template <typename Map>
absl::Status Reader::attributes(const Map &from, std::vector<mil::NamedValue> &to) {
  for (auto [name, value] : sorted(from)) {
    absl::StatusOr<mil::Value> read = fromProto(*value, count);
    if (!read.ok())
      return in(absl::StrCat("attribute ", quote(name)), read.status());
    to.push_back({std::string(name), std::move(*read), {}});
  }
  return absl::OkStatus();
}

absl::StatusOr<mil::Variable> Reader::variable(const proto::NamedValueType &from) {
  if (from.name().empty())
    return wrong("has no name");
  absl::StatusOr<mil::Type> type = fromProto(from.type(), count);
  if (!type.ok())
    return in(quote(from.name()), type.status());
  return mil::Variable{std::move(*type), from.name(), {}};
}

absl::StatusOr<mil::Value> Reader::argument(const proto::Argument &from) {
  if (absl::Status status = count.nodes(1 + from.arguments_size()); !status.ok())
    return status;
  std::vector<mil::Value> items;
  for (const proto::Argument::Binding &binding : from.arguments()) {
    if (binding.has_value()) {
      absl::StatusOr<mil::Value> value = fromProto(binding.value(), count);
      if (!value.ok())
        return value.status();
      items.push_back(std::move(*value));
    } else if (!binding.name().empty()) {
      items.push_back(mil::Value::reference(binding.name()));
    } else {
      return wrong("is bound to nothing");
    }
  }
  if (items.empty())
    return wrong("is bound to nothing");
  return items.size() == 1 ? std::move(items.front()) : mil::Value::tuple(std::move(items));
}

absl::Status Reader::statement(const proto::Operation &from, mil::Statement &to) {
  if (absl::Status status = count.node(); !status.ok())
    return status;
  to.op = from.type();
  if (from.blocks_size() != 0)
    return absl::UnimplementedError(
        "control flow is not supported: it has blocks of its own. Trace the model for fixed "
        "shapes, or unroll the loop, before it is converted");
  for (const proto::NamedValueType &output : from.outputs()) {
    absl::StatusOr<mil::Variable> result = variable(output);
    if (!result.ok())
      return in("output", result.status());
    to.results.push_back(std::move(*result));
  }
  for (auto [name, bindings] : sorted(from.inputs())) {
    absl::StatusOr<mil::Value> value = argument(*bindings);
    if (!value.ok())
      return in(absl::StrCat("argument ", quote(name)), value.status());
    to.arguments.push_back({std::string(name), std::move(*value), {}});
  }
  return attributes(from.attributes(), to.attributes);
}

absl::Status Reader::function(const proto::Function &from, mil::Function &to) {
  for (auto [key, opset] : kOpsets)
    if (from.opset() == key)
      to.opset = opset;
  if (to.opset.empty())
    return absl::UnimplementedError(absl::StrCat("the opset ", quote(from.opset()),
                                                 " is not known: CoreML5 (iOS 15) to ",
                                                 "CoreML9 (iOS 26) are; convert the model for one of these"));
  auto found = from.block_specializations().find(from.opset());
  if (found == from.block_specializations().end())
    return wrong(absl::StrCat("has no block for its opset ", quote(from.opset())));
  const proto::Block &block = found->second;
  if (block.inputs_size() != 0 || !block.attributes().empty())
    return wrong("its block has inputs or attributes, as those of control flow have");
  if (absl::Status status = attributes(from.attributes(), to.attributes); !status.ok())
    return status;
  for (const proto::NamedValueType &input : from.inputs()) {
    absl::StatusOr<mil::Variable> param = variable(input);
    if (!param.ok())
      return in("input", param.status());
    to.params.push_back(std::move(*param));
  }
  for (const proto::Operation &operation : block.operations())
    if (absl::Status status = statement(operation, to.statements.emplace_back()); !status.ok())
      return in(absl::StrCat("operation ", quote(operation.type()),
                             operation.outputs_size() ? absl::StrCat(" of ", quote(operation.outputs(0).name())) : ""),
                status);
  if (absl::Status status = count.nodes(block.outputs_size()); !status.ok())
    return status;
  to.outputs.assign(block.outputs().begin(), block.outputs().end());
  return absl::OkStatus();
}

absl::StatusOr<mil::Program> Reader::read(const proto::Program &from) {
  if (from.version() != 1)
    return absl::UnimplementedError(
        absl::StrCat("the program has version ", from.version(), ", 1 is known; write it with coremltools 9 or older"));
  mil::Program program;
  program.version = "1.0";
  if (absl::Status status = attributes(from.attributes(), program.attributes); !status.ok())
    return status;
  for (auto [name, each] : sorted(from.functions())) {
    program.functions.emplace_back().name = name;
    if (absl::Status status = function(*each, program.functions.back()); !status.ok())
      return in(absl::StrCat("function ", quote(name)), status);
  }
  return program;
}

//===-- the other way -----------------------------------------------------===//

void variableTo(const mil::Variable &variable, proto::NamedValueType &out) {
  out.set_name(variable.name);
  toProto(variable.type, *out.mutable_type());
}

absl::Status attributesTo(const std::vector<mil::NamedValue> &values,
                          google::protobuf::Map<std::string, proto::Value> &out) {
  for (const mil::NamedValue &each : values)
    if (absl::Status status = toProto(each.value, out[each.name]); !status.ok())
      return in(absl::StrCat("attribute ", quote(each.name)), status);
  return absl::OkStatus();
}

/// `(a, b)` is bound to each of them. A tuple or a list that is one value has a type.
absl::Status bind(const mil::Value &value, proto::Argument &out) {
  auto bindOne = [&](const mil::Value &one) {
    proto::Argument::Binding &binding = *out.add_arguments();
    if (!one.isReference())
      return toProto(one, *binding.mutable_value());
    binding.set_name(one.name);
    return absl::OkStatus();
  };
  if (value.kind != mil::Value::Kind::Tuple || value.typed)
    return bindOne(value);
  for (const mil::Value &item : value.items)
    if (absl::Status status = bindOne(item); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status statementTo(const mil::Statement &statement, proto::Operation &out) {
  out.set_type(statement.op);
  for (const mil::Variable &result : statement.results)
    variableTo(result, *out.add_outputs());
  for (const mil::NamedValue &argument : statement.arguments)
    if (absl::Status status = bind(argument.value, (*out.mutable_inputs())[argument.name]); !status.ok())
      return in(absl::StrCat("argument ", quote(argument.name)), status);
  return attributesTo(statement.attributes, *out.mutable_attributes());
}

absl::Status functionTo(const mil::Function &function, proto::Function &out) {
  for (auto [key, opset] : kOpsets)
    if (function.opset == opset)
      out.set_opset(key);
  if (out.opset().empty())
    return wrong(absl::StrCat("the opset ", quote(function.opset), " is not known: ios15 to ios18, and ios26, are"));
  if (absl::Status status = attributesTo(function.attributes, *out.mutable_attributes()); !status.ok())
    return status;
  for (const mil::Variable &param : function.params)
    variableTo(param, *out.add_inputs());
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

absl::StatusOr<mil::Program> coreml::fromProto(const proto::Program &program) { return Reader().read(program); }

absl::StatusOr<proto::Program> coreml::toProto(const mil::Program &program) {
  proto::Program out;
  out.set_version(1);
  if (absl::Status status = attributesTo(program.attributes, *out.mutable_attributes()); !status.ok())
    return status;
  for (const mil::Function &function : program.functions)
    if (absl::Status status = functionTo(function, (*out.mutable_functions())[function.name]); !status.ok())
      return in(absl::StrCat("function ", quote(function.name)), status);
  return out;
}
