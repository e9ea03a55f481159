//===- bpe.cpp - Byte pair encoding ---------------------------------------===//
#include "runtime/text/tokenizer/text_map.h"
#include "runtime/text/tokenizer/trie.h"
#include "runtime/text/tokenizer/words.h"

#include <algorithm>
#include <atomic>

namespace ane::rt::text {
namespace {

/// A part of the word, in a list of those that are left.
struct Symbol {
  size_t begin, bytes;
  int32_t id; ///< -1 if the part is no token
  int32_t previous, next;
  bool isFixed = false; ///< joins no other
};

/// Two neighbours that may become one. The best has the lowest cost, then the lowest place.
struct Candidate {
  double cost;
  int32_t left;
  size_t bytes; ///< of both; when they have changed, the candidate is void
  int32_t id;

  bool operator<(const Candidate &other) const {
    return cost > other.cost || (cost == other.cost && left > other.left);
  }
};

/// Joins neighbours, the best first, until none is left; `join(left, right)`
/// gives the cost and the id, or nothing.
template <typename Join>
void joinAll(std::vector<Symbol> &symbols, Join join) {
  std::vector<Candidate> heap;
  auto offer = [&](int32_t left) {
    const Symbol &a = symbols[static_cast<size_t>(left)];
    if (a.next < 0)
      return;
    const Symbol &b = symbols[static_cast<size_t>(a.next)];
    if (auto joined = join(a, b)) {
      heap.push_back({joined->first, left, a.bytes + b.bytes, joined->second});
      std::push_heap(heap.begin(), heap.end());
    }
  };
  for (size_t i = 0; i + 1 < symbols.size(); ++i)
    offer(static_cast<int32_t>(i));
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    Candidate best = heap.back();
    heap.pop_back();
    Symbol &a = symbols[static_cast<size_t>(best.left)];
    if (a.bytes == 0 || a.next < 0 || a.bytes + symbols[static_cast<size_t>(a.next)].bytes != best.bytes)
      continue;
    Symbol &b = symbols[static_cast<size_t>(a.next)];
    a.bytes = best.bytes;
    a.id = best.id;
    b.bytes = 0;
    a.next = b.next;
    if (a.next >= 0)
      symbols[static_cast<size_t>(a.next)].previous = best.left;
    if (a.previous >= 0)
      offer(a.previous);
    offer(best.left);
  }
}

using Joined = std::optional<std::pair<double, int32_t>>;

void append(std::vector<Symbol> &symbols, size_t begin, size_t bytes, int32_t id, bool isFixed = false) {
  auto index = static_cast<int32_t>(symbols.size());
  if (index > 0)
    symbols.back().next = index;
  symbols.push_back({begin, bytes, id, index - 1, -1, isFixed});
}

/// Merges by rank; words are bytes (GPT-2) or characters.
class MergeEncoder : public WordEncoder {
public:
  explicit MergeEncoder(const TokenizerModel &model)
      : model(model), bytes(byteTokens(model)), isWhole(new std::atomic<uint8_t>[model.tokens.size() + 1]) {
    for (const PreTokenizer &step : model.preTokenizers)
      isByteLevel |= std::holds_alternative<pretokenizer::ByteLevel>(step);
    for (size_t id = 0; id < model.tokens.size(); ++id) {
      isWhole[id] = kUnseen;
      std::optional<std::string> text = isByteLevel ? alphabetBytes(model.tokens[id]) : model.tokens[id];
      if (text && !text->empty())
        ids.emplace(*std::move(text), static_cast<int32_t>(id));
    }
    if (isByteLevel)
      for (size_t byte = 0; byte < 256; ++byte) {
        auto found = ids.find(std::string(1, static_cast<char>(byte)));
        bytes[byte] = found == ids.end() ? -1 : found->second;
      }
    ranks.reserve(model.merges.size());
    for (size_t rank = 0; rank < model.merges.size(); ++rank) {
      const Merge &merge = model.merges[rank];
      // Of two for the same pair the later one holds, as in Hugging Face's table.
      ranks[pair(merge.left, merge.right)] = {static_cast<uint32_t>(rank), merge.result};
    }
  }

