// Turns, the part of the state that they share, overflow, cancellation and statistics, with a model whose answers are
// known (fake_model.h).
#include "runtime/test/temporary_folder.h"
#include "runtime/test/text/fake_model.h"
#include "runtime/text/conversation/conversation.h"

#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::text;
using nlohmann::ordered_json;

namespace {

constexpr const char *kTemplate = "{% for m in messages %}{{ m.role[0] }}:{{ m.content }}{{ '\\n' }}{% endfor %}{% if "
                                  "add_generation_prompt %}a:{% endif %}";

/// Repeats what the user has said last, in capitals, and ends.
int32_t shout(const std::string &text) {
  size_t answer = text.rfind("\na:"), question = text.rfind("u:", answer);
  std::string said = text.substr(question + 2, answer - question - 2);
  size_t done = text.size() - answer - 3;
  return done < said.size() ? std::toupper(static_cast<uint8_t>(said[done])) : FakeModel::kEnd;
}

struct Chat {
  explicit Chat(int64_t context = 200, GenerateOptions options = {}, FakeModel::Next next = shout,
                SamplingOptions sampling = {})
      : options(std::move(options)) {
    this->options.stopTokens = {FakeModel::kEnd};
    auto made = std::make_unique<FakeModel>(std::move(next), context);
    model = made.get();
    ChatFormat format = {*ChatTemplate::parse(kTemplate, "t"), {}, ordered_json::object()};
    conversation = std::make_unique<Conversation>(Context(std::move(made)), codec, std::move(format),
                                                  *Sampler::create(std::move(sampling)), this->options);
  }
  absl::StatusOr<Answer> ask(const std::string &content) {
    return conversation->ask(content, [this](const TokenEvent &event) { events.push_back(event); }, cancel);
  }
  std::string answer(const std::string &content) {
    absl::StatusOr<Answer> answer = ask(content);
    return answer.ok() ? answer->text : std::string(answer.status().message());
  }

  FakeCodec codec;
  GenerateOptions options;
  FakeModel *model;
  std::atomic<bool> cancel{false};
  std::vector<TokenEvent> events;
  std::unique_ptr<Conversation> conversation;
};

TEST(Conversation, TurnsReuseTheState) {
  Chat f;
  f.conversation->add({{"role", "system"}, {"content", "be loud"}});
  EXPECT_EQ(f.answer("hello"), "HELLO");
  EXPECT_EQ(f.model->text, "s:be loud\nu:hello\na:HELLO");
  int64_t before = f.model->seen;
  absl::StatusOr<Answer> second = f.ask("more");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->text, "MORE");
  EXPECT_EQ(second->end, End::StopToken);
  EXPECT_EQ(f.model->text, "s:be loud\nu:hello\na:HELLO\nu:more\na:MORE");
  // Only "\nu:more\na:" and the answer went through the model.
  EXPECT_EQ(f.model->seen - before, 14);
  EXPECT_EQ(second->statistics.reused, 25);
  EXPECT_EQ(second->statistics.prefill.tokens, 10);
  EXPECT_EQ(second->statistics.decode.tokens, 4);
  EXPECT_EQ(second->statistics.decode.work.evaluations, 4u);
  EXPECT_EQ(second->statistics.decode.work.bytes, 400u);
  EXPECT_GE(second->statistics.firstTokenSeconds, 0);
  EXPECT_EQ(f.conversation->messages().size(), 5u);
  EXPECT_EQ(f.conversation->messages()[4], (ordered_json{{"role", "assistant"}, {"content", "MORE"}}));
}

TEST(Context, StatesThatCantGoBackBeginAnew) {
  for (bool isRecurrent : {false, true}) {
    auto made = std::make_unique<FakeModel>(shout, 20);
    FakeModel *model = made.get();
    model->isRecurrent = isRecurrent;
    Context context(std::move(made));
    std::atomic<bool> cancel{false};
    Statistics statistics;
    ASSERT_TRUE(context.set({'a', 'b', 'c'}, cancel, statistics).ok());
    ASSERT_TRUE(context.set({'a', 'b', 'x'}, cancel, statistics).ok());
    EXPECT_EQ(model->text, "abx");
    EXPECT_EQ(statistics.reused, isRecurrent ? 0 : 2);
    EXPECT_EQ(model->seen, isRecurrent ? 6 : 4);
    // The same once more: its last token, for the logits.
    ASSERT_TRUE(context.set({'a', 'b', 'x'}, cancel, statistics).ok());
    EXPECT_EQ(model->seen, isRecurrent ? 9 : 5);
  }
}

TEST(Conversation, TextStreamsByCharactersAndStopsAtStrings) {
  GenerateOptions options;
  options.stopStrings = {"END"};
  Chat f(200, options, [](const std::string &text) {
    std::string all = "caf\xc3\xa9 EN-END!";
    size_t done = text.size() - text.rfind("a:") - 2;
    return done < all.size() ? static_cast<uint8_t>(all[done]) : FakeModel::kEnd;
  });
  absl::StatusOr<Answer> answer = f.ask("x");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->text, "caf\xc3\xa9 EN-");
  EXPECT_EQ(answer->end, End::StopString);
  std::vector<std::string> texts;
  for (const TokenEvent &event : f.events)
    texts.push_back(event.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"c", "a", "f", "", "\xc3\xa9", " ", "", "", "EN-", "", "", ""}));
  EXPECT_EQ(toJson(f.events[4]).dump().substr(0, 34), "{\"index\":4,\"token\":169,\"text\":\"\xc3\xa9\"");
}

