// Each rejected text, with the position and the words of its message.
#include "runtime/format/mil/parser.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace ane::rt::mil;

namespace {

std::string errorOf(const std::string &text, ParseOptions options = {}) {
  absl::StatusOr<Program> program = parse(text, options);
  if (program.ok())
    return "no error";
  EXPECT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(program.status().message());
}

/// The error of a body of `main`; the body starts at line 2, column 1.
std::string bodyError(const std::string &body) {
  return errorOf("program(1.3) { func main<ios18>(fp16 x) {\n" + body + "\n} -> (x); }");
}

std::string literalError(const std::string &value) {
  std::string error = bodyError("fp16 c = const()[name = string(\"c\"), val = " + value + "];");
  return error.substr(0, error.find('\n'));
}

TEST(MILErrors, PositionAndCaret) {
  EXPECT_EQ(bodyError("fp16 y = add(x = x y = x)[name = string(\"y\")];"),
            "<mil>:2:20: error: expected ',' or ')' after an argument, found "
            "identifier 'y'\n"
            "  fp16 y = add(x = x y = x)[name = string(\"y\")];\n"
            "                     ^");
}

TEST(MILErrors, LongLinesAreCut) {
  std::string error = bodyError("fp16 y = add(" + std::string(5000, ' ') + "% " + std::string(5000, ' ') + ");");
  EXPECT_NE(error.find(":2:5014: error: unexpected '%'"), std::string::npos) << error;
  EXPECT_LT(error.size(), 300u);
}

TEST(MILErrors, FileName) {
  ParseOptions options;
  options.fileName = "a/model.mil";
  EXPECT_EQ(errorOf("prog", options).rfind("a/model.mil:1:1: error: ", 0), 0u);
}

TEST(MILErrors, Structure) {
  struct Case {
    const char *text, *error;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"", ":1:1: error: expected 'program', found end of text"},
           {"program(1.3) {}", "expected 'func'"},
           {"program(x) {}", "expected a version (1.0, 1.3)"},
           {"program(1.3) { func f<ios18>() {} -> (); }", "expected the name of an output"},
           {"program(1.3) { func f<ios18>() {} (a); }", "expected '->' after the body of a function"},
           {"program(1.3) { func f<ios18>() {} -> (a); } x", "expected the end of the text, found identifier 'x'"},
           {"program(1.3) { func f<ios18>() {} -> (a);\nfunc f<ios18>() {} -> "
            "(a); }",
            ":2:1: error: function 'f' is defined twice"},
           {"program(1.3) { func f<ios18>() { y = add(); } -> (a); }",
            "expected a statement or '}', found identifier 'y'"},
           {"program(1.3) { func f<ios18>() { relu(); } -> (a); }",
            "expected a statement or '}', found identifier 'relu'"},
           {"program(1.3) { func f<ios18>() { write_state(input = s) } -> (a); }",
            "expected ';' at the end of a statement"},
           {"program(1.3) { func f<ios18>(tensor<fp17, [1]> x) {} -> (a); }", "expected an element type"},
           {"program(1.3) { func f<ios18>(tensor<fp16, [-1]> x) {} -> (a); }", "dimension -1 is negative"},
           {"program(1.3) { func f<ios18>(tensor<fp16, [9223372036854775808]> "
            "x) {} -> (a); }",
            "'9223372036854775808' is out of range of int64"},
           {"program(1.3) { func f<ios18>(dict<fp16> x) {} -> (a); }", "type 'dict' takes 2 types, found 1"},
       })
    EXPECT_NE(errorOf(c.text).find(c.error), std::string::npos) << c.text << "\n" << errorOf(c.text);
}

TEST(MILErrors, Literals) {
  struct Case {
    const char *value, *error;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"int8(128)", "'128' is out of range of int8"},
           {"int8(-129)", "'-129' is out of range of int8"},
           {"uint8(-1)", "'-1' is out of range of uint8"},
           {"uint64(18446744073709551616)", "is out of range of uint64"},
           {"int64(99999999999999999999999)", "is out of range of int64"},
           {"int32(1.5)", "'1.5' is not an integer, as type int32 needs"},
           {"fp16(1e999)", "'1e999' is out of range of any float type"},
           {"fp16(0x3c00)", "ambiguous"},
           {"fp16(1..2)", "malformed number"},
           {"fp16(1e)", "malformed number"},
           {"fp16(0x)", "malformed number"},
           {"fp16(12abc)", "malformed number"},
           {"fp16(-foo)", "'-foo' is not a number"},
           {"fp16(true)", "expected a number, found identifier 'true'"},
           {"bool(1)", "expected true or false, found number '1'"},
           {"string(a)", "expected a string literal"},
           {"string(\"a)];", "string is not closed"},
           {"string(\"\\q\")", "unknown escape"},
           {"fp16([1])", "a list cannot be a value of type fp16"},
           {"tensor<fp16, [2]>([1])", "type tensor<fp16, [2]> has 2 elements, the literal has 1"},
           {"tensor<fp16, [2]>(1)", "the literal has 1"},
           {"tensor<fp16, [4294967296, 4294967296]>([1])", "more elements than a 64-bit integer counts"},
           {"tensor<fp16, [2]>(BLOBFILE(path = string(\"p\")))", "BLOBFILE takes path"},
           {"tensor<fp16, [2]>(BLOBFILE(path = string(\"p\"), offset = "
            "int32(-64)))",
            "BLOBFILE takes path"},
           {"list<fp16, 2>(1)", "cannot be written"},
       })
    EXPECT_NE(literalError(c.value).find(c.error), std::string::npos) << c.value << "\n" << literalError(c.value);
}

TEST(MILErrors, GivenTwice) {
  EXPECT_NE(bodyError("fp16 y = add(x = x, x = x);").find("'x' is given twice"), std::string::npos);
}

TEST(MILErrors, HostileBytes) {
  EXPECT_NE(bodyError(std::string("fp16\0 y", 7)).find("unexpected byte 0x00"), std::string::npos);
  EXPECT_NE(literalError(std::string("string(\"a\0b\")", 13)).find("control character (byte 0x00)"), std::string::npos);
  EXPECT_NE(bodyError("\xff").find("unexpected byte 0xff"), std::string::npos);
  EXPECT_NE(bodyError("/* never").find("comment is not closed"), std::string::npos);
}

TEST(MILErrors, NestingIsBounded) {
  for (const char *open : {"(", "[", "{{", "tensor<fp16, [1]>(", "a = (", "tuple<", "state<", "list<"}) {
    std::string text = "fp16 y = op(a = ";
    for (int i = 0; i < 100000; ++i)
      text += open;
    EXPECT_NE(bodyError(text), "no error") << open;
  }
  std::string deep = "fp16 y = op(a = " + std::string(40, '(') + "x" + std::string(40, ')') + ");";
  EXPECT_NE(bodyError(deep).find("nested deeper than 32"), std::string::npos);
}

TEST(MILErrors, SizeIsBounded) {
  ParseOptions options;
  options.maxBytes = 10;
  EXPECT_NE(errorOf("program(1.3) {}", options).find("has 15 bytes, limit 10"), std::string::npos);
  std::string many = "fp16 y = op(a = (";
  for (int i = 0; i < (1 << 20) + 10; ++i)
    many += "a,";
  EXPECT_NE(bodyError(many + "a));").find("more than 1048576 types and values"), std::string::npos);
}

TEST(MILErrors, File) {
  absl::StatusOr<Program> program = parseFile("/nonexistent/model.mil");
  EXPECT_EQ(program.status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(parseFile("/").ok());
}

} // namespace
