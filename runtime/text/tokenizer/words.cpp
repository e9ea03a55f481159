//===- words.cpp - Words to ids: what the algorithms share ----------------===//
#include "runtime/text/tokenizer/words.h"
#include "runtime/text/tokenizer/text_map.h"
#include "runtime/text/tokenizer/trie.h"

#include <array>

namespace ane::rt::text {
namespace {

/// Characters of GPT-2's alphabet by byte: printable ones of Latin-1 are
/// themselves, the others are U+0100 and up, in their order.
const std::array<uint32_t, 256> &alphabet() {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> made{};
    uint32_t next = 0x100;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      bool isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
      made[byte] = isPrintable ? byte : next++;
    }
    return made;
  }();
  return table;
}

/// The longest token from the left, as BERT does it.
class WordPieceEncoder : public WordEncoder {
public:
  explicit WordPieceEncoder(const TokenizerModel &model) : model(model) {
    for (size_t id = 0; id < model.tokens.size(); ++id)
      ids.emplace(model.tokens[id], static_cast<int32_t>(id));
  }

  void encode(std::string_view word, std::vector<int32_t> &out) const override {
    std::vector<size_t> ends;
    for (size_t at = 0; at < word.size();) {
      decodeNext(word, at);
      ends.push_back(at);
    }
    size_t first = out.size();
    bool isUnknown = ends.size() > static_cast<size_t>(model.maxWordCharacters);
    std::string key;
    for (size_t begin = 0, done = 0; begin < word.size() && !isUnknown;) {
      size_t last = ends.size();
      int32_t found = -1;
      for (; last > done && found < 0; --last) {
        key.assign(begin > 0 ? model.continuingPrefix : "").append(word.substr(begin, ends[last - 1] - begin));
        auto at = ids.find(key);
        found = at == ids.end() ? -1 : at->second;
      }
      isUnknown = found < 0;
      if (!isUnknown) {
        out.push_back(found);
        begin = ends[last];
        done = last + 1;
      }
    }
    if (isUnknown) {
      out.resize(first);
      out.push_back(*model.unknown);
    }
  }

private:
  const TokenizerModel &model;
  ViewMap<int32_t> ids;
};

/// The way through the word whose tokens' scores have the largest sum.
template <typename Sum>
class UnigramEncoder : public WordEncoder {
public:
  explicit UnigramEncoder(const TokenizerModel &model) : model(model), bytes(byteTokens(model)) {
    double least = 0;
    bool isFirst = true;
    auto isNormal = [&](size_t id) { return model.roles.empty() || model.roles[id] == Role::Normal; };
    for (size_t id = 0; id < model.tokens.size(); ++id) {
      if (!isNormal(id))
        continue;
      least = isFirst ? model.logs[id] : std::min(least, model.logs[id]);
      isFirst = false;
    }
    unknownScore = static_cast<Sum>(least) - 10;
    scores.assign(model.logs.begin(), model.logs.end());
    for (size_t id = 0; id < model.tokens.size(); ++id) {
      bool isUserDefined = !model.roles.empty() && model.roles[id] == Role::UserDefined;
      // SentencePiece (0.2.3): such a token is taken before any others, the longer the rather.
      if (isUserDefined)
        scores[id] = static_cast<Sum>(0.1 * (static_cast<double>(model.tokens[id].size()) - 1));
      if (isNormal(id) || isUserDefined)
        trie.add(model.tokens[id], static_cast<int32_t>(id));
    }
  }

