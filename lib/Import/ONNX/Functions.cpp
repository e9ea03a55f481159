//===- Functions.cpp - functions that a model defines ---------------------===//

#include "Functions.h"
#include "Liveness.h"
#include "Model.h"
#include <google/protobuf/io/coded_stream.h>

using namespace mlir;
using namespace mlir::ane::onnx_import;

int64_t mlir::ane::onnx_import::opsetOf(const Opsets &opsets, StringRef domain) {
  auto normalise = [](StringRef name) { return name == "ai.onnx" ? StringRef() : name; };
  for (const onnx::OperatorSetIdProto &import : opsets)
    if (normalise(import.domain()) == normalise(domain))
      return import.version();
  return 0;
}

static uint64_t countNodes(const onnx::GraphProto &graph) {
  uint64_t count = graph.node_size();
  for (const onnx::NodeProto &node : graph.node())
    for (const onnx::GraphProto *inner : graphsOf(node))
      count += countNodes(*inner);
  return count;
}

uint64_t mlir::ane::onnx_import::weightOf(const onnx::GraphProto &graph) {
  // Long attributes cost, too. An empty graph that is imported a billion times is not free.
  return 1 + countNodes(graph) + graph.ByteSizeLong() / 1024;
}

//===-- fields that are newer than the .proto file ----------------------------===//

constexpr int nodeOverloadField = 8, functionDefaultsField = 11, functionOverloadField = 13;

/// The length-delimited fields `number` of a message's unknown fields.
static std::vector<std::string> unknownFields(const std::string &unknown, int number) {
  std::vector<std::string> values;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(unknown.data()), int(unknown.size()));
  while (uint32_t tag = stream.ReadTag()) {
    uint64_t ignored;
    uint32_t fixed, length;
    switch (tag & 7) {
    case 0:
      if (!stream.ReadVarint64(&ignored))
        return values;
      break;
    case 1:
      if (!stream.ReadLittleEndian64(&ignored))
        return values;
      break;
    case 2: {
      std::string body;
      if (!stream.ReadVarint32(&length) || !stream.ReadString(&body, int(length)))
        return values;
      if (int(tag >> 3) == number)
        values.push_back(std::move(body));
      break;
    }
    case 5:
      if (!stream.ReadLittleEndian32(&fixed))
        return values;
      break;
    default:
      return values;
    }
  }
  return values;
}

static std::string keyOf(StringRef domain, StringRef name, const std::vector<std::string> &overload) {
  return ((domain == "ai.onnx" ? StringRef() : domain) + "\n" + name + "\n" +
          (overload.empty() ? StringRef() : StringRef(overload.back())))
      .str();
}

FunctionLibrary::FunctionLibrary(const onnx::ModelProto &model) {
  for (const onnx::FunctionProto &proto : model.functions()) {
    auto overload = unknownFields(proto.unknown_fields(), functionOverloadField);
    auto [entry, inserted] = functions.try_emplace(keyOf(proto.domain(), proto.name(), overload));
    Function &function = entry->second;
    if (!inserted) {
      function.ambiguous = true;
      continue;
    }
    function.name = (proto.domain().empty() ? "" : proto.domain() + ".") + proto.name();
    *function.body.mutable_node() = proto.node();
    for (const std::string &input : proto.input())
      function.body.add_input()->set_name(input);
    for (const std::string &output : proto.output())
      function.body.add_output()->set_name(output);
    function.opsets = proto.opset_import();
    function.attributes.assign(proto.attribute().begin(), proto.attribute().end());
    for (const std::string &bytes : unknownFields(proto.unknown_fields(), functionDefaultsField))
      if (onnx::AttributeProto attribute; attribute.ParseFromString(bytes))
        function.defaults[attribute.name()] = attribute;
    function.weight = weightOf(function.body);
  }
}

const Function *FunctionLibrary::lookup(const onnx::NodeProto &node) const {
  if (functions.empty())
    return nullptr;
  auto function =
      functions.find(keyOf(node.domain(), node.op_type(), unknownFields(node.unknown_fields(), nodeOverloadField)));
  return function == functions.end() ? nullptr : &function->second;
}

//===-- calls -----------------------------------------------------------------===//

namespace {
/// What a call puts into a body.
struct Substitution {
  llvm::StringMap<onnx::AttributeProto> attributes;
  llvm::StringSet<> absentInputs;

  void apply(onnx::GraphProto &graph) const {
    for (onnx::NodeProto &node : *graph.mutable_node()) {
      for (std::string &input : *node.mutable_input())
        if (absentInputs.contains(input))
          input.clear();
      apply(node);
    }
  }

  void apply(onnx::NodeProto &node) const {
    for (int i = node.attribute_size() - 1; i >= 0; --i) {
      onnx::AttributeProto &attribute = *node.mutable_attribute(i);
      if (attribute.has_g())
        apply(*attribute.mutable_g());
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        apply(graph);
      if (attribute.ref_attr_name().empty())
        continue;
      auto value = attributes.find(attribute.ref_attr_name());
      if (value == attributes.end()) {
        node.mutable_attribute()->DeleteSubrange(i, 1);
        continue;
      }
      std::string name = attribute.name();
      attribute = value->second;
      attribute.set_name(name);
    }
  }
};
} // namespace

llvm::Expected<onnx::GraphProto> Function::instantiate(const onnx::NodeProto &call) const {
  if (ambiguous)
    return makeError("the model defines the function " + name + " more than once");
  if (call.input_size() > body.input_size())
    return makeError("has " + Twine(call.input_size()) + " inputs, but function " + name + " takes " +
                     Twine(body.input_size()));
  if (call.output_size() > body.output_size())
    return makeError("has " + Twine(call.output_size()) + " outputs, but function " + name + " returns " +
                     Twine(body.output_size()));
  Substitution substitution{defaults, {}};
  for (const onnx::AttributeProto &attribute : call.attribute()) {
    if (!llvm::is_contained(attributes, attribute.name()) && !defaults.contains(attribute.name()))
      return makeError("attribute '" + attribute.name() + "' is none of function " + name);
    substitution.attributes[attribute.name()] = attribute;
  }
  for (int i = 0; i < body.input_size(); ++i)
    if (i >= call.input_size() || call.input(i).empty())
      substitution.absentInputs.insert(body.input(i).name());
  onnx::GraphProto graph = body;
  substitution.apply(graph);
  return graph;
}
