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

} // namespace
} // namespace ane::rt::manifest
