//===- lexer.h - Tokens of a template ---------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TEMPLATE_LEXER_H
#define ANE_RUNTIME_TEXT_TEMPLATE_LEXER_H

#include "runtime/text/template/syntax.h"

namespace ane::rt::text::jinja {

struct Token {
  enum class Kind {
    Data,
    BlockBegin,
    BlockEnd,
    PrintBegin,
    PrintEnd,
    Name,
    String,
    Integer,
    Float,
    Operator,
    End
  } kind;
  Position at;
  std::string text; ///< of strings: unquoted
};

/// White space around tags is removed as Jinja does with trim_blocks and
/// lstrip_blocks, which transformers sets. Throws PlacedFailure.
std::vector<Token> tokenize(std::string_view source);

} // namespace ane::rt::text::jinja

#endif // ANE_RUNTIME_TEXT_TEMPLATE_LEXER_H
