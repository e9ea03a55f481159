//===- HuggingFace.cpp - a model's names in Hugging Face's files ----------===//

#include "HuggingFace.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;

namespace {
class FormBuilder {
public:
  FormBuilder(const Decoder &there, const Decoder &here, const TensorSource &source, MLIRContext *context)
      : there(there), here(here), source(source), builder(context), base(source.hasPrefix(here.base) ? here.base : "") {
  }

  void add() {
    add(here.embedding, there.embedding, {});
    add(here.positionTable, there.positionTable, {});
    norm(here.finalNorm, there.finalNorm);
    if (!here.head.name.empty())
      tensor(here.head.name + ".weight", "lm_head.weight", {});
    for (int64_t layer = 0; layer < here.sizes.layers; ++layer) {
      scopeHere = here.layers + std::to_string(layer) + ".";
      scopeThere = there.layers + std::to_string(layer) + ".";
      addLayer();
    }
  }

  /// Why there is no such folder.
  std::string refusal() const {
    bool isScaled = llvm::any_of(llvm::zip_equal(here.ropes, there.ropes), [](auto ropes) {
      return std::get<0>(ropes).frequencies != std::get<1>(ropes).frequencies;
    });
    return isScaled
               ? "its rotary frequencies are divided by factors of a tensor (rope_freqs.weight), which config.json "
                 "has no field for"
               : "";
  }

  /// Fields that other files have as tensors.
  nlohmann::json configOf(nlohmann::json config) const {
    std::string name = config.value("model_type", "");
    StringRef type = name;
    StringRef kind = llvm::StringSwitch<StringRef>(type)
                         .Case("gemma2", "Gemma2ForCausalLM")
                         .Case("gemma3_text", "Gemma3ForCausalLM")
                         .Case("gpt2", "GPT2LMHeadModel")
                         .Case("llama", "LlamaForCausalLM")
                         .Case("mistral", "MistralForCausalLM")
                         .Case("phi3", "Phi3ForCausalLM")
                         .Case("qwen2", "Qwen2ForCausalLM")
                         .Case("qwen3", "Qwen3ForCausalLM")
                         .Default("");
    if (!kind.empty())
      config["architectures"] = {kind.str()};
    config["torch_dtype"] = "float32";
    // What architectures have by default there is not what its absence means here.
    config.emplace("pad_token_id", nullptr);
    config["tie_word_embeddings"] = here.head.name.empty();
    if (here.parts.query.bias != there.parts.query.bias)
      config["attention_bias"] = here.parts.query.bias;
    if (here.parts.up.bias != there.parts.up.bias)
      config["mlp_bias"] = here.parts.up.bias;
    return config;
  }

  /// Whether a name or an element differs.
  bool differs = false;
  SmallVector<NamedAttribute> tensors() const {
    SmallVector<NamedAttribute> all;
    for (const auto &[name, entry] : entries)
      all.push_back(builder.getNamedAttr(name, entry));
    return all;
  }

private:
  struct How {
    int64_t heads = 0;
    bool isTransposed = false, isCentred = false;
  };

  void tensor(const std::string &nameHere, const std::string &nameThere, const How &how) {
    if (!source.has(nameHere))
      return;
    SmallVector<NamedAttribute> fields{builder.getNamedAttr("name", builder.getStringAttr(nameThere))};
    if (how.heads)
      fields.push_back(builder.getNamedAttr("heads", builder.getI64IntegerAttr(how.heads)));
    if (how.isTransposed)
      fields.push_back(builder.getNamedAttr("transposed", builder.getUnitAttr()));
    if (how.isCentred)
      fields.push_back(builder.getNamedAttr("centred", builder.getUnitAttr()));
    differs |= nameHere != nameThere || fields.size() > 1;
    entries[nameHere] = builder.getDictionaryAttr(fields);
  }

  void add(const std::string &nameHere, const std::string &nameThere, const How &how) {
    if (!nameHere.empty())
      tensor(base + scopeHere + nameHere, there.base + scopeThere + nameThere, how);
  }

  void norm(const std::string &nameHere, const std::string &nameThere) {
    if (nameHere.empty())
      return;
    How how;
    how.isCentred = here.norm.kind == Norm::RMS && there.norm.kind == Norm::ZeroCenteredRMS;
    add(nameHere + ".weight", nameThere + ".weight", how);
    add(nameHere + ".bias", nameThere + ".bias", {});
  }

  void linear(const Linear &layerHere, const Linear &layerThere, int64_t heads = 0) {
    if (layerHere.name.empty())
      return;
    How how;
    how.heads = heads;
    add(layerHere.name + ".bias", layerThere.name + ".bias", how);
    how.isTransposed = layerHere.transposed != layerThere.transposed;
    add(layerHere.name + ".weight", layerThere.name + ".weight", how);
  }

  void addLayer() {
    const LayerParts &p = here.parts, &q = there.parts;
    bool isInterleaved = llvm::any_of(here.ropes, [](const Rope &rope) { return rope.isInterleaved; }) &&
                         llvm::none_of(there.ropes, [](const Rope &rope) { return rope.isInterleaved; });
    linear(p.query, q.query, isInterleaved ? here.sizes.heads : 0);
    linear(p.key, q.key, isInterleaved ? here.sizes.groups : 0);
    linear(p.value, q.value);
    linear(p.output, q.output);
    linear(p.gate, q.gate);
    linear(p.up, q.up);
    linear(p.down, q.down);
    norm(p.attentionNorm, q.attentionNorm);
    norm(p.attentionPostNorm, q.attentionPostNorm);
    norm(p.mlpNorm, q.mlpNorm);
    norm(p.mlpPostNorm, q.mlpPostNorm);
    norm(p.queryNorm, q.queryNorm);
    norm(p.keyNorm, q.keyNorm);
  }

  const Decoder &there, &here;
  const TensorSource &source;
  mutable Builder builder;
  std::string base, scopeHere, scopeThere;
  std::map<std::string, DictionaryAttr> entries;
};
} // namespace

DictionaryAttr mlir::ane::lm::huggingFaceForm(const Decoder &there, const Decoder &here, const TensorSource &source,
                                              const nlohmann::json *config, MLIRContext *context) {
  FormBuilder form(there, here, source, context);
  form.add();
  if (!config && !form.differs)
    return {};
  Builder builder(context);
  SmallVector<NamedAttribute> fields{builder.getNamedAttr("tensors", builder.getDictionaryAttr(form.tensors()))};
  auto text = [&](StringRef name, const std::string &value) {
    fields.push_back(builder.getNamedAttr(name, builder.getStringAttr(value)));
  };
  if (std::string refused = form.refusal(); !refused.empty())
    text("refused", refused);
  else if (config)
    text("config", form.configOf(*config).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return builder.getDictionaryAttr(fields);
}
