//===- parser.h - From tokens to a tree -------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TEMPLATE_PARSER_H
#define ANE_RUNTIME_TEXT_TEMPLATE_PARSER_H

#include "runtime/text/template/lexer.h"

#include <initializer_list>

namespace ane::rt::text::jinja {

/// Jinja's grammar, as its own parser reads it. Throws PlacedFailure.
class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}
  Body parse();

private:
  /// Counts the parser's own recursion.
  class Nested {
  public:
    explicit Nested(Parser &parser);
    ~Nested() { --parser.depth; }

  private:
    Parser &parser;
  };

  [[noreturn]] void fail(const std::string &message) const;
  const Token &token() const { return tokens[next]; }
  const Token &token(size_t ahead) const { return tokens[std::min(next + ahead, tokens.size() - 1)]; }
  Token take();
  bool isOperator(std::string_view text) const;
  bool isWord(std::string_view word) const;
  bool skipOperator(std::string_view text);
  bool skipWord(std::string_view word);
  void expectOperator(std::string_view text);
  void expectWord(std::string_view word);
  std::string expectName(const char *of);
  void expectEnd();
  std::string describeToken() const;

  NodePointer make(Kind kind, Position at, std::vector<NodePointer> children = {}, std::string name = "") const;
  template <typename... Children>
  NodePointer makeOf(Kind kind, Position at, std::string name, Children... children) const {
    std::vector<NodePointer> list;
    (list.push_back(std::move(children)), ...);
    return make(kind, at, std::move(list), std::move(name));
  }
  NodePointer makeConstant(Position at, Value value) const;

  // Statements: parser_statements.cpp
  /// Up to a tag that begins with one of `ends`, whose name is not taken.
  Body parseBody(std::initializer_list<std::string_view> ends, const Token *opening);
  Body parseBlockBody(std::string_view end, const Token &opening);
  void addBody(Node &node, Body body) const;
  NodePointer parseStatement();
  NodePointer parseIf();
  NodePointer parseFor();
  NodePointer parseSet();
  NodePointer parseMacro();
  NodePointer parseCallBlock();
  NodePointer parseFilterBlock();
  NodePointer parseWith();
  NodePointer parseGeneration();
  NodePointer parseTarget(bool takesTuple, bool takesAttribute);
  void parseParameters(Node &node);

  // Expressions: parser.cpp
  NodePointer parseTuple(bool takesConditional = true);
  NodePointer parseExpression();
  NodePointer parseOr();
  NodePointer parseAnd();
  NodePointer parseNot();
  NodePointer parseCompare();
  NodePointer parseLeft(std::initializer_list<std::string_view> operators, NodePointer (Parser::*operand)());
  NodePointer parseSum() { return parseLeft({"+", "-"}, &Parser::parseConcat); }
  NodePointer parseProduct() { return parseLeft({"*", "/", "//", "%"}, &Parser::parsePower); }
  NodePointer parsePower() { return parseLeft({"**"}, &Parser::parseOperand); }
  NodePointer parseConcat();
  NodePointer parseOperand() { return parseUnary(true); }
  NodePointer parseUnary(bool takesFilters);
  NodePointer parsePrimary();
  NodePointer parseList();
  NodePointer parseDict();
  NodePointer parsePostfix(NodePointer node);
  NodePointer parseFilters(NodePointer node);
  NodePointer parseFilter(NodePointer node);
  NodePointer parseTest(NodePointer node);
  NodePointer parseSubscript(NodePointer node);
  void parseArguments(Node &node);

  std::vector<Token> tokens;
  size_t next = 0;
  int depth = 0, loops = 0;
  /// Inside of an `if`, what is unknown is an error when it is reached only:
  /// templates test which extensions there are.
  bool isConditional = false;
};

} // namespace ane::rt::text::jinja

#endif // ANE_RUNTIME_TEXT_TEMPLATE_PARSER_H
