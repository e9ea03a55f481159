//===- Declared.cpp - what a model's file says of training ----------------===//

#include "Declared.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MathExtras.h"

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
  result.readSignature(signature);
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
  if (!result.whole && !result.parameters.empty())
    result.readGraph(model.graph());
  return std::move(result);
}

void Declared::readSignature(StringRef signature) {
  for (StringRef line : llvm::split(signature, '\n')) {
    // p_lin_weight: PARAMETER target='lin.weight'
    auto [left, right] = line.split("target='");
    StringRef name = right.split('\'').first;
    auto [value, kind] = left.split(": ");
    bool isParameter = kind.starts_with("PARAMETER "), isBuffer = kind.starts_with("BUFFER ");
    if (isParameter)
      parameters.insert(name);
    else if (isBuffer)
      buffers.insert(name);
    if (isParameter || isBuffer)
      placeholders[value] = name.str();
    else if (kind.starts_with("CONSTANT_TENSOR ") || kind.starts_with("USER_INPUT"))
      placeholders[value];
    hasTexts |= kind.starts_with("CONSTANT_TENSOR ");
  }
}

//===-- PyTorch's graph, as nodes tell of it ----------------------------------===//

std::optional<Declared::Origin> Declared::lastOriginOf(const onnx::NodeProto &node) {
  // %linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%x, %p_w, None), kwargs = {})
  StringRef text = metadataOf(node.unknown_fields(), nodeMetadata, "pkg.torch.onnx.fx_node");
  auto [head, arguments] = text.split("](args = ");
  if (arguments.empty())
    return std::nullopt;
  Origin origin;
  origin.result = head.ltrim('%').split(' ').first;
  origin.target = head.split("[target=").second;
  auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = arguments.find('%'); at != StringRef::npos; at = arguments.find('%', at + 1))
    origin.values.push_back(arguments.drop_front(at + 1).take_while(isOfName));
  // A norm's data are no parameter, whatever they were computed by.
  if (origin.target.contains("_norm") && !origin.values.empty())
    origin.values.erase(origin.values.begin());
  return origin;
}

/// Whether an exporter has multiplied a norm into the product, or added something to it, and the node tells of that.
static bool isFused(StringRef target, const onnx::NodeProto &node) {
  bool isProduct = StringRef(node.op_type()).starts_with("Conv") || node.op_type() == "Gemm";
  return isProduct && !target.contains("conv") && !target.contains("linear") && !target.contains("mm");
}

std::optional<Declared::Origin> Declared::originOf(const onnx::NodeProto &node) {
  std::optional<Origin> origin = lastOriginOf(node);
  return origin && isFused(origin->target, node) ? std::nullopt : std::move(origin);
}

llvm::SmallVector<StringRef> Declared::namesOf(const Origin &origin, const llvm::StringSet<> &kind) const {
  llvm::SmallVector<StringRef> found;
  for (StringRef value : origin.values)
    if (auto name = placeholders.find(value); name != placeholders.end() && kind.contains(name->second))
      found.push_back(name->second);
  return found;
}

/// GroupNorm is written as InstanceNormalization with ones and zeros for each group, Mul and Add.
static bool isOfGroups(StringRef target, const onnx::NodeProto &node) {
  return target.contains(".group_norm") && node.op_type() == "InstanceNormalization";
}

/// Whether the value's name is that of numbers that the model's text has.
static bool isWritten(StringRef value) {
  constexpr StringRef makers[] = {"scalar_tensor", "zeros", "ones", "full", "arange", "lift_fresh"};
  return llvm::any_of(makers, [&](StringRef maker) { return value.starts_with(maker); });
}

/// Whether a value that the exporter computed may be of a parameter: of one that is lost, or the transpose of another.
bool Declared::isOfParameter(StringRef folded) const {
  if (isWritten(folded) || (hasTexts && folded.starts_with("clone")))
    return false;
  auto isAlike = [&](const auto &name) {
    auto found = sizes.find(name.first()), own = sizes.find(folded);
    return found != sizes.end() && own != sizes.end() && own->second.rank > 1 &&
           found->second.elements == own->second.elements;
  };
  return !lost.empty() || llvm::any_of(parameters, isAlike);
}

bool Declared::isParameterOf(const Origin &origin, const onnx::NodeProto &node, int input) const {
  if (isOfGroups(origin.target, node))
    return false;
  StringRef own = node.input(input);
  if (llvm::is_contained(origin.values, own) && !isKnown(own))
    return isOfParameter(own);
  return llvm::any_of(origin.values, [&](StringRef value) {
    auto name = placeholders.find(value);
    return name == placeholders.end() ? !computed.contains(value) && !isWritten(value)
                                      : parameters.contains(name->second);
  });
}

