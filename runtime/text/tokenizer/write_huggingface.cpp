//===- write_huggingface.cpp - tokenizer.json of a tokenizer --------------===//
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/steps.h"
#include "runtime/text/tokenizer/text_map.h"
#include "runtime/text/tokenizer/tokenizer.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ane::rt::text {
namespace {

using Ordered = nlohmann::ordered_json;

/// What steps have there beside what changes ids or text here.
void complete(Ordered &step) {
  if (step["type"] == "ByteLevel") {
    step.emplace("add_prefix_space", false);
    step.emplace("trim_offsets", true);
    step.emplace("use_regex", true);
  }
  if (step["type"] == "Metaspace")
    step.emplace("split", true);
  step.erase("by_character");
}

/// One step, none, or a sequence.
template <typename Step>
Ordered sequence(const std::vector<Step> &steps, const char *key) {
  Ordered list = Ordered::array();
  for (const Step &step : steps) {
    list.push_back(Ordered(toJson(step)));
    complete(list.back());
  }
  return list.empty() ? Ordered() : list.size() == 1 ? list[0] : Ordered{{"type", "Sequence"}, {key, list}};
}

template <typename Kind, typename Step>
bool has(const std::vector<Step> &steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step &step) { return std::holds_alternative<Kind>(step); });
}

/// What stands around each text.
Ordered templateOf(const TokenizerModel &model) {
  if (model.prefix.empty() && model.suffix.empty())
    return nullptr;
  Ordered single = Ordered::array(), special = Ordered::object();
  auto add = [&](const std::vector<int32_t> &ids) {
    for (int32_t id : ids) {
      const std::string &token = model.tokens[static_cast<size_t>(id)];
      single.push_back({{"SpecialToken", {{"id", token}, {"type_id", 0}}}});
      special[token] = {{"id", token}, {"ids", {id}}, {"tokens", {token}}};
    }
  };
  add(model.prefix);
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  Ordered pair = {{{"Sequence", {{"id", "A"}, {"type_id", 0}}}}, {{"Sequence", {{"id", "B"}, {"type_id", 1}}}}};
  add(model.suffix);
  return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", special}};
}

/// Tokens by their texts, of which the file has each once.
absl::StatusOr<Ordered> vocabularyOf(const TokenizerModel &model) {
  // Not by an ordered object's own ways in, which look each key up in a list.
  Ordered::object_t vocabulary;
  ViewMap<size_t> ids;
  for (size_t id = 0; id < model.tokens.size(); ++id) {
    const std::string &token = model.tokens[id];
    if (token.empty())
      continue;
    if (auto [other, isNew] = ids.emplace(token, id); !isNew)
      return absl::UnimplementedError(absl::StrCat("tokens ", other->second, " and ", id, " are both ", quote(token),
                                                   ", and tokenizer.json has one token of a text"));
    vocabulary.emplace_back(token, id);
  }
  return Ordered(std::move(vocabulary));
}

Ordered modelOf(const TokenizerModel &model, Ordered vocabulary) {
  Ordered json = {{"type", "BPE"},
                  {"dropout", nullptr},
                  {"unk_token", nullptr},
                  {"continuing_subword_prefix", nullptr},
                  {"end_of_word_suffix", nullptr},
                  {"fuse_unk", model.fusesUnknown},
                  {"byte_fallback", model.fallsBackToBytes},
                  {"ignore_merges", model.ignoresMerges}};
  if (model.unknown)
    json["unk_token"] = model.tokens[static_cast<size_t>(*model.unknown)];
  if (!model.continuingPrefix.empty())
    json["continuing_subword_prefix"] = model.continuingPrefix;
  if (!model.endOfWordSuffix.empty())
    json["end_of_word_suffix"] = model.endOfWordSuffix;
  Ordered merges = Ordered::array();
  for (const Merge &merge : model.merges)
    merges.push_back({model.tokens[static_cast<size_t>(merge.left)], model.tokens[static_cast<size_t>(merge.right)]});
  json["vocab"] = std::move(vocabulary);
  json["merges"] = std::move(merges);
  return json;
}

} // namespace

absl::StatusOr<std::string> writeTokenizerJson(const Tokenizer &tokenizer) {
  const TokenizerModel &model = tokenizer.model();
  if (model.algorithm != Algorithm::Bpe || has<normalizer::SentencePiece>(model.normalizers) ||
      has<decoder::SentencePiece>(model.decoders))
    return absl::UnimplementedError("only tokenizers of byte pairs with ranked merges are written as tokenizer.json");
  absl::StatusOr<Ordered> vocabulary = vocabularyOf(model);
  if (!vocabulary.ok())
    return vocabulary.status();
  Ordered added = Ordered::array();
  for (const AddedToken &token : model.added)
    added.push_back({{"id", token.id},
                     {"content", token.text},
                     {"single_word", token.singleWord},
                     {"lstrip", token.lstrip},
                     {"rstrip", token.rstrip},
                     {"normalized", token.normalized},
                     {"special", token.isSpecial}});
  Ordered json = {{"version", "1.0"},
                  {"truncation", nullptr},
                  {"padding", nullptr},
                  {"added_tokens", std::move(added)},
                  {"normalizer", sequence(model.normalizers, "normalizers")},
                  {"pre_tokenizer", sequence(model.preTokenizers, "pretokenizers")},
                  {"post_processor", templateOf(model)},
                  {"decoder", sequence(model.decoders, "decoders")},
                  {"model", modelOf(model, *std::move(vocabulary))}};
  try {
    return json.dump(1) + "\n";
  } catch (const Ordered::type_error &problem) {
    return absl::UnimplementedError(absl::StrCat("tokenizer.json has UTF-8 only: ", quote(problem.what())));
  }
}

} // namespace ane::rt::text
