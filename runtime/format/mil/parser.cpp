//===- parser.cpp - MIL text to syntax tree -------------------------------===//
#include "runtime/format/mil/parser.h"
#include "runtime/format/mil/lexer.h"
#include "runtime/format/mil/literal.h"

#include "absl/strings/str_cat.h"
#include "runtime/support/mapped_file.h"

#include <unordered_set>

namespace ane::rt::mil {
namespace {

/// Types and values nest at most this deep; real programs reach 5 (nested lists
/// of a rank-4 constant).
constexpr unsigned kMaxNesting = 32;

/// Types, dimensions, values, functions and outputs in one program; real
/// programs have some thousand. Bounds memory to below 1 GB whatever the text:
/// `(a,a,a,...)` is two bytes per value.
constexpr unsigned kMaxNodes = 1u << 20;

/// Results of one statement; a split of real programs has some dozen.
constexpr size_t kMaxResults = 1024;

/// Recursive descent with one token of look-ahead beyond the current one. Every
/// parse function returns false after an error; the first error is kept.
class Parser {
public:
  explicit Parser(std::string_view text) : lexer(text) {
    token = lexer.next();
    ahead = lexer.next();
  }

  std::optional<Program> run() {
    Program program;
    if (!parseProgram(program))
      return std::nullopt;
    return program;
  }
  ParseError error;
  size_t errorOffset = 0;

private:
  Lexer lexer;
  Token token, ahead;
  unsigned depth = 0;
  unsigned nodes = 0;

  void advance() {
    token = std::move(ahead);
    ahead = lexer.next();
  }

  bool fail(const Token &at, const std::string &what) {
    if (error.message.empty()) {
      error = {at.loc, at.kind == Token::Kind::Error ? at.text : what};
      errorOffset = at.offset;
    }
    return false;
  }
  bool expected(const std::string &what) { return fail(token, "expected " + what + ", found " + token.describe()); }

  bool accept(char punct) {
    if (!token.is(punct))
      return false;
    advance();
    return true;
  }
  bool expect(char punct, const char *where) {
    return accept(punct) || expected(std::string("'") + punct + "' " + where);
  }
  bool expectIdentifier(std::string &name, const char *what) {
    if (token.kind != Token::Kind::Identifier)
      return expected(what);
    name = token.text;
    advance();
    return true;
  }
  bool expectKeyword(const char *word) {
    if (!token.isIdentifier(word))
      return expected(std::string("'") + word + "'");
    advance();
    return true;
  }

  /// item {',' item} close; `close` directly if emptyAllowed.
  template <typename Item>
  bool parseList(char close, bool emptyAllowed, const char *where, Item item) {
    if (emptyAllowed && accept(close))
      return true;
    do {
      if (!item())
        return false;
    } while (accept(','));
    return accept(close) || expected(std::string("',' or '") + close + "' " + where);
  }

  /// Whether there may be one more node.
  bool countNode() {
    return ++nodes <= kMaxNodes || fail(token, absl::StrCat("more than ", kMaxNodes, " types and values"));
  }

  /// Guards recursion; use: `Nest nest(*this); if (!nest.ok) return false;`
  struct Nest {
    Parser &parser;
    bool ok = true;
    explicit Nest(Parser &parser) : parser(parser) {
      if (++parser.depth > kMaxNesting)
        ok = parser.fail(parser.token, absl::StrCat("nested deeper than ", kMaxNesting));
      else
        ok = parser.countNode();
    }
    ~Nest() { --parser.depth; }
  };

  bool atType() const {
    if (token.kind != Token::Kind::Identifier)
      return false;
    if (ahead.is('<'))
      return token.text == "tensor" || token.text == "dict" || token.text == "list" || token.text == "tuple" ||
             token.text == "state";
    return dtypeFromName(token.text).has_value();
  }

  bool parseDim(int64_t &dim) {
    if (!countNode())
      return false;
    if (accept('?')) {
      dim = kUnknownDim;
      return true;
    }
    if (token.kind != Token::Kind::Number)
      return expected("a dimension");
    std::string error = parseInteger(token.text, ElementType::Int64, dim);
    if (error.empty() && dim < 0)
      error = "dimension " + token.text + " is negative";
    if (!error.empty())
      return fail(token, error);
    advance();
    return true;
  }

