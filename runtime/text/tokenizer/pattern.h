//===- pattern.h - Regular expressions of tokenizers ------------*- C++ -*-===//
//
// Patterns are written for Oniguruma (tokenizer.json) and matched by PCRE2, with
// JIT where the processor has it. What the two understand differently is
// rewritten or refused: \s, \w and \b are Unicode's, \h is an error.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_PATTERN_H
#define ANE_RUNTIME_TEXT_TOKENIZER_PATTERN_H

#include "absl/status/statusor.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::rt::text {

/// Bytes [first, second) of a text.
using Range = std::pair<size_t, size_t>;

class Pattern {
public:
  /// Errors quote the pattern and say where it is wrong. At most 16 KiB long.
  static absl::StatusOr<Pattern> regex(std::string_view source);
  static Pattern literal(std::string_view text);

  /// Appends the matches in valid UTF-8, from left to right, none overlapping;
  /// some may be empty. ResourceExhausted when matching takes too much time or
  /// memory: a limit on PCRE2's steps for each match, and 10 s for all.
  absl::Status findAll(std::string_view text, std::vector<Range> &matches) const;

private:
  Pattern() = default;

  struct Compiled;
  std::shared_ptr<const Compiled> compiled; ///< null for a literal
  std::string source;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_PATTERN_H
