//===- numeric_test.cpp - Arithmetic of the emulated engine ---------------===//

#include "runtime/test/emulator/mil_fixture.h"

#include <cmath>
#include <limits>

namespace ane::rt::emulator {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(NumericModel, ModesByName) {
  for (const char *name : {"lint", "faithful", "plain"})
    EXPECT_TRUE(modeFromName(name).ok());
  auto other = modeFromName("strict");
  EXPECT_EQ(other.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(other.status().message(), "the emulator has no mode 'strict'; it has: lint, faithful, plain");
}

TEST(NumericModel, HalfResultsAreRounded) {
  // 2049 is between two fp16 values; the even one is 2048. 65520 overflows.
  EXPECT_PRED_FORMAT2(
      sameValues,
      runMilText("tensor<fp16, [3]> x", "tensor<fp16, [3]> y = add(x = x, y = fp16(1));", {{2048, 2050, 65504}}),
      values(2048, 2052, 65504));
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("tensor<fp16, [1]> x", "tensor<fp16, [1]> y = add(x = x, y = x);", {{65504}}),
                      values(kInf));
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("tensor<fp32, [1]> x", "tensor<fp32, [1]> y = add(x = x, y = fp32(1));", {{2048}}),
                      values(2049));
}

TEST(NumericModel, ProductsAccumulateWide) {
  // [4096] + 1024 ones: an fp16 sum would stay at 4096.
  std::vector<float> x(1025, 1.0f), w(1025, 1.0f);
  x[0] = 4096;
  MilProgram program("tensor<fp16, [1, 1025]> x, tensor<fp16, [1025, 1]> w",
                     "tensor<fp16, [1, 1]> y = matmul(x = x, y = w);", "y");
  ASSERT_TRUE(program.run({x, w}).ok());
  EXPECT_PRED_FORMAT2(sameValues, program.result(), values(5120));
}

constexpr float kPort = 32768;

/// K products of value^2 / K each, so that the sum is about value^2.
std::vector<float> portProbe(bool saturates, float factor) {
  MilProgram program("tensor<fp16, [1, 2]> x, tensor<fp16, [2, 1]> w", "tensor<fp16, [1, 1]> y = matmul(x = x, y = w);",
                     "y");
  if (saturates)
    program.numerics.portLimit = kPort;
  EXPECT_TRUE(program.run({{factor, 0}, {1, 1}}).ok());
  return program.result();
}

TEST(NumericModel, AccumulatorPort) {
  EXPECT_PRED_FORMAT2(sameValues, portProbe(false, 32768), values(32768));
  EXPECT_PRED_FORMAT2(sameValues, portProbe(true, 32752), values(32752));
  EXPECT_PRED_FORMAT2(sameValues, portProbe(true, 32768), values(kInf));
  EXPECT_PRED_FORMAT2(sameValues, portProbe(true, -40000), values(-kInf));
}

TEST(NumericModel, SingleProductsPassThePort) {
  auto conv = [](int channels) {
    std::string c = std::to_string(channels);
    MilProgram program("tensor<fp16, [1, " + c + ", 1, 1]> x, tensor<fp16, [1, " + c + ", 1, 1]> w",
                       "tensor<fp16, [1, 1, 1, 1]> y = conv(x = x, weight = "
                       "w);",
                       "y");
    program.numerics.portLimit = kPort;
    std::vector<float> x(static_cast<size_t>(channels), 0.0f);
    x[0] = 60000;
    std::vector<float> w(static_cast<size_t>(channels), 1.0f);
    EXPECT_TRUE(program.run({x, w}).ok());
    return program.result();
  };
  EXPECT_PRED_FORMAT2(sameValues, conv(1), values(60000));
  EXPECT_PRED_FORMAT2(sameValues, conv(2), values(kInf));
}

