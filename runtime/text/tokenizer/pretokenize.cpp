//===- pretokenize.cpp - Text to words ------------------------------------===//
#include "runtime/text/tokenizer/pretokenize.h"

namespace ane::rt::text {
namespace {

/// What GPT-2 splits by.
constexpr std::string_view kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Joiners are parts of words here.
constexpr std::string_view kWords = R"([\w\x{200c}\x{200d}]+|[^\w\s\x{200c}\x{200d}]+)";

/// Characters of a kind, each by itself.
template <typename Is>
void findCharacters(std::string_view text, Is is, std::vector<Range> &matches) {
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    if (is(decodeNext(text, at)))
      matches.emplace_back(begin, at);
  }
}

/// Appends the pieces of a text that has these matches.
void cut(size_t size, const std::vector<Range> &matches, Behavior behavior, bool isInverted, size_t base,
         std::vector<Range> &pieces) {
  // What lies between matches, and they themselves, in order.
  struct Part {
    Range range;
    bool isMatch;
  };
  std::vector<Part> parts;
  parts.reserve(matches.size() * 2 + 1);
  size_t last = 0;
  for (const Range &match : matches) {
    if (match.first > last)
      parts.push_back({{last, match.first}, isInverted});
    parts.push_back({match, !isInverted});
    last = match.second;
  }
  if (last < size)
    parts.push_back({{last, size}, isInverted});

  size_t first = pieces.size();
  auto extend = [&](const Part &part) { pieces.back().second = base + part.range.second; };
  bool wasMatch = false;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part &part = parts[i];
    bool isFirst = pieces.size() == first, joins = false;
    switch (behavior) {
    case Behavior::Removed:
      if (part.isMatch)
        continue;
      break;
    case Behavior::Isolated:
      break;
    case Behavior::Contiguous:
      joins = part.isMatch == wasMatch;
      break;
    case Behavior::MergedWithPrevious:
      joins = part.isMatch && !wasMatch;
      break;
    case Behavior::MergedWithNext:
      joins = !part.isMatch && wasMatch;
      break;
    }
    if (joins && !isFirst)
      extend(part);
    else
      pieces.emplace_back(base + part.range.first, base + part.range.second);
    wasMatch = part.isMatch;
  }
}

/// Matches of a step in a text, and what becomes of them.
struct Splitting {
  const std::optional<Pattern> &pattern;
  std::string_view text;
  std::vector<Range> &matches;
  Behavior behavior = Behavior::Isolated;
  bool isInverted = false;

  absl::Status operator()(const pretokenizer::ByteLevel &step) {
    return step.usesRegex ? pattern->findAll(text, matches) : absl::OkStatus();
  }
  absl::Status operator()(const pretokenizer::Split &step) {
    behavior = step.behavior;
    isInverted = step.isInverted;
    return pattern->findAll(text, matches);
  }
  absl::Status operator()(const pretokenizer::Whitespace &) {
    behavior = Behavior::Removed;
    isInverted = true;
    return pattern->findAll(text, matches);
  }
  absl::Status operator()(const pretokenizer::WhitespaceSplit &) {
    behavior = Behavior::Removed;
    findCharacters(text, isWhitespace, matches);
    return absl::OkStatus();
  }
  absl::Status operator()(const pretokenizer::Bert &) {
    // Spaces go, punctuation stands alone: what is left is cut at both.
    findCharacters(text, [](uint32_t c) { return isWhitespace(c) || isPunctuation(c); }, matches);
    return absl::OkStatus();
  }
  absl::Status operator()(const pretokenizer::Digits &step) {
    behavior = step.individual ? Behavior::Isolated : Behavior::Contiguous;
    findCharacters(text, isNumeric, matches);
    return absl::OkStatus();
  }
  absl::Status operator()(const pretokenizer::Punctuation &step) {
    behavior = step.behavior;
    findCharacters(text, isPunctuation, matches);
    return absl::OkStatus();
  }
  absl::Status operator()(const pretokenizer::Metaspace &step) {
    behavior = Behavior::MergedWithNext;
    return step.splits ? Pattern::literal(step.replacement).findAll(text, matches) : absl::OkStatus();
  }
};

