//===- Architectures.cpp - families of language models --------------------===//

#include "Architectures.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;

ArrayRef<const Architecture *> mlir::ane::lm::allArchitectures() {
  static constexpr const Architecture *all[] = {&bert,    &gemma2, &gemma3, &gpt2, &llama,
                                                &mistral, &phi3,   &qwen2,  &qwen3};
  return all;
}

void mlir::ane::lm::setFields(Config &config, const Architecture &architecture, bool isHuggingFace) {
  auto fieldsOf = [](const Architecture &of) {
    return nlohmann::json::parse(std::string_view(of.fields.data(), of.fields.size()));
  };
  nlohmann::json fields = fieldsOf(architecture);
  if (isHuggingFace) {
    config.setDefaults(std::move(fields));
    for (const Architecture *other : allArchitectures())
      config.ignoreOthers(fieldsOf(*other));
    return;
  }
  // Other formats say these themselves.
  for (const char *said : {"vocab_size", "hidden_size", "n_embd", "intermediate_size", "num_hidden_layers", "n_layer",
                           "num_attention_heads", "n_head", "max_position_embeddings", "n_positions", "type_vocab_size",
                           "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "bos_token_id", "eos_token_id"})
    fields.erase(said);
  config.setDefaults(std::move(fields));
}

void mlir::ane::lm::ignoreCommonFields(Config &config) {
  config.ignore({
      // Which file this is, and how it was made.
      "_name_or_path",
      "architectures",
      "model_type",
      "transformers_version",
      "torch_dtype",
      "dtype",
      "auto_map",
      "_attn_implementation_autoset",
      "_commit_hash",
      "_from_model_config",
      "unsloth_fixed",
      "unsloth_version",
      "_sliding_window_pattern",
      // Of training.
      "attention_dropout",
      "attn_pdrop",
      "embd_pdrop",
      "resid_pdrop",
      "hidden_dropout",
      "hidden_dropout_prob",
      "attention_probs_dropout_prob",
      "classifier_dropout",
      "initializer_range",
      "problem_type",
      "gradient_checkpointing",
      // Of generating text, and of other heads.
      "use_cache",
      "cache_implementation",
      "id2label",
      "label2id",
      "num_labels",
      "output_attentions",
      "output_hidden_states",
      "return_dict",
      "task_specific_params",
      "decoder_start_token_id",
      "is_encoder_decoder",
      // Ways to compute the same.
      "pretraining_tp",
      "reorder_and_upcast_attn",
      "chunk_size_feed_forward",
      "torchscript",
      "use_bfloat16",
      "is_llama_config",
      "is_decoder_only",
  });
  config.expect("pruned_heads", nlohmann::json::object());
  config.expect("is_causal", true);
  config.expect("quantization_config", nullptr);
  config.expect("rope_interleaved", false);
}

Sizes mlir::ane::lm::readSizes(Config &config) {
  Sizes sizes;
  sizes.vocabulary = config.integer("vocab_size");
  sizes.width = config.integer("hidden_size");
  sizes.layers = config.integer("num_hidden_layers");
  sizes.heads = config.integer("num_attention_heads");
  sizes.groups = config.integerOrNull("num_key_value_heads").value_or(sizes.heads);
  sizes.headWidth = config.integerOrNull("head_dim").value_or(std::max<int64_t>(sizes.width / sizes.heads, 1));
  sizes.hidden = config.integer("intermediate_size");
  sizes.positions = config.integer("max_position_embeddings");
  if (sizes.heads % sizes.groups != 0)
    config.fail("num_key_value_heads",
                "is " + Twine(sizes.groups) + ", which does not divide num_attention_heads, " + Twine(sizes.heads));
  return sizes;
}

Activation mlir::ane::lm::readActivation(Config &config, StringRef field) {
  std::string name = config.text(field);
  if (name == "silu" || name == "swish")
    return Activation::Silu;
  if (name == "gelu")
    return Activation::Gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast")
    return Activation::GeluTanh;
  if (name == "relu")
    return Activation::Relu;
  config.fail(field, "is '" + name + "'; supported are silu, gelu, gelu_new, gelu_pytorch_tanh and relu");
  return Activation::Silu;
}

Decoder mlir::ane::lm::llamaShape(Config &config, const Sizes &sizes, bool attentionBias, bool outputBias,
                                  bool mlpBias) {
  ignoreCommonFields(config);
  Decoder decoder;
  decoder.sizes = sizes;
  decoder.norm = {Norm::RMS, config.positive("rms_norm_eps")};
  decoder.base = "model.";
  decoder.layers = "layers.";
  decoder.parts.attentionNorm = "input_layernorm";
  decoder.parts.mlpNorm = "post_attention_layernorm";
  decoder.parts.query = {"self_attn.q_proj", attentionBias};
  decoder.parts.key = {"self_attn.k_proj", attentionBias};
  decoder.parts.value = {"self_attn.v_proj", attentionBias};
  decoder.parts.output = {"self_attn.o_proj", outputBias};
  decoder.parts.gate = {"mlp.gate_proj", mlpBias};
  decoder.parts.up = {"mlp.up_proj", mlpBias};
  decoder.parts.down = {"mlp.down_proj", mlpBias};
  decoder.embedding = "embed_tokens.weight";
  decoder.finalNorm = "norm";
  if (!config.flag("tie_word_embeddings"))
    decoder.head = {"lm_head"};
  decoder.kinds.assign(sizes.layers, {0, 0, 1 / std::sqrt(double(sizes.headWidth))});
  decoder.ignoredTensors = {"*rotary_emb.inv_freq", "*rotary_emb.cos_cached", "*rotary_emb.sin_cached"};
  return decoder;
}

Decoder mlir::ane::lm::gemmaShape(Config &config) {
  bool bias = config.flag("attention_bias");
  Sizes sizes = readSizes(config);
  Decoder decoder = llamaShape(config, sizes, bias, bias, /*mlpBias=*/false);
  config.expect("use_bidirectional_attention", false);
  decoder.norm.kind = Norm::ZeroCenteredRMS;
  decoder.parts.attentionPostNorm = "post_attention_layernorm";
  decoder.parts.mlpNorm = "pre_feedforward_layernorm";
  decoder.parts.mlpPostNorm = "post_feedforward_layernorm";
  // Early configurations say "gelu" in hidden_act, and mean what hidden_activation says.
  decoder.activation = readActivation(config, "hidden_activation");
  decoder.embeddingScale = std::sqrt(double(sizes.width));
  decoder.logitCap = config.positiveOrNull("final_logit_softcapping").value_or(0);
  double scalar = config.positive("query_pre_attn_scalar");
  for (LayerKind &kind : decoder.kinds)
    kind.scale = 1 / std::sqrt(scalar);
  return decoder;
}

void mlir::ane::lm::readWindow(Config &config, Decoder &decoder) {
  int64_t window = config.integerOrNull("sliding_window").value_or(0);
  for (LayerKind &kind : decoder.kinds)
    kind.window = window;
}

void mlir::ane::lm::readQwenWindows(Config &config, Decoder &decoder) {
  bool slides = config.flag("use_sliding_window");
  std::optional<int64_t> window = config.integerOrNull("sliding_window");
  int64_t first = config.integer("max_window_layers", 0);
  if (!slides)
    window.reset();
  readWindows(
      config, decoder, window, [&](int64_t layer) { return window && layer >= first; },
      slides ? "is null" : "is not used, as use_sliding_window is false");
}

void mlir::ane::lm::readWindows(Config &config, Decoder &decoder, std::optional<int64_t> window,
                                llvm::function_ref<bool(int64_t)> isSliding, StringRef missing) {
  std::vector<std::string> types = config.texts("layer_types");
  if (config.has("layer_types") && int64_t(types.size()) != decoder.sizes.layers)
    return config.fail("layer_types",
                       "has " + Twine(types.size()) + " entries for " + Twine(decoder.sizes.layers) + " layers");
  for (auto [i, kind] : llvm::enumerate(decoder.kinds)) {
    bool slides = types.empty() ? isSliding(int64_t(i)) : types[i] == "sliding_attention";
    if (!types.empty() && !slides && types[i] != "full_attention")
      return config.fail("layer_types", "has '" + types[i] + "'; supported are full_attention and sliding_attention");
    if (slides && !window)
      return config.fail("sliding_window", missing + ", and layer " + Twine(i) + " has a window");
    kind.window = slides ? *window : 0;
  }
}
