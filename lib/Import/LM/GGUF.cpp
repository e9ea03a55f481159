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

/// By which frequencies are divided: of Llama 3, and LongRoPE's two lists.
static constexpr const char *llama3Factors = "rope_freqs.weight", *shortFactors = "rope_factors_short.weight",
                            *longFactors = "rope_factors_long.weight";

static StringRef text(std::string_view view) { return {view.data(), view.size()}; }

/// config.json's name of a field, without the architecture before it; empty for one that stays as it is.
static StringRef fieldName(StringRef field, StringRef architecture) {
  bool isGPT2 = architecture == "gpt2", isBert = architecture == "bert";
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
      .Case("attention.layer_norm_epsilon", isBert ? "layer_norm_eps" : "layer_norm_epsilon")
      .Case("attention.causal", isBert ? "is_decoder" : "")
      .Case("attention.sliding_window", "sliding_window")
      .Case("attn_logit_softcapping", "attn_logit_softcapping")
      .Case("final_logit_softcapping", "final_logit_softcapping")
      .Case("rope.freq_base", "rope_theta")
      .Case("rope.freq_base_swa", "rope_local_base_freq")
      .Case("rope.scaling.type", "rope_scaling.rope_type")
      .Cases("rope.scaling.factor", "rope.scale_linear", "rope_scaling.factor")
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

/// A number above 0 of the architecture's own fields.
static std::optional<int64_t> integer(const gguf::File &file, const std::string &architecture, StringRef name) {
  const gguf::Value *value = file.value((architecture + "." + name).str());
  const auto *found = value ? value->as<int64_t>() : nullptr;
  return found && *found > 0 ? std::optional(*found) : std::nullopt;
}

/// How wide a value's head is, and how much of a head is turned: mostly all of it.
static void readWidths(const gguf::File &file, const std::string &architecture, json &config) {
  auto number = [&](StringRef name) { return integer(file, architecture, name); };
  std::optional<int64_t> head = number("attention.key_length"), width = number("embedding_length"),
                         heads = number("attention.head_count");
  if (!head && width && heads)
    head = *width / *heads;
  if (head && number("attention.value_length") == head)
    config.erase(architecture + ".attention.value_length");
  if (std::optional<int64_t> turned = number("rope.dimension_count"); head && *head > 0 && turned) {
    config.erase(architecture + ".rope.dimension_count");
    if (turned != head)
      config["partial_rotary_factor"] = double(*turned) / double(*head);
  }
}

/// Which layers have windows, and the scale of scores, where llama.cpp (src/models/) knows what the file does not say.
static void readAttention(const gguf::File &file, const std::string &architecture, json &config) {
  // Windows of no token mean none.
  if (config.contains("sliding_window") && config["sliding_window"] == 0)
    config.erase("sliding_window");
  std::string pattern = architecture + ".attention.sliding_window_pattern";
  const gguf::Value *value = file.value(pattern);
  if (const auto *slides = value ? value->as<std::vector<bool>>() : nullptr) {
    config.erase(pattern);
    config["layer_types"] = json::array();
    for (bool isSliding : *slides)
      config["layer_types"].push_back(isSliding ? "sliding_attention" : "full_attention");
  } else if (const auto *every = value ? value->as<int64_t>() : nullptr) {
    config.erase(pattern);
    config["sliding_window_pattern"] = *every;
  }
  if (architecture == "gemma3" && !config.contains("sliding_window")) {
    config.erase("layer_types");
    config["sliding_window_pattern"] = 1;
  }
  // It reads no window of these.
  if (llvm::is_contained({"llama", "qwen2", "qwen3"}, StringRef(architecture)))
    config.erase("sliding_window");
}

/// What llama.cpp takes where a file says nothing, which is not always what config.json means then.
static void addDefaults(const gguf::File &file, const std::string &architecture, json &config) {
  bool isGemma = architecture == "gemma2" || architecture == "gemma3";
  if (architecture == "gpt2" || architecture == "bert")
    return;
  std::optional<int64_t> width = integer(file, architecture, "embedding_length"),
                         heads = integer(file, architecture, "attention.head_count");
  config.emplace("rope_theta", 10000.0);
  if (width && heads) {
    config.emplace("num_key_value_heads", *heads);
    config.emplace("head_dim", *width / *heads);
    // Of 27 billion parameters Gemma 2 and 3 are known by their layers.
    bool isLargest = integer(file, architecture, "block_count") == (architecture == "gemma2" ? 46 : 62);
    std::optional<int64_t> head = integer(file, architecture, "attention.key_length");
    if (isGemma)
      config["query_pre_attn_scalar"] = head && !isLargest ? *head : *width / *heads;
  }
  if (architecture == "phi3")
    config["original_max_position_embeddings"] =
        config.value("rope_scaling", json::object())
            .value("original_max_position_embeddings", config.value("max_position_embeddings", json()));
}

/// "none" is a rule of scaling in these files, and `linear` is meant where a factor stands alone; 0 and no factor
/// are 1. Phi-3's rule has its factors as tensors, and no name.
static void readScaling(const gguf::File &file, json &config) {
  if (!config.contains("rope_scaling"))
    return;
  json &scaling = config["rope_scaling"];
  json rule = scaling.value("rope_type", json("linear"));
  bool hasFactor = scaling.contains("factor");
  if (file.tensor(shortFactors))
    scaling["rope_type"] = "longrope";
  else if (rule == "none" || (rule == "linear" && !hasFactor))
    scaling["rope_type"] = "default";
  else
    scaling["rope_type"] = rule;
  if (rule == "none")
    scaling.erase("factor");
  else if (hasFactor && scaling["factor"] == 0)
    scaling["factor"] = 1.0;
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
      if (architecture == "bert" && name == "ggml.token_type_count")
        config["type_vocab_size"] = valueOf(value);
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
    // How the model was trained changes nothing.
    if (isOwn && name == "rope.scaling.finetuned")
      continue;
    StringRef field = isOwn ? fieldName(name, architecture) : "";
    // No name without a dot stands for a field of config.json.
    if (field.empty())
      config[(text(key).contains('.') ? "" : ".") + std::string(key)] = valueOf(value);
    else if (field.consume_front("rope_scaling."))
      config["rope_scaling"][field.str()] = valueOf(value);
    else
      config[field.str()] = valueOf(value);
  }
  readScaling(file, config);
  readWidths(file, architecture, config);
  readAttention(file, architecture, config);
  addDefaults(file, architecture, config);
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

/// How an encoder makes one embedding of those of all tokens; a problem is noted as an unknown field.
static bool poolsFirst(const gguf::File &file, json &config) {
  // gguf-py's PoolingType.
  enum { Mean = 1, First = 2 };
  const gguf::Value *value = file.value("bert.pooling_type");
  const auto *kind = value ? value->as<int64_t>() : nullptr;
  if (kind && (*kind == Mean || *kind == First))
    config.erase("bert.pooling_type");
  return kind && *kind == First;
}

llvm::Expected<GGUFModel> GGUFModel::open(StringRef path, MLIRContext *context) {
  auto file = gguf::File::open(path.str());
  if (!file.ok())
    return llvm::createStringError(std::string(file.status().message()));
  if (file->tensors().empty())
    return llvm::createStringError("'" + path +
                                   "' has no tensors: it is a vocabulary without a model; remedy: give "
                                   "the file that holds the weights, too");
  json config = configOf(*file);
  std::vector<float> llama3;
  for (auto [tensor, field] :
       {std::pair(llama3Factors, ""), std::pair(shortFactors, "short_factor"), std::pair(longFactors, "long_factor")}) {
    auto read = readFloats(*file, tensor);
    if (!read)
      return llvm::createStringError(path + ": " + llvm::toString(read.takeError()));
    if (tensor == llama3Factors)
      llama3 = std::move(*read);
    else if (!read->empty())
      config["rope_scaling"][field] = std::move(*read);
  }
  bool first = poolsFirst(*file, config);
  GGUFModel model{Config(path.str(), std::move(config)), {}, std::move(llama3), first};
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
  model.ignoredTensors = {llama3Factors, shortFactors, longFactors};
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
      source.fail(llama3Factors, "has " + Twine(ropeFactors.size()) + " elements, a head has " +
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

void GGUFModel::adapt(Encoder &model) {
  model.base = "";
  model.layers = "blk.";
  model.embedding = "token_embd.weight";
  model.positionTable = "position_embd.weight";
  model.typeTable = "token_types.weight";
  model.embeddingNorm = "token_embd_norm";
  model.takesFirst = takesFirst;
  // Of classifiers, which read the embedding.
  model.ignoredTensors = {"cls.*"};
  LayerParts &parts = model.parts;
  for (auto [layer, name] :
       {std::pair(&parts.query, "attn_q"), std::pair(&parts.key, "attn_k"), std::pair(&parts.value, "attn_v"),
        std::pair(&parts.output, "attn_output"), std::pair(&parts.up, "ffn_up"), std::pair(&parts.down, "ffn_down")})
    layer->name = name;
  parts.attentionPostNorm = "attn_output_norm";
  parts.mlpPostNorm = "layer_output_norm";
}
