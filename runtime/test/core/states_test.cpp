#include "runtime/core/executor.h"
#include "runtime/core/state_file.h"
#include "runtime/test/core/test_bundle.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::test;

namespace {

constexpr int kElements = kIds * kColumns;
using Values = std::vector<float>;

void expectWords(const absl::Status &status, const std::string &words) {
  EXPECT_FALSE(status.ok());
  EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << words << " not in: " << status.message();
}

/// total = total + weights[ids], which the function returns, too, and copied = 2 total + 1, of the total before.
class StatesTest : public testing::Test {
protected:
  StatesTest() {
    manifest::Manifest &m = files.content;
    manifest::TensorType hidden = m.tensors[1].type;
    m.tensors = {{"ids", m.tensors[0].type}, {"embedded", hidden}, {"total", hidden},
                 {"new total", hidden},      {"copied", hidden},   {"affine", hidden}};
    m.states = {{"total", hidden}, {"copied", hidden}};
    m.functions = {{"main",
                    {{"input_ids", 0}},
                    {{"affine", 5}},
                    {{manifest::Step::Kind::Host, "embed", {0}, {1}},
                     {manifest::Step::Kind::Host, "add", {1, 2}, {3}},
                     {manifest::Step::Kind::Program, "affine", {2}, {5}, "main"}},
                    {{0, 2, 3}, {1, 4, 5}}}};
    files.write();
  }

  absl::StatusOr<std::unique_ptr<Executor>> create() {
    BundleOptions options;
    options.device = "cpu";
    options.threads = 2;
    auto bundle = Bundle::open(files.dir(), options);
    if (!bundle.ok())
      return bundle.status();
    return Executor::create(*bundle, "");
  }

  std::unique_ptr<Executor> make() {
    auto executor = create();
    EXPECT_TRUE(executor.ok()) << executor.status();
    int64_t ids[kIds];
    for (int i = 0; i < kIds; ++i)
      ids[i] = i;
    EXPECT_TRUE((*executor)->setInput(0, ids, sizeof ids).ok());
    return std::move(*executor);
  }

  static void run(Executor &executor) { ASSERT_TRUE(executor.run().ok()); }

  static Values state(const Executor &executor, size_t index) {
    Values values(kElements);
    EXPECT_TRUE(executor.states().read(index, values.data(), kElements * sizeof(float)).ok());
    return values;
  }

  static Values output(const Executor &executor) {
    auto *data = static_cast<const float *>(executor.outputs()[0].data);
    return Values(data, data + kElements);
  }

  /// factor * weights[ids] + offset
  static Values scaled(float factor, float offset) {
    Values values(kElements);
    for (int i = 0; i < kElements; ++i)
      values[i] = factor * TestBundle::weight(i / kColumns, i % kColumns) + offset;
    return values;
  }

