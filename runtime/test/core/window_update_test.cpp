#include "runtime/core/executor.h"
#include "runtime/test/core/test_bundle.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::test;

namespace {

constexpr int kEntries = 12, kElements = kEntries * kColumns;
constexpr int64_t kWindowBytes = kIds * kColumns * sizeof(float);
using Values = std::vector<float>;

/// a[:, first : first + 8] = weights[ids], which is returned, and the same of b at `second`.
class WindowUpdateTest : public testing::Test {
protected:
  WindowUpdateTest() {
    manifest::Manifest &m = files.content;
    manifest::TensorType ids = m.tensors[0].type, hidden = m.tensors[1].type;
    manifest::TensorType cache{ElementType::Float32, {1, kEntries, kColumns}};
    m.tensors = {{"ids", ids},
                 {"first", {ElementType::Int64, {}}},
                 {"second", {ElementType::Int32, {1, 1}}},
                 {"new", hidden},
                 {"a", cache},
                 {"a updated", cache},
                 {"b", cache},
                 {"b updated", cache}};
    m.states = {{"a", cache}, {"b", cache}};
    manifest::Step embed{manifest::Step::Kind::Host, "embed", {0}, {3}};
    manifest::Step first{manifest::Step::Kind::Update, "a", {3, 1}, {5}, "", 1};
    manifest::Step second{manifest::Step::Kind::Update, "b", {3, 2}, {7}, "", 1};
    m.functions = {{"main",
                    {{"ids", 0}, {"first", 1}, {"second", 2}},
                    {{"a", 5}},
                    {embed, first, second},
                    {{0, 4, 5}, {1, 6, 7}}}};
    files.write();
  }

  std::unique_ptr<Executor> make() { return make(files); }

  static std::unique_ptr<Executor> make(TestBundle &of) {
    of.write();
    BundleOptions options;
    options.device = "cpu";
    auto bundle = Bundle::open(of.dir(), options);
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    auto executor = Executor::create(*bundle, "");
    EXPECT_TRUE(executor.ok()) << executor.status();
    return *std::move(executor);
  }

  static absl::Status run(Executor &executor, int64_t first, int32_t second) {
    int64_t ids[kIds];
    for (int i = 0; i < kIds; ++i)
      ids[i] = i;
    EXPECT_TRUE(executor.setInput(0, ids, sizeof ids).ok());
    EXPECT_TRUE(executor.setInput(1, &first, sizeof first).ok());
    EXPECT_TRUE(executor.setInput(2, &second, sizeof second).ok());
    return executor.run();
  }

  static Values state(const Executor &executor, size_t index) {
    Values values(kElements);
    EXPECT_TRUE(executor.states().read(index, values.data(), kElements * sizeof(float)).ok());
    return values;
  }

  /// Ones with the window at `first`.
  static Values written(int first) {
    Values values(kElements, 1.0f);
    for (int i = 0; i < kIds * kColumns; ++i)
      values[first * kColumns + i] = TestBundle::weight(i / kColumns, i % kColumns);
    return values;
  }

  static void fill(Executor &executor) {
    Values ones(kElements, 1.0f);
    for (size_t index : {0, 1})
      ASSERT_TRUE(executor.states().write(index, ones.data(), kElements * sizeof(float)).ok());
  }

