//===- read_gguf.cpp - Tokenizers in the metadata of GGUF -----------------===//
//
// Keys and their defaults: docs/gguf.md of ggml, and what llama.cpp does where
// that is silent.
//
//===----------------------------------------------------------------------===//
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/families.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/text_map.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>

namespace ane::rt::text {
namespace {

class GgufReader {
public:
  GgufReader(const gguf::File &file, const std::string &name) : file(file), name(name) {}

  absl::StatusOr<TokenizerModel> run() {
    if (!file.value("tokenizer.ggml.model"))
      return absl::NotFoundError(absl::StrCat(name, ": has no tokenizer: no metadata \"tokenizer.ggml.model\""));
    std::string_view kind = text("model");
    readTokens();
    if (!status.ok())
      return status; // what follows takes types for roles
    if (kind == "gpt2")
      readGpt2();
    else if (kind == "llama")
      readLlama();
    else if (kind == "bert")
      readBert();
    else if (kind == "t5")
      readT5();
    else if (kind == "gemma4")
      readGemma4();
    else
      fail("model", absl::StrCat("is ", quote(kind), ", supported are gpt2, llama, bert, t5 and gemma4"));
    if (!status.ok())
      return status;
    return std::move(model);
  }

private:
  const gguf::File &file;
  const std::string &name;
  absl::Status status;
  TokenizerModel model;
  std::vector<int64_t> types; ///< 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte

  void fail(std::string_view key, std::string_view what) {
    if (status.ok())
      status =
          absl::InvalidArgumentError(absl::StrCat(name, ": metadata \"tokenizer.ggml.", view(key), "\": ", view(what)));
  }
  template <typename T>
  const T *find(std::string_view key, std::string_view kind, bool isNeeded) {
    const gguf::Value *value = file.value(absl::StrCat("tokenizer.ggml.", view(key)));
    const T *held = value ? value->as<T>() : nullptr;
    if (!held && (value || isNeeded))
      fail(key, absl::StrCat("is ", value ? absl::string_view(value->kind().data(), value->kind().size()) : "missing",
                             ", expected ", view(kind)));
    return held;
  }
  std::string_view text(std::string_view key, std::string_view otherwise = {}) {
    const auto *held = find<std::string_view>(key, "a string", otherwise.empty());
    return held ? *held : otherwise;
  }
  bool flag(std::string_view key, bool otherwise) {
    const bool *held = find<bool>(key, "a bool", false);
    return held ? *held : otherwise;
  }
  std::optional<int32_t> id(std::string_view key, std::optional<int32_t> otherwise = std::nullopt) {
    const int64_t *held = find<int64_t>(key, "an integer", false);
    if (!held)
      return otherwise && static_cast<size_t>(*otherwise) < model.tokens.size() ? otherwise : std::nullopt;
    // Files say 2^32 - 1 for none.
    if (*held == UINT32_MAX)
      return std::nullopt;
    if (*held < 0 || *held >= static_cast<int64_t>(model.tokens.size())) {
      fail(key, absl::StrCat("is ", *held, ", the vocabulary has ", model.tokens.size(), " tokens"));
      return std::nullopt;
    }
    return static_cast<int32_t>(*held);
  }

  void readTokens() {
    const auto *tokens = find<gguf::Value::Texts>("tokens", "a list of strings", true);
    if (!tokens || !status.ok())
      return;
    if (tokens->size() > kMaxTokens)
      return fail("tokens", absl::StrCat("has ", tokens->size(), " tokens, limit ", kMaxTokens));
    model.tokens.assign(tokens->begin(), tokens->end());
    if (const auto *held = find<gguf::Value::Integers>("token_type", "a list of integers", false))
      types = *held;
    types.resize(types.empty() ? model.tokens.size() : types.size(), 1);
    if (types.size() != model.tokens.size())
      return fail("token_type", absl::StrCat("has ", types.size(), " entries for ", model.tokens.size(), " tokens"));
    model.unknown = id("unknown_token_id");
    model.bos = id("bos_token_id");
    model.eos = id("eos_token_id");
    model.pad = id("padding_token_id");
    for (size_t i = 0; i < types.size(); ++i) {
      if (types[i] < 0 || types[i] > 6)
        return fail("token_type", absl::StrCat("of token ", i, " is ", types[i], ", known are 0 to 6"));
      AddedToken token{static_cast<int32_t>(i), model.tokens[i]};
      token.isSpecial = types[i] == 2 || types[i] == 3;
      if ((token.isSpecial || types[i] == 4) && !token.text.empty())
        model.added.push_back(token);
    }
  }

  /// `size` numbers; nothing if there are none.
  std::vector<double> scores() {
    const auto *held = find<gguf::Value::Numbers>("scores", "a list of numbers", true);
    if (held && held->size() != model.tokens.size())
      fail("scores", absl::StrCat("has ", held->size(), " entries for ", model.tokens.size(), " tokens"));
    return held && status.ok() ? *held : std::vector<double>(model.tokens.size());
  }
  void readRoles() {
    constexpr Role roles[] = {Role::Normal,      Role::Normal, Role::Unknown, Role::Control,
                              Role::UserDefined, Role::Unused, Role::Byte};
    for (int64_t type : types)
      model.roles.push_back(roles[type]);
  }
  void addEnds(bool addsBos, bool addsEos) {
    if (flag("add_bos_token", addsBos) && model.bos)
      model.prefix = {*model.bos};
    else
      model.prefix.clear();
    if (flag("add_eos_token", addsEos) && model.eos)
      model.suffix = {*model.eos};
  }

