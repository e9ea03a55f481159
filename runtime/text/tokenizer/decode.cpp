//===- decode.cpp - Tokens to text, step by step --------------------------===//
#include "runtime/text/tokenizer/decode.h"
#include "runtime/text/tokenizer/text_map.h"
#include "runtime/text/tokenizer/words.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include <functional>

namespace ane::rt::text {

/// A step with its state. `emit` hands a token on.
class DecodeChain::Link {
public:
  using Emit = std::function<void(std::string_view)>;
  virtual ~Link() = default;
  virtual void add(std::string_view token, const Emit &emit) = 0;
  /// At the end of the text; the state is that of the beginning then.
  virtual void finish(const Emit &) {}
};

namespace {

using Link = DecodeChain::Link;

std::string replaceAll(std::string_view text, std::string_view from, std::string_view to) {
  return from.empty() ? std::string(text) : absl::StrReplaceAll(view(text), {{view(from), view(to)}});
}

/// Bytes in the UTF-8 form of U+FFFD.
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// Whether more bytes could make a character of these, which are none yet; how
/// many of them belong together if not.
size_t badBytes(std::string_view bytes, bool &isUnfinished) {
  auto first = static_cast<uint8_t>(bytes[0]);
  size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                  : first >= 0xe0 && first <= 0xef ? 3
                  : first >= 0xf0 && first <= 0xf4 ? 4
                                                   : 1;
  // Whatever continues it may be checked with the lowest and the highest continuation.
  size_t good = 1;
  for (; good < length && good < bytes.size(); ++good) {
    bool fits = false;
    for (std::string_view filler : {"\x80\x80\x80", "\xbf\xbf\xbf"}) {
      std::string completed = std::string(bytes.substr(0, good + 1)).append(filler.substr(0, length - good - 1));
      fits |= characterBytes(completed, 0) == length;
    }
    if (!fits)
      break;
  }
  isUnfinished = good < length && good == bytes.size();
  return good;
}

/// All tokens' bytes as one text.
class ByteLevelLink : public Link {
public:
  void add(std::string_view token, const Emit &emit) override {
    std::optional<std::string> bytes = alphabetBytes(token);
    held += bytes ? *bytes : std::string(token);
    release(emit, /*isEnd=*/false);
  }
  void finish(const Emit &emit) override { release(emit, /*isEnd=*/true); }

private:
  std::string held;

  void release(const Emit &emit, bool isEnd) {
    std::string text;
    size_t at = 0;
    while (at < held.size()) {
      if (size_t bytes = characterBytes(held, at)) {
        text.append(held, at, bytes);
        at += bytes;
        continue;
      }
      bool isUnfinished = false;
      size_t bad = badBytes(std::string_view(held).substr(at), isUnfinished);
      if (isUnfinished && !isEnd)
        break;
      text += kReplacement;
      at += bad;
    }
    held.erase(0, at);
    if (!text.empty())
      emit(text);
  }
};

class ByteFallbackLink : public Link {
public:
  explicit ByteFallbackLink(const decoder::ByteFallback &step) : byCharacter(step.byCharacter) {}

  void add(std::string_view token, const Emit &emit) override {
    std::optional<uint8_t> byte = byteOfToken(token);
    if (byte)
      held += static_cast<char>(*byte);
    else
      finish(emit);
    if (byte && byCharacter)
      release(emit, /*isEnd=*/false);
    if (!byte)
      emit(token);
  }
  void finish(const Emit &emit) override {
    if (held.empty())
      return;
    if (byCharacter)
      return release(emit, /*isEnd=*/true);
    std::string text;
    if (isValidUtf8(held))
      text = held;
    else
      for (size_t i = 0; i < held.size(); ++i)
        text += kReplacement;
    held.clear();
    emit(text);
  }

private:
  bool byCharacter;
  std::string held;