  TestBundle files{ANE_TEST_HOST_LIBRARY};
};

TEST_F(WindowUpdateTest, WritesTheWindowAlone) {
  auto executor = make();
  for (int first = 0; first <= kEntries - kIds; ++first) {
    fill(*executor);
    ASSERT_TRUE(run(*executor, first, kEntries - kIds - first).ok());
    EXPECT_EQ(state(*executor, 0), written(first));
    EXPECT_EQ(state(*executor, 1), written(kEntries - kIds - first));
    EXPECT_EQ(std::memcmp(executor->outputs()[0].data, state(*executor, 0).data(), kElements * sizeof(float)), 0);
    EXPECT_EQ(executor->copies().lastStateBytes, 2 * kWindowBytes);
    EXPECT_EQ(executor->copies().totalStateBytes, 2 * kWindowBytes * (first + 1));
    EXPECT_EQ(executor->copies().lastSurfaceBytes, 0);
  }
  alignas(64) static float memory[kElements];
  EXPECT_TRUE(absl::IsFailedPrecondition(executor->bindOutput(0, memory, sizeof memory)));
}

TEST_F(WindowUpdateTest, OfARunThatFailsIsTakenBack) {
  auto executor = make();
  fill(*executor);
  Values before = state(*executor, 0);
  for (int32_t second : {-1, kEntries - kIds + 1, INT32_MAX, INT32_MIN}) {
    absl::Status status = run(*executor, 2, second);
    EXPECT_TRUE(absl::IsInvalidArgument(status));
    EXPECT_NE(status.message().find("state b: 8 entries at position " + std::to_string(second) +
                                    " of axis 1 don't fit in its 12; positions from 0 to 4 do"),
              absl::string_view::npos)
        << status;
    EXPECT_EQ(state(*executor, 0), before);
    EXPECT_EQ(state(*executor, 1), before);
    EXPECT_EQ(executor->copies().lastStateBytes, 0);
  }
  executor->cancel();
  EXPECT_TRUE(absl::IsCancelled(run(*executor, 2, 2)));
  EXPECT_EQ(state(*executor, 0), before);
  executor->cancel(false);
  EXPECT_TRUE(run(*executor, 3, 4).ok());
  EXPECT_EQ(state(*executor, 0), written(3));
}

/// From session to session, whatever bundle and device they have, only what a prompt has written moves.
TEST_F(WindowUpdateTest, OfARunThatThrowsIsTakenBack) {
  auto executor = make();
  fill(*executor);
  Values before = state(*executor, 0);
  ASSERT_TRUE(run(*executor, 1, 1).ok());
  fill(*executor);
  EXPECT_THROW(executor->run([]() -> absl::Status { throw std::bad_alloc(); }).IgnoreError(), std::bad_alloc);
  for (size_t index : {0, 1})
    EXPECT_EQ(state(*executor, index), before);
  ASSERT_TRUE(executor->run().ok());
  EXPECT_EQ(state(*executor, 0), written(1));
}

TEST_F(WindowUpdateTest, EntriesGoToAnotherSession) {
  auto executor = make(), other = make();
  ASSERT_TRUE(run(*executor, 0, 0).ok());
  for (int64_t entries : {0, 3, kEntries, kEntries + 1}) {
    fill(*other);
    auto copied = other->states().take(executor->states(), entries);
    int64_t moved = std::min<int64_t>(entries, kEntries) * kColumns;
    ASSERT_TRUE(copied.ok()) << copied.status();
    EXPECT_EQ(*copied, 2 * moved * static_cast<int64_t>(sizeof(float)));
    Values want(kElements, 1.0f), from = state(*executor, 0);
    std::copy_n(from.begin(), moved, want.begin());
    EXPECT_EQ(state(*other, 0), want);
    EXPECT_EQ(state(*other, 1), want);
  }
  EXPECT_TRUE(absl::IsInvalidArgument(other->states().take(executor->states(), -1).status()));
  files.content.states[1].name = "c";
  files.content.functions[0].steps[2].target = "c";
  auto stranger = make();
  Values before = state(*stranger, 0);
  absl::Status status = stranger->states().take(executor->states(), kEntries).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_NE(status.message().find("state c: the other session has none, expected float32[1,12,64]"),
            absl::string_view::npos)
      << status;
  EXPECT_EQ(state(*stranger, 0), before);
  TestBundle plain{ANE_TEST_HOST_LIBRARY};
  auto stateless = make(plain);
  status = stateless->states().take(executor->states(), kEntries).status();
  EXPECT_NE(status.message().find("is copied to a session that has no states; remedy:"), absl::string_view::npos)
      << status;
}

/// A position for each entry, some of them twice.
TEST_F(WindowUpdateTest, EachEntryAtItsOwnPosition) {
  manifest::Manifest &m = files.content;
  m.tensors[2].type = {ElementType::Int32, {kIds, 1}};
  auto executor = make();
  fill(*executor);
  Values before = state(*executor, 1);
  auto run = [&](std::vector<int32_t> places) {
    EXPECT_TRUE(executor->setInput(2, places.data(), kIds * sizeof(int32_t)).ok());
    int64_t ids[kIds] = {0, 1, 2, 3, 4, 5, 6, 7}, first = 0;
    EXPECT_TRUE(executor->setInput(0, ids, sizeof ids).ok());
    EXPECT_TRUE(executor->setInput(1, &first, sizeof first).ok());
    return executor->run();
  };
  for (int32_t outside : {-1, kEntries, INT32_MAX, INT32_MIN}) {
    absl::Status status = run({3, 3, 4, 5, 0, 1, outside, 7});
    EXPECT_NE(status.message().find("state b: 1 entries at position " + std::to_string(outside)),
              absl::string_view::npos)
        << status;
    EXPECT_EQ(state(*executor, 1), before);
  }
  const std::vector<int32_t> places = {9, 3, 4, 5, 3, 11, 0, 1};
  ASSERT_TRUE(run(places).ok());
  for (int i = 0; i < kIds; ++i)
    for (int column = 0; column < kColumns; ++column)
      before[places[i] * kColumns + column] = TestBundle::weight(i, column);
  EXPECT_EQ(state(*executor, 1), before);
  EXPECT_EQ(executor->copies().lastStateBytes, 2 * kWindowBytes);
}

/// What a failed run wrote goes back, also where two entries had one position.
TEST_F(WindowUpdateTest, EachEntryIsTakenBack) {
  manifest::Manifest &m = files.content;
  m.tensors[1].type = {ElementType::Int64, {kIds}};
  auto executor = make();
  fill(*executor);
  Values before = state(*executor, 0);
  int64_t ids[kIds] = {7, 6, 5, 4, 3, 2, 1, 0}, places[kIds] = {3, 3, 4, 3, 11, 10, 11, 0};
  int32_t outside = kEntries;
  ASSERT_TRUE(executor->setInput(0, ids, sizeof ids).ok());
  ASSERT_TRUE(executor->setInput(1, places, sizeof places).ok());
  ASSERT_TRUE(executor->setInput(2, &outside, sizeof outside).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(executor->run()));
  EXPECT_EQ(state(*executor, 0), before);
}

TEST_F(WindowUpdateTest, MayBeSkippedOutside) {
  manifest::TensorType one{ElementType::Float32, {1, 1, kColumns}};
  manifest::Manifest &m = files.content;
  m.tensors.push_back({"one", one});
  m.functions[0].inputs.push_back({"one", 8});
  m.functions[0].steps[2].inputs[0] = 8;
  m.functions[0].steps[2].skipOutside = true;
  auto executor = make();
  fill(*executor);
  Values row(kColumns, 5.0f), before = state(*executor, 1);
  ASSERT_TRUE(executor->setInput(3, row.data(), kColumns * sizeof(float)).ok());
  for (int32_t second : {-1, kEntries, INT32_MAX}) {
    ASSERT_TRUE(run(*executor, 0, second).ok());
    EXPECT_EQ(state(*executor, 1), before);
    EXPECT_EQ(executor->copies().lastStateBytes, kWindowBytes);
  }
  ASSERT_TRUE(run(*executor, 0, kEntries - 1).ok());
  EXPECT_EQ(state(*executor, 1)[kElements - 1], 5.0f);
  EXPECT_EQ(state(*executor, 1)[kElements - kColumns - 1], 1.0f);
}

/// Along the last axis, a part of the window stands in each row.
TEST_F(WindowUpdateTest, AlongAnInnerAxis) {
  manifest::TensorType cache{ElementType::Float32, {1, kIds, kColumns + 3}};
  manifest::Manifest &m = files.content;
  for (int tensor : {4, 5, 6, 7})
    m.tensors[tensor].type = cache;
  for (manifest::State &state : m.states)
    state.type = cache;
  for (int step : {1, 2})
    m.functions[0].steps[step].axis = 2;
  auto executor = make();
  ASSERT_TRUE(run(*executor, 2, 0).ok());
  Values values(kIds * (kColumns + 3));
  ASSERT_TRUE(executor->states().read(0, values.data(), static_cast<int64_t>(values.size() * sizeof(float))).ok());
  for (int row = 0; row < kIds; ++row)
    for (int column = 0; column < kColumns + 3; ++column)
      EXPECT_EQ(values[row * (kColumns + 3) + column],
                column < 2 || column == kColumns + 2 ? 0.0f : TestBundle::weight(row, column - 2));
}

TEST_F(WindowUpdateTest, OfAStateThatAnotherTakesOver) {
  files.content.functions[0].steps.pop_back();
  files.content.functions[0].states = {{1, 6, 5}, {0, 4, 5}};
  auto executor = make();
  fill(*executor);
  ASSERT_TRUE(run(*executor, 1, 0).ok());
  auto fork = executor->fork();
  ASSERT_TRUE(fork.ok());
  ASSERT_TRUE(run(*executor, 4, 0).ok());
  // Index 0 is b, which is written as a whole.
  EXPECT_EQ(state(*executor, 0), state(*executor, 1));
  EXPECT_EQ(state(**fork, 1), written(1));
  EXPECT_EQ(executor->copies().lastStateBytes, kWindowBytes + kElements * int64_t(sizeof(float)));
}

} // namespace