  TestBundle files{ANE_TEST_HOST_LIBRARY};
};

TEST_F(StatesTest, GoFromRunToRun) {
  auto executor = make();
  EXPECT_EQ(state(*executor, 0), scaled(0, 0));
  for (int i = 1; i < 6; ++i) {
    run(*executor);
    EXPECT_EQ(state(*executor, 0), scaled(i, 0));
    EXPECT_EQ(state(*executor, 1), scaled(2.0f * (i - 1), 1));
    EXPECT_EQ(output(*executor), state(*executor, 1));
  }
  EXPECT_TRUE(executor->resetStates().ok());
  EXPECT_EQ(state(*executor, 0), scaled(0, 0));
  run(*executor);
  EXPECT_EQ(state(*executor, 0), scaled(1, 0));
}

TEST_F(StatesTest, AreWrittenAndForked) {
  auto executor = make();
  Values seven = scaled(0, 7);
  ASSERT_TRUE(executor->states().write(0, seven.data(), kElements * sizeof(float)).ok());
  auto fork = executor->fork();
  ASSERT_TRUE(fork.ok()) << fork.status();
  run(*executor);
  EXPECT_EQ(state(*executor, 0), scaled(1, 7));
  EXPECT_EQ(state(**fork, 0), seven);
  expectWords((*fork)->run(), "was not set");
  expectWords(executor->states().write(0, seven.data(), 4), "has 4 bytes, expected float32[1,8,64] of 2048");
  expectWords(executor->states().read(2, seven.data(), 4), "has 2 states");
}

/// An output may be a state's old value, which has another place after every run; and states may change places.
TEST_F(StatesTest, MayBeOutputsAndEachOther) {
  manifest::Function &function = files.content.functions[0];
  function.outputs = {{"before", 2}};
  function.states = {{0, 2, 3}, {1, 4, 2}};
  files.write();
  auto executor = make();
  for (int i = 0; i < 4; ++i) {
    run(*executor);
    EXPECT_EQ(output(*executor), scaled(i, 0));
    EXPECT_EQ(state(*executor, 1), scaled(i, 0));
  }
  alignas(64) static float memory[kElements];
  expectWords(executor->bindOutput(0, memory, sizeof memory), "is the value of state total");
}

TEST_F(StatesTest, KeepTheirValuesWhenARunFails) {
  auto executor = make();
  run(*executor);
  files.content.functions[0].inputs[0].max = 5;
  files.content.functions[0].inputs[0].reader = "Gather";
  files.write();
  auto bounded = make();
  Values three = scaled(0, 3);
  ASSERT_TRUE(bounded->states().write(0, three.data(), kElements * sizeof(float)).ok());
  expectWords(bounded->run(), "must be from 0 to 5");
  EXPECT_EQ(state(*bounded, 0), three);
}

TEST_F(StatesTest, BeginWithAFilesValues) {
  Values initial = scaled(1, 2);
  std::ofstream file(files.path("states.bin"), std::ios::binary);
  file << std::string(64, '\0');
  file.write(reinterpret_cast<const char *>(initial.data()), kElements * sizeof(float));
  file.close();
  files.content.files.push_back({"states.bin", 0, ""});
  files.content.states[0].file = "states.bin";
  files.content.states[0].offset = 64;
  files.write();
  auto executor = make();
  EXPECT_EQ(state(*executor, 0), initial);
  run(*executor);
  EXPECT_EQ(state(*executor, 0), scaled(2, 2));
  EXPECT_TRUE(executor->resetStates().ok());
  EXPECT_EQ(state(*executor, 0), initial);
  std::filesystem::resize_file(files.path("states.bin"), 100);
  expectWords(executor->resetStates(), "has 100 bytes");
}

TEST_F(StatesTest, AreBoundedByMemory) {
  BundleOptions options;
  options.device = "cpu";
  options.memoryLimit = 5000;
  auto bundle = Bundle::open(files.dir(), options);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  auto executor = Executor::create(*bundle, "");
  EXPECT_TRUE(absl::IsResourceExhausted(executor.status()));
  expectWords(executor.status(), "state copied");
  expectWords(executor.status(), "remedy: run it where there is more");
}

/// Functions of a bundle on one session's states: "second" reads what "main" has written, wherever that is by then, and
/// replaces what "main" reads next.
TEST_F(StatesTest, AreSharedByFunctions) {
  manifest::Manifest &m = files.content;
  manifest::TensorType hidden = m.states[0].type;
  m.tensors.push_back({"second.total", hidden});
  m.tensors.push_back({"second.affine", hidden});
  m.functions.push_back(
      {"second", {}, {{"affine", 7}}, {{manifest::Step::Kind::Program, "affine", {6}, {7}, "main"}}, {{0, 6, 7}}});
  m.states.push_back({"of nobody", hidden});
  files.write();
  auto main = make();
  auto second = main->share("second");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(main->states().all().size(), 3u);
  float factor = 0, offset = 0;
  for (int i = 0; i < 5; ++i) {
    for (int runs = 0; runs < i; ++runs, ++factor)
      run(*main);
    EXPECT_EQ(state(**second, 0), scaled(factor, offset));
    run(**second);
    factor *= 2;
    offset = 2 * offset + 1;
    EXPECT_EQ(output(**second), scaled(factor, offset));
    EXPECT_EQ(state(*main, 0), scaled(factor, offset));
  }
  ASSERT_TRUE(main->resetStates().ok());
  run(**second);
  EXPECT_EQ(output(**second), scaled(0, 1));
  auto fork = (*second)->fork();
  ASSERT_TRUE(fork.ok()) << fork.status();
  run(**fork);
  EXPECT_EQ(state(**fork, 0), scaled(0, 3));
  EXPECT_EQ(state(*main, 0), scaled(0, 1));
  main.reset();
  run(**second); // the states are still there
  EXPECT_EQ(output(**second), scaled(0, 3));
  expectWords((*second)->share("third").status(), "has no function \"third\"; it has main, second");
}

//===-- files -----------------------------------------------------------------===//

TEST_F(StatesTest, AreSavedAndRestored) {
  auto executor = make();
  run(*executor);
  run(*executor);
  std::string path = files.path("two.states");
  ASSERT_TRUE(saveStates(executor->states(), path).ok());
  run(*executor);
  Values after = state(*executor, 0);
  auto other = make();
  ASSERT_TRUE(restoreStates(other->states(), path).ok());
  EXPECT_EQ(state(*other, 0), scaled(2, 0));
  run(*other);
  EXPECT_EQ(state(*other, 0), after);
  EXPECT_EQ(state(*other, 1), state(*executor, 1));
}

class StateFileTest : public StatesTest {
protected:
  void SetUp() override {
    executor = make();
    run(*executor);
    std::string path = files.path("saved.states");
    ASSERT_TRUE(saveStates(executor->states(), path).ok());
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_GT(bytes.size(), 4096u);
    before = state(*executor, 0);
  }

