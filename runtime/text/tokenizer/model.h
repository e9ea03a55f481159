//===- model.h - What a tokenizer is made of --------------------*- C++ -*-===//
//
// A plain description, which readers make of files of several kinds (readers.h)
// and Tokenizer (tokenizer.h) works by. Text becomes ids in this order:
//
//   added tokens are found in it; what is left of it goes through the
//   normalizers (again added tokens, those that are searched for in normalized
//   text), is split into words by the pre-tokenizers, and each word becomes
//   ids by the vocabulary; `prefix` and `suffix` come around all of it.
//
// Steps are those of Hugging Face's tokenizers, with the same names and meaning,
// but for SentencePiece, which is what a model of that library does to text.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_MODEL_H
#define ANE_RUNTIME_TEXT_TOKENIZER_MODEL_H

#include "runtime/text/tokenizer/unicode.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ane::rt::text {

/// A text, or a regular expression (pattern.h).
struct PatternText {
  std::string text;
  bool isRegex = false;
};

/// Limits of every model; files beyond them are refused.
constexpr size_t kMaxTokens = 4 << 20, kMaxTokenBytes = 64 << 10;
/// Of added tokens and the pieces of unigram models, which are searched for
/// from each place of a text.
constexpr size_t kMaxSearchedBytes = 1 << 10;
constexpr size_t kMaxSteps = 64;

/// In which pieces a split leaves text around its matches.
enum class Behavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

/// Normalizers: text to text.
namespace normalizer {
struct Unicode {
  NormalForm form;
};
struct Lowercase {};
struct StripAccents {};
struct Strip {
  bool left, right;
};
struct Replace {
  PatternText pattern;
  std::string content;
};
struct Prepend {
  std::string text; ///< before what is not empty
};
struct Bert {
  bool cleanText, separateIdeographs, stripAccents, lowercase;
};
/// The compiled map of SentencePiece, as Hugging Face applies it: to grapheme
/// clusters below 6 bytes, and to the characters of the others.
struct Precompiled {
  std::string charsmap;
};
/// The map at the longest match; spaces become U+2581. Tokens of the role
/// UserDefined stay as they are.
struct SentencePiece {
  std::string charsmap; ///< may be empty
  bool addsPrefix, removesExtraSpaces;
};
} // namespace normalizer
using Normalizer = std::variant<normalizer::Unicode, normalizer::Lowercase, normalizer::StripAccents, normalizer::Strip,
                                normalizer::Replace, normalizer::Prepend, normalizer::Bert, normalizer::Precompiled,
                                normalizer::SentencePiece>;

/// Pre-tokenizers: text to words.
namespace pretokenizer {
/// Bytes as characters of GPT-2's alphabet; the last step.
struct ByteLevel {
  bool addsPrefixSpace, usesRegex;
};
struct Split {
  PatternText pattern;
  Behavior behavior;
  bool isInverted;
};
struct Whitespace {};
struct WhitespaceSplit {};
struct Bert {};
struct Digits {
  bool individual;
};
struct Punctuation {
  Behavior behavior;
};
enum class PrependScheme { First, Always, Never };
struct Metaspace {
  std::string replacement; ///< one character
  PrependScheme scheme;
  bool splits;
};
} // namespace pretokenizer
using PreTokenizer =
    std::variant<pretokenizer::ByteLevel, pretokenizer::Split, pretokenizer::Whitespace, pretokenizer::WhitespaceSplit,
                 pretokenizer::Bert, pretokenizer::Digits, pretokenizer::Punctuation, pretokenizer::Metaspace>;

/// Decoders: tokens to text, each step on the tokens that the one before gives.
namespace decoder {
struct ByteLevel {};
/// `<0x0A>` as bytes. A run of them that is no UTF-8 is U+FFFD for each byte, or
/// for each byte that is part of no character, as in SentencePiece.
struct ByteFallback {
  bool byCharacter;
};
struct Fuse {};
struct Strip {
  std::string content; ///< one character
  int64_t start, stop;
};
struct Replace {
  PatternText pattern; ///< a text
  std::string content;
};
struct Metaspace {
  std::string replacement;
  bool keepsFirst; ///< whether the first token keeps its spaces
};
struct WordPiece {
  std::string prefix;
  bool cleansUp;
};
struct Bpe {
  std::string suffix;
};
/// U+2581 is a space, but for the first: one if a prefix was added, or those of
/// all tokens before there is text if spaces were removed.
struct SentencePiece {
  std::string unknown, unknownText; ///< the token, and what stands for it
  bool dropsPrefix, dropsAll;
};
} // namespace decoder
using Decoder = std::variant<decoder::ByteLevel, decoder::ByteFallback, decoder::Fuse, decoder::Strip, decoder::Replace,
                             decoder::Metaspace, decoder::WordPiece, decoder::Bpe, decoder::SentencePiece>;

/// A token that is found in text before any other step.
struct AddedToken {
  int32_t id;
  std::string text;
  bool isSpecial = false; ///< found only where the caller trusts the text
  bool lstrip = false, rstrip = false, singleWord = false;
  bool normalized = false; ///< searched for in normalized text
};

/// How words become ids.
enum class Algorithm {
  Bpe,      ///< merges by rank
  ScoreBpe, ///< SentencePiece's: whatever two neighbours give a token, by its score
  Unigram,  ///< the most likely way through the word
  WordPiece ///< the longest token, from the left
};

/// What a token of a SentencePiece vocabulary is for.
enum class Role : uint8_t { Normal, Unknown, Control, UserDefined, Unused, Byte };

struct Merge {
  int32_t left, right, result;
};

struct TokenizerModel {
  Algorithm algorithm = Algorithm::Bpe;
  std::vector<std::string> tokens; ///< by id; empty for ids without a token
  std::vector<float> scores;       ///< by id: ScoreBpe; empty else
  std::vector<double> logs;        ///< by id: Unigram; empty else
  std::vector<Role> roles;         ///< by id, or empty
  std::vector<Merge> merges;       ///< Bpe; the first is the best
  std::optional<int32_t> unknown, bos, eos, pad;

  bool fusesUnknown = false, fallsBackToBytes = false;
  bool ignoresMerges = false;                    ///< Bpe: a word that is a token is that token
  std::string continuingPrefix, endOfWordSuffix; ///< Bpe; WordPiece has the prefix
  int64_t maxWordCharacters = 100;               ///< WordPiece
  bool addsInFloat = false;                      ///< Unigram: sums are fp32, as SentencePiece's

  std::vector<AddedToken> added;
  std::vector<Normalizer> normalizers;
  std::vector<PreTokenizer> preTokenizers;
  std::vector<Decoder> decoders; ///< none: tokens with spaces between them
  std::vector<int32_t> prefix, suffix;
  std::optional<int64_t> maxLength; ///< tokens that the file wants at most; nothing here truncates
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_MODEL_H