  bool parseType(Type &type) {
    Nest nest(*this);
    if (!nest.ok)
      return false;
    if (!atType())
      return expected("a type");
    Token head = token;
    advance();
    if (!token.is('<')) {
      type = Type::scalar(*dtypeFromName(head.text));
      return true;
    }
    advance();
    if (head.text == "tensor")
      return parseTensorType(type);
    auto parseParam = [&] { return parseType(type.params.emplace_back()); };
    if (head.text == "list") {
      type.kind = Type::Kind::List;
      return parseParam() && expect(',', "after the type of a list") && parseDim(type.dims.emplace_back()) &&
             expect('>', "at the end of a type");
    }
    type.kind = head.text == "dict" ? Type::Kind::Dict : head.text == "tuple" ? Type::Kind::Tuple : Type::Kind::State;
    if (!parseList('>', false, "in a type", parseParam))
      return false;
    size_t wanted = type.kind == Type::Kind::Dict ? 2 : type.kind == Type::Kind::State ? 1 : type.params.size();
    if (type.params.size() != wanted)
      return fail(head, absl::StrCat("type '", head.text, "' takes ", wanted, " types, found ", type.params.size()));
    return true;
  }

  bool parseTensorType(Type &type) {
    type.kind = Type::Kind::Tensor;
    std::optional<ElementType> dtype;
    if (token.kind == Token::Kind::Identifier)
      dtype = dtypeFromName(token.text);
    if (!dtype)
      return expected("an element type (fp16, int32, bool, string, ...)");
    type.dtype = *dtype;
    advance();
    return expect(',', "after the element type") && expect('[', "before the dimensions") &&
           parseList(']', true, "in the dimensions", [&] { return parseDim(type.dims.emplace_back()); }) &&
           expect('>', "at the end of a type");
  }

  /// Names of one list, each of which may be there once.
  using Names = std::unordered_set<std::string>;

  bool parseNamed(std::vector<NamedValue> &values, Names &names, const char *what) {
    NamedValue named;
    Token first = token;
    named.loc = token.loc;
    if (!expectIdentifier(named.name, what) || !expect('=', "after the name") || !parseValue(named.value))
      return false;
    if (!names.insert(named.name).second)
      return fail(first, "'" + named.name + "' is given twice");
    values.push_back(std::move(named));
    return true;
  }

  bool parseValue(Value &value) {
    Nest nest(*this);
    if (!nest.ok)
      return false;
    value.loc = token.loc;
    if (token.kind == Token::Kind::Number || token.kind == Token::Kind::String || token.is('[') ||
        token.isIdentifier("true") || token.isIdentifier("false"))
      return parseBareLiteral(value);
    if (token.is('('))
      return parseTuple(value);
    if (token.is('{'))
      return parseDict(value);
    // `int32(1)` is a literal, `int32` alone may be a variable's name.
    if (atType() && (ahead.is('(') || ahead.is('<')))
      return parseTyped(value);
    if (token.kind != Token::Kind::Identifier)
      return expected("a value");
    value.name = token.text;
    advance();
    return true;
  }

  bool parseTuple(Value &value) {
    value.kind = Value::Kind::Tuple;
    value.typed = false;
    return expect('(', "before the values") &&
           parseList(')', true, "in a tuple", [&] { return parseValue(value.items.emplace_back()); });
  }

  /// '{' '{' key ',' value '}' ... '}'
  bool parseDict(Value &value) {
    value.kind = Value::Kind::Dict;
    value.typed = false;
    return expect('{', "before the pairs") && parseList('}', true, "in a dictionary", [&] {
             return expect('{', "before a key") && parseValue(value.items.emplace_back()) &&
                    expect(',', "after a key") && parseValue(value.items.emplace_back()) &&
                    expect('}', "after a value");
           });
  }

  bool parseTyped(Value &value) {
    Type type;
    if (!parseType(type) || !expect('(', "after the type of a value"))
      return false;
    bool ok = true;
    if (type.kind == Type::Kind::Dict) {
      ok = parseDict(value);
    } else if (type.kind == Type::Kind::Tuple) {
      ok = parseTuple(value);
    } else if (type.kind == Type::Kind::Tensor || type.kind == Type::Kind::Scalar) {
      value.type = std::move(type);
      ok = token.isIdentifier("BLOBFILE") ? parseBlob(value) : parseElements(value);
      type = std::move(value.type);
    } else {
      return fail(token, "a value of type " + type.str() + " cannot be written");
    }
    value.type = std::move(type);
    value.typed = true;
    return ok && expect(')', "after a literal");
  }

