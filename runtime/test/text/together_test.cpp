// Prompts that are answered together, with a model whose answers are known (fake_model.h): order, places that become
// free, ends.
#include "runtime/test/text/fake_model.h"
#include "runtime/text/conversation/together.h"

#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::text;

namespace {

/// Counts down from the last letter of the prompt to 'a', and ends.
int32_t countDown(const std::string &text) { return text.back() == 'a' ? FakeModel::kEnd : text.back() - 1; }

/// Fake models side by side.
class FakeParallel : public ParallelModel {
public:
  FakeParallel(FakeModel &single, size_t count) : single(single), models(count), rows(count) {}

  int64_t sequences() const override { return static_cast<int64_t>(models.size()); }
  absl::Status take(int64_t sequence) override {
    models[static_cast<size_t>(sequence)] = std::make_unique<FakeModel>(single);
    return absl::OkStatus();
  }
  absl::Status decode(absl::Span<const int32_t> tokens) override {
    most = std::max(most, tokens.size() - static_cast<size_t>(std::count(tokens.begin(), tokens.end(), -1)));
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] < 0)
        continue;
      absl::StatusOr<absl::Span<const float>> logits = models[i]->decode(tokens[i]);
      if (!logits.ok())
        return logits.status();
      rows[i].assign(logits->begin(), logits->end());
    }
    ++steps;
    if (whenCalled)
      whenCalled();
    return absl::OkStatus();
  }
  absl::Span<const float> logits(int64_t sequence) const override { return rows[static_cast<size_t>(sequence)]; }
  DeviceWork work() const override { return {steps, 10 * steps}; }

  FakeModel &single;
  std::vector<std::unique_ptr<FakeModel>> models;
  std::vector<std::vector<float>> rows;
  uint64_t steps = 0;
  size_t most = 0;
  std::function<void()> whenCalled;
};

struct Group {
  explicit Group(size_t count, int64_t room = 100) {
    auto model = std::make_unique<FakeModel>(countDown, room);
    parallel = std::make_unique<FakeParallel>(*model, count);
    context = std::make_unique<Context>(std::move(model));
    options.stopTokens = {FakeModel::kEnd};
  }
  absl::StatusOr<Statistics> run(const std::vector<std::string> &texts) {
    std::vector<std::vector<int32_t>> prompts;
    for (const std::string &text : texts)
      prompts.emplace_back(text.begin(), text.end());
    TogetherListeners listeners;
    listeners.token = [&](size_t prompt, const TokenEvent &event) { streamed[prompt] += event.text; };
    listeners.answer = [&](size_t prompt, const Answer &answer) {
      EXPECT_EQ(prompt, answers.size());
      answers.push_back(answer.text);
      ends.push_back(answer.end);
    };
    streamed.assign(texts.size(), "");
    return generateTogether(*context, *parallel, codec, *Sampler::create({}), prompts, options, listeners, cancel);
  }

  std::unique_ptr<FakeParallel> parallel;
  std::unique_ptr<Context> context;
  FakeCodec codec;
  GenerateOptions options;
  std::atomic<bool> cancel{false};
  std::vector<std::string> streamed, answers;
  std::vector<End> ends;
};

TEST(Together, AnswersComeInOrder) {
  Group group(2);
  absl::StatusOr<Statistics> cost = group.run({"--h", "-c", "a", "-e", "x-b"});
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_EQ(group.answers, (std::vector<std::string>{"gfedcba", "ba", "", "dcba", "a"}));
  EXPECT_EQ(group.streamed, group.answers);
  EXPECT_EQ(group.ends, std::vector<End>(5, End::StopToken));
  EXPECT_EQ(group.parallel->most, 2u);
  // The first token of each answer comes from its prompt, and each other one from the one before.
  EXPECT_EQ(cost->decode.tokens, 7 + 2 + 4 + 1);
  EXPECT_EQ(cost->prefill.tokens + cost->reused, 3 + 2 + 1 + 2 + 3);
  EXPECT_EQ(cost->decode.work.evaluations, group.parallel->steps);
  EXPECT_LT(cost->decode.work.evaluations, 14u);
}

TEST(Together, AnswersEndAlone) {
  Group group(3, /*room=*/6);
  group.options.maxTokens = 3;
  ASSERT_TRUE(group.run({"z", "12345z", "c"}).ok());
  EXPECT_EQ(group.answers, (std::vector<std::string>{"yxw", "y", "ba"}));
  EXPECT_EQ(group.ends, (std::vector<End>{End::Length, End::Context, End::StopToken}));
}

TEST(Together, CancelledAnswersAreWhatWasSaid) {
  Group group(2);
  group.parallel->whenCalled = [&] { group.cancel = group.parallel->steps == 2; };
  ASSERT_TRUE(group.run({"z", "y", "x"}).ok());
  EXPECT_EQ(group.answers, (std::vector<std::string>{"yxw", "xwv"}));
  EXPECT_EQ(group.ends, (std::vector<End>{End::Cancelled, End::Cancelled}));
}

TEST(Together, ErrorsNameThePrompt) {
  EXPECT_EQ(Group(2, 4).run({"z", "12345"}).status().message().substr(0, 38), "prompt 2: has 5 tokens, and the model'");
  EXPECT_EQ(Group(2).run({"z", ""}).status().message().substr(0, 34), "prompt 2: the prompt has 0 tokens;");
  Group shift(2);
  shift.options.overflow = Overflow::Shift;
  EXPECT_TRUE(absl::IsInvalidArgument(shift.run({"z"}).status()));
}

} // namespace
