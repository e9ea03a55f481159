//===- GGUF.cpp - language models in GGUF files ---------------------------===//

#include "GGUF.h"
#include "runtime/format/gguf/gguf.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;
using nlohmann::json;
namespace gguf = ::ane::rt::gguf;

bool mlir::ane::lm::isGGUF(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, 4, 0);
  return buffer && (*buffer)->getBuffer() == "GGUF";
}

static StringRef text(std::string_view view) { return {view.data(), view.size()}; }

/// config.json's name of a field, without the architecture before it; empty for one that stays as it is.
static StringRef fieldName(StringRef field, bool isGPT2) {
  return llvm::StringSwitch<StringRef>(field)
      .Case("vocab_size", "vocab_size")
      .Case("context_length", isGPT2 ? "n_positions" : "max_position_embeddings")
      .Case("embedding_length", isGPT2 ? "n_embd" : "hidden_size")
      .Case("block_count", isGPT2 ? "n_layer" : "num_hidden_layers")
      .Case("feed_forward_length", isGPT2 ? "n_inner" : "intermediate_size")
      .Case("attention.head_count", isGPT2 ? "n_head" : "num_attention_heads")
      .Case("attention.head_count_kv", "num_key_value_heads")
      .Case("attention.key_length", "head_dim")
      .Case("attention.layer_norm_rms_epsilon", "rms_norm_eps")
      .Case("attention.layer_norm_epsilon", "layer_norm_epsilon")
      .Case("attention.sliding_window", "sliding_window")
      .Case("attn_logit_softcapping", "attn_logit_softcapping")
      .Case("final_logit_softcapping", "final_logit_softcapping")
      .Case("rope.freq_base", "rope_theta")
      .Case("rope.scaling.type", "rope_scaling.rope_type")
      .Case("rope.scaling.factor", "rope_scaling.factor")
      .Case("rope.scaling.attn_factor", "rope_scaling.attention_factor")
      .Case("rope.scaling.original_context_length", "rope_scaling.original_max_position_embeddings")
      .Case("rope.scaling.yarn_beta_fast", "rope_scaling.beta_fast")
      .Case("rope.scaling.yarn_beta_slow", "rope_scaling.beta_slow")
      .Default("");
}

static json valueOf(const gguf::Value &value) {
  if (const auto *integer = value.as<int64_t>())
    return *integer;
  if (const auto *number = value.as<double>())
    return *number;
  if (const auto *isSet = value.as<bool>())
    return *isSet;
  if (const auto *string = value.as<std::string_view>())
    return std::string(*string);
  return std::string(value.kind());
}

/// How wide a value's head is, and how much of a head is turned: mostly all of it.
static void readWidths(const gguf::File &file, const std::string &architecture, json &config) {
  auto integer = [&](StringRef name) -> std::optional<int64_t> {
    std::string key = (architecture + "." + name).str();
    const gguf::Value *value = file.value(key);
    const auto *found = value ? value->as<int64_t>() : nullptr;
    return found && *found > 0 ? std::optional(*found) : std::nullopt;
  };
  std::optional<int64_t> head = integer("attention.key_length"), width = integer("embedding_length"),
                         heads = integer("attention.head_count");
  if (!head && width && heads)
    head = *width / *heads;
  if (head && integer("attention.value_length") == head)
    config.erase(architecture + ".attention.value_length");
  if (std::optional<int64_t> turned = integer("rope.dimension_count"); head && *head > 0 && turned) {
    config.erase(architecture + ".rope.dimension_count");
    if (turned != head)
      config["partial_rotary_factor"] = double(*turned) / double(*head);
  }
}

/// What the file says, under the names of config.json. What has no such name stays, and is an unknown field then.
static json configOf(const gguf::File &file) {
  json config = json::object();
  const gguf::Value *named = file.value("general.architecture");
  const auto *type = named ? named->as<std::string_view>() : nullptr;
  std::string architecture = type ? std::string(*type) : "";
  config["model_type"] = architecture == "gemma3" ? "gemma3_text" : architecture;
  for (const auto &[key, value] : file.metadata()) {
    StringRef name = text(key);
    if (name.starts_with("general.") || name.starts_with("quantize.") || name == "tokenizer.chat_template")
      continue;
    if (name.consume_front("tokenizer.")) {
      StringRef token = llvm::StringSwitch<StringRef>(name)
                            .Case("ggml.bos_token_id", "bos_token_id")
                            .Cases("ggml.eos_token_id", "ggml.eot_token_id", "ggml.eom_token_id", "eos_token_id")
                            .Default("");
      // An answer has several ends.
      if (token == "eos_token_id")
        config[token.str()].push_back(valueOf(value));
      else if (!token.empty())
        config[token.str()] = valueOf(value);
      continue;
    }
    bool isOwn = name.consume_front(architecture + ".");
    StringRef field = isOwn ? fieldName(name, architecture == "gpt2") : "";
    // No name without a dot stands for a field of config.json.
    if (field.empty())
      config[(text(key).contains('.') ? "" : ".") + std::string(key)] = valueOf(value);
    else if (field.consume_front("rope_scaling."))
      config["rope_scaling"][field.str()] = valueOf(value);
    else
      config[field.str()] = valueOf(value);
  }
  // "none" is a rule of scaling in these files.
  if (config.contains("rope_scaling") && config["rope_scaling"].value("rope_type", json("none")) == "none")
    config["rope_scaling"]["rope_type"] = "default";
  readWidths(file, architecture, config);
  if (const gguf::Tensor *table = file.tensor("token_embd.weight"); table && table->shape.size() == 2)
    config["vocab_size"] = table->shape[0];
  if (architecture != "gpt2")
    config["tie_word_embeddings"] = file.tensor("output.weight") == nullptr;
  return config;
}

