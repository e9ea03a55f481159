//===- read_huggingface.cpp - tokenizer.json ------------------------------===//
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/families.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/steps.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ane::rt::text {
namespace {

class TokenizerJsonReader {
public:
  explicit TokenizerJsonReader(JsonFile &file) : file(file) {}

  TokenizerModel run(const Json &json) {
    Fields fields(json, file, "");
    if (std::string version = fields.text("version"); file.status.ok() && version != "1.0")
      fields.fail("version", absl::StrCat("is ", quote(version), ", supported is \"1.0\""));
    if (const Json *truncation = fields.find("truncation")) {
      Fields inner(*truncation, file, "truncation");
      model.maxLength = inner.integer("max_length");
      inner.ignore({"direction", "strategy", "stride"}); // this truncates nothing
    }
    fields.ignore({"padding"}); // nor does it pad
    readModel(fields.object("model"));
    if (file.status.ok())
      fields.list("added_tokens", [&](const Json &value, const std::string &place) { readAdded(value, place); });
    auto step = [&](const char *key) -> const Json & {
      const Json *found = fields.find(key);
      static const Json none;
      return found ? *found : none;
    };
    readNormalizer(step("normalizer"), file, "normalizer", model.normalizers);
    readPreTokenizer(step("pre_tokenizer"), file, "pre_tokenizer", model.preTokenizers);
    readPostProcessor(step("post_processor"), "post_processor", 0);
    readDecoder(step("decoder"), file, "decoder", model.decoders);
    return std::move(model);
  }

private:
  JsonFile &file;
  TokenizerModel model;

  void readModel(const Json &json) {
    Fields fields(json, file, "model");
    // Files of the first versions leave the type out.
    const char *guess = json.contains("merges") ? "BPE" : "WordPiece";
    std::string type = fields.text("type", guess);
    if (!file.status.ok())
      return;
    if (type == "BPE")
      readBpe(fields);
    else if (type == "WordPiece")
      readWordPiece(fields);
    else if (type == "Unigram")
      readUnigram(fields);
    else {
      fields.ignoreOthers();
      fields.fail("type", absl::StrCat("is ", quote(type), ", supported are BPE, WordPiece and Unigram"));
    }
  }

  void readVocabulary(Fields &fields) {
    const Json &vocabulary = fields.object("vocab");
    for (const auto &[token, id] : vocabulary.items()) {
      int64_t value = id.is_number_unsigned() ? static_cast<int64_t>(id.get<uint64_t>() & INT64_MAX) : -1;
      if (absl::Status s = placeToken(model, value, token, vocabulary.size()); !s.ok())
        return fields.fail("vocab", std::string(s.message()));
    }
  }
  void readUnknown(Fields &fields, const char *key) {
    std::string text = fields.text(key, "");
    if (text.empty() || !file.status.ok())
      return;
    for (size_t id = 0; id < model.tokens.size(); ++id)
      if (model.tokens[id] == text)
        model.unknown = static_cast<int32_t>(id);
    if (!model.unknown)
      fields.fail(key, absl::StrCat("is ", quote(text), ", which is not in the vocabulary"));
  }

  void readBpe(Fields &fields) {
    if (const Json *dropout = fields.find("dropout"); dropout && !(dropout->is_number() && *dropout == 0))
      fields.fail("dropout", "is not supported: it is for training");
    readVocabulary(fields);
    readUnknown(fields, "unk_token");
    model.continuingPrefix = fields.text("continuing_subword_prefix", "");
    model.endOfWordSuffix = fields.text("end_of_word_suffix", "");
    model.fusesUnknown = fields.flag("fuse_unk", false);
    model.fallsBackToBytes = fields.flag("byte_fallback", false);
    model.ignoresMerges = fields.flag("ignore_merges", false);
    MergeTable table(model);
    fields.list("merges", [&](const Json &merge, const std::string &place) {
      std::string left, right;
      if (merge.is_string()) {
        const auto &text = merge.get_ref<const std::string &>();
        size_t space = text.find(' ');
        left = text.substr(0, space);
        right = space == std::string::npos ? "" : text.substr(space + 1);
      } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        left = merge[0].get<std::string>();
        right = merge[1].get<std::string>();
      }
      if (left.empty() || right.empty())
        return file.fail(place, "is no pair of tokens");
      if (absl::Status s = table.add(left, right, ""); !s.ok())
        file.fail(place, std::string(s.message().substr(2)));
    });
  }
  void readWordPiece(Fields &fields) {
    model.algorithm = Algorithm::WordPiece;
    readVocabulary(fields);
    readUnknown(fields, "unk_token");
    model.continuingPrefix = fields.text("continuing_subword_prefix", "##");
    model.maxWordCharacters = fields.integer("max_input_chars_per_word", 100);
  }
  void readUnigram(Fields &fields) {
    model.algorithm = Algorithm::Unigram;
    model.fusesUnknown = true;
    model.fallsBackToBytes = fields.flag("byte_fallback", false);
    fields.list("vocab", [&](const Json &entry, const std::string &place) {
      if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
        return file.fail(place, "is no pair of a token and a score");
      if (model.tokens.size() == kMaxTokens)
        return file.fail(place, absl::StrCat("is token ", kMaxTokens, ", which is beyond the limit"));
      model.tokens.push_back(entry[0].get<std::string>());
      model.logs.push_back(entry[1].get<double>());
    });
    if (fields.find("unk_id")) {
      int64_t id = fields.integer("unk_id");
      if (id < 0 || id >= static_cast<int64_t>(model.tokens.size()))
        return fields.fail("unk_id", absl::StrCat("is ", id, ", the vocabulary has ", model.tokens.size(), " tokens"));
      model.unknown = static_cast<int32_t>(id);
    }
  }

  void readAdded(const Json &value, const std::string &place) {
    Fields fields(value, file, place);
    AddedToken token;
    int64_t id = fields.integer("id");
    token.text = fields.text("content");
    readFlags(fields, /*needsAll=*/true, token);
    if (absl::Status s = placeToken(model, id, token.text, model.tokens.size()); !s.ok())
      return file.fail(place, std::string(s.message()));
    if (model.algorithm == Algorithm::Unigram)
      model.logs.resize(model.tokens.size());
    token.id = static_cast<int32_t>(id);
    model.added.push_back(token);
  }

  void readPostProcessor(const Json &json, const std::string &place, int depth) {
    if (json.is_null())
      return;
    Fields fields(json, file, place);
    std::string type = fields.text("type");
    if (!file.status.ok())
      return;
    if (type == "Sequence" && depth < 4) {
      fields.list("processors",
                  [&](const Json &step, const std::string &at) { readPostProcessor(step, at, depth + 1); });
    } else if (type == "ByteLevel") {
      fields.ignore({"add_prefix_space", "trim_offsets", "use_regex"}); // changes places in the text, not ids
    } else if (type == "BertProcessing" || type == "RobertaProcessing") {
      fields.ignore({"add_prefix_space", "trim_offsets"});
      model.suffix.push_back(pairId(fields, "sep"));
      model.prefix.insert(model.prefix.begin(), pairId(fields, "cls"));
    } else if (type == "TemplateProcessing") {
      readTemplate(fields);
    } else {
      fields.ignoreOthers();
      fields.fail("type", absl::StrCat("is ", quote(type), ", which is not supported"));
    }
  }
  /// ["[SEP]", 102].
  int32_t pairId(Fields &fields, const char *key) {
    const Json *pair = fields.find(key);
    if (pair && pair->is_array() && pair->size() == 2 && (*pair)[1].is_number_unsigned() &&
        (*pair)[1].get<uint64_t>() < model.tokens.size())
      return (*pair)[1].get<int32_t>();
    fields.fail(key, "is no pair of a token and its id");
    return 0;
  }
  /// Of the templates, the one for a single text; pairs are not encoded here.
  void readTemplate(Fields &fields) {
    fields.ignore({"pair"});
    std::map<std::string, std::vector<int32_t>> special;
    for (const auto &[name, value] : fields.object("special_tokens").items()) {
      Fields token(value, file, absl::StrCat(fields.place("special_tokens"), ".", quote(name)));
      token.ignore({"tokens"});
      token.text("id");
      token.list("ids", [&, key = name](const Json &id, const std::string &at) {
        if (!id.is_number_unsigned() || id.get<uint64_t>() >= model.tokens.size())
          return file.fail(at, absl::StrCat("is no id of the vocabulary, which has ", model.tokens.size(), " tokens"));
        special[key].push_back(id.get<int32_t>());
      });
    }
    std::vector<int32_t> before, after;
    int texts = 0;
    fields.list("single", [&](const Json &part, const std::string &at) {
      Fields entry(part, file, at);
      bool isText = entry.find("Sequence") != nullptr;
      const char *key = isText ? "Sequence" : "SpecialToken";
      Fields inner(entry.object(key), file, entry.place(key));
      std::string id = inner.text("id");
      inner.integer("type_id");
      if (isText) {
        texts += 1;
        return;
      }
      auto found = special.find(id);
      if (found == special.end())
        return inner.fail("id", absl::StrCat("is ", quote(id), ", which special_tokens lacks"));
      auto &ids = texts > 0 ? after : before;
      ids.insert(ids.end(), found->second.begin(), found->second.end());
    });
    if (file.status.ok() && texts != 1)
      return fields.fail("single", absl::StrCat("has ", texts, " places for the text, expected 1"));
    model.prefix.insert(model.prefix.begin(), before.begin(), before.end());
    model.suffix.insert(model.suffix.end(), after.begin(), after.end());
  }
};

} // namespace

absl::StatusOr<TokenizerModel> readTokenizerJson(std::string_view text, const std::string &name) {
  absl::StatusOr<Json> json = parseJson(text, name);
  if (!json.ok())
    return json.status();
  JsonFile file{name, {}};
  TokenizerModel model = TokenizerJsonReader(file).run(*json);
  if (!file.status.ok())
    return file.status;
  return model;
}

} // namespace ane::rt::text
