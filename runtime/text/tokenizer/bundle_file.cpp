//===- bundle_file.cpp - The bundle's own file of a tokenizer -------------===//
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/steps.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ane::rt::text {
namespace {

const std::vector<std::string_view> kAlgorithms = {"bpe", "score_bpe", "unigram", "word_piece"};
constexpr const char *kFormat = "anemone-tokenizer";

/// Numbers of a list, each within [least, most].
template <typename Number>
void readNumbers(Fields &fields, const char *key, double least, double most, std::vector<Number> &numbers) {
  fields.list(key, [&](const Json &value, const std::string &place) {
    bool isFine = std::is_integral_v<Number> ? value.is_number_integer() : value.is_number();
    double number = isFine ? value.get<double>() : 0;
    if (!isFine || !(number >= least && number <= most))
      return fields.file().fail(place, absl::StrCat("is no number from ", least, " to ", most));
    numbers.push_back(static_cast<Number>(number));
  });
}

template <typename Step>
nlohmann::ordered_json stepsJson(const std::vector<Step> &steps) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Step &step : steps)
    list.push_back(nlohmann::ordered_json(toJson(step)));
  return list;
}

std::optional<int32_t> readId(Fields &fields, const char *key) {
  int64_t id = fields.integer(key, -1);
  if (!fields.find(key))
    return std::nullopt;
  if (id < 0 || id >= static_cast<int64_t>(kMaxTokens))
    fields.fail(key, absl::StrCat("is ", id, ", expected are 0 to ", kMaxTokens - 1));
  return static_cast<int32_t>(id);
}

AddedToken readAdded(Fields &fields) {
  AddedToken token;
  token.id = readId(fields, "id").value_or(-1);
  token.text = fields.text("content");
  readFlags(fields, /*needsAll=*/false, token);
  return token;
}

nlohmann::ordered_json addedJson(const AddedToken &token) {
  nlohmann::ordered_json json = {{"id", token.id}, {"content", token.text}};
  for (auto [key, value] :
       {std::pair("special", token.isSpecial), std::pair("lstrip", token.lstrip), std::pair("rstrip", token.rstrip),
        std::pair("single_word", token.singleWord), std::pair("normalized", token.normalized)})
    if (value)
      json[key] = true;
  return json;
}

} // namespace

std::string saveModel(const TokenizerModel &model) {
  // Ordered: a reader sees by the first bytes what the file is.
  nlohmann::ordered_json json = {{"format", kFormat},
                                 {"version", kModelVersion},
                                 {"algorithm", std::string(kAlgorithms[static_cast<size_t>(model.algorithm)])},
                                 {"tokens", model.tokens},
                                 {"fuses_unknown", model.fusesUnknown},
                                 {"falls_back_to_bytes", model.fallsBackToBytes},
                                 {"ignores_merges", model.ignoresMerges},
                                 {"adds_in_float", model.addsInFloat},
                                 {"continuing_prefix", model.continuingPrefix},
                                 {"end_of_word_suffix", model.endOfWordSuffix},
                                 {"max_word_characters", model.maxWordCharacters},
                                 {"prefix", model.prefix},
                                 {"suffix", model.suffix},
                                 {"normalizers", stepsJson(model.normalizers)},
                                 {"pre_tokenizers", stepsJson(model.preTokenizers)},
                                 {"decoders", stepsJson(model.decoders)}};
  if (!model.scores.empty())
    json["scores"] = model.scores;
  if (!model.logs.empty())
    json["logs"] = model.logs;
  for (Role role : model.roles)
    json["roles"].push_back(static_cast<int>(role));
  for (const Merge &merge : model.merges)
    for (int32_t id : {merge.left, merge.right, merge.result})
      json["merges"].push_back(id);
  for (const AddedToken &token : model.added)
    json["added"].push_back(addedJson(token));
  for (auto [key, id] : {std::pair("unknown", model.unknown), std::pair("bos", model.bos), std::pair("eos", model.eos),
                         std::pair("pad", model.pad)})
    if (id)
      json[key] = *id;
  if (model.maxLength)
    json["max_length"] = *model.maxLength;
  return json.dump();
}

absl::StatusOr<TokenizerModel> loadModel(std::string_view text, const std::string &name) {
  absl::StatusOr<Json> json = parseJson(text, name);
  if (!json.ok())
    return json.status();
  JsonFile file{name, {}};
  TokenizerModel model;
  {
    Fields fields(*json, file, "");
    if (std::string format = fields.text("format"); file.status.ok() && format != kFormat)
      fields.fail("format", absl::StrCat("is ", quote(format), ", expected ", quote(kFormat)));
    if (int64_t version = fields.integer("version"); file.status.ok() && version != kModelVersion)
      fields.fail("version", absl::StrCat("is ", version, ", known is ", kModelVersion));
    model.algorithm = static_cast<Algorithm>(fields.choice("algorithm", kAlgorithms));
    fields.list("tokens", [&](const Json &token, const std::string &place) {
      if (!token.is_string())
        return file.fail(place, "is no string");
      model.tokens.push_back(token.get<std::string>());
    });
    readNumbers(fields, "scores", -3e38, 3e38, model.scores);
    readNumbers(fields, "logs", -1e300, 1e300, model.logs);
    std::vector<int> roles;
    readNumbers(fields, "roles", 0, static_cast<int>(Role::Byte), roles);
    for (int role : roles)
      model.roles.push_back(static_cast<Role>(role));
    std::vector<int32_t> merges;
    double most = static_cast<double>(kMaxTokens - 1);
    readNumbers(fields, "merges", 0, most, merges);
    if (merges.size() % 3 != 0)
      fields.fail("merges", absl::StrCat("has ", merges.size(), " numbers, expected a multiple of 3"));
    for (size_t i = 0; i + 2 < merges.size(); i += 3)
      model.merges.push_back({merges[i], merges[i + 1], merges[i + 2]});
    fields.list("added", [&](const Json &value, const std::string &place) {
      Fields token(value, file, place);
      model.added.push_back(readAdded(token));
    });
    model.unknown = readId(fields, "unknown");
    model.bos = readId(fields, "bos");
    model.eos = readId(fields, "eos");
    model.pad = readId(fields, "pad");
    model.fusesUnknown = fields.flag("fuses_unknown", false);
    model.fallsBackToBytes = fields.flag("falls_back_to_bytes", false);
    model.ignoresMerges = fields.flag("ignores_merges", false);
    model.addsInFloat = fields.flag("adds_in_float", false);
    model.continuingPrefix = fields.text("continuing_prefix", "");
    model.endOfWordSuffix = fields.text("end_of_word_suffix", "");
    model.maxWordCharacters = fields.integer("max_word_characters", model.maxWordCharacters);
    readNumbers(fields, "prefix", 0, most, model.prefix);
    readNumbers(fields, "suffix", 0, most, model.suffix);
    if (fields.find("max_length"))
      model.maxLength = fields.integer("max_length");
    auto steps = [&](const char *key, auto read, auto &list) {
      fields.list(key, [&](const Json &step, const std::string &place) { read(step, file, place, list); });
    };
    steps("normalizers", readNormalizer, model.normalizers);
    steps("pre_tokenizers", readPreTokenizer, model.preTokenizers);
    steps("decoders", readDecoder, model.decoders);
  }
  if (!file.status.ok())
    return file.status;
  return model;
}

} // namespace ane::rt::text
