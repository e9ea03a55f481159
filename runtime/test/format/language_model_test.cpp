// The manifest's language model: what it says is checked against the functions.
#include "runtime/format/manifest/manifest.h"
#include "gtest/gtest.h"
#include <functional>

namespace ane::rt::manifest {
namespace {

/// A token in, 64 logits out.
Manifest withLanguageModel() {
  Manifest m;
  m.producer = "ane-compile 0.1";
  m.target = {"h16g", "in-memory", "macos-15", "ios18", "catalog"};
  TensorType one{ElementType::Int32, {1}}, prompt{ElementType::Int32, {1, 8}}, logits{ElementType::Float32, {1, 64}};
  m.tensors = {{"ids", {ElementType::Int32, {1, 1}}},
               {"at", one},
               {"out", logits},
               {"more ids", prompt},
               {"more at", one},
               {"count", one},
               {"more out", logits}};
  m.hostFunctions = {{"step", "a", {m.tensors[0].type, one}, {logits}, 0},
                     {"read", "b", {prompt, one, one}, {logits}, 0}};
  m.functions = {
      {"decode", {{"input_ids", 0}, {"position", 1}}, {{"logits", 2}}, {{Step::Kind::Host, "step", {0, 1}, {2}}}},
      {"prefill_8",
       {{"input_ids", 3}, {"position", 4}, {"length", 5}},
       {{"logits", 6}},
       {{Step::Kind::Host, "read", {3, 4, 5}, {6}}}}};
  m.languageModel = {"decoder", "llama", 48, 64, "decode", {"prefill_8"}, {2, 63}, 1, 12};
  return m;
}

TEST(Manifest, LanguageModelsRoundTrip) {
  std::string text = print(withLanguageModel());
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  EXPECT_EQ(parsed->languageModel->context, 48);
  EXPECT_EQ(parsed->languageModel->stopTokens, (std::vector<int64_t>{2, 63}));
  EXPECT_EQ(parsed->languageModel->bos, 1);
  EXPECT_EQ(parsed->languageModel->window, 12);
  Manifest without = withLanguageModel();
  without.languageModel.reset();
  EXPECT_EQ(print(without).find("language_model"), std::string::npos);
}

/// What verify() says of the model, changed.
std::string refusalOf(const std::function<void(Manifest &, LanguageModel &)> &change) {
  Manifest m = withLanguageModel();
  change(m, *m.languageModel);
  return std::string(verify(m).message());
}

TEST(Manifest, LanguageModelsFitTheirFunctions) {
  using M = Manifest;
  using L = LanguageModel;
  auto expect = [](const std::string &message, const char *says) {
    EXPECT_NE(message.find(says), std::string::npos) << message;
  };
  expect(refusalOf([](M &, L &l) { l.kind = "oracle"; }), "kind: is \"oracle\"");
  expect(refusalOf([](M &, L &l) { l.kind = "encoder"; }), "\"decode\" is no function with buckets");
  expect(refusalOf([](M &, L &l) { l.context = 0; }), "context: is 0");
  expect(refusalOf([](M &, L &l) { l.vocabulary = 65; }), "expected 65 logits");
  expect(refusalOf([](M &, L &l) { l.decode = "d"; }), "\"d\" is no function");
  expect(refusalOf([](M &, L &l) { l.prefill[0] = "decode"; }), "no input \"length\"");
  expect(refusalOf([](M &m, L &) { m.functions[0].outputs[0].name = "y"; }), "no output \"logits\" or \"argmax\"");
  expect(refusalOf([](M &m, L &) { m.functions[0].outputs[0].name = "argmax"; }), "expected 1 token");
  expect(refusalOf([](M &, L &l) { l.stopTokens[1] = 64; }), "stop_tokens[1]: is 64");
  expect(refusalOf([](M &, L &l) { l.bos = -1; }), "bos: is -1");
  expect(refusalOf([](M &, L &l) { l.window = 0; }), "window: is 0");
}

/// The same with a state of 48 entries of 4 elements, and one of those of two sequences.
Manifest withTogether() {
  Manifest m = withLanguageModel();
  auto add = [&](const char *name, TensorType type) {
    m.tensors.push_back({name, std::move(type)});
    return static_cast<int64_t>(m.tensors.size()) - 1;
  };
  for (int64_t count : {1, 2}) {
    bool isOne = count == 1;
    TensorType cache{ElementType::Float32, {1, count * 48, 4}}, entry{ElementType::Float32, {1, count, 4}};
    TensorType at{ElementType::Int32, {count}};
    std::string prefix = isOne ? "" : "together.", mark = isOne ? "1" : "2";
    m.states.push_back({prefix + "cache", cache});
    int64_t read = add(("old" + mark).c_str(), cache), write = add(("new" + mark).c_str(), cache);
    int64_t made = add(("entry" + mark).c_str(), entry), where = 1;
    if (!isOne) {
      int64_t ids = add("ids of two", {ElementType::Int32, {2, 1}}),
              out = add("out of two", {ElementType::Float32, {2, 64}});
      where = add("at of two", at);
      m.hostFunctions.push_back({"steps", "c", {m.tensors[ids].type, at}, {m.tensors[out].type}, 0});
      m.functions.push_back({"decode_2",
                             {{"input_ids", ids}, {"position", where}},
                             {{"logits", out}},
                             {{Step::Kind::Host, "steps", {ids, where}, {out}}}});
    }
    std::string maker = "make" + mark;
    m.hostFunctions.push_back({maker, "d" + mark, {at}, {entry}, 0});
    Function &function = isOne ? m.functions[0] : m.functions.back();
    function.steps.push_back({Step::Kind::Host, maker, {where}, {made}});
    Step update{Step::Kind::Update, prefix + "cache", {made, where}, {write}};
    update.axis = 1;
    function.steps.push_back(update);
    function.states.push_back({static_cast<int64_t>(m.states.size()) - 1, read, write});
  }
  m.languageModel->together = "decode_2";
  return m;
}

TEST(Manifest, SequencesDecodeTogether) {
  Manifest m = withTogether();
  ASSERT_TRUE(verify(m).ok()) << verify(m);
  auto parsed = parse(print(m));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), print(m));
  auto states = togetherStates(m, 2);
  ASSERT_TRUE(states.ok()) << states.status();
  ASSERT_EQ(states->size(), 1u);
  EXPECT_EQ(states->front().single, 0u);
  EXPECT_EQ(states->front().together, 1u);
  EXPECT_EQ(states->front().axis, 1u);

  auto refusal = [](const std::function<void(Manifest &)> &change) {
    Manifest changed = withTogether();
    change(changed);
    return std::string(verify(changed).message());
  };
  EXPECT_NE(refusal([](Manifest &m) { m.languageModel->together = "decode_3"; }).find("\"decode_3\" is no function"),
            std::string::npos);
  EXPECT_NE(refusal([](Manifest &m) { m.languageModel->together = "decode"; }).find("takes 1 tokens, expected 2 to 64"),
            std::string::npos);
  EXPECT_NE(refusal([](Manifest &m) { m.functions.back().outputs[0].name = "y"; }).find("no output \"logits\""),
            std::string::npos);
  EXPECT_NE(refusal([](Manifest &m) {
              m.states[1].name = "cache of two";
              m.functions.back().steps.back().target = "cache of two";
            }).find("there is no state \"together.cache\""),
            std::string::npos);
  EXPECT_NE(togetherStates(m, 3).status().message().find("expected float32[1,144,4] for 3 sequences"),
            std::string::npos)
      << togetherStates(m, 3).status();
}

} // namespace
} // namespace ane::rt::manifest
