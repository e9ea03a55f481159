// Draws against their probabilities, options, stop strings. Which tokens are kept is compared with transformers in
// test/Python/test_sampling.py.
#include "runtime/text/sampling/sampler.h"
#include "runtime/text/sampling/stop_strings.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace ane::rt::text;

namespace {

Sampler make(SamplingOptions options) {
  absl::StatusOr<Sampler> sampler = Sampler::create(std::move(options));
  EXPECT_TRUE(sampler.ok()) << sampler.status();
  return *std::move(sampler);
}

SamplingOptions warm(double temperature) {
  SamplingOptions options;
  options.temperature = temperature;
  return options;
}

TEST(Sampler, WeightsAreExponentials) {
  std::vector<float> logits;
  for (int i = 0; i <= 2500; ++i)
    logits.push_back(-0.01f * static_cast<float>(i));
  auto candidates = make(warm(1)).candidates(logits, {});
  ASSERT_TRUE(candidates.ok());
  ASSERT_EQ(candidates->size(), logits.size());
  for (const Candidate &candidate : *candidates) {
    double want = std::exp(static_cast<double>(logits[static_cast<size_t>(candidate.token)])) * std::pow(2.0, 43);
    EXPECT_NEAR(static_cast<double>(candidate.weight), want, 1 + 1e-14 * want);
  }
}

/// These numbers are the same wherever this runs.
TEST(Sampler, SameSeedSameTokens) {
  std::vector<float> logits;
  for (int i = 0; i < 1000; ++i)
    logits.push_back(static_cast<float>((i * 7919) % 1000) * 0.01f);
  SamplingOptions options = warm(0.8);
  options.topP = 0.9;
  options.seed = 42;
  Sampler sampler = make(options);
  std::vector<int32_t> drawn;
  for (int i = 0; i < 8; ++i)
    drawn.push_back(*sampler.sample(logits, {}));
  EXPECT_EQ(drawn, (std::vector<int32_t>{630, 803, 816, 914, 420, 963, 815, 815}));
  Sampler again = make(options);
  again.draws = 5;
  EXPECT_EQ(*again.sample(logits, {}), drawn[5]);
}

/// Chi-square with 9 degrees of freedom is below 27.9 with probability 0.999; the seed is fixed.
TEST(Sampler, DrawsFollowTheProbabilities) {
  std::vector<float> logits = {0, 0.5f, 1, 1.5f, -1, 2, 0.1f, 0.2f, -0.5f, 1.2f};
  double sum = 0;
  for (float logit : logits)
    sum += std::exp(logit / 1.5);
  SamplingOptions options = warm(1.5);
  options.seed = 2024;
  Sampler sampler = make(options);
  constexpr int kDraws = 200000;
  std::vector<int> counts(logits.size());
  for (int i = 0; i < kDraws; ++i)
    ++counts[static_cast<size_t>(*sampler.sample(logits, {}))];
  double chiSquare = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    double want = kDraws * std::exp(logits[i] / 1.5) / sum;
    chiSquare += (counts[i] - want) * (counts[i] - want) / want;
  }
  EXPECT_LT(chiSquare, 27.9);
}

TEST(Sampler, GreedyTakesTheFirstOfTheLargest) {
  Sampler sampler = make({});
  EXPECT_EQ(*sampler.sample({1, 3, 3, 2}, {}), 1);
  EXPECT_EQ(sampler.draws, 0u);
  SamplingOptions options;
  options.logitBias = {{1, -std::numeric_limits<float>::infinity()}, {0, 5}};
  EXPECT_EQ(*make(options).sample({1, 3, 3, 2}, {}), 0);
}

TEST(Sampler, PenaltiesCountTokensOfTheWindow) {
  SamplingOptions options;
  options.presencePenalty = 0.5;
  options.frequencyPenalty = 1;
  std::vector<int32_t> text = {0, 0, 1};
  EXPECT_EQ(*make(options).sample({3, 2, 0.4f}, text), 0); // 0.5, 0.5, 0.4
  options.frequencyPenalty = 1.1;
  EXPECT_EQ(*make(options).sample({3, 2, 0.45f}, text), 2); // 0.3, 0.4, 0.45
  options.penaltyWindow = 1;
  EXPECT_EQ(*make(options).sample({3, 2, 0.45f}, text), 0);
}

