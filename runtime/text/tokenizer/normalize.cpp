//===- normalize.cpp - Text to normalized text ----------------------------===//
#include "runtime/text/tokenizer/normalize.h"

namespace ane::rt::text {
namespace {

/// The text without the characters for which `drops` holds.
template <typename Drops>
std::string without(std::string_view text, Drops drops) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    if (!drops(decodeNext(text, at)))
      result.append(text.substr(begin, at - begin));
  }
  return result;
}

std::string bert(const normalizer::Bert &step, std::string text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    uint32_t c = decodeNext(text, at);
    bool isSpace = isWhitespace(c);
    if (step.cleanText && (c == 0 || c == 0xfffd || (isOther(c) && c != '\t' && c != '\n' && c != '\r')))
      continue;
    if (step.cleanText && isSpace)
      c = ' ';
    bool isApart = step.separateIdeographs && isIdeograph(c);
    if (isApart)
      result += ' ';
    appendUtf8(result, c);
    if (isApart)
      result += ' ';
  }
  if (step.stripAccents)
    result = without(normalize(result, NormalForm::NFD), isNonspacingMark);
  return step.lowercase ? lowercase(result) : result;
}

std::string strip(const normalizer::Strip &step, std::string_view text) {
  size_t begin = text.size(), end = 0;
  for (size_t at = 0; at < text.size();) {
    size_t start = at;
    if (isWhitespace(decodeNext(text, at)))
      continue;
    begin = std::min(begin, start);
    end = at;
  }
  if (begin > end)
    return step.left || step.right ? std::string() : std::string(text);
  begin = step.left ? begin : 0;
  return std::string(text.substr(begin, (step.right ? end : text.size()) - begin));
}

/// As Hugging Face does it, where the shortest entry wins.
std::string precompiled(const Charsmap &map, std::string_view text) {
  std::string result;
  auto apply = [&](std::string_view part) {
    auto found = map.find(part, 0, /*wantsLongest=*/false);
    if (found)
      result += found->replacement;
    return found.has_value();
  };
  for (size_t at = 0; at < text.size();) {
    size_t end = at + graphemeBytes(text, at);
    if (end - at < 6 && apply(text.substr(at, end - at))) {
      at = end;
      continue;
    }
    while (at < end) {
      size_t begin = at;
      decodeNext(text, at);
      std::string_view character = text.substr(begin, at - begin);
      if (!apply(character))
        result += character;
    }
  }
  return result;
}

} // namespace

/// Spaces that follow each other, or begin or end the text, may go; all are
/// written as U+2581.
std::string TextNormalizer::sentencePiece(const Step &step, std::string_view text) const {
  const auto &how = std::get<normalizer::SentencePiece>(step.step);
  std::string result;
  // What the text at a place becomes, and how long the place is.
  auto next = [&](size_t at) -> Charsmap::Match {
    size_t bytes = 0;
    kept.find(text, at, [&](size_t length, int32_t) { bytes = length; });
    if (bytes > 0)
      return {bytes, text.substr(at, bytes)};
    if (step.charsmap)
      if (auto found = step.charsmap->find(text, at, /*wantsLongest=*/true))
        return *found;
    bytes = characterBytes(text, at);
    if (bytes == 0)
      return {1, "\xef\xbf\xbd"}; // U+FFFD, which the map does not see
    return {bytes, text.substr(at, bytes)};
  };
  size_t at = 0;
  while (how.removesExtraSpaces && at < text.size()) {
    Charsmap::Match match = next(at);
    if (match.replacement != " ")
      break;
    at += match.bytes;
  }
  if (at == text.size())
    return result;
  if (how.addsPrefix)
    result += kSpaceSign;
  bool wasSpace = how.removesExtraSpaces;
  while (at < text.size()) {
    Charsmap::Match match = next(at);
    at += match.bytes;
    std::string_view part = match.replacement;
    while (wasSpace && !part.empty() && part[0] == ' ')
      part.remove_prefix(1);
    if (part.empty())
      continue;
    for (char c : part)
      c == ' ' ? result += kSpaceSign : result += c;
    wasSpace = how.removesExtraSpaces && part.back() == ' ';
  }
  while (how.removesExtraSpaces && result.size() >= kSpaceSign.size() &&
         result.compare(result.size() - kSpaceSign.size(), kSpaceSign.size(), kSpaceSign) == 0)
    result.resize(result.size() - kSpaceSign.size());
  return result;
}

absl::StatusOr<TextNormalizer> TextNormalizer::make(const TokenizerModel &model) {
  TextNormalizer normalizer;
  for (size_t id = 0; id < model.roles.size(); ++id)
    if (model.roles[id] == Role::UserDefined)
      normalizer.kept.add(model.tokens[id], static_cast<int32_t>(id));
  for (const Normalizer &step : model.normalizers) {
    Step made{step, std::nullopt, std::nullopt};
    if (const auto *replace = std::get_if<normalizer::Replace>(&step)) {
      absl::StatusOr<Pattern> pattern =
          replace->pattern.isRegex ? Pattern::regex(replace->pattern.text) : Pattern::literal(replace->pattern.text);
      if (!pattern.ok())
        return pattern.status();
      made.pattern = *std::move(pattern);
    }
    const auto *map = std::get_if<normalizer::Precompiled>(&step);
    const auto *sentencePiece = std::get_if<normalizer::SentencePiece>(&step);
    if (map || (sentencePiece && !sentencePiece->charsmap.empty())) {
      absl::StatusOr<Charsmap> charsmap = Charsmap::parse(map ? map->charsmap : sentencePiece->charsmap);
      if (!charsmap.ok())
        return charsmap.status();
      made.charsmap = *std::move(charsmap);
    }
    normalizer.steps.push_back(std::move(made));
  }
  return normalizer;
}

absl::StatusOr<std::string> TextNormalizer::run(std::string text) const {
  std::vector<Range> matches;
  for (const Step &step : steps) {
    if (const auto *unicode = std::get_if<normalizer::Unicode>(&step.step))
      text = normalize(text, unicode->form);
    else if (std::holds_alternative<normalizer::Lowercase>(step.step))
      text = lowercase(text);
    else if (std::holds_alternative<normalizer::StripAccents>(step.step))
      text = without(text, isMark);
    else if (const auto *ends = std::get_if<normalizer::Strip>(&step.step))
      text = strip(*ends, text);
    else if (const auto *prepend = std::get_if<normalizer::Prepend>(&step.step))
      text = text.empty() ? text : prepend->text + text;
    else if (const auto *all = std::get_if<normalizer::Bert>(&step.step))
      text = bert(*all, std::move(text));
    else if (std::holds_alternative<normalizer::Precompiled>(step.step))
      text = precompiled(*step.charsmap, text);
    else if (std::holds_alternative<normalizer::SentencePiece>(step.step))
      text = sentencePiece(step, text);
    else {
      const auto &replace = std::get<normalizer::Replace>(step.step);
      matches.clear();
      if (absl::Status s = step.pattern->findAll(text, matches); !s.ok())
        return s;
      std::string result;
      size_t last = 0;
      for (const Range &match : matches) {
        result.append(text, last, match.first - last).append(replace.content);
        last = match.second;
      }
      text = result.append(text, last, std::string::npos);
    }
  }
  return text;
}

} // namespace ane::rt::text
