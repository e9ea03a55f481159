//===- read_vocabulary.cpp - vocab.txt; vocab.json and merges.txt ---------===//
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/families.h"
#include "runtime/text/tokenizer/json_fields.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/steps.h"
#include "runtime/text/tokenizer/text_map.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace ane::rt::text {
namespace {

/// tokenizer_config.json says much about Python; what matters here is little.
struct Config {
  std::string kind;
  bool addsPrefixSpace = false, lowers = true;
  std::optional<int64_t> maxLength;
  std::optional<std::string> unknown, bos, eos, pad;
  std::vector<AddedToken> added;
};

/// A token is a text, or an object with its content.
std::optional<std::string> readToken(Fields &fields, const char *key) {
  const Json *value = fields.find(key);
  if (!value)
    return std::nullopt;
  if (value->is_string())
    return value->get<std::string>();
  Fields token(*value, fields.file(), fields.place(key));
  token.ignoreOthers();
  return token.text("content");
}

absl::StatusOr<Config> readConfig(std::string_view text, const std::string &name) {
  Config config;
  if (text.empty())
    return config;
  absl::StatusOr<Json> json = parseJson(text, name);
  if (!json.ok())
    return json.status();
  JsonFile file{name, {}};
  {
    Fields fields(*json, file, "");
    fields.ignoreOthers();
    config.kind = fields.text("tokenizer_class", "");
    config.addsPrefixSpace = fields.flag("add_prefix_space", false);
    config.lowers = fields.flag("do_lower_case", true);
    if (const Json *length = fields.find("model_max_length"); length && length->is_number_integer())
      config.maxLength = fields.integer("model_max_length");
    config.unknown = readToken(fields, "unk_token");
    config.bos = readToken(fields, "bos_token");
    config.eos = readToken(fields, "eos_token");
    config.pad = readToken(fields, "pad_token");
    if (fields.find("added_tokens_decoder"))
      for (const auto &[id, value] : fields.object("added_tokens_decoder").items()) {
        Fields inner(value, file, absl::StrCat("added_tokens_decoder.", quote(id)));
        AddedToken token;
        token.text = inner.text("content");
        readFlags(inner, /*needsAll=*/false, token);
        if (!absl::SimpleAtoi(id, &token.id) || token.id < 0)
          file.fail("added_tokens_decoder", absl::StrCat(quote(id), " is no id"));
        config.added.push_back(token);
      }
  }
  if (!file.status.ok())
    return file.status;
  return config;
}

/// Tokens that the configuration names get their places.
absl::Status placeNamed(TokenizerModel &model, const Config &config, const std::string &name) {
  for (const AddedToken &token : config.added) {
    if (absl::Status s = placeToken(model, token.id, token.text, model.tokens.size()); !s.ok())
      return absl::InvalidArgumentError(absl::StrCat(name, ": added_tokens_decoder: ", s.message()));
    model.added.push_back(token);
  }
  MergeTable table(model);
  for (auto [text, id] : {std::pair(&config.unknown, &model.unknown), std::pair(&config.bos, &model.bos),
                          std::pair(&config.eos, &model.eos), std::pair(&config.pad, &model.pad)}) {
    int32_t found = *text ? table.find(**text) : -1;
    if (found < 0)
      continue;
    *id = found;
    bool isThere = false;
    for (const AddedToken &token : model.added)
      isThere |= token.id == found;
    AddedToken token{found, **text};
    token.isSpecial = true;
    if (!isThere)
      model.added.push_back(token);
  }
  return absl::OkStatus();
}

std::vector<absl::string_view> linesOf(std::string_view text) {
  std::vector<absl::string_view> lines = absl::StrSplit(view(text), '\n');
  for (absl::string_view &line : lines)
    absl::ConsumeSuffix(&line, "\r");
  if (!lines.empty() && lines.back().empty())
    lines.pop_back();
  return lines;
}

} // namespace