  void release(const Emit &emit, bool isEnd) {
    while (!held.empty()) {
      size_t bytes = characterBytes(held, 0);
      bool isUnfinished = false;
      if (bytes == 0)
        badBytes(held, isUnfinished);
      if (isUnfinished && !isEnd)
        return;
      emit(bytes > 0 ? std::string_view(held).substr(0, bytes) : kReplacement);
      held.erase(0, std::max<size_t>(bytes, 1));
    }
  }
};

/// Cuts `content` off the ends of each token; behind Fuse, of all text.
class StripLink : public Link {
public:
  StripLink(const decoder::Strip &step, bool isFused) : step(step), isFused(isFused) {}

  void add(std::string_view token, const Emit &emit) override {
    if (!isFused) {
      started = 0;
      held.clear();
    }
    bool isOnlyContent = started >= 0;
    while (isOnlyContent && started < step.start && token.substr(0, step.content.size()) == step.content) {
      token.remove_prefix(step.content.size());
      ++started;
    }
    if (token.empty() && isOnlyContent && isFused)
      return;
    started = isFused ? -1 : 0;
    held += token;
    // What may be cut off at the end.
    size_t keep = held.size();
    for (int64_t i = 0; i < step.stop && ends(keep); ++i)
      keep -= step.content.size();
    emit(std::string_view(held).substr(0, keep));
    held.erase(0, isFused ? keep : held.size());
  }
  void finish(const Emit &) override {
    held.clear();
    started = 0;
  }

private:
  const decoder::Strip step;
  bool isFused;
  int64_t started = 0; ///< pieces of content cut off at the start; -1 behind it
  std::string held;

  bool ends(size_t size) const {
    return size >= step.content.size() &&
           held.compare(size - step.content.size(), step.content.size(), step.content) == 0;
  }
};

class ReplaceLink : public Link {
public:
  explicit ReplaceLink(const decoder::Replace &step) : step(step) {}
  void add(std::string_view token, const Emit &emit) override {
    emit(replaceAll(token, step.pattern.text, step.content));
  }

private:
  const decoder::Replace step;
};

class FuseLink : public Link {
public:
  void add(std::string_view token, const Emit &emit) override { emit(token); }
};

class MetaspaceLink : public Link {
public:
  explicit MetaspaceLink(const decoder::Metaspace &step) : step(step) {}
  void add(std::string_view token, const Emit &emit) override {
    bool drops = isFirst && !step.keepsFirst;
    isFirst = false;
    emit(replaceAll(token, step.replacement, drops ? "" : " "));
  }
  void finish(const Emit &) override { isFirst = true; }

private:
  const decoder::Metaspace step;
  bool isFirst = true;
};

class WordPieceLink : public Link {
public:
  explicit WordPieceLink(const decoder::WordPiece &step) : step(step) {}
  void add(std::string_view token, const Emit &emit) override {
    std::string text;
    bool continues = !isFirst && token.substr(0, step.prefix.size()) == step.prefix;
    if (continues)
      text = replaceFirst(token);
    else
      text = absl::StrCat(isFirst ? "" : " ", view(token));
    isFirst = false;
    emit(step.cleansUp ? cleanUp(text) : text);
  }
  void finish(const Emit &) override { isFirst = true; }

