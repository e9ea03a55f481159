//===- ValueRangesTest.cpp - bounds of values -----------------------------===//

#include "ane/Constraint/ValueRanges.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ane;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

struct ValueRangesTest : testing::Test {
  ValueRangesTest() { context.loadDialect<ANEDialect, func::FuncDialect>(); }

  /// Of the last value of `body`, a function's of %x and %y, where %a is in [-2, 3] and %b in [1, 4].
  FloatRange rangeOf(const std::string &body) {
    std::string source = R"(func.func @f(%x: tensor<1x4x4x4xf32>, %y: tensor<4x4xf32>, %i: tensor<1x4x4x4xi32>) {
      %a = ane.clip %x {alpha = -2.0, beta = 3.0} : tensor<1x4x4x4xf32>
      %b = ane.clip %x {alpha = 1.0, beta = 4.0} : tensor<1x4x4x4xf32>
      )" + body + "\n return }";
    module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module) << body;
    if (!module)
      return {};
    Operation *function = &module->getBody()->front();
    Operation *last = function->getRegion(0).front().getTerminator()->getPrevNode();
    return ValueRanges(function).of(last->getResult(0));
  }

  FloatRange unary(const std::string &op, const std::string &operand = "%a") {
    return rangeOf("%r = ane." + op + " " + operand + " : tensor<1x4x4x4xf32>");
  }
  FloatRange binary(const std::string &op, const std::string &operands = "%a, %b") {
    return rangeOf("%r = ane." + op + " " + operands + " : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

testing::AssertionResult is(FloatRange range, double low, double high) {
  if (range.low == low && range.high == high)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "[" << range.low << ", " << range.high << "]";
}

TEST_F(ValueRangesTest, OneOperand) {
  EXPECT_TRUE(is(unary("relu"), 0, 3));
  EXPECT_TRUE(is(unary("relu6", "%x"), 0, 6));
  EXPECT_TRUE(is(unary("sigmoid", "%x"), 0, 1));
  EXPECT_TRUE(is(unary("softmax", "%x"), 0, 1));
  EXPECT_TRUE(is(unary("tanh", "%x"), -1, 1));
  EXPECT_TRUE(is(unary("abs"), 0, 3));
  EXPECT_TRUE(is(unary("abs", "%b"), 1, 4));
  EXPECT_TRUE(is(unary("square"), 0, 9));
  EXPECT_TRUE(is(unary("exp", "%b"), std::exp(1), std::exp(4)));
  EXPECT_TRUE(is(unary("exp", "%x"), 0, inf));
  EXPECT_TRUE(is(unary("sqrt"), 0, std::sqrt(3)));
  EXPECT_TRUE(is(unary("floor"), -2, 3));
  EXPECT_TRUE(is(rangeOf("%r = ane.threshold %a {alpha = 1.5} : tensor<1x4x4x4xf32>"), 1.5, 3));
  // What has no rule, and what is unknown.
  EXPECT_TRUE(is(unary("sinh"), -inf, inf));
  EXPECT_TRUE(is(unary("square", "%x"), 0, inf));
}

TEST_F(ValueRangesTest, TwoOperands) {
  EXPECT_TRUE(is(binary("add"), -1, 7));
  EXPECT_TRUE(is(binary("sub"), -6, 2));
  EXPECT_TRUE(is(binary("mul"), -8, 12));
  EXPECT_TRUE(is(binary("real_div"), -2, 3));
  EXPECT_TRUE(is(binary("real_div", "%b, %a"), -inf, inf));
  EXPECT_TRUE(is(binary("maximum"), 1, 4));
  EXPECT_TRUE(is(binary("minimum"), -2, 3));
  EXPECT_TRUE(is(binary("add", "%a, %x"), -inf, inf));
  // Infinities of both signs: the sum is none.
  EXPECT_TRUE(is(binary("sub", "%x, %x"), -inf, inf));
  EXPECT_TRUE(is(rangeOf("%z = ane.const dense<0.0> : tensor<f32>\n"
                         "%r = ane.mul %x, %z : tensor<1x4x4x4xf32>, tensor<f32>"),
                 0, 0));
}

TEST_F(ValueRangesTest, Products) {
  EXPECT_TRUE(is(rangeOf("%r = ane.matmul %a, %b : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>"),
                 -32, 48));
  EXPECT_TRUE(is(rangeOf("%w = ane.const dense<0.5> : tensor<2x4xf32>\n %c = ane.const dense<10.0> : tensor<2xf32>\n"
                         "%r = ane.linear %a, %w bias %c : (tensor<1x4x4x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> "
                         "tensor<1x4x4x2xf32>"),
                 6, 16));
}

TEST_F(ValueRangesTest, Movements) {
  EXPECT_TRUE(is(
      rangeOf("%r = ane.transpose %a {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>"),
      -2, 3));
  EXPECT_TRUE(is(rangeOf("%r:2 = ane.split %b {axis = 1 : i64, num_splits = 2 : i64} : (tensor<1x4x4x4xf32>) -> "
                         "(tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>)"),
                 1, 4));
  EXPECT_TRUE(is(rangeOf("%r = ane.concat %a, %b {axis = 1 : i64} : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> "
                         "tensor<1x8x4x4xf32>"),
                 -2, 4));
  EXPECT_TRUE(is(rangeOf("%r = ane.pad %b {pad = array<i64: 1, 1>, constant_val = -7.0 : f64} : (tensor<1x4x4x4xf32>) "
                         "-> tensor<1x4x4x6xf32>"),
                 -7, 4));
  EXPECT_TRUE(is(rangeOf("%r = ane.pad %b {pad = array<i64: 1, 1>, mode = \"reflect\"} : (tensor<1x4x4x4xf32>) -> "
                         "tensor<1x4x4x6xf32>"),
                 1, 4));
  EXPECT_TRUE(is(rangeOf("%r = ane.band_part %b {lower = 0 : i64} : tensor<1x4x4x4xf32>"), 0, 4));
  EXPECT_TRUE(is(rangeOf("%c = ane.greater %x, %y : tensor<1x4x4x4xf32>, tensor<4x4xf32>\n"
                         "%r = ane.select %c, %a, %b : tensor<1x4x4x4xi1>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>"),
                 -2, 4));
  // Integers have no ranges, whatever they are made into.
  EXPECT_TRUE(is(rangeOf("%j = ane.abs %i : tensor<1x4x4x4xi32>\n"
                         "%r = ane.cast %j {dtype = \"fp32\"} : (tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xf32>"),
                 -inf, inf));
  EXPECT_TRUE(
      is(rangeOf("%r = ane.cast %a {dtype = \"int32\"} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xi32>"), -inf, inf));
}

TEST_F(ValueRangesTest, Constants) {
  EXPECT_TRUE(is(rangeOf("%r = ane.const dense<[1.0, -3.0, 2.0]> : tensor<3xf32>"), -3, 2));
  EXPECT_TRUE(is(rangeOf("%c = ane.const dense<4.0> : tensor<3xf32>\n"
                         "%r = ane.cast %c {dtype = \"fp16\"} : (tensor<3xf32>) -> tensor<3xf16>"),
                 4, 4));
  EXPECT_TRUE(is(rangeOf("%r = ane.const #ane.weight<\"no_file\", 0, 12> : tensor<3xf32>"), -inf, inf));
}

TEST_F(ValueRangesTest, HowLongAChainIsDoesNotMatter) {
  std::string body;
  for (int i = 0; i < 1000; ++i)
    body += "%v" + std::to_string(i) + " = ane.mul " + (i ? "%v" + std::to_string(i - 1) : "%a") +
            ", %c : tensor<1x4x4x4xf32>, tensor<f32>\n";
  EXPECT_TRUE(is(rangeOf("%c = ane.const dense<-1.0> : tensor<f32>\n" + body), -2, 3));
}

TEST_F(ValueRangesTest, RegionsOfAnIsland) {
  module = parseSourceString<ModuleOp>(R"(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = ane.island(%x) : (tensor<4xf32>) -> tensor<4xf32> attributes {
        input_layouts = [#ane.layout<expand = [4], perm = [0]>], output_layouts = [#ane.layout<expand = [4], perm = [0]>]} engine {
    ^bb0(%a: tensor<4xf16>):
      %1 = ane.relu6 %a {ane.from = array<i64: 0>} : tensor<4xf16>
      ane.yield %1 : tensor<4xf16>
    } twin {
    ^bb0(%a: tensor<4xf32>):
      %1 = ane.relu6 %a : tensor<4xf32>
      ane.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  })",
                                       &context);
  ASSERT_TRUE(module);
  module->walk([&](IslandOp island) {
    ValueRanges ranges(island);
    for (Region *region : {&island.getEngine(), &island.getTwin()}) {
      EXPECT_TRUE(is(ranges.of(region->front().front().getResult(0)), 0, 6));
      EXPECT_TRUE(is(ranges.of(region->getArgument(0)), -inf, inf));
    }
  });
}

} // namespace