TEST(Conversation, HeldBackTextComesAtTheEnd) {
  GenerateOptions options;
  options.stopStrings = {"LOUDER"};
  Chat f(200, options);
  EXPECT_EQ(f.answer("loud"), "LOUD");
  EXPECT_EQ(f.events.back().token, -1);
  EXPECT_EQ(f.events.back().text, "LOUD");
}

TEST(Conversation, LengthIsALimit) {
  GenerateOptions options;
  options.maxTokens = 3;
  Chat f(200, options);
  absl::StatusOr<Answer> answer = f.ask("hello");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->text, "HEL");
  EXPECT_EQ(answer->end, End::Length);
}

TEST(Conversation, CancelKeepsWhatWasSaid) {
  Chat f;
  f.model->whenCalled = [&] {
    f.cancel = f.model->text.size() > 4 && f.model->text.substr(f.model->text.size() - 2) == "HE";
  };
  absl::StatusOr<Answer> answer = f.ask("hello");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->end, End::Cancelled);
  EXPECT_EQ(answer->text, "HEL"); // drawn before the flag was looked at
  f.cancel = false;
  f.model->whenCalled = nullptr;
  EXPECT_EQ(f.answer("on"), "ON");
  EXPECT_EQ(f.model->text, "u:hello\na:HEL\nu:on\na:ON");
}

TEST(Conversation, CancelStopsAPrompt) {
  Chat f;
  f.model->whenCalled = [&] { f.cancel = true; };
  absl::StatusOr<Answer> answer = f.ask("a question that takes several parts");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->end, End::Cancelled);
  EXPECT_EQ(answer->text, "");
  EXPECT_EQ(f.model->seen, 8);
}

TEST(Conversation, ErrorsLeaveTheMessages) {
  Chat f;
  f.model->failsAt = 4;
  EXPECT_EQ(f.answer("hello, model"), "the model has failed");
  EXPECT_EQ(f.conversation->messages().size(), 0u);
  f.model->failsAt = -1;
  EXPECT_EQ(f.answer("hello"), "HELLO");
  EXPECT_EQ(f.model->text, "u:hello\na:HELLO");
}

TEST(Conversation, UsersTextIsNotTheTemplates) {
  Chat f(200, {}, [](const std::string &) { return FakeModel::kEnd; });
  ASSERT_TRUE(f.ask("x\ny").ok());
  // "\n" of the template is token 256, that of the user is 10.
  EXPECT_EQ(*f.codec.encode({{"x\n", false}, {"\n", true}}), (std::vector<int32_t>{'x', '\n', FakeModel::kEnd}));
}

TEST(Overflow, StopRefusesPromptsAndEndsAnswers) {
  Chat f(20);
  EXPECT_EQ(f.answer("a question of more than that"),
            "the prompt has 33 tokens, and the model's context takes 20; make it shorter, let it lose its older half "
            "(--on-overflow=shift), or compile the model with a larger --context");
  absl::StatusOr<Answer> answer = f.ask("12345678");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->end, End::Context);
  EXPECT_EQ(answer->text, "12345678"); // 13 tokens of prompt, 7 of room, and one that is drawn last
}

TEST(Overflow, ShiftForgetsTheOlderHalfBehindWhatIsKept) {
  GenerateOptions options;
  options.overflow = Overflow::Shift;
  options.kept = 2;
  options.maxTokens = 60;
  Chat f(20, options, [](const std::string &text) { return text.back() == 'z' ? 'a' : text.back() + 1; });
  absl::StatusOr<Answer> answer = f.ask("hello");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->end, End::Length);
  std::string want(1, ':' + 1);
  while (want.size() < 60)
    want += want.back() == 'z' ? 'a' : static_cast<char>(want.back() + 1);
  EXPECT_EQ(answer->text, want); // it goes on over several shifts
  EXPECT_EQ(f.model->text.substr(0, 2), "u:");
  EXPECT_LE(f.model->text.size(), 20u);
  EXPECT_TRUE(f.ask(std::string(100, 'q')).ok()); // nor does a prompt that is too long end it
}

TEST(Overflow, WindowLeavesOutTheOldestTurns) {
  GenerateOptions options;
  options.overflow = Overflow::Window;
  Chat f(40, options);
  f.conversation->add({{"role", "system"}, {"content", "S"}});
  for (const char *word : {"one", "two", "three", "four"}) {
    std::string loud = word;
    for (char &c : loud)
      c = static_cast<char>(std::toupper(c));
    EXPECT_EQ(f.answer(word), loud);
  }
  EXPECT_EQ(f.model->text, "s:S\nu:three\na:THREE\nu:four\na:FOUR");
  EXPECT_EQ(f.conversation->messages().size(), 9u); // none is lost
}