TEST(Sampler, LogitsThatAreNoNumbers) {
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()}) {
    auto token = make(warm(1)).sample({0, bad}, {});
    ASSERT_FALSE(token.ok());
    EXPECT_NE(token.status().message().find("the logit of token 1 is "), std::string::npos);
  }
  EXPECT_FALSE(make({}).sample({}, {}).ok());
  SamplingOptions options;
  options.logitBias = {{0, -std::numeric_limits<float>::infinity()}};
  EXPECT_FALSE(make(options).sample({1}, {}).ok());
  options.logitBias = {{4, 1}};
  EXPECT_FALSE(make(options).sample({1, 2}, {}).ok());
  options.logitBias = {};
  options.presencePenalty = 1;
  EXPECT_FALSE(make(options).sample({1, 2}, std::vector<int32_t>{2}).ok());
}

TEST(Sampler, ExtremesAreNoTrouble) {
  float large = std::numeric_limits<float>::max();
  SamplingOptions options = warm(0.001);
  options.topP = 1e-300;
  options.minP = 1;
  options.topK = 1;
  EXPECT_EQ(*make(options).sample({-large, large, 0}, {}), 1);
  EXPECT_EQ(*make(warm(1000)).sample({-large, large}, {}), 1);
}

TEST(Sampler, OptionsHaveRanges) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  auto refuses = [](auto change, const char *message) {
    SamplingOptions options;
    change(options);
    absl::Status status = Sampler::create(options).status();
    EXPECT_NE(status.message().find(message), std::string::npos) << status;
  };
  refuses([&](auto &o) { o.temperature = nan; }, "the temperature is nan; it must be 0");
  refuses([](auto &o) { o.temperature = -1; }, "the temperature is -1");
  refuses([](auto &o) { o.topK = -1; }, "top-k is -1");
  refuses([](auto &o) { o.topP = 0; }, "top-p is 0; it must be above 0");
  refuses([](auto &o) { o.minP = 1.5; }, "min-p is 1.5");
  refuses([](auto &o) { o.repetitionPenalty = 0; }, "the repetition penalty is 0");
  refuses([&](auto &o) { o.presencePenalty = nan; }, "the presence penalty");
  refuses([](auto &o) { o.frequencyPenalty = 1000; }, "the frequency penalty");
  refuses([](auto &o) { o.penaltyWindow = -1; }, "the window of penalties");
  refuses([](auto &o) { o.logitBias = {{-1, 0}}; }, "the bias of token -1");
}

/// What is shown of an answer that comes in parts of `size` bytes.
std::string shown(const std::vector<std::string> &stops, const std::string &answer, size_t size) {
  StopStrings filter(stops);
  std::string out;
  for (size_t at = 0; at < answer.size(); at += size)
    out += filter.add(answer.substr(at, size));
  return out + filter.finish() + (filter.stopped() ? "|" : "");
}

TEST(StopStrings, PartsMakeNoDifference) {
  struct Case {
    std::vector<std::string> stops;
    const char *answer, *want;
  };
  for (const Case &c : {
           Case{{"</s>"}, "hello</s>more", "hello|"},
           Case{{"</s>"}, "hello</s", "hello</s"},
           Case{{"</s>"}, "a</</s>b", "a</|"},
           Case{{"abc", "b"}, "xabc", "xa|"},
           Case{{"aab"}, "aaab", "a|"},
           Case{{"User:", "\n\n"}, "Us\nUser:x", "Us\n|"},
           Case{{"é"}, "caf\xc3\xa9!", "caf|"},
           Case{{"bc", "abc"}, "abc", "|"},
           Case{{""}, "abc", "abc"},
           Case{{}, "abc", "abc"},
       })
    for (size_t size = 1; size <= 6; ++size)
      EXPECT_EQ(shown(c.stops, c.answer, size), c.want) << c.answer << " by " << size;
}

TEST(StopStrings, HoldsBackNoMoreThanItMust) {
  StopStrings filter({"</s>"});
  EXPECT_EQ(filter.add("a<"), "a");
  EXPECT_EQ(filter.add("b"), "<b");
  EXPECT_EQ(filter.add("</s>x"), "");
  EXPECT_TRUE(filter.stopped());
  EXPECT_EQ(filter.add("y"), "");
}

} // namespace