  void readGpt2() {
    std::string_view family = text("pre", "default");
    if (status.ok() && !applyFamily(family, model))
      return fail("pre", absl::StrCat("is ", quote(family), ", supported are ", familyNames()));
    decodeByteLevel(model);
    addEnds(!model.prefix.empty(), false);
    model.unknown.reset(); // bytes are all there is
    readMerges();
  }
  /// A token that never comes from text takes part in no merge either.
  void readMerges() {
    const auto *merges = find<gguf::Value::Texts>("merges", "a list of strings", true);
    MergeTable table(model);
    for (size_t i = 0; merges && i < merges->size() && status.ok(); ++i) {
      std::string_view merge = (*merges)[i];
      size_t space = merge.find(' ', 1);
      if (space == std::string_view::npos || space + 1 == merge.size())
        return fail("merges", absl::StrCat("entry ", i, ", ", quote(merge), ", is no pair of tokens"));
      if (absl::Status s = table.add(merge.substr(0, space), merge.substr(space + 1), absl::StrCat("entry ", i));
          !s.ok())
        return fail("merges", std::string(s.message()));
    }
  }
  /// Characters, and spaces as U+2581, merge by rank in each run of line ends and of anything else.
  void readGemma4() {
    model.fallsBackToBytes = model.fusesUnknown = true;
    std::string space(kSpaceSign);
    model.normalizers = {normalizer::Replace{{" ", /*isRegex=*/false}, space}};
    model.preTokenizers = {pretokenizer::Split{{"[^\\n]+|\\n+", /*isRegex=*/true}, Behavior::Isolated, false}};
    model.decoders = {decoder::Replace{{space, /*isRegex=*/false}, " "}, decoder::ByteFallback{false}, decoder::Fuse{}};
    addEnds(true, false);
    readMerges();
  }
  void readLlama() {
    model.algorithm = Algorithm::ScoreBpe;
    std::vector<double> values = scores();
    model.scores.assign(values.begin(), values.end());
    readRoles();
    model.unknown = id("unknown_token_id", 0);
    model.bos = id("bos_token_id", 1);
    model.eos = id("eos_token_id", 2);
    model.fallsBackToBytes = true;
    bool addsPrefix = flag("add_space_prefix", true);
    model.normalizers = {normalizer::SentencePiece{"", addsPrefix, false}};
    decodeSentencePiece(model, addsPrefix, false);
    addEnds(true, false);
    if (absl::StrContains(absl::AsciiStrToLower(modelName()), "phi-3"))
      stripBehindSpecial();
  }
  std::string modelName() {
    const gguf::Value *value = file.value("general.name");
    const auto *held = value ? value->as<std::string_view>() : nullptr;
    return held ? std::string(*held) : "";
  }
  /// Phi-3's tokenizer.json has rstrip for these, which GGUF can't say.
  void stripBehindSpecial() {
    for (AddedToken &token : model.added)
      token.rstrip = token.text != "<unk>" && token.text != "<s>" && token.text != "<|endoftext|>";
  }
  void readT5() {
    model.algorithm = Algorithm::Unigram;
    model.logs = scores();
    readRoles();
    model.fallsBackToBytes = std::count(types.begin(), types.end(), 6) > 0;
    std::string charsmap;
    if (const auto *held = find<gguf::Value::Integers>("precompiled_charsmap", "a list of integers", false))
      charsmap.assign(held->begin(), held->end());
    bool addsPrefix = flag("add_space_prefix", true), removes = flag("remove_extra_whitespaces", true);
    model.normalizers = {normalizer::SentencePiece{charsmap, addsPrefix, removes}};
    decodeSentencePiece(model, addsPrefix, removes);
    addEnds(false, true);
  }
  /// Tokens of BERT that begin a word have U+2581 before them here, the others
  /// have lost their "##".
  void readBert() {
    std::optional<int32_t> cls = id("cls_token_id", 101), sep = id("seperator_token_id", 102);
    sep = id("separator_token_id", sep);
    model.unknown = id("unknown_token_id", 100);
    model.pad = id("padding_token_id", 0);
    if (status.ok() && (!cls || !sep || !model.unknown))
      return fail("cls_token_id", "or that of the separator or of the unknown token is missing");
    for (size_t i = 0; i < model.tokens.size(); ++i) {
      std::string &token = model.tokens[i];
      if (types[i] != 1 || token.empty())
        continue;
      bool isStart = token.compare(0, kSpaceSign.size(), kSpaceSign) == 0;
      token = isStart ? token.substr(kSpaceSign.size()) : "##" + token;
    }
    if (status.ok())
      applyBert(model, /*lowers=*/true, *cls, *sep);
  }
};

} // namespace

absl::StatusOr<TokenizerModel> readGguf(const gguf::File &file, const std::string &name) {
  return GgufReader(file, name).run();
}

} // namespace ane::rt::text