/// Steps that change the text of words: the words anew.
Words rewrite(const Words &words, const PreTokenizer &step, bool isFirst) {
  Words result;
  result.text.reserve(words.text.size() + words.ranges.size());
  for (const Range &range : words.ranges) {
    std::string_view word = std::string_view(words.text).substr(range.first, range.second - range.first);
    size_t begin = result.text.size();
    if (const auto *level = std::get_if<pretokenizer::ByteLevel>(&step)) {
      if (level->addsPrefixSpace && word.substr(0, 1) != " ")
        result.text += ' ';
      result.text += word;
    } else {
      const auto &space = std::get<pretokenizer::Metaspace>(step);
      bool hasPrefix = word.substr(0, 1) == " " || word.substr(0, space.replacement.size()) == space.replacement;
      bool isAtStart = isFirst && range.first == 0;
      if (!hasPrefix && (space.scheme == pretokenizer::PrependScheme::Always ||
                         (space.scheme == pretokenizer::PrependScheme::First && isAtStart)))
        result.text += space.replacement;
      for (char c : word)
        c == ' ' ? result.text += space.replacement : result.text += c;
    }
    result.ranges.emplace_back(begin, result.text.size());
  }
  return result;
}

bool rewrites(const PreTokenizer &step) {
  const auto *level = std::get_if<pretokenizer::ByteLevel>(&step);
  return std::holds_alternative<pretokenizer::Metaspace>(step) || (level && level->addsPrefixSpace);
}

} // namespace

absl::StatusOr<WordSplitter> WordSplitter::make(const std::vector<PreTokenizer> &steps) {
  WordSplitter splitter;
  for (const PreTokenizer &step : steps) {
    const auto *split = std::get_if<pretokenizer::Split>(&step);
    const auto *level = std::get_if<pretokenizer::ByteLevel>(&step);
    std::string_view regex = split && split->pattern.isRegex                          ? split->pattern.text
                             : level && level->usesRegex                              ? kGpt2
                             : std::holds_alternative<pretokenizer::Whitespace>(step) ? kWords
                                                                                      : std::string_view();
    std::optional<Pattern> pattern;
    if (!regex.empty()) {
      absl::StatusOr<Pattern> made = Pattern::regex(regex);
      if (!made.ok())
        return made.status();
      pattern = *std::move(made);
    } else if (split) {
      pattern = Pattern::literal(split->pattern.text);
    }
    splitter.steps.push_back({step, std::move(pattern)});
  }
  return splitter;
}

absl::StatusOr<Words> WordSplitter::split(std::string text, bool isFirst) const {
  Words words{std::move(text), {}};
  if (words.text.empty())
    return words;
  words.ranges.emplace_back(0, words.text.size());
  std::vector<Range> matches, pieces;
  for (const Step &step : steps) {
    if (rewrites(step.step))
      words = rewrite(words, step.step, isFirst);
    pieces.clear();
    for (const Range &range : words.ranges) {
      matches.clear();
      Splitting splitting{step.pattern, std::string_view(words.text).substr(range.first, range.second - range.first),
                          matches};
      if (absl::Status s = std::visit(splitting, step.step); !s.ok())
        return s;
      cut(splitting.text.size(), matches, splitting.behavior, splitting.isInverted, range.first, pieces);
    }
    bool dropsSpaces = std::holds_alternative<pretokenizer::Bert>(step.step);
    words.ranges.clear();
    for (const Range &piece : pieces) {
      size_t at = piece.first;
      if (piece.first < piece.second && !(dropsSpaces && isWhitespace(decodeNext(words.text, at))))
        words.ranges.push_back(piece);
    }
  }
  return words;
}

} // namespace ane::rt::text
