//===- parser_statements.cpp - Tags of templates --------------------------===//
#include "runtime/support/quote.h"
#include "runtime/text/template/parser.h"

#include <algorithm>

namespace ane::rt::text::jinja {
namespace {

/// Sets a flag or counter for a part of the template.
template <typename T>
class Within {
public:
  Within(T &target, T value) : target(target), before(target) { target = value; }
  ~Within() { target = before; }

private:
  T &target, before;
};

} // namespace

Body Parser::parse() { return parseBody({}, nullptr); }

Body Parser::parseBody(std::initializer_list<std::string_view> ends, const Token *opening) {
  Nested nested(*this);
  Body body;
  for (;;) {
    Token first = take();
    switch (first.kind) {
    case Token::Kind::Data: {
      NodePointer node = make(Kind::Output, first.at);
      node->constant = Value::of(first.text);
      body.push_back(std::move(node));
      break;
    }
    case Token::Kind::PrintBegin:
      body.push_back(makeOf(Kind::Print, first.at, "", parseTuple()));
      if (token().kind != Token::Kind::PrintEnd)
        fail("the end of the tag '}}' is expected, not " + describeToken());
      take();
      break;
    case Token::Kind::BlockBegin:
      if (std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return isWord(end); }))
        return body;
      body.push_back(parseStatement());
      break;
    default:
      if (opening)
        throw PlacedFailure{opening->at, "this '" + opening->text + "' has no end: '" + std::string(*(ends.end() - 1)) +
                                             "' is missing"};
      return body;
    }
  }
}

Body Parser::parseBlockBody(std::string_view end, const Token &opening) {
  Body body = parseBody({end}, &opening);
  take();
  return body;
}

void Parser::addBody(Node &node, Body body) const {
  for (const NodePointer &child : body)
    node.depth = std::max(node.depth, child->depth + 1);
  node.bodies.push_back(std::move(body));
  if (node.depth > kMaxTreeDepth)
    throw PlacedFailure{node.at, "the template is nested deeper than " + std::to_string(kMaxTreeDepth) + " levels"};
}

NodePointer Parser::parseStatement() {
  struct Tag {
    std::string_view name;
    NodePointer (Parser::*parse)();
  };
  constexpr Tag tags[] = {{"if", &Parser::parseIf},          {"for", &Parser::parseFor},
                          {"set", &Parser::parseSet},        {"macro", &Parser::parseMacro},
                          {"call", &Parser::parseCallBlock}, {"filter", &Parser::parseFilterBlock},
                          {"with", &Parser::parseWith},      {"generation", &Parser::parseGeneration}};
  for (const Tag &tag : tags)
    if (isWord(tag.name)) {
      NodePointer node = (this->*tag.parse)();
      expectEnd();
      return node;
    }
  bool isBreak = isWord("break");
  if (!isBreak && !isWord("continue"))
    fail("the tag " + describeToken() +
         " is unknown or stands alone; known are if, for, set, macro, call, filter, with, generation, raw, break and "
         "continue");
  if (loops == 0)
    fail("'" + token().text + "' stands in no loop");
  NodePointer node = make(isBreak ? Kind::Break : Kind::Continue, take().at);
  expectEnd();
  return node;
}

NodePointer Parser::parseIf() {
  Token opening = take();
  Within<bool> conditional(isConditional, true);
  NodePointer node = make(Kind::If, opening.at);
  for (;;) {
    NodePointer condition = parseTuple(false);
    node->depth = std::max(node->depth, condition->depth + 1);
    node->children.push_back(std::move(condition));
    expectEnd();
    addBody(*node, parseBody({"elif", "else", "endif"}, &opening));
    if (!isWord("elif"))
      break;
    take();
  }
  if (skipWord("else")) {
    expectEnd();
    addBody(*node, parseBody({"endif"}, &opening));
  }
  take();
  return node;
}

NodePointer Parser::parseFor() {
  Token opening = take();
  NodePointer target = parseTarget(true, false);
  expectWord("in");
  NodePointer iterable = parseTuple(false);
  NodePointer condition = skipWord("if") ? parseExpression() : nullptr;
  if (isWord("recursive"))
    fail("recursive loops are not supported; use a macro that calls itself");
  expectEnd();
  NodePointer node = makeOf(Kind::For, opening.at, "", std::move(target), std::move(iterable), std::move(condition));
  Within<bool> conditional(isConditional, false);
  {
    Within<int> loop(loops, loops + 1);
    addBody(*node, parseBody({"else", "endfor"}, &opening));
  }
  if (skipWord("else")) {
    expectEnd();
    addBody(*node, parseBody({"endfor"}, &opening));
  }
  take();
  return node;
}

