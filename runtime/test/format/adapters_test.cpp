// The manifest's adapters: what it says is checked against states and parameters.
#include "runtime/format/manifest/manifest.h"
#include "gtest/gtest.h"
#include <functional>

namespace ane::rt::manifest {
namespace {

/// Two layers of 3 inputs and 4 outputs, and another state.
Manifest withAdapters() {
  Manifest m;
  m.producer = "ane-compile 0.1";
  m.target = {"h16g", "in-memory", "macos-15", "ios18", "catalog"};
  TensorType a{ElementType::Float32, {2, 3}}, b{ElementType::Float32, {4, 2}};
  m.tensors = {{"a0", a}, {"b0", b}, {"a1", a}, {"b1", b}, {"memory", a}};
  m.states = {{"a0", a}, {"b0", b}, {"a1", a}, {"b1", b}, {"memory", a}};
  m.functions = {{"main", {}, {{"out", 4}}, {}, {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}}}};
  m.adapters = {
      2, 8, {"q_proj"}, {{"0.q_proj", "blk.0.q", "a0", "b0", false, 2}, {"1.q_proj", "blk.1.q", "a1", "b1", true, 0}}};
  return m;
}

TEST(Manifest, AdaptersRoundTrip) {
  std::string text = print(withAdapters());
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  const Adapters &adapters = *parsed->adapters;
  EXPECT_EQ(adapters.rank, 2);
  EXPECT_EQ(adapters.alpha, 8);
  EXPECT_EQ(adapters.targets, std::vector<std::string>{"q_proj"});
  EXPECT_EQ(adapters.pairs[0].weight, "blk.0.q");
  EXPECT_EQ(adapters.pairs[0].heads, 2);
  EXPECT_TRUE(adapters.pairs[1].transposed);
  EXPECT_EQ(adapterStates(*parsed), (std::set<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(typeText(adapterTypes(*parsed)[1].b), "float32[4,2]");
  Manifest without = withAdapters();
  without.adapters.reset();
  EXPECT_EQ(print(without).find("adapters"), std::string::npos);
  EXPECT_TRUE(adapterStates(without).empty());
}

void expectRefused(const std::string &says, const std::function<void(Manifest &, Adapters &)> &change) {
  Manifest m = withAdapters();
  change(m, *m.adapters);
  std::string message(verify(m).message());
  EXPECT_NE(message.find(says), std::string::npos) << says << " not in: " << message;
}

TEST(Manifest, AdaptersFitTheirStates) {
  using M = Manifest;
  using A = Adapters;
  ASSERT_TRUE(verify(withAdapters()).ok()) << verify(withAdapters());
  expectRefused("$.adapters.rank: is 0, expected 1 to 1024", [](M &, A &a) { a.rank = 0; });
  expectRefused("$.adapters.alpha: is 0", [](M &, A &a) { a.alpha = 0; });
  expectRefused("$.adapters.targets: is empty", [](M &, A &a) { a.targets.clear(); });
  expectRefused("$.adapters.pairs: is empty", [](M &, A &a) { a.pairs.clear(); });
  expectRefused("\"0.q_proj\" stands behind \"0.q_proj\"", [](M &, A &a) { a.pairs[1].layer = "0.q_proj"; });
  expectRefused("$.adapters.pairs[0].weight", [](M &, A &a) { a.pairs[0].weight = ""; });
  expectRefused("$.adapters.pairs[1].a: \"a0\" is a matrix of two layers", [](M &, A &a) { a.pairs[1].a = "a0"; });
  expectRefused("$.adapters.pairs[0].b: \"x\" is no state", [](M &, A &a) { a.pairs[0].b = "x"; });
  expectRefused("$.adapters.pairs[0].a: \"a0\" is float32[2,3], expected [1, inputs]", [](M &, A &a) { a.rank = 1; });
  expectRefused("$.adapters.pairs[0].heads: is 4, which does not cut the 4 outputs",
                [](M &, A &a) { a.pairs[0].heads = 4; });
  expectRefused("$.adapters.pairs[0].heads: is -1", [](M &, A &a) { a.pairs[0].heads = -1; });
  expectRefused("\"a0\" is int32[2,3], expected a matrix of float32",
                [](M &m, A &) { m.states[0].type.dtype = m.tensors[0].type.dtype = ElementType::Int32; });
  expectRefused("$.adapters.pairs: function \"main\" changes \"a0\"",
                [](M &m, A &) { m.functions[0].states[0].write = 4; });
  expectRefused("begins with a value of \"w\"", [](M &m, A &) {
    m.files = {{"w", 64, "99aa06d3014798d86001c324468d497f"}};
    m.states[0].file = "w";
  });
}

TEST(Manifest, AdaptersAreNoUnknownFields) {
  std::string text = print(withAdapters());
  size_t place = text.find("\"heads\"");
  text.replace(place, 7, "\"hands\"");
  EXPECT_NE(std::string(parse(text).status().message()).find("hands"), std::string::npos);
}

} // namespace
} // namespace ane::rt::manifest