/// Elements of float32; empty if the tensor is not there.
static llvm::Expected<std::vector<float>> readFloats(const gguf::File &file, std::string_view name) {
  std::vector<float> values;
  const gguf::Tensor *tensor = file.tensor(name);
  if (!tensor)
    return values;
  constexpr int64_t most = 1 << 16;
  if (tensor->block.type != gguf::BlockType::F32 || tensor->elements() > most)
    return llvm::createStringError("tensor '" + text(name) + "' is " + tensor->describe() +
                                   ", expected F32 and at most 65536 elements");
  values.resize(tensor->elements());
  std::memcpy(values.data(), tensor->data, tensor->bytes);
  return values;
}

llvm::Expected<GGUFModel> GGUFModel::open(StringRef path, MLIRContext *context) {
  auto file = gguf::File::open(path.str());
  if (!file.ok())
    return llvm::createStringError(std::string(file.status().message()));
  if (file->tensors().empty())
    return llvm::createStringError("'" + path +
                                   "' has no tensors: it is a vocabulary without a model; remedy: give "
                                   "the file that holds the weights, too");
  GGUFModel model{Config(path.str(), configOf(*file)), {}, {}};
  auto factors = readFloats(*file, "rope_freqs.weight");
  if (!factors)
    return llvm::createStringError(path + ": " + llvm::toString(factors.takeError()));
  model.ropeFactors = std::move(*factors);
  model.source.origin = path.str();
  for (const gguf::Tensor &tensor : file->tensors()) {
    SourceTensor found{path.str(),   tensor.offset,
                       tensor.bytes, SmallVector<int64_t>(tensor.shape.begin(), tensor.shape.end()),
                       {},           {}};
    switch (tensor.block.type) {
    case gguf::BlockType::F32:
      found.element = Float32Type::get(context);
      break;
    case gguf::BlockType::F16:
      found.element = Float16Type::get(context);
      break;
    case gguf::BlockType::BF16:
      found.element = BFloat16Type::get(context);
      break;
    default:
      found.element = Float32Type::get(context);
      found.blocks = {uint32_t(tensor.block.type), tensor.block.elements, tensor.block.bytes};
    }
    model.source.add(text(tensor.name), std::move(found));
  }
  return model;
}

void GGUFModel::adapt(Decoder &model) {
  model.base = "";
  model.layers = "blk.";
  model.embedding = "token_embd.weight";
  if (!model.positionTable.empty())
    model.positionTable = "position_embd.weight";
  model.finalNorm = "output_norm";
  if (!model.head.name.empty() || source.has("output.weight"))
    model.head = {"output"};
  model.ignoredTensors = {"rope_freqs.weight"};
  LayerParts &parts = model.parts;
  auto rename = [](std::string &name, StringRef other) {
    if (!name.empty())
      name = other.str();
  };
  rename(parts.attentionNorm, "attn_norm");
  rename(parts.attentionPostNorm, "post_attention_norm");
  rename(parts.mlpNorm, "ffn_norm");
  rename(parts.mlpPostNorm, "post_ffw_norm");
  rename(parts.queryNorm, "attn_q_norm");
  rename(parts.keyNorm, "attn_k_norm");
  // Whether a layer has a bias is not in the metadata.
  auto move = [&](Linear &layer, StringRef own, StringRef joined) {
    if (layer.name.empty())
      return;
    layer.name = (layer.of ? joined : own).str();
    layer.bias = source.has("blk.0." + layer.name + ".bias");
    layer.transposed = false;
  };
  move(parts.query, "attn_q", "attn_qkv");
  move(parts.key, "attn_k", "attn_qkv");
  move(parts.value, "attn_v", "attn_qkv");
  move(parts.output, "attn_output", "");
  move(parts.gate, "ffn_gate", "ffn_up");
  move(parts.up, "ffn_up", "ffn_up");
  move(parts.down, "ffn_down", "");
  // The converter adds the 1.
  if (model.norm.kind == Norm::ZeroCenteredRMS)
    model.norm.kind = Norm::RMS;
  for (Rope &rope : model.ropes) {
    if (ropeFactors.empty())
      continue;
    if (ropeFactors.size() != rope.frequencies.size()) {
      source.fail("rope_freqs.weight", "has " + Twine(ropeFactors.size()) + " elements, a head has " +
                                           Twine(rope.frequencies.size()) + " pairs");
      continue;
    }
    for (auto [frequency, factor] : llvm::zip(rope.frequencies, ropeFactors))
      frequency /= factor;
  }
  // Llama's rows are in an order in which pairs are neighbours.
  if (config.text("model_type") == "llama")
    for (Rope &rope : model.ropes)
      rope.isInterleaved = true;
}