NodePointer Parser::parseSet() {
  Token opening = take();
  NodePointer target = parseTarget(true, true);
  if (skipOperator("="))
    return makeOf(Kind::Set, opening.at, "", std::move(target), parseTuple());
  NodePointer filter;
  while (skipOperator("|"))
    filter = parseFilter(std::move(filter));
  expectEnd();
  NodePointer node = makeOf(Kind::SetBlock, opening.at, "", std::move(target), std::move(filter));
  Within<bool> conditional(isConditional, false);
  Within<int> loop(loops, 0);
  addBody(*node, parseBlockBody("endset", opening));
  return node;
}

NodePointer Parser::parseMacro() {
  Token opening = take();
  NodePointer node = make(Kind::Macro, opening.at, {}, expectName("the macro"));
  parseParameters(*node);
  expectEnd();
  Within<bool> conditional(isConditional, false);
  Within<int> loop(loops, 0);
  addBody(*node, parseBlockBody("endmacro", opening));
  return node;
}

NodePointer Parser::parseCallBlock() {
  Token opening = take();
  NodePointer node = make(Kind::CallBlock, opening.at);
  if (isOperator("("))
    parseParameters(*node);
  NodePointer call = parseExpression();
  if (call->kind != Kind::Call)
    throw PlacedFailure{call->at, "'call' needs the call of a macro"};
  node->depth = call->depth + 1;
  node->children.push_back(std::move(call));
  expectEnd();
  Within<bool> conditional(isConditional, false);
  Within<int> loop(loops, 0);
  addBody(*node, parseBlockBody("endcall", opening));
  return node;
}

NodePointer Parser::parseFilterBlock() {
  Token opening = take();
  NodePointer filter = parseFilter(nullptr);
  while (skipOperator("|"))
    filter = parseFilter(std::move(filter));
  expectEnd();
  NodePointer node = makeOf(Kind::FilterBlock, opening.at, "", std::move(filter));
  Within<bool> conditional(isConditional, false);
  Within<int> loop(loops, 0);
  addBody(*node, parseBlockBody("endfilter", opening));
  return node;
}

NodePointer Parser::parseWith() {
  Token opening = take();
  std::vector<NodePointer> children;
  while (token().kind != Token::Kind::BlockEnd) {
    if (!children.empty())
      expectOperator(",");
    children.push_back(parseTarget(false, false));
    expectOperator("=");
    children.push_back(parseExpression());
  }
  expectEnd();
  NodePointer node = make(Kind::With, opening.at, std::move(children));
  addBody(*node, parseBlockBody("endwith", opening));
  return node;
}

NodePointer Parser::parseGeneration() {
  Token opening = take();
  expectEnd();
  NodePointer node = make(Kind::Generation, opening.at);
  Within<int> loop(loops, 0);
  addBody(*node, parseBlockBody("endgeneration", opening));
  return node;
}

NodePointer Parser::parseTarget(bool takesTuple, bool takesAttribute) {
  Nested nested(*this);
  Position at = token().at;
  std::vector<NodePointer> targets;
  bool isTuple = false;
  do {
    if (isTuple && token().kind != Token::Kind::Name && !isOperator("("))
      break; // a comma behind the last one
    if (skipOperator("(")) {
      targets.push_back(parseTarget(true, false));
      expectOperator(")");
    } else {
      Position nameAt = token().at;
      std::string name = expectName("what is assigned to");
      if (name == "true" || name == "True" || name == "false" || name == "False" || name == "none" || name == "None" ||
          name == "loop")
        throw PlacedFailure{nameAt, "can't assign to '" + name + "'"};
      NodePointer target = make(Kind::Name, nameAt, {}, name);
      if (takesAttribute && !isTuple && skipOperator("."))
        target = makeOf(Kind::Attribute, nameAt, expectName("an attribute"), std::move(target));
      targets.push_back(std::move(target));
    }
    isTuple = true;
  } while (takesTuple && skipOperator(","));
  if (targets.size() == 1 && !(tokens[next - 1].kind == Token::Kind::Operator && tokens[next - 1].text == ","))
    return std::move(targets[0]);
  return make(Kind::Tuple, at, std::move(targets));
}

void Parser::parseParameters(Node &node) {
  expectOperator("(");
  while (!isOperator(")")) {
    std::string name = expectName("a parameter");
    NodePointer standard = skipOperator("=") ? parseExpression() : nullptr;
    if (!standard && !node.parameters.empty() && node.parameters.back().value)
      fail("a parameter without a default stands behind one with a default");
    if (standard)
      node.depth = std::max(node.depth, standard->depth + 1);
    node.parameters.push_back({std::move(name), std::move(standard)});
    if (!isOperator(")"))
      expectOperator(",");
  }
  take();
}

} // namespace ane::rt::text::jinja
