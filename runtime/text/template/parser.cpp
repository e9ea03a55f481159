//===- parser.cpp - Expressions of templates ------------------------------===//
#include "runtime/text/template/parser.h"
#include "runtime/support/quote.h"
#include "runtime/text/template/library.h"

#include "absl/strings/charconv.h"
#include <algorithm>
#include <charconv>

namespace ane::rt::text::jinja {
namespace {

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

} // namespace

Parser::Nested::Nested(Parser &parser) : parser(parser) {
  if (++parser.depth > kMaxTreeDepth)
    parser.fail("the template is nested deeper than " + std::to_string(kMaxTreeDepth) + " levels");
}

void Parser::fail(const std::string &message) const { throw PlacedFailure{token().at, message}; }

Token Parser::take() {
  Token taken = token();
  if (next + 1 < tokens.size())
    ++next;
  return taken;
}

bool Parser::isOperator(std::string_view text) const {
  return token().kind == Token::Kind::Operator && token().text == text;
}
bool Parser::isWord(std::string_view word) const { return token().kind == Token::Kind::Name && token().text == word; }

bool Parser::skipOperator(std::string_view text) {
  bool found = isOperator(text);
  if (found)
    take();
  return found;
}
bool Parser::skipWord(std::string_view word) {
  bool found = isWord(word);
  if (found)
    take();
  return found;
}

void Parser::expectOperator(std::string_view text) {
  if (!skipOperator(text))
    fail("'" + std::string(text) + "' is expected, not " + describeToken());
}
void Parser::expectWord(std::string_view word) {
  if (!skipWord(word))
    fail("'" + std::string(word) + "' is expected, not " + describeToken());
}
std::string Parser::expectName(const char *of) {
  if (token().kind != Token::Kind::Name)
    fail("the name of " + std::string(of) + " is expected, not " + describeToken());
  return take().text;
}
void Parser::expectEnd() {
  if (token().kind != Token::Kind::BlockEnd)
    fail("the end of the tag is expected, not " + describeToken());
  take();
}

std::string Parser::describeToken() const {
  switch (token().kind) {
  case Token::Kind::BlockEnd:
  case Token::Kind::PrintEnd:
    return "the end of the tag";
  case Token::Kind::End:
    return "the end of the template";
  default:
    return quote(token().text);
  }
}

NodePointer Parser::make(Kind kind, Position at, std::vector<NodePointer> children, std::string name) const {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->at = at;
  node->name = std::move(name);
  for (const NodePointer &child : children)
    if (child)
      node->depth = std::max(node->depth, child->depth + 1);
  node->children = std::move(children);
  if (node->depth > kMaxTreeDepth)
    fail("this expression has more than " + std::to_string(kMaxTreeDepth) + " levels");
  return node;
}

NodePointer Parser::makeConstant(Position at, Value value) const {
  NodePointer node = make(Kind::Constant, at);
  node->constant = std::move(value);
  return node;
}

NodePointer Parser::parseTuple(bool takesConditional) {
  Position at = token().at;
  std::vector<NodePointer> items;
  bool hasComma = false;
  auto isEnd = [&] {
    return token().kind == Token::Kind::BlockEnd || token().kind == Token::Kind::PrintEnd || isOperator(")") ||
           (!takesConditional && isWord("recursive"));
  };
  while (!isEnd()) {
    items.push_back(takesConditional ? parseExpression() : parseOr());
    if (!skipOperator(","))
      break;
    hasComma = true;
  }
  if (!hasComma && items.size() == 1)
    return std::move(items[0]);
  if (items.empty())
    fail("an expression is expected, not " + describeToken());
  return make(Kind::Tuple, at, std::move(items));
}

NodePointer Parser::parseExpression() {
  Nested nested(*this);
  Position at = token().at;
  NodePointer value = parseOr();
  while (skipWord("if")) {
    NodePointer condition = parseOr();
    NodePointer other = skipWord("else") ? parseExpression() : nullptr;
    value = makeOf(Kind::Conditional, at, "", std::move(condition), std::move(value), std::move(other));
  }
  return value;
}

NodePointer Parser::parseOr() {
  Position at = token().at;
  NodePointer left = parseAnd();
  while (skipWord("or"))
    left = makeOf(Kind::Or, at, "", std::move(left), parseAnd());
  return left;
}

NodePointer Parser::parseAnd() {
  Position at = token().at;
  NodePointer left = parseNot();
  while (skipWord("and"))
    left = makeOf(Kind::And, at, "", std::move(left), parseNot());
  return left;
}

NodePointer Parser::parseNot() {
  Nested nested(*this);
  Position at = token().at;
  if (skipWord("not"))
    return makeOf(Kind::Not, at, "", parseNot());
  return parseCompare();
}

NodePointer Parser::parseCompare() {
  Position at = token().at;
  std::vector<NodePointer> operands;
  std::vector<std::string> operators;
  operands.push_back(parseSum());
  for (;;) {
    if (token().kind == Token::Kind::Operator && isOneOf(token().text, {"==", "!=", "<", "<=", ">", ">="})) {
      operators.push_back(take().text);
    } else if (skipWord("in")) {
      operators.push_back("in");
    } else if (isWord("not") && token(1).kind == Token::Kind::Name && token(1).text == "in") {
      take(), take();
      operators.push_back("not in");
    } else {
      break;
    }
    operands.push_back(parseSum());
  }
  if (operators.empty())
    return std::move(operands[0]);
  NodePointer node = make(Kind::Compare, at, std::move(operands));
  node->operators = std::move(operators);
  return node;
}

NodePointer Parser::parseLeft(std::initializer_list<std::string_view> operators, NodePointer (Parser::*operand)()) {
  Position at = token().at;
  NodePointer left = (this->*operand)();
  while (token().kind == Token::Kind::Operator && isOneOf(token().text, operators)) {
    std::string name = take().text;
    left = makeOf(Kind::Binary, at, name, std::move(left), (this->*operand)());
    at = token().at;
  }
  return left;
}

NodePointer Parser::parseConcat() {
  Position at = token().at;
  std::vector<NodePointer> items;
  do
    items.push_back(parseProduct());
  while (skipOperator("~"));
  return items.size() == 1 ? std::move(items[0]) : make(Kind::Concat, at, std::move(items));
}

NodePointer Parser::parseUnary(bool takesFilters) {
  Nested nested(*this);
  Position at = token().at;
  NodePointer node;
  if (skipOperator("-"))
    node = makeOf(Kind::Negative, at, "", parseUnary(false));
  else if (skipOperator("+"))
    node = makeOf(Kind::Positive, at, "", parseUnary(false));
  else
    node = parsePrimary();
  node = parsePostfix(std::move(node));
  return takesFilters ? parseFilters(std::move(node)) : std::move(node);
}

NodePointer Parser::parsePrimary() {
  Position at = token().at;
  if (skipOperator("(")) {
    NodePointer node = isOperator(")") ? make(Kind::Tuple, at) : parseTuple();
    expectOperator(")");
    return node;
  }
  if (isOperator("["))
    return parseList();
  if (isOperator("{"))
    return parseDict();
  Token::Kind kind = token().kind;
  if (kind < Token::Kind::Name || kind > Token::Kind::Float)
    fail("an expression is expected, not " + describeToken());
  std::string text = take().text;
  if (kind == Token::Kind::String) {
    while (token().kind == Token::Kind::String)
      text += take().text;
    return makeConstant(at, Value::of(text));
  }
  if (kind == Token::Kind::Integer) {
    int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
      throw PlacedFailure{at, "the integer " + quote(text) + " does not fit 64 bits"};
    return makeConstant(at, value);
  }
  if (kind == Token::Kind::Float) {
    double value = 0; // libc++ reads no floats before release 20
    if (absl::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
      throw PlacedFailure{at, "the number " + quote(text) + " is beyond the range of 64-bit floats"};
    return makeConstant(at, value);
  }
  if (text == "true" || text == "True" || text == "false" || text == "False")
    return makeConstant(at, (text[0] | 32) == 't');
  if (text == "none" || text == "None")
    return makeConstant(at, None{});
  return make(Kind::Name, at, {}, text);
}

NodePointer Parser::parseList() {
  Position at = take().at;
  std::vector<NodePointer> items;
  while (!isOperator("]")) {
    items.push_back(parseExpression());
    if (!isOperator("]"))
      expectOperator(",");
  }
  take();
  return make(Kind::List, at, std::move(items));
}

NodePointer Parser::parseDict() {
  Position at = take().at;
  std::vector<NodePointer> items;
  while (!isOperator("}")) {
    items.push_back(parseExpression());
    expectOperator(":");
    items.push_back(parseExpression());
    if (!isOperator("}"))
      expectOperator(",");
  }
  take();
  return make(Kind::Dict, at, std::move(items));
}

NodePointer Parser::parsePostfix(NodePointer node) {
  for (;;) {
    if (isOperator(".") || isOperator("[")) {
      node = parseSubscript(std::move(node));
    } else if (isOperator("(")) {
      node = makeOf(Kind::Call, token().at, "", std::move(node));
      parseArguments(*node);
    } else {
      return node;
    }
  }
}

NodePointer Parser::parseFilters(NodePointer node) {
  for (;;) {
    if (skipOperator("|")) {
      node = parseFilter(std::move(node));
    } else if (skipWord("is")) {
      node = parseTest(std::move(node));
    } else if (isOperator("(")) {
      node = makeOf(Kind::Call, token().at, "", std::move(node));
      parseArguments(*node);
    } else {
      return node;
    }
  }
}

NodePointer Parser::parseFilter(NodePointer node) {
  Position at = token().at;
  std::string name = expectName("a filter");
  if (!isConditional && !findFilter(name))
    throw PlacedFailure{at, unknownFilter(name)};
  NodePointer filter = makeOf(Kind::Filter, at, name, std::move(node));
  if (isOperator("("))
    parseArguments(*filter);
  return filter;
}

NodePointer Parser::parseTest(NodePointer node) {
  bool isNegated = skipWord("not");
  Position at = token().at;
  std::string name = expectName("a test");
  if (!isConditional && !findTest(name))
    throw PlacedFailure{at, unknownTest(name)};
  NodePointer test = makeOf(Kind::Test, at, name, std::move(node));
  Token::Kind kind = token().kind;
  if (isOperator("(")) {
    parseArguments(*test);
  } else if ((kind >= Token::Kind::Name && kind <= Token::Kind::Float && !isWord("else") && !isWord("or") &&
              !isWord("and")) ||
             isOperator("[") || isOperator("{")) {
    if (isWord("is"))
      fail("a test can't follow a test; use parentheses");
    NodePointer argument = parsePostfix(parsePrimary());
    test->depth = std::max(test->depth, argument->depth + 1);
    test->children.push_back(std::move(argument));
  }
  return isNegated ? makeOf(Kind::Not, at, "", std::move(test)) : std::move(test);
}

NodePointer Parser::parseSubscript(NodePointer node) {
  Position at = token().at;
  if (skipOperator(".")) {
    if (token().kind == Token::Kind::Integer)
      return makeOf(Kind::Subscript, at, "", std::move(node), parsePrimary());
    return makeOf(Kind::Attribute, at, expectName("an attribute"), std::move(node));
  }
  take();
  NodePointer parts[3];
  bool isSlice = false;
  for (int i = 0; i < 3; ++i) {
    if (!isOperator(":") && !isOperator("]"))
      parts[i] = parseExpression();
    if (!skipOperator(":"))
      break;
    isSlice = true;
  }
  if (isOperator(","))
    fail("more than one index is not supported");
  expectOperator("]");
  if (isSlice)
    return makeOf(Kind::Slice, at, "", std::move(node), std::move(parts[0]), std::move(parts[1]), std::move(parts[2]));
  if (!parts[0])
    fail("an index is expected before ']'");
  return makeOf(Kind::Subscript, at, "", std::move(node), std::move(parts[0]));
}

void Parser::parseArguments(Node &node) {
  expectOperator("(");
  while (!isOperator(")")) {
    if (isOperator("*") || isOperator("**"))
      fail("arguments from a list or mapping, '" + token().text + "', are not supported");
    NodePointer value;
    if (token().kind == Token::Kind::Name && token(1).kind == Token::Kind::Operator && token(1).text == "=") {
      std::string name = take().text;
      take();
      value = parseExpression();
      node.depth = std::max(node.depth, value->depth + 1);
      node.keywords.push_back({std::move(name), std::move(value)});
    } else {
      if (!node.keywords.empty())
        fail("an argument without a name stands behind one with a name");
      value = parseExpression();
      node.depth = std::max(node.depth, value->depth + 1);
      node.children.push_back(std::move(value));
    }
    if (!isOperator(")"))
      expectOperator(",");
  }
  take();
}

} // namespace ane::rt::text::jinja
