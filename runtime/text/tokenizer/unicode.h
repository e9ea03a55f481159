//===- unicode.h - Code points: UTF-8, classes, normal forms ----*- C++ -*-===//
//
// Unicode data is utf8proc's. Functions without a word on
// it take valid UTF-8, which replaceInvalid() makes of any bytes.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_UNICODE_H
#define ANE_RUNTIME_TEXT_TOKENIZER_UNICODE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ane::rt::text {

/// U+2581, which is a space in vocabularies of SentencePiece.
constexpr std::string_view kSpaceSign = "\xe2\x96\x81";

/// Bytes of the character that begins at `at`; 0 where none does: surrogates,
/// forms that are too long and what is above U+10FFFF are none.
size_t characterBytes(std::string_view text, size_t at);

/// The character at `at`, which moves behind it; U+FFFD for a byte of none.
uint32_t decodeNext(std::string_view text, size_t &at);
void appendUtf8(std::string &text, uint32_t codePoint);

bool isValidUtf8(std::string_view text);
/// U+FFFD for each byte that is part of no character, as SentencePiece and
/// llama.cpp have it.
std::string replaceInvalid(std::string_view bytes);

bool isWhitespace(uint32_t codePoint);  ///< White_Space
bool isNumeric(uint32_t codePoint);     ///< category N
bool isPunctuation(uint32_t codePoint); ///< category P, and ASCII's, symbols as well
bool isWord(uint32_t codePoint);        ///< letters, marks, decimal digits, connectors, joiners
bool isMark(uint32_t codePoint);        ///< category M
bool isNonspacingMark(uint32_t codePoint);
bool isOther(uint32_t codePoint); ///< control, format and private characters
/// Ideographs, as BERT has them.
bool isIdeograph(uint32_t codePoint);

/// Lower case, character by character: no final sigma.
std::string lowercase(std::string_view text);

enum class NormalForm { NFC, NFD, NFKC, NFKD };
/// Time is n log n, in runs of combining marks as well.
std::string normalize(std::string_view text, NormalForm form);

/// Bytes of the extended grapheme cluster that begins at `at`.
size_t graphemeBytes(std::string_view text, size_t at);

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_UNICODE_H