  /// BLOBFILE(path = ..., offset = ...), in any order.
  bool parseBlob(Value &value) {
    value.kind = Value::Kind::Blob;
    Token head = token;
    advance();
    std::vector<NamedValue> fields;
    Names names;
    if (!expect('(', "after BLOBFILE") ||
        !parseList(')', false, "in BLOBFILE", [&] { return parseNamed(fields, names, "'path' or 'offset'"); }))
      return false;
    bool hasPath = false, hasOffset = false;
    for (const NamedValue &field : fields) {
      if (auto path = field.value.asString(); path && field.name == "path") {
        value.path = *path;
        hasPath = true;
      } else if (auto offset = field.value.asInt(); offset && field.name == "offset") {
        value.offset = static_cast<uint64_t>(*offset);
        hasOffset = field.value.type.dtype == ElementType::UInt64 || *offset >= 0;
      }
    }
    if (!hasPath || !hasOffset || fields.size() != 2)
      return fail(head, "BLOBFILE takes path = string(\"...\") and "
                        "offset = uint64(n)");
    return true;
  }

  /// The literal of a typed value: one element or a (nested) list.
  bool parseElements(Value &value) {
    value.kind = Value::Kind::Elements;
    Token first = token;
    bool isList = token.is('[');
    if (isList && value.type.isScalarLike())
      return fail(first, "a list cannot be a value of type " + value.type.str());
    if (isList ? !parseElementList(value) : !parseElement(value))
      return false;
    size_t count = value.floats.size() + value.ints.size() + value.strings.size();
    bool unknown = false;
    for (int64_t dim : value.type.dims)
      unknown |= dim == kUnknownDim;
    if (unknown)
      return true;
    std::optional<int64_t> wanted = value.type.numElements();
    if (!wanted)
      return fail(first, "type " + value.type.str() + " has more elements than a 64-bit integer counts");
    if (static_cast<uint64_t>(*wanted) != count)
      return fail(first,
                  absl::StrCat("type ", value.type.str(), " has ", *wanted, " elements, the literal has ", count));
    return true;
  }

  bool parseElementList(Value &value) {
    Nest nest(*this);
    return nest.ok && expect('[', "before the elements") && parseList(']', true, "in a list", [&] {
             return token.is('[') ? parseElementList(value) : parseElement(value);
           });
  }

  bool parseElement(Value &value) {
    ElementType dtype = value.type.dtype;
    std::string error;
    if (dtype == ElementType::String) {
      if (token.kind != Token::Kind::String)
        return expected("a string literal");
      if (!countNode())
        return false;
      value.strings.push_back(token.text);
    } else if (dtype == ElementType::Bool) {
      if (!token.isIdentifier("true") && !token.isIdentifier("false"))
        return expected("true or false");
      value.ints.push_back(token.text == "true");
    } else if (isFloat(dtype)) {
      bool word = token.isIdentifier("inf") || token.isIdentifier("nan") || token.isIdentifier("infinity");
      if (token.kind != Token::Kind::Number && !word)
        return expected("a number");
      error = parseFloat(token.text, dtype, value.floats.emplace_back());
    } else {
      if (token.kind != Token::Kind::Number)
        return expected("an integer");
      error = parseInteger(token.text, dtype, value.ints.emplace_back());
    }
    if (!error.empty())
      return fail(token, error);
    advance();
    return true;
  }

  /// A literal without its type: the first element suggests it.
  bool parseBareLiteral(Value &value) {
    bool isList = token.is('[');
    const Token &first = isList ? ahead : token;
    ElementType dtype = ElementType::Int32;
    if (first.kind == Token::Kind::String)
      dtype = ElementType::String;
    else if (first.isIdentifier("true") || first.isIdentifier("false"))
      dtype = ElementType::Bool;
    else if (first.kind == Token::Kind::Number && looksLikeFloat(first.text))
      dtype = ElementType::Float32;
    value.kind = Value::Kind::Elements;
    value.typed = false;
    value.type = isList ? Type::tensor(dtype, {kUnknownDim}) : Type::scalar(dtype);
    if (!parseElements(value))
      return false;
    if (isList)
      value.type.dims[0] = static_cast<int64_t>(value.floats.size() + value.ints.size() + value.strings.size());
    return true;
  }

  bool parseVariable(Variable &variable, const char *what) {
    variable.loc = token.loc;
    return parseType(variable.type) && expectIdentifier(variable.name, what);
  }

  bool parseStatement(Statement &statement) {
    statement.loc = token.loc;
    bool hasResults = atType();
    while (hasResults) {
      if (statement.results.size() == kMaxResults)
        return fail(token, absl::StrCat("a statement with more than ", kMaxResults, " results"));
      if (!parseVariable(statement.results.emplace_back(), "the name of a result"))
        return false;
      if (!accept(','))
        break;
    }
    if (hasResults && !expect('=', "after the results of a statement"))
      return false;
    statement.opLoc = token.loc;
    Names names;
    if (!expectIdentifier(statement.op, "the name of an operation") || !expect('(', "after the name of an operation") ||
        !parseList(')', true, "after an argument",
                   [&] { return parseNamed(statement.arguments, names, "the name of an argument"); }))
      return false;
    return parseAttributes(statement.attributes) && expect(';', "at the end of a statement");
  }