/// Ops whose parameters are a weight, and behind it perhaps a bias.
static bool hasWeightAndBias(StringRef target) {
  return target.contains("_norm") || target.contains(".linear.") || target.contains("conv");
}

std::optional<bool> Declared::isParameter(StringRef name) const {
  if (parameters.contains(name))
    return true;
  return whole || buffers.contains(name) || literals.contains(name) ? std::optional<bool>(false) : std::nullopt;
}

std::optional<double> Declared::statisticsOf(StringRef mean) const {
  auto found = batchNorms.find(mean);
  return found == batchNorms.end() ? std::nullopt : std::optional<double>(found->second);
}

void Declared::readGraph(const onnx::GraphProto &graph) {
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    uint64_t count = 1;
    for (int64_t dim : tensor.dims())
      count = llvm::SaturatingMultiply<uint64_t>(count, std::max<int64_t>(dim, 0));
    sizes[tensor.name()] = {int64_t(count), tensor.dims_size()};
  }
  for (const auto &name : parameters)
    if (!sizes.contains(name.first()))
      lost.insert(name.first());
  for (const onnx::NodeProto &node : graph.node()) {
    for (const std::string &output : node.output())
      computed.insert(output);
    std::optional<Origin> origin = lastOriginOf(node);
    if (!origin)
      continue;
    computed.insert(origin->result);
    for (StringRef name : namesOf(*origin, parameters))
      if (lost.erase(name) && hasWeightAndBias(origin->target))
        dropped.insert(name);
  }
  llvm::StringSet<> maybe;
  llvm::StringMap<std::string> readAs;
  for (const onnx::NodeProto &node : graph.node()) {
    std::optional<Origin> origin = originOf(node);
    for (int i = 0; i < node.input_size(); ++i) {
      const std::string &input = node.input(i);
      if (!sizes.contains(input))
        continue;
      if (!origin || isParameterOf(*origin, node, i))
        maybe.insert(input);
      if (origin && llvm::is_contained(origin->values, input) && !isKnown(input) && isOfParameter(input))
        folded.insert(input);
      std::string there = moduleName(node, i);
      if (there.empty())
        continue;
      dropped.erase(there);
      auto [first, isNew] = readAs.try_emplace(input, there);
      if (!isNew && first->second != there)
        shared.insert(input);
    }
  }
  for (const auto &entry : sizes)
    if (!maybe.contains(entry.first()) && !parameters.contains(entry.first()))
      literals.insert(entry.first());
}

bool Declared::isLiteral(const onnx::NodeProto &node, int input) const {
  std::optional<Origin> origin = whole || parameters.empty() ? std::nullopt : originOf(node);
  return origin && !isParameterOf(*origin, node, input);
}

llvm::SmallVector<StringRef> Declared::foldedInitializers() const {
  auto names = llvm::to_vector(folded.keys());
  llvm::sort(names);
  return names;
}

llvm::SmallVector<StringRef> Declared::lostParameters() const {
  return folded.empty() ? llvm::SmallVector<StringRef>() : llvm::to_vector(lost.keys());
}

std::string Declared::moduleName(const onnx::NodeProto &node, int input) const {
  std::optional<Origin> origin = whole ? std::nullopt : originOf(node);
  if (!origin || isOfGroups(origin->target, node))
    return "";
  const std::string &own = node.input(input);
  bool isNorm = StringRef(node.op_type()).ends_with("Normalization");
  bool isStatistic = isNorm && input > 2;
  llvm::SmallVector<StringRef> here = namesOf(*origin, isStatistic ? buffers : parameters);
  if (llvm::is_contained(here, own))
    return own;
  size_t place = isStatistic ? input - 3 : node.op_type() == "Add" || (input == 2 && node.op_type() != "Where");
  StringRef name;
  if (hasWeightAndBias(origin->target))
    name = here.size() > place ? here[place] : StringRef();
  else if (here.size() == 1 && (parameters.contains(own) || !llvm::is_contained(origin->values, own)))
    name = here.front();
  // What has another size is something else, or computed of it.
  auto size = sizes.find(name), ownSize = sizes.find(own);
  if (size != sizes.end() && ownSize != sizes.end() && size->second.elements != ownSize->second.elements)
    return "";
  return name.str();
}

bool Declared::isDetach(const onnx::NodeProto &node) {
  return metadataOf(node.unknown_fields(), nodeMetadata, "pkg.torch.onnx.fx_node").contains("torch.ops.aten.detach");
}