absl::StatusOr<TokenizerModel> readVocabTxt(std::string_view text, std::string_view config, const std::string &name) {
  absl::StatusOr<Config> read = readConfig(config, "tokenizer_config.json beside " + name);
  if (!read.ok())
    return read.status();
  TokenizerModel model;
  for (absl::string_view line : linesOf(text)) {
    if (model.tokens.size() == kMaxTokens)
      return absl::InvalidArgumentError(absl::StrCat(name, ": has more than ", kMaxTokens, " lines"));
    model.tokens.emplace_back(line);
  }
  int32_t cls = -1, sep = -1;
  {
    MergeTable table(model);
    cls = table.find("[CLS]");
    sep = table.find("[SEP]");
    for (auto [token, id] : {std::pair("[UNK]", &model.unknown), std::pair("[PAD]", &model.pad)})
      if (int32_t found = table.find(token); found >= 0)
        *id = found;
    for (const char *special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
      AddedToken token{table.find(special), special};
      token.isSpecial = true;
      if (token.id >= 0)
        model.added.push_back(token);
    }
  }
  if (cls < 0 || sep < 0 || !model.unknown)
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": is no vocabulary of BERT: it lacks [CLS], [SEP] or [UNK], each a line"));
  applyBert(model, read->lowers, cls, sep);
  model.maxLength = read->maxLength;
  return model;
}

absl::StatusOr<TokenizerModel> readVocabularyAndMerges(std::string_view vocabulary, std::string_view merges,
                                                       std::string_view config, const std::string &folder) {
  std::string configName = folder + "/tokenizer_config.json", vocabularyName = folder + "/vocab.json";
  absl::StatusOr<Config> read = readConfig(config, configName);
  if (!read.ok())
    return read.status();
  absl::StatusOr<Json> json = parseJson(vocabulary, vocabularyName);
  if (!json.ok())
    return json.status();
  if (!json->is_object())
    return absl::InvalidArgumentError(absl::StrCat(vocabularyName, ": is no object of tokens and ids"));
  TokenizerModel model;
  for (const auto &[token, id] : json->items()) {
    bool isId = id.is_number_unsigned() && id.get<uint64_t>() < kMaxTokens;
    absl::Status placed = placeToken(model, isId ? id.get<int64_t>() : -1, token, json->size());
    if (!placed.ok())
      return absl::InvalidArgumentError(absl::StrCat(vocabularyName, ": ", placed.message()));
  }
  absl::string_view kind = read->kind;
  absl::ConsumeSuffix(&kind, "Fast");
  bool isRoberta = kind == "RobertaTokenizer", isQwen = kind == "Qwen2Tokenizer";
  if (kind != "GPT2Tokenizer" && !isRoberta && !isQwen)
    return absl::InvalidArgumentError(absl::StrCat(
        configName, ": tokenizer_class is ", quote(read->kind),
        ", with vocab.json and merges.txt supported are GPT2Tokenizer, RobertaTokenizer and Qwen2Tokenizer"));
  {
    // The first line may tell the version.
    MergeTable table(model);
    size_t number = 0;
    for (absl::string_view line : linesOf(merges)) {
      if (number++ == 0 && absl::StartsWith(line, "#version"))
        continue;
      std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(' ', 1));
      std::string place = absl::StrCat(folder, "/merges.txt: line ", number);
      if (parts.first.empty() || parts.second.empty())
        return absl::InvalidArgumentError(absl::StrCat(place, ": ", quote(std::string(line)), " is no pair of tokens"));
      absl::Status added =
          table.add({parts.first.data(), parts.first.size()}, {parts.second.data(), parts.second.size()}, place);
      if (!added.ok())
        return added;
    }
  }
  if (absl::Status s = placeNamed(model, *read, configName); !s.ok())
    return s;
  if (isQwen)
    model.normalizers = {normalizer::Unicode{NormalForm::NFC}};
  applyFamily(isQwen ? "qwen2" : "gpt-2", model);
  std::get<pretokenizer::ByteLevel>(model.preTokenizers.back()).addsPrefixSpace = read->addsPrefixSpace;
  decodeByteLevel(model);
  if (isRoberta && model.bos && model.eos) {
    model.prefix = {*model.bos};
    model.suffix = {*model.eos};
  }
  model.maxLength = read->maxLength;
  return model;
}

} // namespace ane::rt::text