  void encode(std::string_view word, std::vector<int32_t> &out) const override {
    // Most words are tokens. Whether merges lead to it is found out once.
    auto whole = ids.find(word);
    std::atomic<uint8_t> *state = whole == ids.end() ? nullptr : &isWhole[static_cast<size_t>(whole->second)];
    bool hasAffixes = !model.continuingPrefix.empty() || !model.endOfWordSuffix.empty();
    if (state && (model.ignoresMerges || (*state == kYes && !hasAffixes)))
      return out.push_back(whole->second);
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    isByteLevel ? cutBytes(word, symbols) : cutCharacters(word, symbols);
    joinAll(symbols, [&](const Symbol &a, const Symbol &b) -> Joined {
      auto found = ranks.find(pair(a.id, b.id));
      if (found == ranks.end())
        return std::nullopt;
      return std::pair<double, int32_t>(found->second.first, found->second.second);
    });
    size_t first = out.size();
    for (int32_t i = symbols.empty() ? -1 : 0; i >= 0; i = symbols[static_cast<size_t>(i)].next)
      out.push_back(symbols[static_cast<size_t>(i)].id);
    if (state)
      *state = out.size() == first + 1 && out[first] == whole->second ? kYes : kNo;
  }

private:
  static constexpr uint8_t kUnseen = 0, kYes = 1, kNo = 2;
  const TokenizerModel &model;
  bool isByteLevel = false;
  std::vector<int32_t> bytes; ///< ids by byte: of `<0x00>`, or of the alphabet
  std::unique_ptr<std::atomic<uint8_t>[]> isWhole;
  TextMap<int32_t> ids;
  absl::flat_hash_map<uint64_t, std::pair<uint32_t, int32_t>> ranks;

  static uint64_t pair(int32_t left, int32_t right) {
    return uint64_t(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  }

  void cutBytes(std::string_view word, std::vector<Symbol> &symbols) const {
    for (size_t at = 0; at < word.size(); ++at) {
      int32_t id = bytes[static_cast<uint8_t>(word[at])];
      if (id >= 0)
        append(symbols, at, 1, id);
      else
        appendUnknown(symbols, at, 1);
    }
  }
  void appendUnknown(std::vector<Symbol> &symbols, size_t begin, size_t length) const {
    if (!model.unknown)
      return; // as in Hugging Face's: the character goes
    bool joins = model.fusesUnknown && !symbols.empty() && symbols.back().id == *model.unknown;
    if (joins)
      symbols.back().bytes += length;
    else
      append(symbols, begin, length, *model.unknown);
  }
  void cutCharacters(std::string_view word, std::vector<Symbol> &symbols) const {
    std::string key;
    for (size_t at = 0; at < word.size();) {
      size_t length = characterBytes(word, at);
      key.assign(at > 0 ? model.continuingPrefix : "").append(word.substr(at, length));
      if (at + length == word.size())
        key += model.endOfWordSuffix;
      auto found = ids.find(key);
      if (found != ids.end())
        append(symbols, at, length, found->second);
      else if (model.fallsBackToBytes &&
               std::all_of(key.begin(), key.end(), [&](char c) { return bytes[static_cast<uint8_t>(c)] >= 0; }))
        // The affixes of a character count as its bytes, too: none has a place of its own.
        for (char c : key)
          append(symbols, at, 1, bytes[static_cast<uint8_t>(c)]);
      else
        appendUnknown(symbols, at, length);
      at += length;
    }
  }
};

/// SentencePiece's: neighbours join if both together are a token.
class ScoreEncoder : public WordEncoder {
public:
  explicit ScoreEncoder(const TokenizerModel &model) : model(model), bytes(byteTokens(model)) {
    for (size_t id = 0; id < model.tokens.size(); ++id) {
      Role role = model.roles.empty() ? Role::Normal : model.roles[id];
      if (role == Role::UserDefined)
        fixed.add(model.tokens[id], static_cast<int32_t>(id));
      if (role == Role::Control || role == Role::Unknown || role == Role::Byte || model.tokens[id].empty())
        continue;
      ids.emplace(model.tokens[id], static_cast<int32_t>(id));
      longest = std::max(longest, model.tokens[id].size());
    }
  }

