#include "runtime/format/mil/literal.h"
#include "runtime/format/mil/parser.h"
#include "runtime/format/mil/printer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using ane::rt::ElementType;
using namespace ane::rt::mil;

namespace {

/// Parses a program whose function `main` has the given body.
Program parseBody(const std::string &body) {
  std::string text = "program(1.3)[buildInfo = dict<string, string>({})]{ "
                     "func main<ios18>(tensor<fp16, [1, 2]> x) {" +
                     body + "} -> (x); }";
  absl::StatusOr<Program> program = parse(text);
  EXPECT_TRUE(program.ok()) << program.status().message();
  return program.ok() ? *program : Program{};
}

Statement parseStatement(const std::string &text) {
  Program program = parseBody(text);
  if (program.functions.empty() || program.functions[0].statements.empty())
    return {};
  return program.functions[0].statements[0];
}

Value parseConst(const std::string &type, const std::string &value) {
  Statement statement = parseStatement(type + " c = const()[name = string(\"c\"), val = " + value + "];");
  const Value *val = statement.attribute("val");
  return val ? *val : Value{};
}

TEST(MILParser, WholeProgram) {
  absl::StatusOr<Program> program = parse(R"(program(1.0)
[buildInfo = dict<tensor<string, []>, tensor<string, []>>({{"coremlc-version", "3505.4.1"}})]
{
  func main<ios16>(tensor<fp16, [1, 4, 1, 32]> a, tensor<fp32, []> b) {
    tensor<int32, [2]> st = const()[name = tensor<string, []>("st_0"), val = tensor<int32, [2]>([1, -1])];
    tensor<fp16, [1,4,1,32]> y = add(x = a, y = a)[name = tensor<string, []>("y")];
  } -> (y, a);
  func second<ios18>() { } -> (y);
})");
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(program->version, "1.0");
  ASSERT_NE(program->buildInfo(), nullptr);
  EXPECT_EQ(program->buildInfo()->type.str(), "dict<tensor<string, []>, tensor<string, []>>");
  ASSERT_EQ(program->buildInfo()->items.size(), 2u);
  EXPECT_EQ(program->buildInfo()->items[1].asString(), "3505.4.1");
  ASSERT_EQ(program->functions.size(), 2u);
  const Function &main = program->functions[0];
  EXPECT_EQ(main.name, "main");
  EXPECT_EQ(main.opset, "ios16");
  ASSERT_EQ(main.params.size(), 2u);
  EXPECT_EQ(main.params[0].type, Type::tensor(ElementType::Float16, {1, 4, 1, 32}));
  EXPECT_EQ(main.params[1].type, Type::tensor(ElementType::Float32, {}));
  EXPECT_EQ(main.outputs, (std::vector<std::string>{"y", "a"}));
  ASSERT_EQ(main.statements.size(), 2u);
  EXPECT_TRUE(main.statements[0].isConst());
  EXPECT_EQ(main.statements[0].nameAttribute(), "st_0");
  EXPECT_EQ(main.statements[0].attribute("val")->ints, (std::vector<int64_t>{1, -1}));
  EXPECT_EQ(main.statements[0].loc.line, 5u);
  EXPECT_EQ(main.statements[0].loc.column, 5u);
  const Statement &add = main.statements[1];
  EXPECT_EQ(add.op, "add");
  ASSERT_NE(add.argument("x"), nullptr);
  EXPECT_TRUE(add.argument("x")->isReference());
  EXPECT_EQ(add.argument("x")->name, "a");
  EXPECT_EQ(add.argument("z"), nullptr);
  EXPECT_EQ(program->function("second")->opset, "ios18");
}

TEST(MILParser, ScalarSpellings) {
  EXPECT_TRUE(parseConst("int32", "int32(1)").type.isScalar());
  Value longForm = parseConst("tensor<int32, []>", "tensor<int32, []>(1)");
  EXPECT_TRUE(longForm.type.isTensor());
  EXPECT_TRUE(longForm.type.isScalarLike());
  EXPECT_EQ(longForm.asInt(), 1);
  EXPECT_EQ(parseConst("bool", "bool(true)").asBool(), true);
  EXPECT_EQ(parseConst("string", "string(\"a\\\"b\")").asString(), "a\"b");
  EXPECT_EQ(parseConst("uint64", "uint64(18446744073709551615)").asInt(), -1);
}

TEST(MILParser, FloatLiterals) {
  auto value = [](const std::string &text) { return parseConst("fp16", "fp16(" + text + ")").asFloat().value_or(777); };
  EXPECT_EQ(value("1.0"), 1.0);
  EXPECT_EQ(value("-1"), -1.0);
  EXPECT_EQ(value("0.000010"), 1e-5);
  EXPECT_EQ(value("1e-05"), 1e-5);
  EXPECT_EQ(value("0x1p-3"), 0.125);
  EXPECT_EQ(value("-0x1.8p+1"), -3.0);
  EXPECT_EQ(value("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(value("nan")));
  EXPECT_TRUE(std::signbit(value("-0.0")));
}

TEST(MILParser, ListsFlatAndNested) {
  Value flat = parseConst("tensor<int32, [2, 2]>", "tensor<int32, [2, 2]>([1, 2, 3, 4])");
  Value nested = parseConst("tensor<int32, [2, 2]>", "tensor<int32, [2, 2]>([[1, 2], [3, 4]])");
  EXPECT_EQ(flat.ints, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_TRUE(flat == nested);
  EXPECT_EQ(parseConst("tensor<bool, [3]>", "tensor<bool,[3]>([true,false,true])").ints,
            (std::vector<int64_t>{1, 0, 1}));
  EXPECT_EQ(parseConst("tensor<string, [1]>", "tensor<string,[1]>([\"a\"])").strings, std::vector<std::string>{"a"});
  EXPECT_TRUE(parseConst("tensor<fp16, [0]>", "tensor<fp16, [0]>([])").floats.empty());
}

TEST(MILParser, Blob) {
  for (const char *text : {"tensor<fp16, [8, 4]>(BLOBFILE(path = string(\"@model_path/w.bin\"), "
                           "offset = uint64(64)))",
                           "tensor<fp16, [8, 4]>(BLOBFILE(offset = tensor<uint64, []>(64), path = "
                           "tensor<string, []>(\"@model_path/w.bin\")))"}) {
    Value value = parseConst("tensor<fp16, [8, 4]>", text);
    EXPECT_EQ(value.kind, Value::Kind::Blob);
    EXPECT_EQ(value.path, "@model_path/w.bin");
    EXPECT_EQ(value.offset, 64u);
    EXPECT_EQ(value.type, Type::tensor(ElementType::Float16, {8, 4}));
  }
}

TEST(MILParser, TupleArgument) {
  Statement concat = parseStatement("tensor<fp16, [2, 2]> y = concat(axis = ax, "
                                    "values = (x, x))[name = string(\"y\")];");
  const Value *values = concat.argument("values");
  ASSERT_NE(values, nullptr);
  EXPECT_EQ(values->kind, Value::Kind::Tuple);
  ASSERT_EQ(values->items.size(), 2u);
  EXPECT_EQ(values->items[1].name, "x");
}

TEST(MILParser, InlineLiterals) {
  Statement statement = parseStatement("tensor<fp16, [1]> y = op(a = true, b = 3, c = [1, 2], d = \"s\", e = "
                                       "-1.5, f = bool(false), g = int32)[name = string(\"y\")];");
  EXPECT_EQ(statement.argument("a")->asBool(), true);
  EXPECT_FALSE(statement.argument("a")->typed);
  EXPECT_EQ(statement.argument("b")->asInt(), 3);
  EXPECT_EQ(statement.argument("c")->ints, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(statement.argument("d")->asString(), "s");
  EXPECT_EQ(statement.argument("e")->asFloat(), -1.5);
  EXPECT_TRUE(statement.argument("f")->typed);
  // A word that is also a type's name may be a variable.
  EXPECT_TRUE(statement.argument("g")->isReference());
}

TEST(MILParser, OperandsAmongAttributes) {
  Statement statement = parseStatement("tensor<fp16, [2, 2]> w = constexpr_affine_dequantize()[axis = int32(0), "
                                       "name = string(\"w\"), quantized_data = tensor<int8, "
                                       "[2,2]>(BLOBFILE(path = string(\"p\"), offset = uint64(64))), scale = "
                                       "fp16(0x1p-3), zero_point = int8(-128)];");
  EXPECT_TRUE(statement.arguments.empty());
  EXPECT_EQ(statement.operand("scale")->asFloat(), 0.125);
  EXPECT_EQ(statement.operand("zero_point")->asInt(), -128);
  EXPECT_EQ(statement.operand("quantized_data")->kind, Value::Kind::Blob);
}

TEST(MILParser, TwoResultsAndComments) {
  Statement statement = parseStatement("// best two\n tensor<fp16, [2]> v, tensor<int32, [2]> i = topk(k = k, "
                                       "x = x) /* none\n */ [name = string(\"t\")];");
  ASSERT_EQ(statement.results.size(), 2u);
  EXPECT_EQ(statement.results[1].name, "i");
  EXPECT_EQ(statement.results[1].type, Type::tensor(ElementType::Int32, {2}));
}

TEST(MILParser, OtherTypes) {
  absl::StatusOr<Program> program = parse("program(1.3){func f<ios18>(state<tensor<fp16, [1, ?]>> s)"
                                          "[a = tuple<int32, list<fp16, ?>, bool>((int32(1), x, true)), b = "
                                          "{{\"k\", [1]}}]"
                                          "{ dict<string, int32> d = op(); } -> (s);}");
  ASSERT_TRUE(program.ok()) << program.status().message();
  const Function &function = program->functions[0];
  EXPECT_EQ(function.params[0].type.str(), "state<tensor<fp16, [1, ?]>>");
  EXPECT_EQ(function.attributes[0].value.type.str(), "tuple<int32, list<fp16, ?>, bool>");
  EXPECT_EQ(*parse(print(*program)), *program);
}

TEST(MILPrinter, FormatFloatIsExact) {
  EXPECT_EQ(formatFloat(0.0), "0x0p+0");
  EXPECT_EQ(formatFloat(-0.0), "-0x0p+0");
  EXPECT_EQ(formatFloat(1.0), "0x1p+0");
  EXPECT_EQ(formatFloat(-3.0), "-0x1.8p+1");
  EXPECT_EQ(formatFloat(0.1), "0x1.999999999999ap-4");
  EXPECT_EQ(formatFloat(65504), "0x1.ffcp+15");
  EXPECT_EQ(formatFloat(5.9604644775390625e-8), "0x1p-24");
  for (double value : {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
                       std::numeric_limits<double>::denorm_min(), 1 / 3.0, 1e-5, -123456.789}) {
    double back = 0;
    EXPECT_EQ(parseFloat(formatFloat(value), ElementType::Float16, back), "");
    EXPECT_EQ(back, value);
  }
}

TEST(MILPrinter, Spellings) {
  Program program = parseBody("fp16 s = const()[name = string(\"s\"), val = fp16(0.5)];"
                              "tensor<fp16, [1]> w = const()[name = string(\"w\"), val = tensor<fp16, "
                              "[1]>(BLOBFILE(path = string(\"@model_path/w.bin\"), offset = "
                              "uint64(64)))];");
  EXPECT_EQ(print(program), R"(program(1.3)
[buildInfo = dict<string, string>({})]
{
    func main<ios18>(tensor<fp16, [1, 2]> x) {
        fp16 s = const()[name = string("s"), val = fp16(0x1p-1)];
        tensor<fp16, [1]> w = const()[name = string("w"), val = tensor<fp16, [1]>(BLOBFILE(path = string("@model_path/w.bin"), offset = uint64(64)))];
    } -> (x);
}
)");
  program.version = "1.0";
  respell(program, Spelling::Long);
  EXPECT_EQ(print(program), R"(program(1.0)
[buildInfo = dict<tensor<string, []>, tensor<string, []>>({})]
{
    func main<ios18>(tensor<fp16, [1, 2]> x) {
        tensor<fp16, []> s = const()[name = tensor<string, []>("s"), val = tensor<fp16, []>(0x1p-1)];
        tensor<fp16, [1]> w = const()[name = tensor<string, []>("w"), val = tensor<fp16, [1]>(BLOBFILE(path = tensor<string, []>("@model_path/w.bin"), offset = tensor<uint64, []>(64)))];
    } -> (x);
}
)");
  Program again = *parse(print(program));
  EXPECT_EQ(again, program);
  respell(again, Spelling::Short);
  EXPECT_NE(again, program);
}

TEST(MILParser, LargeInlineConstant) {
  std::string list;
  for (int i = 0; i < 200000; ++i)
    list += (i ? "," : "") + std::to_string(i % 100);
  Value value = parseConst("tensor<fp16, [200000]>", "tensor<fp16, [200000]>([" + list + "])");
  ASSERT_EQ(value.floats.size(), 200000u);
  EXPECT_EQ(value.floats[199999], 99);
}

} // namespace
