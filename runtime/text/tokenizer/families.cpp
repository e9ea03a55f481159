//===- families.cpp - What families of models do alike --------------------===//
#include "runtime/text/tokenizer/families.h"
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/text_map.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ane::rt::text {
namespace {

#define CONTRACTIONS R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
#define SPACES R"(\s*[\r\n]+|\s+(?!\S)|\s+)"

/// The patterns of the families' own tokenizer.json files.
constexpr const char *kLlama3 =
    CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" SPACES;
constexpr const char *kQwen2 = CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" SPACES;
constexpr const char *kQwen35 =
    CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" SPACES;
constexpr const char *kCased =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)" CONTRACTIONS
    R"(?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)" CONTRACTIONS
    R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" SPACES;
constexpr const char *kTekken = R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
                                R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}|)"
                                R"( ?[^\s\p{L}\p{N}]+[\r\n/]*|)" SPACES;

#undef CONTRACTIONS
#undef SPACES

struct Family {
  std::string_view name;
  const char *pattern; ///< null: GPT-2's
  bool splitsDigits;   ///< each digit is a word, before anything else
  bool ignoresMerges, addsBos;
};
constexpr Family kFamilies[] = {
    {"gpt-2", nullptr, false, false, false},
    {"phi-2", nullptr, false, false, false},
    {"mpt", nullptr, false, false, false},
    {"olmo", nullptr, false, false, false},
    {"roberta-bpe", nullptr, false, false, false},
    {"starcoder", nullptr, true, false, false},
    {"refact", nullptr, true, false, false},
    {"command-r", nullptr, true, false, false},
    {"smollm", nullptr, true, false, false},
    {"codeshell", nullptr, true, false, false},
    {"llama-bpe", kLlama3, false, true, true},
    {"llama3", kLlama3, false, true, true},
    {"llama-v3", kLlama3, false, true, true},
    {"dbrx", kLlama3, false, false, false},
    {"smaug-bpe", kLlama3, false, false, false},
    {"qwen2", kQwen2, false, false, false},
    {"deepseek-r1-qwen", kQwen2, false, false, false},
    {"stablelm2", kQwen2, false, false, false},
    {"qwen35", kQwen35, false, false, false},
    {"gpt-4o", kCased, false, false, false},
    {"llama4", kCased, false, false, false},
    {"tekken", kTekken, false, true, true},
};

} // namespace

bool applyFamily(std::string_view name, TokenizerModel &model) {
  for (const Family &family : kFamilies) {
    if (family.name != name)
      continue;
    if (family.splitsDigits)
      model.preTokenizers.push_back(pretokenizer::Digits{/*individual=*/true});
    if (family.pattern)
      model.preTokenizers.push_back(
          pretokenizer::Split{{family.pattern, /*isRegex=*/true}, Behavior::Isolated, /*isInverted=*/false});
    model.preTokenizers.push_back(pretokenizer::ByteLevel{/*addsPrefixSpace=*/false, /*usesRegex=*/!family.pattern});
    model.ignoresMerges = family.ignoresMerges;
    if (family.addsBos && model.bos)
      model.prefix = {*model.bos};
    return true;
  }
  return false;
}

std::string familyNames() {
  return absl::StrJoin(kFamilies, ", ", [](std::string *out, const Family &family) {
    absl::StrAppend(out, absl::string_view(family.name.data(), family.name.size()));
  });
}

void decodeByteLevel(TokenizerModel &model) { model.decoders = {decoder::ByteLevel{}}; }

void decodeSentencePiece(TokenizerModel &model, bool dropsPrefix, bool dropsAllSpaces, const std::string &unknownText) {
  std::string unknown = model.unknown ? model.tokens[static_cast<size_t>(*model.unknown)] : "";
  model.decoders = {decoder::SentencePiece{unknown, unknownText, dropsPrefix, dropsAllSpaces},
                    decoder::ByteFallback{/*byCharacter=*/true}};
}

void applyBert(TokenizerModel &model, bool lowers, int32_t cls, int32_t sep) {
  model.algorithm = Algorithm::WordPiece;
  model.continuingPrefix = "##";
  model.normalizers = {normalizer::Bert{true, true, lowers, lowers}};
  model.preTokenizers = {pretokenizer::Bert{}};
  model.decoders = {decoder::WordPiece{"##", true}};
  model.prefix = {cls};
  model.suffix = {sep};
}

struct MergeTable::Ids {
  ViewMap<int32_t> table;
};

MergeTable::MergeTable(TokenizerModel &model) : model(model), ids(new Ids) {
  for (size_t id = 0; id < model.tokens.size(); ++id)
    if (!model.tokens[id].empty())
      ids->table.emplace(model.tokens[id], static_cast<int32_t>(id));
}
MergeTable::~MergeTable() = default;

int32_t MergeTable::find(std::string_view token) const {
  auto found = ids->table.find(token);
  return found == ids->table.end() ? -1 : found->second;
}

absl::Status MergeTable::add(std::string_view left, std::string_view right, const std::string &what) {
  std::string_view tail = right;
  if (!model.continuingPrefix.empty() && tail.size() > model.continuingPrefix.size())
    tail.remove_prefix(model.continuingPrefix.size());
  std::string joined = std::string(left).append(tail);
  Merge merge{find(left), find(right), find(joined)};
  std::string_view missing = merge.left < 0 ? left : merge.right < 0 ? right : std::string_view(joined);
  if (merge.left < 0 || merge.right < 0 || merge.result < 0)
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": ", quote(missing), " is not in the vocabulary of ", ids->table.size(), " tokens"));
  if (model.merges.size() == 4 * kMaxTokens)
    return absl::InvalidArgumentError(absl::StrCat(what, ": more than ", 4 * kMaxTokens, " merges"));
  model.merges.push_back(merge);
  return absl::OkStatus();
}

absl::Status placeToken(TokenizerModel &model, int64_t id, std::string_view text, size_t entries) {
  size_t limit = std::min(kMaxTokens, 16 * entries + (64 << 10));
  if (id < 0 || static_cast<uint64_t>(id) >= limit)
    return absl::InvalidArgumentError(absl::StrCat("token ", quote(text), " has the id ", id, ", expected are 0 to ",
                                                   limit - 1, " in a vocabulary of ", entries));
  auto index = static_cast<size_t>(id);
  if (index >= model.tokens.size())
    model.tokens.resize(index + 1);
  if (!model.tokens[index].empty() && model.tokens[index] != text)
    return absl::InvalidArgumentError(
        absl::StrCat("token ", quote(text), " has the id ", id, ", and so has ", quote(model.tokens[index])));
  model.tokens[index] = text;
  return absl::OkStatus();
}

} // namespace ane::rt::text
