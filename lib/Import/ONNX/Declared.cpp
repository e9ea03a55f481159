//===- Declared.cpp - what a model's file says of training ----------------===//

#include "Declared.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LEB128.h"

using namespace mlir::ane::onnx_import;
using llvm::StringRef;

/// The value of a metadata_props entry, which is a field that Debian's header does not know in graphs and nodes.
static StringRef metadataOf(StringRef unknown, uint32_t field, StringRef key) {
  constexpr uint32_t lengthDelimited = 2;
  auto number = [](StringRef &text, uint64_t &value) {
    unsigned size = 0;
    const char *error = nullptr;
    value = llvm::decodeULEB128(text.bytes_begin(), &size, text.bytes_end(), &error);
    text = text.drop_front(std::min<size_t>(size, text.size()));
    return !error;
  };
  // Nothing but strings and messages is among them; what else stands there ends the search.
  auto next = [&](StringRef &text, uint64_t &tag, StringRef &value) {
    uint64_t size = 0;
    if (text.empty() || !number(text, tag) || (tag & 7) != lengthDelimited || !number(text, size) || size > text.size())
      return false;
    value = text.take_front(size);
    text = text.drop_front(size);
    return true;
  };
  uint64_t tag = 0;
  StringRef entry;
  while (next(unknown, tag, entry)) {
    if (tag >> 3 != field)
      continue;
    StringRef found, value, part;
    uint64_t inner = 0;
    while (next(entry, inner, part))
      (inner >> 3 == 1 ? found : value) = part;
    if (found == key)
      return value;
  }
  return "";
}

static constexpr uint32_t graphMetadata = 16, nodeMetadata = 9;

llvm::Expected<Declared> Declared::read(const onnx::ModelProto &model) {
  Declared result;
  StringRef signature =
      metadataOf(model.graph().unknown_fields(), graphMetadata, "pkg.torch.export.ExportedProgram.graph_signature");
  for (StringRef line : llvm::split(signature, '\n')) {
    // p_lin_weight: PARAMETER target='lin.weight'
    auto [left, right] = line.split("target='");
    StringRef name = right.split('\'').first;
    if (left.contains(": PARAMETER "))
      result.parameters.insert(name);
    else if (left.contains(": BUFFER "))
      result.buffers.insert(name);
  }
  for (const onnx::StringStringEntryProto &entry : model.metadata_props()) {
    if (entry.key() != "anemone.training")
      continue;
    auto wrong = [] { return llvm::createStringError("metadata 'anemone.training' is no record of training"); };
    auto json = llvm::json::parse(entry.value());
    if (!json) {
      llvm::consumeError(json.takeError());
      return wrong();
    }
    const llvm::json::Object *record = json->getAsObject();
    const llvm::json::Array *names = record ? record->getArray("parameters") : nullptr;
    const llvm::json::Object *norms = record ? record->getObject("batch_norms") : nullptr;
    if (!names || !norms)
      return wrong();
    result.whole = true;
    result.parameters.clear();
    for (const llvm::json::Value &name : *names)
      if (auto text = name.getAsString())
        result.parameters.insert(*text);
    for (const auto &[mean, share] : *norms)
      if (auto number = share.getAsNumber())
        result.batchNorms[StringRef(mean)] = *number;
  }
  return std::move(result);
}

std::optional<bool> Declared::isParameter(StringRef name) const {
  if (parameters.contains(name))
    return true;
  return whole || buffers.contains(name) ? std::optional<bool>(false) : std::nullopt;
}

std::optional<double> Declared::statisticsOf(StringRef mean) const {
  auto found = batchNorms.find(mean);
  return found == batchNorms.end() ? std::nullopt : std::optional<double>(found->second);
}

std::string Declared::moduleName(const onnx::NodeProto &node, int input) const {
  // ['', 'layers.0', 'layers.0.norm', 'layer_norm']: the last is the op's own.
  StringRef scopes = metadataOf(node.unknown_fields(), nodeMetadata, "pkg.torch.onnx.name_scopes");
  llvm::SmallVector<StringRef> parts;
  scopes.split(parts, '\'');
  if (whole || parts.size() < 5)
    return "";
  StringRef module = parts[parts.size() - 4];
  bool isNorm = StringRef(node.op_type()).ends_with("Normalization");
  StringRef role = isNorm && input == 2                                                   ? "bias"
                   : isNorm && input == 3                                                 ? "running_mean"
                   : isNorm && input == 4                                                 ? "running_var"
                   : node.op_type() == "Add" || (input == 2 && node.op_type() != "Where") ? "bias"
                                                                                          : "weight";
  std::string name = (module + "." + role).str();
  return parameters.contains(name) || buffers.contains(name) ? name : "";
}

bool Declared::isDetach(const onnx::NodeProto &node) {
  return metadataOf(node.unknown_fields(), nodeMetadata, "pkg.torch.onnx.fx_node").contains("torch.ops.aten.detach");
}