  void encode(std::string_view word, std::vector<int32_t> &out) const override {
    std::vector<Symbol> symbols;
    for (size_t at = 0; at < word.size();) {
      size_t length = 0;
      int32_t id = -1;
      fixed.find(word, at, [&](size_t found, int32_t value) {
        length = found;
        id = value;
      });
      bool isFixed = length > 0;
      if (!isFixed) {
        length = characterBytes(word, at);
        id = find(word.substr(at, length));
      }
      append(symbols, at, length, id, isFixed);
      at += length;
    }
    // How tokens came about that are not to be used: they fall apart again.
    ViewMap<size_t> parts;
    joinAll(symbols, [&](const Symbol &a, const Symbol &b) -> Joined {
      size_t length = a.bytes + b.bytes;
      if (a.isFixed || b.isFixed || length > longest)
        return std::nullopt;
      std::string_view text = word.substr(a.begin, length);
      int32_t id = find(text);
      if (id < 0)
        return std::nullopt;
      if (isUnused(id))
        parts[text] = a.bytes;
      return std::pair<double, int32_t>(-model.scores[static_cast<size_t>(id)], id);
    });
    bool wasUnknown = false;
    std::vector<std::string_view> left;
    for (int32_t i = symbols.empty() ? -1 : 0; i >= 0; i = symbols[static_cast<size_t>(i)].next) {
      const Symbol &symbol = symbols[static_cast<size_t>(i)];
      if (symbol.isFixed) {
        out.push_back(symbol.id);
        wasUnknown = false;
        continue;
      }
      left.assign(1, word.substr(symbol.begin, symbol.bytes));
      while (!left.empty()) {
        std::string_view text = left.back();
        left.pop_back();
        int32_t id = find(text);
        auto apart = id >= 0 && isUnused(id) ? parts.find(text) : parts.end();
        if (apart != parts.end()) {
          left.push_back(text.substr(apart->second));
          left.push_back(text.substr(0, apart->second));
        } else {
          wasUnknown = finish(text, id, wasUnknown, out);
        }
      }
    }
  }

private:
  const TokenizerModel &model;
  std::vector<int32_t> bytes;
  Trie fixed;
  ViewMap<int32_t> ids;
  size_t longest = 0;

  int32_t find(std::string_view text) const {
    auto found = ids.find(text);
    return found == ids.end() ? -1 : found->second;
  }
  bool isUnused(int32_t id) const {
    return !model.roles.empty() && model.roles[static_cast<size_t>(id)] == Role::Unused;
  }
  /// Whether the text is unknown; several in a row give one id.
  bool finish(std::string_view text, int32_t id, bool wasUnknown, std::vector<int32_t> &out) const {
    if (id >= 0) {
      out.push_back(id);
      return false;
    }
    if (model.fallsBackToBytes) {
      for (char c : text)
        if (int32_t byte = bytes[static_cast<uint8_t>(c)]; byte >= 0)
          out.push_back(byte);
      return false;
    }
    if (!wasUnknown && model.unknown)
      out.push_back(*model.unknown);
    return true;
  }
};

} // namespace

absl::StatusOr<std::unique_ptr<WordEncoder>> makeBpe(const TokenizerModel &model) {
  if (model.algorithm == Algorithm::ScoreBpe)
    return std::make_unique<ScoreEncoder>(model);
  return std::make_unique<MergeEncoder>(model);
}

} // namespace ane::rt::text