  void encode(std::string_view word, std::vector<int32_t> &out) const override {
    struct Best {
      Sum score = 0;
      size_t begin = 0;
      int32_t id = -1;
      bool isReached = false;
    };
    std::vector<Best> best(word.size() + 1);
    best[0].isReached = true;
    for (size_t at = 0; at < word.size();) {
      size_t character = characterBytes(word, at);
      bool hasSingle = false;
      auto offer = [&](size_t length, int32_t id, Sum score) {
        Best &target = best[at + length];
        Sum sum = score + best[at].score;
        if (!target.isReached || sum > target.score)
          target = {sum, at, id, true};
      };
      trie.find(word, at, [&](size_t length, int32_t id) {
        offer(length, id, scores[static_cast<size_t>(id)]);
        hasSingle |= length == character;
      });
      if (!hasSingle)
        offer(character, -1, unknownScore);
      at += character;
    }
    std::vector<size_t> ends;
    for (size_t end = word.size(); end > 0; end = best[end].begin)
      ends.push_back(end);
    bool wasUnknown = false;
    for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
      const Best &step = best[*end];
      std::string_view part = word.substr(step.begin, *end - step.begin);
      // The unknown token may be spelled out: Hugging Face's has it among the pieces.
      bool isUnknown = step.id < 0 || step.id == model.unknown;
      if (!isUnknown)
        out.push_back(step.id);
      else if (model.fallsBackToBytes && hasBytes(part))
        for (char c : part)
          out.push_back(bytes[static_cast<uint8_t>(c)]);
      else if (!wasUnknown && model.unknown)
        out.push_back(*model.unknown);
      wasUnknown = isUnknown;
    }
  }

private:
  const TokenizerModel &model;
  std::vector<int32_t> bytes;
  std::vector<Sum> scores;
  Sum unknownScore;
  Trie trie;

  bool hasBytes(std::string_view text) const {
    return std::all_of(text.begin(), text.end(), [&](char c) { return bytes[static_cast<uint8_t>(c)] >= 0; });
  }
};

} // namespace

std::string alphabetText(uint8_t byte) {
  std::string text;
  appendUtf8(text, alphabet()[byte]);
  return text;
}

std::optional<std::string> alphabetBytes(std::string_view token) {
  static const std::array<int16_t, 0x180> back = [] {
    std::array<int16_t, 0x180> made{};
    made.fill(-1);
    for (size_t byte = 0; byte < 256; ++byte)
      made[alphabet()[byte]] = static_cast<int16_t>(byte);
    return made;
  }();
  std::string bytes;
  for (size_t at = 0; at < token.size();) {
    uint32_t c = decodeNext(token, at);
    if (c >= back.size() || back[c] < 0)
      return std::nullopt;
    bytes += static_cast<char>(back[c]);
  }
  return bytes;
}

std::optional<uint8_t> byteOfToken(std::string_view token) {
  auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
  };
  if (token.size() != 6 || token.substr(0, 3) != "<0x" || token[5] != '>' || digit(token[3]) < 0 || digit(token[4]) < 0)
    return std::nullopt;
  return static_cast<uint8_t>(digit(token[3]) * 16 + digit(token[4]));
}

std::vector<int32_t> byteTokens(const TokenizerModel &model) {
  std::vector<int32_t> ids(256, -1);
  for (size_t id = 0; id < model.tokens.size(); ++id)
    if (auto byte = byteOfToken(model.tokens[id]); byte && model.tokens[id][3] < 'a' && model.tokens[id][4] < 'a')
      ids[*byte] = static_cast<int32_t>(id);
  return ids;
}

absl::StatusOr<std::unique_ptr<WordEncoder>> makeUnigram(const TokenizerModel &model) {
  if (model.addsInFloat)
    return std::make_unique<UnigramEncoder<float>>(model);
  return std::make_unique<UnigramEncoder<double>>(model);
}

absl::StatusOr<std::unique_ptr<WordEncoder>> makeWordPiece(const TokenizerModel &model) {
  return std::make_unique<WordPieceEncoder>(model);
}

absl::StatusOr<std::unique_ptr<WordEncoder>> WordEncoder::make(const TokenizerModel &model) {
  switch (model.algorithm) {
  case Algorithm::Unigram:
    return makeUnigram(model);
  case Algorithm::WordPiece:
    return makeWordPiece(model);
  default:
    return makeBpe(model);
  }
}

} // namespace ane::rt::text