TEST(NumericModel, NarrowReductions) {
  auto sum = [](bool narrow, const std::string &op) {
    MilProgram program("tensor<fp16, [1, 4096]> x",
                       "tensor<fp16, [1]> y = " + op + "(x = x, axes = [1], keep_dims = false);", "y");
    program.numerics.narrowReductions = narrow;
    EXPECT_TRUE(program.run({std::vector<float>(4096, 1.0f)}).ok());
    return program.result();
  };
  EXPECT_PRED_FORMAT2(sameValues, sum(false, "reduce_sum"), values(4096));
  // Exact up to 2048; 2048 + 1 rounds to 2048 again.
  EXPECT_PRED_FORMAT2(sameValues, sum(true, "reduce_sum"), values(2048));
  EXPECT_PRED_FORMAT2(sameValues, sum(true, "reduce_mean"), values(0.5));
  EXPECT_PRED_FORMAT2(sameValues, sum(true, "reduce_max"), values(1));
}

TEST(NumericModel, QuantizeMidpoints) {
  auto quantize = [](bool away) {
    MilProgram program("tensor<fp16, [4]> x",
                       "tensor<int8, [4]> y = quantize(input = x, scale = "
                       "fp16(1), output_dtype = \"int8\");",
                       "y");
    program.numerics.quantizeHalfAwayFromZero = away;
    EXPECT_TRUE(program.run({{0.5, 1.5, -2.5, 300}}).ok());
    return program.result();
  };
  EXPECT_PRED_FORMAT2(sameValues, quantize(false), values(0, 2, -2, 127));
  EXPECT_PRED_FORMAT2(sameValues, quantize(true), values(1, 2, -3, 127));
}

TEST(NumericModel, SoftmaxIsSafe) {
  std::vector<float> y =
      runMilText("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = softmax(x = x, axis = -1);", {{1000, 1, 2, 3}});
  EXPECT_PRED_FORMAT2(sameValues, y, values(1, 0, 0, 0));
  y = runMilText("tensor<fp16, [2, 2]> x", "tensor<fp16, [2, 2]> y = softmax(x = x, axis = 0);", {{-kInf, 5, 0, 5}});
  EXPECT_PRED_FORMAT2(sameValues, y, values(0, 0.5, 1, 0.5));
}

TEST(NumericModel, ActivationsAtTheEndsOfTheirRange) {
  const char *x = "tensor<fp32, [3]> x";
  std::vector<std::vector<float>> ends = {{-kInf, 0, kInf}};
  auto run = [&](const std::string &call) { return runMilText(x, "tensor<fp32, [3]> y = " + call + ";", ends); };
  EXPECT_PRED_FORMAT2(sameValues, run("sigmoid(x = x)"), values(0, 0.5, 1));
  EXPECT_PRED_FORMAT2(sameValues, run("tanh(x = x)"), values(-1, 0, 1));
  EXPECT_PRED_FORMAT2(sameValues, run("silu(x = x)"), values(0, 0, kInf));
  EXPECT_PRED_FORMAT2(sameValues, run("gelu(x = x, mode = \"EXACT\")"), values(0, 0, kInf));
  EXPECT_PRED_FORMAT2(sameValues, run("gelu(x = x, mode = \"TANH_APPROXIMATION\")"), values(0, 0, kInf));
  EXPECT_PRED_FORMAT2(sameValues, run("gelu(x = x, mode = \"SIGMOID_APPROXIMATION\")"), values(0, 0, kInf));
  EXPECT_PRED_FORMAT2(sameValues, run("exp(x = x)"), values(0, 1, kInf));
  EXPECT_PRED_FORMAT2(sameValues, run("softsign(x = x)"), values(-1, 0, 1));
  EXPECT_PRED_FORMAT2(sameValues, run("relu(x = x)"), values(0, 0, kInf));
}

TEST(NumericModel, NanSpreads) {
  float nan = std::nanf("");
  for (const char *op : {"exp", "tanh", "sigmoid", "relu", "silu", "sqrt"}) {
    std::vector<float> y =
        runMilText("tensor<fp16, [2]> x", std::string("tensor<fp16, [2]> y = ") + op + "(x = x);", {{nan, 1}});
    ASSERT_EQ(y.size(), 2u);
    EXPECT_TRUE(std::isnan(y[0])) << op;
    EXPECT_FALSE(std::isnan(y[1])) << op;
  }
}

} // namespace
} // namespace ane::rt::emulator
