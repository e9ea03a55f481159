//===- syntax.h - Tree of a template ----------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TEMPLATE_SYNTAX_H
#define ANE_RUNTIME_TEXT_TEMPLATE_SYNTAX_H

#include "runtime/text/template/value.h"

namespace ane::rt::text::jinja {

/// Both from 1; columns count code points.
struct Position {
  uint32_t line = 1, column = 1;
};

/// What is thrown inside where the place is known.
struct PlacedFailure {
  Position at;
  std::string message;
};

/// Behind each kind: what `children` are (a null one is left out), and what else
/// it has.
enum class Kind {
  // Expressions
  Constant,    ///< constant
  Name,        ///< name
  Tuple,       ///< items
  List,        ///< items
  Dict,        ///< key, value, key, value, ...
  Attribute,   ///< of; name
  Subscript,   ///< of, index
  Slice,       ///< of, begin or null, end or null, step or null
  Call,        ///< callee, arguments...; keywords
  Filter,      ///< of (null at the head of a block), arguments...; name, keywords
  Test,        ///< of, arguments...; name
  Not,         ///< of
  Negative,    ///< of
  Positive,    ///< of
  Binary,      ///< left, right; name is the operator
  Compare,     ///< first, second, ...; operators between them
  And,         ///< left, right
  Or,          ///< left, right
  Concat,      ///< items
  Conditional, ///< condition, value, other or null
  // Statements
  Output,      ///< constant: text of the template
  Print,       ///< value
  If,          ///< conditions; bodies, one more where there is an else
  For,         ///< target, iterable, condition or null; bodies: loop, else
  Set,         ///< target, value; the target is Name, Tuple or Attribute
  SetBlock,    ///< target, filter or null; body
  Macro,       ///< name, parameters, body
  CallBlock,   ///< call; parameters, body
  FilterBlock, ///< filter; body
  With,        ///< target, value, target, value, ...; body
  Generation,  ///< body: what the model writes
  Break,
  Continue,
};

struct Node;
using NodePointer = std::unique_ptr<Node>;
using Body = std::vector<NodePointer>;

/// A keyword of a call, or a parameter with its default (or null).
struct Keyword {
  std::string name;
  NodePointer value;
};

struct Node {
  Kind kind;
  Position at;
  int depth = 1; ///< of the tree below
  std::string name;
  Value constant;
  std::vector<NodePointer> children;
  std::vector<Keyword> keywords, parameters;
  std::vector<std::string> operators;
  std::vector<Body> bodies;
};

constexpr int kMaxTreeDepth = 200;

} // namespace ane::rt::text::jinja

#endif // ANE_RUNTIME_TEXT_TEMPLATE_SYNTAX_H