  bool parseAttributes(std::vector<NamedValue> &attributes) {
    if (!accept('['))
      return true;
    Names names;
    return parseList(']', false, "after an attribute",
                     [&] { return parseNamed(attributes, names, "the name of an attribute"); });
  }

  bool parseFunction(Function &function) {
    function.loc = token.loc;
    if (!expectKeyword("func") || !expectIdentifier(function.name, "the name of a function") ||
        !expect('<', "before the opset of a function") ||
        !expectIdentifier(function.opset, "an opset (ios16, ios18, ...)") ||
        !expect('>', "after the opset of a function") || !expect('(', "before the parameters of a function") ||
        !parseList(')', true, "after a parameter",
                   [&] { return parseVariable(function.params.emplace_back(), "the name of a parameter"); }) ||
        !parseAttributes(function.attributes) || !expect('{', "before the body of a function"))
      return false;
    while (!accept('}')) {
      // One operation has no result.
      if (!atType() && !token.isIdentifier("write_state"))
        return expected("a statement or '}'");
      if (!parseStatement(function.statements.emplace_back()))
        return false;
    }
    if (token.kind != Token::Kind::Arrow)
      return expected("'->' after the body of a function");
    advance();
    return expect('(', "before the outputs of a function") &&
           parseList(')', false, "after an output",
                     [&] {
                       function.outputLocs.push_back(token.loc);
                       return countNode() && expectIdentifier(function.outputs.emplace_back(), "the name of an output");
                     }) &&
           expect(';', "after the outputs of a function");
  }

  bool parseProgram(Program &program) {
    if (!expectKeyword("program") || !expect('(', "before the version"))
      return false;
    if (token.kind != Token::Kind::Number || token.text.find_first_not_of("0123456789.") != std::string::npos)
      return expected("a version (1.0, 1.3)");
    program.version = token.text;
    advance();
    if (!expect(')', "after the version") || !parseAttributes(program.attributes) ||
        !expect('{', "before the functions"))
      return false;
    Names functions;
    do {
      Token first = token;
      Function function;
      if (!countNode() || !parseFunction(function))
        return false;
      if (!functions.insert(function.name).second)
        return fail(first, "function '" + function.name + "' is defined twice");
      program.functions.push_back(std::move(function));
    } while (!accept('}'));
    if (token.kind != Token::Kind::End)
      return expected("the end of the text");
    return true;
  }
};

} // namespace

static std::string checkSize(uint64_t size, const ParseOptions &options) {
  return size <= options.maxBytes ? "" : absl::StrCat("MIL text has ", size, " bytes, limit ", options.maxBytes);
}

absl::StatusOr<Program> parse(std::string_view text, const ParseOptions &options) {
  if (std::string tooLong = checkSize(text.size(), options); !tooLong.empty())
    return absl::InvalidArgumentError(absl::StrCat(options.fileName, ": error: ", tooLong));
  Parser parser(text);
  std::optional<Program> program = parser.run();
  if (program)
    return *std::move(program);
  return absl::InvalidArgumentError(
      formatError(options.fileName, text, parser.error.loc, parser.errorOffset, parser.error.message));
}

std::optional<Program> parse(std::string_view text, const ParseOptions &options, ParseError &error) {
  error = {{1, 1}, checkSize(text.size(), options)};
  if (!error.message.empty())
    return std::nullopt;
  Parser parser(text);
  std::optional<Program> program = parser.run();
  error = parser.error;
  return program;
}

absl::StatusOr<std::string> readText(const std::string &path) {
  absl::StatusOr<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  // Before copying: a hostile bundle may name a huge file.
  if (std::string tooLong = checkSize(file->size(), ParseOptions()); !tooLong.empty())
    return absl::InvalidArgumentError(absl::StrCat(path, ": error: ", tooLong));
  return std::string(reinterpret_cast<const char *>(file->data()), static_cast<size_t>(file->size()));
}

absl::StatusOr<Program> parseFile(const std::string &path) {
  absl::StatusOr<std::string> text = readText(path);
  if (!text.ok())
    return text.status();
  ParseOptions options;
  options.fileName = path;
  return parse(*text, options);
}

} // namespace ane::rt::mil
