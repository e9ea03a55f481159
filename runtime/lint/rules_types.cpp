//===- rules_types.cpp - Element types, opsets, literals ------------------===//

#include "runtime/format/mil/lexer.h"
#include "runtime/lint/rules.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <limits>

namespace ane::rt::lint {
namespace {

bool isIntegerType(const mil::Type &type) { return isInteger(type.dtype) && type.dtype != ElementType::Bool; }

void integerCompute(RuleContext &context) {
  auto found = [&](std::string subject, mil::Location loc, const mil::Type &type) {
    context.reportAt(loc, std::move(subject), absl::StrCat("element type ", std::string(milName(type.dtype))));
  };
  for (const Use &use : context.view.uses(*context.statement))
    if (use.definition && !use.definition->constant && isIntegerType(use.definition->type()))
      return found(operandSubject(use), use.value->loc, use.definition->type());
  for (const mil::Variable &result : context.statement->results)
    if (isIntegerType(result.type))
      return found(absl::StrCat("result '", result.name, "'"), result.loc, result.type);
}

/// "ios16" -> 16; 0 for anything else.
int64_t opsetNumber(std::string_view opset) {
  int64_t number = 0;
  absl::string_view digits(opset.data(), opset.size());
  if (!absl::ConsumePrefix(&digits, "ios") || !absl::SimpleAtoi(digits, &number))
    return 0;
  return number;
}

/// "1.3" -> 13. What is no such version is newer than all of them.
int64_t tenths(std::string_view version) {
  int64_t major = 0, minor = 0;
  size_t dot = version.find('.');
  auto number = [](std::string_view digits, int64_t *out) {
    return absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), out) && *out < 1000;
  };
  if (dot == std::string_view::npos || !number(version.substr(0, dot), &major) ||
      !number(version.substr(dot + 1), &minor) || minor > 9)
    return std::numeric_limits<int64_t>::max();
  return major * 10 + minor;
}

/// The op belongs to the function's opset, and the chip's compiler reads it.
void opset(RuleContext &context) {
  int64_t declared = opsetNumber(context.view.function().opset);
  int64_t newest = context.limit(Limit::Opset);
  int64_t needed = opsetOf(context.statement->op);
  const mil::Statement *first = nullptr;
  for (const mil::Statement &statement : context.view.function().statements)
    if (!isWeightExpression(context.view, statement)) {
      first = &statement;
      break;
    }
  if (needed > declared && declared)
    context.report("opset", absl::StrCat("ios", needed), absl::StrCat("at most the function's ios", declared));
  // Once for the function.
  if (context.statement != first)
    return;
  context.statement = nullptr;
  const mil::Location loc = context.view.function().loc;
  if (!newest)
    context.reportAt(loc, "opset", context.view.function().opset + ", where no MIL program is read");
  else if (!declared || declared > newest)
    context.reportAt(loc, "opset", context.view.function().opset, absl::StrCat("at most ios", newest));
  int64_t version = context.limit(Limit::ProgramVersion);
  if (tenths(context.program->version) > version)
    context.reportAt(loc, "version of the program", context.program->version,
                     absl::StrCat("at most ", version / 10, ".", version % 10));
}

void castForm(RuleContext &context) {
  std::optional<mil::Type> from = context.view.type(*context.statement, "x");
  if (!from || context.statement->results.empty())
    return;
  const mil::Type &to = context.statement->results[0].type;
  if (isIntegerType(*from) || isIntegerType(to))
    context.report("cast",
                   absl::StrCat("from ", std::string(milName(from->dtype)), " to ", std::string(milName(to.dtype))),
                   "between fp16 and bool");
}

/// Arguments that are literals in place of names of constants.
const mil::NamedValue *inlineLiteral(const mil::Statement &statement, std::string_view prefix = "") {
  for (const mil::NamedValue &argument : statement.arguments)
    if (!argument.value.isReference() && argument.value.kind != mil::Value::Kind::Tuple &&
        absl::StartsWith(argument.name, absl::string_view(prefix.data(), prefix.size())))
      return &argument;
  return nullptr;
}

void matmulFlags(RuleContext &context) {
  if (const mil::NamedValue *flag = inlineLiteral(*context.statement, "transpose_"))
    context.reportAt(flag->value.loc, absl::StrCat("argument '", flag->name, "'"), "a literal",
                     "the name of a bool constant");
}

/// Names of constants are the form that every compiler takes
/// (ane-programming.md 4.6).
void literalArgument(RuleContext &context) {
  if (const mil::NamedValue *literal = inlineLiteral(*context.statement))
    context.reportAt(literal->value.loc, absl::StrCat("argument '", literal->name, "'"), "a literal",
                     "the name of a constant");
}

/// concat has an axis and an interleave, both names of constants
/// (ane-programming.md 4.6, 5.4).
void concatForm(RuleContext &context) {
  literalArgument(context);
  for (const char *name : {"axis", "interleave"})
    if (!context.statement->argument(name))
      context.report(absl::StrCat("argument '", name, "'"), "not given", "the name of a constant");
}

void staticShapes(RuleContext &context) {
  for (const Definition &definition : context.view.definitions())
    for (int64_t extent : definition.type().dims)
      if (extent == mil::kUnknownDim)
        return void(
            context.reportAt(definition.variable->loc, absl::StrCat("'", definition.name(), "'"), "an unknown extent"));
}

/// Numbers with a decimal exponent.
void literalNotation(RuleContext &context) {
  mil::Lexer lexer(context.options.source);
  for (mil::Token token = lexer.next(); token.kind != mil::Token::Kind::End && token.kind != mil::Token::Kind::Error;
       token = lexer.next())
    if (token.kind == mil::Token::Kind::Number && token.text.find('x') == std::string::npos &&
        token.text.find_first_of("eE") != std::string::npos)
      context.reportAt(token.loc, "number", token.text, "in hexadecimal notation, or without an exponent");
}

void redefinedName(RuleContext &context) {
  std::map<std::string_view, int> names;
  for (const Definition &definition : context.view.definitions())
    if (++names[definition.name()] == 2)
      context.reportAt(definition.variable->loc, absl::StrCat("name '", definition.name(), "'"),
                       "is defined more than once");
}

/// Masks that overflow once a score is added.
void maskOverflow(RuleContext &context) {
  for (const Use &use : context.view.uses(*context.statement)) {
    const mil::Value *mask = context.view.literal(use.value);
    if (!mask || mask->floats.empty())
      continue;
    double least = *std::min_element(mask->floats.begin(), mask->floats.end());
    if (least < -numericOf(Numeric::AccumulatorMax))
      context.reportAt(use.value->loc, operandSubject(use), absl::StrCat("a constant of ", least),
                       absl::StrCat("at least ", numericOf(Numeric::MaskValue)));
  }
}

constexpr RuleEntry kRules[] = {
    {"staticShapes", staticShapes}, {"literalNotation", literalNotation}, {"checkIntegerCompute", integerCompute},
    {"checkOpset", opset},          {"checkCastForm", castForm},          {"matmulFlags", matmulFlags},
    {"concatForm", concatForm},     {"inlineLiteral", literalArgument},   {"redefinedName", redefinedName},
    {"maskOverflow", maskOverflow}};

} // namespace

absl::Span<const RuleEntry> typeRules() { return kRules; }

} // namespace ane::rt::lint
