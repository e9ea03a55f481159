//===- range_test.cpp - Bounds of values against what ops compute ---------===//
//
// The rules are the records', the values the emulator's kernels'.
//
//===----------------------------------------------------------------------===//

#include "runtime/lint/ranges.h"
#include "runtime/test/emulator/mil_fixture.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>

namespace ane::rt::emulator {
namespace {

/// Float parameters are clipped to these.
constexpr float kLow = -1.5, kHigh = 2.25;

struct Sample {
  std::string name;
  MilProgram program;
};

/// Each function of data/every_op.mil, with its float parameters clipped.
std::vector<Sample> everyOp() {
  std::ifstream file(ANE_EVERY_OP);
  std::stringstream whole;
  whole << file.rdbuf();
  const std::string text = whole.str();
  const std::regex function(R"(func (\w+)<(\w+)>\(([^{]*)\) \{\n([^}]*)\} -> \((\w+)\);)");
  const std::regex parameter(R"((tensor<fp(?:16|32), \[[\d, ]*\]>) (\w+))");
  std::vector<Sample> samples;
  for (std::sregex_iterator f(text.begin(), text.end(), function), end; f != end; ++f) {
    std::string parameters = (*f)[3].str(), statements;
    for (std::sregex_iterator p(parameters.begin(), parameters.end(), parameter); p != end; ++p)
      statements += (*p)[1].str() + " " + (*p)[2].str() + " = clip(x = " + (*p)[2].str() +
                    "_in, alpha = " + std::to_string(kLow) + ", beta = " + std::to_string(kHigh) + ");\n";
    parameters = std::regex_replace(parameters, parameter, "$1 $2_in");
    samples.push_back(
        {(*f)[1].str(), MilProgram(parameters, statements + (*f)[4].str(), (*f)[5].str(), (*f)[2].str())});
  }
  return samples;
}

FloatRange rangeOfResult(const std::string &text) {
  auto tree = mil::parse(text);
  EXPECT_TRUE(tree.ok()) << tree.status() << text;
  if (!tree.ok())
    return {};
  lint::FunctionView view(tree->functions.front());
  return lint::rangeOf(view, tree->functions.front().statements.back());
}

/// Values of the emulator are within the bounds, up to the rounding of fp16.
TEST(Range, HoldsForWhatOpsCompute) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> number(-4, 4);
  std::vector<std::string> bounded;
  for (Sample &sample : everyOp()) {
    FloatRange range = rangeOfResult(sample.program.text);
    if (!std::isfinite(range.low) && !std::isfinite(range.high))
      continue;
    ASSERT_TRUE(sample.program.load().ok()) << sample.program.text;
    std::vector<std::vector<float>> inputs;
    for (const auto &input : sample.program.program->inputs()) {
      inputs.emplace_back(input.type.size());
      if (heldAsFloat(input.type.element)) // others may be indices: 0
        for (float &value : inputs.back())
          value = number(random);
    }
    absl::Status status = sample.program.run(inputs);
    ASSERT_TRUE(status.ok()) << status << sample.program.text;
    bounded.push_back(sample.name);
    for (float value : sample.program.result()) {
      if (std::isnan(value)) // of a negative number's root
        continue;
      double slack = 1e-2 * std::abs(value) + 1e-3;
      EXPECT_GE(value, range.low - slack) << sample.program.text;
      EXPECT_LE(value, range.high + slack) << sample.program.text;
    }
  }
  EXPECT_GE(bounded.size(), 50u);
  for (const char *op : {"exp", "clip", "mul", "matmul", "concat", "select", "pad", "reduce_max"})
    EXPECT_NE(std::find(bounded.begin(), bounded.end(), op), bounded.end()) << op;
}

/// Of one statement that makes `y`, after one that makes x of [-2, 3].
FloatRange after(const std::string &statement) {
  return rangeOfResult(
      MilProgram("tensor<fp16, [2, 4]> a",
                 "tensor<fp16, [2, 4]> x = clip(x = a, alpha = fp16(-2), beta = fp16(3));\n" + statement, "y")
          .text);
}

TEST(Range, AsksForArguments) {
  EXPECT_EQ(after("tensor<fp16, [2, 4]> y = threshold(x = x, alpha = fp16(1));"), (FloatRange{1, 3}));
  EXPECT_EQ(after("tensor<fp16, [2, 6]> y = pad(x = x, pad = [1, 1], constant_val = fp16(-9));"), (FloatRange{-9, 3}));
  EXPECT_EQ(after("tensor<fp16, [2, 6]> y = pad(x = x, pad = [1, 1]);"), (FloatRange{-2, 3}));
  EXPECT_EQ(after("tensor<fp16, [2, 6]> y = pad(x = x, pad = [1, 1], mode = \"reflect\", constant_val = fp16(-9));"),
            (FloatRange{-2, 3}));
  EXPECT_EQ(after("tensor<fp16, [2, 2]> y = matmul(x = x, y = x, transpose_y = true);"), (FloatRange{-24, 36}));
}

/// Texts that no op can be made of have no bounds, and crash nothing.
TEST(Range, HostileStatements) {
  const FloatRange unknown;
  for (const char *statement :
       {"tensor<fp16, [2, 4]> y = clip(x = x);", "tensor<fp16, [2, 4]> y = select(cond = (), a = (), b = ());",
        "tensor<fp16, [2, 4]> y = select();", "tensor<fp16, [2, 4]> y = linear(x = x, weight = x, bias = ());",
        "tensor<fp16, [2, 4]> y = concat(values = ());", "tensor<fp16, [2, 4]> y = add(x = x);",
        "fp16 s = const()[val = fp16(1)];\ntensor<fp16, [2, 4]> y = matmul(x = s, y = x);"})
    EXPECT_EQ(after(statement), unknown) << statement;
  // Bounds the wrong way round.
  EXPECT_EQ(after("tensor<fp16, [2, 4]> y = clip(x = x, alpha = fp16(5), beta = fp16(-5));"), (FloatRange{-5, -5}));
}

} // namespace
} // namespace ane::rt::emulator