  absl::Status read(const std::string &content) {
    return readStates(executor->states(), reinterpret_cast<const uint8_t *>(content.data()), content.size(),
                      "x.states");
  }

  std::unique_ptr<Executor> executor;
  std::string bytes;
  Values before;
};

TEST_F(StateFileTest, EveryDamagedByteIsFound) {
  for (size_t i = 0; i < bytes.size(); i += i < 128 ? 1 : 31) {
    std::string damaged = bytes;
    damaged[i] ^= 1;
    EXPECT_FALSE(read(damaged).ok()) << "byte " << i;
  }
  std::string damaged = bytes;
  damaged[200] ^= 1;
  EXPECT_TRUE(absl::IsDataLoss(read(damaged)));
  expectWords(read(damaged), "is damaged");
  EXPECT_EQ(state(*executor, 0), before);
}

TEST_F(StateFileTest, EveryOtherLengthIsRefused) {
  for (size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 97)
    EXPECT_FALSE(read(bytes.substr(0, size)).ok()) << size;
  EXPECT_FALSE(read(bytes + " ").ok());
  expectWords(read("ANESTATS" + bytes.substr(8)), "is no file of states");
  expectWords(read(""), "is no file of states");
  EXPECT_TRUE(read(bytes).ok());
}

TEST_F(StateFileTest, OtherVersionsAndStatesAreRefused) {
  std::string newer = bytes;
  newer[8] = 2;
  expectWords(read(newer), "version 2, this runtime reads 1");
  auto &states = files.content.states;
  std::string path = files.path("other.states");
  states[0].name = "sum";
  files.write();
  auto renamed = make();
  ASSERT_TRUE(saveStates(renamed->states(), path).ok());
  expectWords(restoreStates(executor->states(), path),
              "state 0 is sum float32[1,8,64] there and total float32[1,8,64] here");
  states.pop_back();
  states[0].name = "total";
  files.content.functions[0].states.pop_back();
  files.write();
  auto other = make();
  ASSERT_TRUE(saveStates(other->states(), path).ok());
  expectWords(restoreStates(executor->states(), path), "it has 1 states, the bundle has 2");
  EXPECT_EQ(state(*executor, 0), before);
  expectWords(restoreStates(executor->states(), files.path("nowhere")), "nowhere");
}

} // namespace