TEST(Conversation, SavedOnesGoOn) {
  test::TemporaryFolder folder;
  std::string path = folder.path("chat");
  SamplingOptions sampling;
  sampling.temperature = 5;
  sampling.seed = 3;
  GenerateOptions options;
  options.maxTokens = 6;
  Chat f(300, options, shout, sampling), g(300, options, shout, sampling);
  ASSERT_TRUE(f.ask("hello").ok());
  ASSERT_TRUE(f.conversation->save(path).ok());
  absl::Status restored = g.conversation->restore(path);
  ASSERT_TRUE(restored.ok()) << restored;
  int64_t before = g.model->seen;
  std::string want = f.answer("more");
  EXPECT_EQ(g.answer("more"), want);
  EXPECT_LT(g.model->seen - before, 20); // the saved state was used
  EXPECT_EQ(g.conversation->messages(), f.conversation->messages());
}

TEST(Conversation, FilesThatAreNone) {
  test::TemporaryFolder folder;
  std::string path = folder.path("chat");
  Chat f;
  EXPECT_FALSE(f.conversation->restore(path).ok());
  ASSERT_TRUE(f.ask("hello").ok());
  ASSERT_TRUE(f.conversation->save(path).ok());
  std::ifstream file(path + ".json");
  ordered_json good = ordered_json::parse(file);
  auto refuses = [&](auto change, const char *message) {
    ordered_json json = good;
    change(json);
    std::ofstream(path + ".json") << json;
    absl::Status status = f.conversation->restore(path);
    EXPECT_NE(status.message().find(message), std::string::npos) << status;
  };
  refuses([](ordered_json &j) { j = 5; }, "no field \"format\"");
  refuses([](ordered_json &j) { j["format"] = "x"; }, "no field \"format\"");
  refuses([](ordered_json &j) { j["messages"] = {{{"content", "a"}}}; }, "\"messages\" are no list");
  refuses([](ordered_json &j) { j.erase("messages"); }, "\"messages\" are no list");
  refuses([](ordered_json &j) { j["tokens"] = {1, -1}; }, "\"tokens\" are no list");
  refuses([](ordered_json &j) { j["tokens"] = std::vector<int>(1000, 1); }, "more than the model's context of 200");
  refuses([](ordered_json &j) { j["tokens"] = {1}; }, "a state of another length");
  refuses([](ordered_json &j) { j["draws"] = -1; }, "\"draws\" is no number");
  refuses(
      [](ordered_json &j) {
        for (int i = 0; i < 100; ++i)
          j["messages"] = ordered_json::array({std::move(j["messages"])});
      },
      "nested deeper than 64");
  EXPECT_EQ(f.answer("again"), "AGAIN");
}

TEST(Conversation, ForksGoTheirOwnWays) {
  Chat f;
  EXPECT_EQ(f.answer("hello"), "HELLO");
  absl::StatusOr<Conversation> fork = f.conversation->fork();
  ASSERT_TRUE(fork.ok());
  EXPECT_EQ(fork->ask("left", nullptr, f.cancel)->text, "LEFT");
  EXPECT_EQ(f.answer("right"), "RIGHT");
  EXPECT_EQ(f.model->text, "u:hello\na:HELLO\nu:right\na:RIGHT");
  EXPECT_EQ(fork->messages()[3]["content"], "LEFT");
}

TEST(Statistics, OneLineAndJson) {
  Statistics statistics;
  statistics.firstTokenSeconds = 0.123;
  statistics.reused = 30;
  statistics.prefill = {20, 0.1, {1, 1000}};
  statistics.decode = {10, 2, {30, 25'000'000}};
  EXPECT_EQ(statistics.summary(),
            "first token 0.12 s, prefill 20 tokens (30 reused) at 200.0 tok/s, decode 10 tokens at "
            "5.0 tok/s, 3.0 evaluations and 2.5 MB per token");
  EXPECT_EQ(statistics.json()["decode"]["bytes_per_token"], 2.5e6);
  EXPECT_EQ(statistics.json()["decode"]["state_bytes_moved"], 0);
  statistics.decode.work = {}; // no device
  EXPECT_EQ(statistics.summary().substr(66), "decode 10 tokens at 5.0 tok/s");
  statistics.cpuWeightBytes = 98'300'000;
  statistics.stateBytes = 94'371'840;
  EXPECT_EQ(statistics.summary().substr(66), "decode 10 tokens at 5.0 tok/s, 98.3 MB of weights and 94.4 MB of caches");
  EXPECT_EQ(statistics.json()["state_bytes"], 94'371'840);
  statistics.cpuWeightBytes = 0;
  statistics.prefill.work.moved = 1'500'000;
  EXPECT_EQ(statistics.summary().substr(66),
            "decode 10 tokens at 5.0 tok/s, 1 evaluations for the prompt and 1.5 MB of "
            "states between devices");
  EXPECT_EQ(statistics.json()["prefill"]["state_bytes_moved"], 1.5e6);
  EXPECT_EQ(Statistics().json()["decode"]["tokens_per_second"], 0);
}

} // namespace