  /// The rules of English that Hugging Face applies, one after the other.
  static std::string cleanUp(std::string text) {
    static constexpr std::pair<std::string_view, std::string_view> rules[] = {
        {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
        {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (const auto &[from, to] : rules)
      text = replaceAll(text, from, to);
    return text;
  }

private:
  const decoder::WordPiece step;
  bool isFirst = true;

  std::string replaceFirst(std::string_view token) const { return std::string(token.substr(step.prefix.size())); }
};

/// The suffix is a space, but for the last token, which is held back.
class BpeLink : public Link {
public:
  explicit BpeLink(const decoder::Bpe &step) : step(step) {}
  void add(std::string_view token, const Emit &emit) override {
    if (held)
      emit(replaceAll(*held, step.suffix, " "));
    held = token;
  }
  void finish(const Emit &emit) override {
    if (held)
      emit(replaceAll(*held, step.suffix, ""));
    held.reset();
  }

private:
  const decoder::Bpe step;
  std::optional<std::string> held;
};

class SentencePieceLink : public Link {
public:
  explicit SentencePieceLink(const decoder::SentencePiece &step) : step(step) {}
  void add(std::string_view token, const Emit &emit) override {
    bool isUnknown = !token.empty() && token == step.unknown;
    if (!isUnknown && isStart && (step.dropsPrefix || step.dropsAll) &&
        token.substr(0, kSpaceSign.size()) == kSpaceSign) {
      token.remove_prefix(kSpaceSign.size());
      isStart = step.dropsAll;
    }
    std::string text = isUnknown ? step.unknownText : replaceAll(token, kSpaceSign, " ");
    isStart &= text.empty();
    emit(text);
  }
  void finish(const Emit &) override { isStart = true; }

private:
  const decoder::SentencePiece step;
  bool isStart = true;
};

bool fuses(const Decoder &step) {
  return std::holds_alternative<decoder::Fuse>(step) || std::holds_alternative<decoder::ByteLevel>(step);
}

std::unique_ptr<Link> link(const Decoder &step, bool isFused) {
  if (auto *held = std::get_if<decoder::ByteFallback>(&step))
    return std::make_unique<ByteFallbackLink>(*held);
  if (auto *held = std::get_if<decoder::Strip>(&step))
    return std::make_unique<StripLink>(*held, isFused);
  if (auto *held = std::get_if<decoder::Replace>(&step))
    return std::make_unique<ReplaceLink>(*held);
  if (auto *held = std::get_if<decoder::Metaspace>(&step))
    return std::make_unique<MetaspaceLink>(*held);
  if (auto *held = std::get_if<decoder::WordPiece>(&step))
    return std::make_unique<WordPieceLink>(*held);
  if (auto *held = std::get_if<decoder::Bpe>(&step))
    return std::make_unique<BpeLink>(*held);
  if (auto *held = std::get_if<decoder::SentencePiece>(&step))
    return std::make_unique<SentencePieceLink>(*held);
  if (std::holds_alternative<decoder::ByteLevel>(step))
    return std::make_unique<ByteLevelLink>();
  return std::make_unique<FuseLink>();
}

} // namespace

DecodeChain::DecodeChain(const std::vector<Decoder> &steps) {
  bool isFused = false;
  for (const Decoder &step : steps) {
    links.push_back(link(step, isFused));
    isFused |= fuses(step);
  }
}
DecodeChain::~DecodeChain() = default;

absl::Status DecodeChain::check(const std::vector<Decoder> &steps) {
  bool isFused = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Decoder &step = steps[i];
    const auto *replace = std::get_if<decoder::Replace>(&step);
    if (replace && replace->pattern.isRegex)
      return absl::InvalidArgumentError(
          absl::StrCat("decoder ", i, ": Replace with a regular expression is not supported, a text is"));
    bool isFine =
        fuses(step) || std::holds_alternative<decoder::Strip>(step) || (replace && replace->pattern.text.size() == 1);
    if (isFused && !isFine)
      return absl::InvalidArgumentError(absl::StrCat(
          "decoder ", i, ": behind Fuse or ByteLevel, only Strip, and Replace of one byte, are supported"));
    isFused |= fuses(step);
  }
  return absl::OkStatus();
}

void DecodeChain::push(size_t index, std::string_view token, std::string &text) {
  if (index == links.size())
    text += token;
  else
    links[index]->add(token, [&](std::string_view part) { push(index + 1, part, text); });
}

void DecodeChain::add(std::string_view token, std::string &text) { push(0, token, text); }

void DecodeChain::finish(std::string &text) {
  for (size_t i = 0; i < links.size(); ++i)
    links[i]->finish([&](std::string_view part) { push(i + 1, part, text); });
}

} // namespace ane::rt::text
