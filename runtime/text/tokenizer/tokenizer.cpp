//===- tokenizer.cpp - Text to ids and back -------------------------------===//
#include "runtime/text/tokenizer/tokenizer.h"
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/added.h"
#include "runtime/text/tokenizer/decode.h"
#include "runtime/text/tokenizer/normalize.h"
#include "runtime/text/tokenizer/pretokenize.h"
#include "runtime/text/tokenizer/text_map.h"
#include "runtime/text/tokenizer/words.h"

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ane::rt::text {

struct Tokenizer::Parts {
  TokenizerModel model;
  TextNormalizer normalizer;
  WordSplitter splitter;
  std::unique_ptr<WordEncoder> words;
  AddedTokens raw, normalized;
  ViewMap<int32_t> ids;
  std::vector<bool> isSpecial;
  /// Added tokens that are searched for in normalized text are that text when decoded.
  absl::flat_hash_map<int32_t, std::string> normalizedTexts;

  /// The parts of a whole text; `isTrusted` as for AddedTokens.
  absl::Status encode(std::string_view text, const std::function<bool(size_t, size_t)> &isTrusted, bool addsSpecial,
                      std::vector<int32_t> &out) const;
  absl::Status encodeWords(std::string text, bool isFirst, std::vector<int32_t> &out) const;
};

namespace {

template <typename... Texts>
absl::Status error(const Texts &...texts) {
  return absl::InvalidArgumentError(absl::StrCat("tokenizer: ", texts...));
}

absl::Status checkSizes(const TokenizerModel &model) {
  size_t count = model.tokens.size();
  if (count == 0 || count > kMaxTokens)
    return error("has ", count, " tokens, expected are 1 to ", kMaxTokens);
  for (size_t id = 0; id < count; ++id) {
    if (model.tokens[id].size() > kMaxTokenBytes)
      return error("token ", id, " has ", model.tokens[id].size(), " bytes, limit ", kMaxTokenBytes);
    if (!isValidUtf8(model.tokens[id]))
      return error("token ", id, " is no UTF-8");
  }
  auto fits = [&](size_t size, bool isNeeded) { return size == count || (size == 0 && !isNeeded); };
  if (!fits(model.scores.size(), model.algorithm == Algorithm::ScoreBpe) ||
      !fits(model.logs.size(), model.algorithm == Algorithm::Unigram) || !fits(model.roles.size(), false))
    return error("has ", count, " tokens, but scores for ", std::max(model.scores.size(), model.logs.size()),
                 " and roles for ", model.roles.size());
  for (size_t i = 0; i < model.scores.size() + model.logs.size(); ++i)
    if (double value = i < model.scores.size() ? model.scores[i] : model.logs[i - model.scores.size()];
        !(value > -1e30 && value < 1e30))
      return error("a score is ", value, ", expected a number within 1e30 of 0");
  if (model.normalizers.size() > kMaxSteps || model.preTokenizers.size() > kMaxSteps ||
      model.decoders.size() > kMaxSteps)
    return error("has more than ", kMaxSteps, " normalizers, pre-tokenizers or decoders");
  return absl::OkStatus();
}

absl::Status checkIds(const TokenizerModel &model) {
  auto isToken = [&](int64_t id) { return id >= 0 && id < static_cast<int64_t>(model.tokens.size()); };
  auto check = [&](std::string_view what, int64_t id) {
    return isToken(id) ? absl::OkStatus() : error(view(what), " is token ", id, " of ", model.tokens.size());
  };
  absl::Status status;
  for (const auto &[what, id] : {std::pair("the unknown token", model.unknown), std::pair("BOS", model.bos),
                                 std::pair("EOS", model.eos), std::pair("padding", model.pad)})
    if (id)
      status.Update(check(what, *id));
  for (const AddedToken &token : model.added) {
    status.Update(check("an added token", token.id));
    if (token.text.empty() || token.text.size() > kMaxSearchedBytes || !isValidUtf8(token.text))
      status.Update(error("added token ", token.id, ", ", quote(token.text), ", has ", token.text.size(),
                          " bytes, expected is UTF-8 of 1 to ", kMaxSearchedBytes));
  }
  for (const Merge &merge : model.merges)
    for (int32_t id : {merge.left, merge.right, merge.result})
      status.Update(check("of a merge, a part", id));
  for (const auto *ids : {&model.prefix, &model.suffix})
    for (int32_t id : *ids)
      status.Update(check("of the prefix or suffix, a part", id));
  return status;
}

absl::Status checkAlgorithm(const TokenizerModel &model) {
  if (model.algorithm == Algorithm::WordPiece && !model.unknown)
    return error("WordPiece needs an unknown token");
  if (model.maxWordCharacters < 1 || model.maxWordCharacters > 1000)
    return error("words have up to ", model.maxWordCharacters, " characters, expected are 1 to 1000");
  bool isUnigram = model.algorithm == Algorithm::Unigram;
  for (size_t id = 0; id < model.tokens.size(); ++id) {
    bool isSearched = isUnigram || (!model.roles.empty() && model.roles[id] == Role::UserDefined);
    if (isSearched && model.tokens[id].size() > kMaxSearchedBytes)
      return error("token ", id, " has ", model.tokens[id].size(), " bytes, limit ", kMaxSearchedBytes,
                   " of tokens that are searched for");
  }
  for (size_t i = 0; i < model.preTokenizers.size(); ++i) {
    bool isByteLevel = std::holds_alternative<pretokenizer::ByteLevel>(model.preTokenizers[i]);
    if (isByteLevel && (i + 1 < model.preTokenizers.size() || model.algorithm != Algorithm::Bpe))
      return error("pre-tokenizer ", i, ": ByteLevel is supported as the last one, of BPE");
  }
  return absl::OkStatus();
}

/// Whether the first step takes any bytes: SentencePiece has U+FFFD for those that
/// are no text only behind its map of characters.
bool keepsBytes(const TokenizerModel &model) {
  return !model.normalizers.empty() && std::holds_alternative<normalizer::SentencePiece>(model.normalizers[0]);
}

} // namespace

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts(std::move(parts)) {}
Tokenizer::Tokenizer(Tokenizer &&) noexcept = default;
Tokenizer &Tokenizer::operator=(Tokenizer &&) noexcept = default;
Tokenizer::~Tokenizer() = default;

absl::StatusOr<Tokenizer> Tokenizer::make(TokenizerModel model) {
  for (auto check : {checkSizes, checkIds, checkAlgorithm})
    if (absl::Status s = check(model); !s.ok())
      return s;
  if (absl::Status s = DecodeChain::check(model.decoders); !s.ok())
    return s;
  auto parts = std::make_unique<Parts>();
  parts->model = std::move(model);
  const TokenizerModel &held = parts->model;
  auto normalizer = TextNormalizer::make(held);
  if (!normalizer.ok())
    return normalizer.status();
  parts->normalizer = *std::move(normalizer);
  auto splitter = WordSplitter::make(held.preTokenizers);
  if (!splitter.ok())
    return splitter.status();
  parts->splitter = *std::move(splitter);
  auto words = WordEncoder::make(held);
  if (!words.ok())
    return words.status();
  parts->words = *std::move(words);
  parts->isSpecial.resize(held.tokens.size());
  for (const AddedToken &token : held.added) {
    parts->isSpecial[static_cast<size_t>(token.id)] = token.isSpecial;
    if (!token.normalized) {
      parts->raw.add(token, token.text);
      continue;
    }
    absl::StatusOr<std::string> text = parts->normalizer.run(token.text);
    if (!text.ok())
      return text.status();
    if (!text->empty() && text->size() <= kMaxSearchedBytes)
      parts->normalized.add(token, *text);
    parts->normalizedTexts[token.id] = *std::move(text);
  }
  for (size_t id = 0; id < held.tokens.size(); ++id)
    if (!held.tokens[id].empty())
      parts->ids.emplace(held.tokens[id], static_cast<int32_t>(id));
  return Tokenizer(std::move(parts));
}

absl::Status Tokenizer::Parts::encodeWords(std::string text, bool isFirst, std::vector<int32_t> &out) const {
  absl::StatusOr<Words> split = splitter.split(std::move(text), isFirst);
  if (!split.ok())
    return split.status();
  for (const Range &range : split->ranges)
    words->encode(std::string_view(split->text).substr(range.first, range.second - range.first), out);
  return absl::OkStatus();
}

absl::Status Tokenizer::Parts::encode(std::string_view text, const std::function<bool(size_t, size_t)> &isTrusted,
                                      bool addsSpecial, std::vector<int32_t> &out) const {
  if (addsSpecial)
    out.insert(out.end(), model.prefix.begin(), model.prefix.end());
  bool isAllTrusted = isTrusted(0, text.size()), isFirst = true;
  for (const AddedTokens::Part &part : raw.cut(text, isTrusted)) {
    if (part.id >= 0) {
      out.push_back(part.id);
    } else {
      absl::StatusOr<std::string> clean = normalizer.run(std::string(part.text));
      if (!clean.ok())
        return clean.status();
      for (const AddedTokens::Part &inner : normalized.cut(*clean, [&](size_t, size_t) { return isAllTrusted; })) {
        if (inner.id >= 0)
          out.push_back(inner.id);
        else if (absl::Status s = encodeWords(std::string(inner.text), isFirst, out); !s.ok())
          return s;
        isFirst = false;
      }
    }
    isFirst = false;
  }
  if (addsSpecial)
    out.insert(out.end(), model.suffix.begin(), model.suffix.end());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int32_t>> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  std::vector<int32_t> ids;
  auto isTrusted = [&](size_t, size_t) { return options.parsesSpecial; };
  std::string valid;
  if (!keepsBytes(parts->model) && !isValidUtf8(text))
    text = valid = replaceInvalid(text);
  if (absl::Status s = parts->encode(text, isTrusted, options.addsSpecial, ids); !s.ok())
    return s;
  return ids;
}

absl::StatusOr<std::vector<int32_t>> Tokenizer::encode(absl::Span<const Piece> pieces, bool addsSpecial) const {
  std::string text;
  std::vector<Range> untrusted; // in order
  for (const Piece &piece : pieces) {
    size_t begin = text.size();
    text += keepsBytes(parts->model) ? piece.text : replaceInvalid(piece.text);
    if (!piece.fromTemplate && text.size() > begin)
      untrusted.emplace_back(begin, text.size());
  }
  auto isTrusted = [&](size_t begin, size_t end) {
    // The first that ends behind the beginning.
    auto next = std::lower_bound(untrusted.begin(), untrusted.end(), begin,
                                 [](const Range &range, size_t at) { return range.second <= at; });
    return next == untrusted.end() || next->first >= end;
  };
  std::vector<int32_t> ids;
  if (absl::Status s = parts->encode(text, isTrusted, addsSpecial, ids); !s.ok())
    return s;
  return ids;
}

std::string Tokenizer::decode(absl::Span<const int32_t> ids, bool skipsSpecial) const {
  StreamDecoder decoder(*this, skipsSpecial);
  std::string text;
  for (int32_t id : ids)
    text += decoder.add(id);
  return text += decoder.finish();
}

const TokenizerModel &Tokenizer::model() const { return parts->model; }

int32_t Tokenizer::find(std::string_view token) const {
  auto found = parts->ids.find(token);
  return found == parts->ids.end() ? -1 : found->second;
}

bool Tokenizer::isSpecial(int32_t id) const {
  return id >= 0 && static_cast<size_t>(id) < parts->isSpecial.size() && parts->isSpecial[static_cast<size_t>(id)];
}

struct StreamDecoder::State {
  const Tokenizer &tokenizer;
  bool skipsSpecial;
  DecodeChain chain;
  bool isFirst = true;
};

StreamDecoder::StreamDecoder(const Tokenizer &tokenizer, bool skipsSpecial)
    : state(new State{tokenizer, skipsSpecial, DecodeChain(tokenizer.model().decoders)}) {}
StreamDecoder::StreamDecoder(StreamDecoder &&) noexcept = default;
StreamDecoder::~StreamDecoder() = default;

std::string StreamDecoder::add(int32_t id) {
  const TokenizerModel &model = state->tokenizer.model();
  std::string text;
  if (id < 0 || static_cast<size_t>(id) >= model.tokens.size())
    return text;
  if (state->skipsSpecial && state->tokenizer.isSpecial(id)) {
    // To SentencePiece it is a token without text, which ends a run of bytes.
    if (!model.roles.empty())
      state->chain.add("", text);
    return text;
  }
  if (model.decoders.empty() && !state->isFirst)
    text += ' ';
  state->isFirst = false;
  const auto &normalized = state->tokenizer.parts->normalizedTexts;
  auto found = normalized.find(id);
  state->chain.add(found == normalized.end() ? model.tokens[static_cast<size_t>(id)] : found->second, text);
  return text;
}

std::string StreamDecoder::finish() {
  std::string text;
  state->chain.finish(text);
  state->isFirst = true;
  return text;
}

} // namespace ane::rt::text
