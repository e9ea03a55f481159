//===- rescue_test.cpp - Runs whose values fp16 does not hold -------------===//
#include "runtime/core/executor.h"
#include "runtime/test/core/test_bundle.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::test;
using manifest::Condition;
using manifest::Step;

namespace {

constexpr int kElements = kIds * kColumns;
using Floats = std::vector<float>;

/// z = 2 y + 1, y = 2 x + 1: program affine twice, whose input may have conditions.
class RescueTest : public testing::Test {
protected:
  RescueTest() {
    manifest::Manifest &m = files.content;
    manifest::TensorType hidden = m.tensors[1].type;
    m.tensors = {{"x", hidden}, {"y", hidden}, {"z", hidden}};
    m.functions = {{"main", {{"x", 0}}, {{"z", 2}}, {affine(0, 1), affine(1, 2)}}};
  }

  static Step affine(int64_t from, int64_t to) { return {Step::Kind::Program, "affine", {from}, {to}, "main"}; }

  std::vector<Condition> &conditions() { return files.content.programs[0].procedures[0].inputs[0].holds; }

  /// A single step on a tensor of another type, whose twin the policy keeps from being called.
  void useType(ElementType type) {
    files.content.tensors[0].type.dtype = type;
    files.content.hostFunctions[1].inputs[0].dtype = type;
    files.content.functions = {{"main", {{"x", 0}}, {{"y", 1}}, {affine(0, 1)}}};
  }

  std::unique_ptr<Executor> make(NumericPolicy numeric = NumericPolicy::Rescue) {
    files.write();
    BundleOptions options;
    options.device = "emulator";
    options.numeric = numeric;
    options.memoryLimit = memoryLimit;
    auto bundle = Bundle::open(files.dir(), options);
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    auto executor = Executor::create(*bundle, "");
    EXPECT_TRUE(executor.ok()) << executor.status();
    return *std::move(executor);
  }

  /// Runs on elements that are all `rest`, but for the one in the middle.
  template <typename T>
  static void run(Executor &executor, T value, T rest) {
    std::vector<T> x(kElements, rest);
    x[kElements / 2 + 1] = value;
    ASSERT_TRUE(executor.setInput(0, x.data(), kElements * sizeof(T)).ok());
    ASSERT_TRUE(executor.run().ok());
  }

  static float middle(const Executor &executor) {
    return static_cast<const float *>(executor.outputs()[0].data)[kElements / 2 + 1];
  }

  /// Whether step `index` of the last run was computed by the CPU.
  static bool isRescued(const Executor &executor, size_t index = 0) {
    return executor.profile()[index].device == "cpu";
  }

  /// Whether the first program, with these conditions, gives up such an element.
  bool isRescued(const std::vector<Condition> &holds, float value, float rest = 1) {
    conditions() = holds;
    auto executor = make();
    run(*executor, value, rest);
    EXPECT_EQ(executor->profile()[0].evaluations + executor->profile()[0].rescuedRuns, 1);
    EXPECT_EQ(executor->events().empty(), !isRescued(*executor, 0) && !isRescued(*executor, 1));
    return isRescued(*executor);
  }

  TestBundle files{ANE_TEST_HOST_LIBRARY};
  int64_t memoryLimit = BundleOptions().memoryLimit;
};

TEST_F(RescueTest, InputsThatAreNotFinite) {
  auto executor = make();
  const float inf = std::numeric_limits<float>::infinity();
  for (float value : {inf, -inf, NAN, -NAN}) {
    run(*executor, value, 1.0f);
    EXPECT_TRUE(isRescued(*executor));
    // What the CPU computed is an input that the CPU gave.
    EXPECT_TRUE(isRescued(*executor, 1));
    EXPECT_TRUE(std::isnan(value) ? std::isnan(middle(*executor)) : middle(*executor) == value);
    run(*executor, 3.0f, 1.0f);
    EXPECT_FALSE(isRescued(*executor) || isRescued(*executor, 1));
    EXPECT_EQ(middle(*executor), 15);
  }
  // A run that is rescued for its inputs is not evaluated.
  EXPECT_EQ(executor->profile()[0].runs, 8);
  EXPECT_EQ(executor->profile()[0].rescuedRuns, 4);
  EXPECT_EQ(executor->profile()[0].evaluations, 4);
  // One event for each reason, which counts its runs.
  ASSERT_EQ(executor->events().size(), 2u); // of both steps, which are of one program
  EXPECT_EQ(executor->events()[0].reason,
            "input x has infinite elements, with which the engine computes otherwise (C86)");
  EXPECT_EQ(executor->events()[0].runs, 2);
  EXPECT_EQ(executor->events()[1].reason, "input x has NaN, of which the engine makes infinity (C86)");
  EXPECT_EQ(executor->events()[1].runs, 2);
}

// The CPU code of a program gets its scratch memory when it is first needed.
TEST_F(RescueTest, CodeWithoutItsMemoryIsNotCalled) {
  memoryLimit = 200000;
  files.content.hostFunctions[1].arenaBytes = 3000000;
  auto executor = make();
  const float inf = std::numeric_limits<float>::infinity();
  for (int time = 0; time < 3; ++time) {
    run(*executor, inf, 1.0f);
    EXPECT_FALSE(isRescued(*executor)) << time;
  }
  const Event &event = executor->events()[0];
  EXPECT_NE(event.reason.find("the CPU cannot run it: arena of affine_twin: scratch memory"), std::string::npos)
      << event.reason;
  EXPECT_EQ(event.runs, 3);
}

TEST_F(RescueTest, InputsBelowTheNumbersOfFp16) {
  EXPECT_TRUE(isRescued({}, 1e-5f, 0));
  EXPECT_TRUE(isRescued({}, -0x1.fffffep-15f, 1e-7f));
  EXPECT_TRUE(isRescued({}, 1e-40f, 0));
  // One element that keeps its digits is what the others are beside.
  EXPECT_FALSE(isRescued({}, 0x1p-14f, 1e-7f));
  EXPECT_FALSE(isRescued({}, 0, 0));
  EXPECT_FALSE(isRescued({}, -0.0f, 0));
  // Fewer digits, but these have no more.
  EXPECT_FALSE(isRescued({}, 0x1p-24f, 0x3p-20f));
  EXPECT_TRUE(isRescued({}, 0x1p-25f, 0x3p-20f));
}

TEST_F(RescueTest, Bounds) {
  const std::vector<Condition> log = {{7.7e-6, {}, false}}, below = {{{}, 5.0, false}}, both = {{-2.0, 2.0, false}};
  EXPECT_FALSE(isRescued(log, 1));
  EXPECT_FALSE(isRescued(log, 30000));
  EXPECT_TRUE(isRescued(log, 0));
  EXPECT_TRUE(isRescued(log, -0.0f));
  EXPECT_TRUE(isRescued(log, -1));
  EXPECT_TRUE(isRescued(log, 7.6e-6f));
  EXPECT_FALSE(isRescued(log, 7.8e-6f));
  EXPECT_FALSE(isRescued(below, 5));
  EXPECT_TRUE(isRescued(below, std::nextafter(5.0f, 6.0f)));
  EXPECT_FALSE(isRescued(below, -1000));
  for (float sign : {1.0f, -1.0f}) {
    EXPECT_FALSE(isRescued(both, sign * 2));
    EXPECT_TRUE(isRescued(both, sign * std::nextafter(2.0f, 3.0f)));
  }
}

TEST_F(RescueTest, Exactness) {
  const std::vector<Condition> exact = {{{}, {}, true}};
  for (float value : {0.0f, -0.0f, 0.5f, -2047.0f, 2048.0f, 4992.0f, 32000.0f, 0x1p-24f})
    EXPECT_FALSE(isRescued(exact, value)) << value;
  for (float value : {0.1f, 2049.0f, -4990.0f + 1, 65504.5f, 1 + 0x1p-11f, 1e-20f})
    EXPECT_TRUE(isRescued(exact, value)) << value;
}

TEST_F(RescueTest, BoundsOrExactness) {
  const std::vector<Condition> angle = {{-8.0, 8.0, true}};
  EXPECT_FALSE(isRescued(angle, 7.9f));
  EXPECT_FALSE(isRescued(angle, -8));
  EXPECT_FALSE(isRescued(angle, 1000)); // all are exact
  EXPECT_TRUE(isRescued(angle, 1000.3f));
  EXPECT_TRUE(isRescued(angle, std::nextafter(8.0f, 9.0f)));
  // The one beyond the bounds is exact, another is not.
  EXPECT_TRUE(isRescued(angle, 1000, 0.3f));
}

TEST_F(RescueTest, SeveralConditionsHoldTogether) {
  const std::vector<Condition> both = {{1.0, {}, false}, {{}, {}, true}};
  EXPECT_FALSE(isRescued(both, 1.5f));
  EXPECT_TRUE(isRescued(both, 0.5f));
  EXPECT_TRUE(isRescued(both, 1.3f));
  auto executor = make();
  for (float value : {0.5f, 1.3f, 0.25f, 1.5f})
    run(*executor, value, 1.0f);
  ASSERT_EQ(executor->events().size(), 2u);
  EXPECT_EQ(executor->events()[0].reason, "input x has values from 0.5 to 1, and the program computes what the model "
                                          "does where they are at least 1");
  EXPECT_EQ(executor->events()[0].runs, 2);
  EXPECT_EQ(executor->events()[1].reason, "input x has values from 1 to 1.3, and the program computes what the model "
                                          "does where they are numbers of fp16");
  EXPECT_EQ(executor->events()[1].runs, 1); // 2 x 1.3 + 1, of the CPU, is none either
}

// The second program reads what the first left in a surface.
TEST_F(RescueTest, BetweenPrograms) {
  // 2 x 0.3 + 1 is none of fp16's numbers, but what the surface has is.
  conditions() = {{{}, {}, true}};
  auto executor = make(NumericPolicy::Report);
  run(*executor, 0.3f, 0.3f);
  EXPECT_EQ(executor->events().size(), 1u);
  EXPECT_EQ(executor->events()[0].runs, 1);
  conditions() = {{-2.0, 2.0, false}};
  executor = make();
  run(*executor, 0.3f, 0.3f);
  EXPECT_FALSE(isRescued(*executor) || isRescued(*executor, 1));
  run(*executor, 1.0f, 0.3f);
  EXPECT_FALSE(isRescued(*executor));
  EXPECT_TRUE(isRescued(*executor, 1));
  EXPECT_EQ(middle(*executor), 7);
  // Also where the caller sees it.
  files.content.functions[0].outputs = {{"z", 2}, {"y", 1}};
  conditions() = {{{}, {}, true}};
  executor = make(NumericPolicy::Report);
  run(*executor, 0.3f, 0.3f);
  EXPECT_EQ(executor->events()[0].runs, 1);
}

TEST_F(RescueTest, OfOtherTypes) {
  auto count = [&](auto value, auto rest, ElementType type) {
    useType(type);
    auto executor = make(NumericPolicy::Report);
    run(*executor, value, rest);
    return executor->events().size();
  };
  // fp16 is what it is, small and exact.
  const uint16_t one = 0x3c00, least = 1, two = 0x4000;
  EXPECT_EQ(count(least, least, ElementType::Float16), 0u);
  EXPECT_EQ(count(uint16_t(0x7c00), one, ElementType::Float16), 1u);
  EXPECT_EQ(count(uint16_t(0x4780), one, ElementType::BFloat16), 1u); // 65,536
  EXPECT_EQ(count(uint16_t(0x7fc0), one, ElementType::BFloat16), 1u);
  EXPECT_EQ(count(70000, 1, ElementType::Int32), 1u);
  EXPECT_EQ(count(2049, 1, ElementType::Int32), 0u);
  EXPECT_EQ(count(1e-7, 0.0, ElementType::Float64), 1u);
  conditions() = {{{}, {}, true}};
  EXPECT_EQ(count(least, one, ElementType::Float16), 0u);
  EXPECT_EQ(count(2048, 1, ElementType::Int32), 0u);
  EXPECT_EQ(count(2049, 1, ElementType::Int32), 1u);
  EXPECT_EQ(count(int64_t(4098), int64_t(0), ElementType::Int64), 1u);
  EXPECT_EQ(count(int64_t(4100), int64_t(0), ElementType::Int64), 0u);
  EXPECT_EQ(count(uint8_t(1), uint8_t(0), ElementType::Bool), 0u);
  EXPECT_EQ(count(0.1, 1.0, ElementType::Float64), 1u);
  EXPECT_EQ(count(0.25, 1.0, ElementType::Float64), 0u);
  conditions() = {{{}, 1.0, false}};
  EXPECT_EQ(count(one, least, ElementType::Float16), 0u);
  EXPECT_EQ(count(two, least, ElementType::Float16), 1u);
  EXPECT_EQ(count(int8_t(1), int8_t(-128), ElementType::Int8), 0u);
  EXPECT_EQ(count(int8_t(2), int8_t(-128), ElementType::Int8), 1u);
  EXPECT_EQ(count(uint8_t(1), uint8_t(0), ElementType::Bool), 0u);
}

TEST_F(RescueTest, Policies) {
  conditions() = {{0.0, 1.0, false}};
  for (float value : {NAN, 1e-7f, 2.0f})
    for (NumericPolicy policy : {NumericPolicy::Report, NumericPolicy::Off, NumericPolicy::Clamp}) {
      auto executor = make(policy);
      run(*executor, value, 0.0f);
      EXPECT_FALSE(isRescued(*executor) || isRescued(*executor, 1));
      EXPECT_EQ(executor->profile()[0].rescuedRuns, 0);
      EXPECT_EQ(executor->profile()[0].evaluations, 1);
      if (policy == NumericPolicy::Report)
        EXPECT_NE(executor->events().at(0).reason.find("; its values stay, as asked"), std::string::npos);
      else
        EXPECT_TRUE(executor->events().empty());
    }
  files.content.programs[0].procedures[0].twin.clear();
  auto executor = make();
  run(*executor, 2.0f, 0.0f);
  EXPECT_NE(executor->events().at(0).reason.find("the CPU cannot run it: no twin"), std::string::npos);
  EXPECT_EQ(executor->profile()[0].evaluations, 1);
}

// Elements are looked at once, whatever conditions there are.
TEST_F(RescueTest, LooksOnce) {
  conditions() = {{-8.0, 8.0, true}, {-100.0, {}, false}};
  auto executor = make();
  constexpr int64_t kBytes = kElements * sizeof(float);
  run(*executor, 2.0f, 1.0f);
  EXPECT_EQ(executor->copies().lastScannedBytes, 3 * kBytes);
  ASSERT_TRUE(executor->run().ok());
  EXPECT_EQ(executor->copies().lastScannedBytes, 2 * kBytes); // the input is the same
}

// A mask is shown less the largest element of each row, here of 64.
TEST_F(RescueTest, OfMasks) {
  files.content.programs[0].procedures[0].inputs[0].mask = {kColumns, 1, -30000};
  files.content.functions = {{"main", {{"x", 0}}, {{"y", 1}}, {affine(0, 1)}}};
  auto executor = make();
  const float inf = std::numeric_limits<float>::infinity();
  run(*executor, -inf, 1e6f);
  EXPECT_TRUE(executor->events().empty());
  EXPECT_EQ(middle(*executor), -60000); // 2 (-30,000) + 1, in fp16
  EXPECT_EQ(static_cast<const float *>(executor->outputs()[0].data)[0], 1);
  // A row that is masked as a whole has no largest element to be taken from.
  Floats x(kElements);
  std::fill_n(x.begin() + 2 * kColumns, kColumns, -inf);
  ASSERT_TRUE(executor->setInput(0, x.data(), kElements * sizeof(float)).ok());
  ASSERT_TRUE(executor->run().ok());
  EXPECT_TRUE(isRescued(*executor));
  EXPECT_EQ(static_cast<const float *>(executor->outputs()[0].data)[2 * kColumns], -inf);
}

/// A cache that a step changes by an entry, and a program reads.
class RescueOfCaches : public RescueTest {
protected:
  RescueOfCaches() {
    manifest::Manifest &m = files.content;
    manifest::TensorType cache = m.tensors[0].type;
    m.tensors = {{"new", {ElementType::Float32, {1, 1, kColumns}}},
                 {"position", {ElementType::Int64, {}}},
                 {"cache", cache},
                 {"updated", cache},
                 {"y", cache}};
    m.states = {{"cache", cache}};
    m.functions = {{"main",
                    {{"new", 0}, {"position", 1}},
                    {{"y", 4}},
                    {{Step::Kind::Update, "cache", {0, 1}, {3}, "", 1}, affine(3, 4)},
                    {{0, 2, 3}}}};
  }

  static void put(Executor &executor, int64_t position, float value) {
    Floats entry(kColumns, value);
    ASSERT_TRUE(executor.setInput(0, entry.data(), kColumns * sizeof(float)).ok());
    ASSERT_TRUE(executor.setInput(1, &position, sizeof position).ok());
    ASSERT_TRUE(executor.run().ok());
  }
};

TEST_F(RescueOfCaches, OnlyNewEntriesAreLookedAt) {
  conditions() = {{-8.0, 8.0, true}};
  auto executor = make();
  constexpr int64_t kEntryBytes = kColumns * sizeof(float), kBytes = kElements * sizeof(float);
  put(*executor, 0, 0.3f);
  EXPECT_EQ(executor->copies().lastScannedBytes, 2 * kBytes);
  for (int64_t position : {1, 2, 3}) {
    put(*executor, position, 0.3f * position);
    EXPECT_EQ(executor->copies().lastScannedBytes, kEntryBytes + kBytes);
    EXPECT_FALSE(isRescued(*executor, 1));
  }
  // Trouble stays with the entry, and goes with it.
  for (float bad : {9.1f, NAN, 70000.0f}) {
    put(*executor, 4, bad);
    EXPECT_TRUE(isRescued(*executor, 1));
    put(*executor, 5, 0.1f);
    EXPECT_TRUE(isRescued(*executor, 1));
    put(*executor, 4, 0.1f);
    EXPECT_FALSE(isRescued(*executor, 1));
    put(*executor, 5, 0.2f);
    EXPECT_EQ(executor->copies().lastScannedBytes, kEntryBytes + kBytes);
  }
}

// Each row of the cache is a row of the mask, and one that gets an entry is taken less another number.
TEST_F(RescueOfCaches, OfMasks) {
  files.content.programs[0].procedures[0].inputs[0].mask = {kIds, kColumns, -30000};
  auto executor = make();
  auto at = [&](int64_t entry) { return static_cast<const float *>(executor->outputs()[0].data)[entry * kColumns]; };
  put(*executor, 1, 4.0f);
  EXPECT_EQ(at(0), -7);
  put(*executor, 2, 6.0f);
  EXPECT_EQ(at(0), -11);
  EXPECT_EQ(at(1), -3);
  EXPECT_EQ(at(2), 1);
}

TEST_F(RescueOfCaches, WithOneSmallEntry) {
  auto executor = make();
  put(*executor, 0, 1e-6f);
  EXPECT_TRUE(isRescued(*executor, 1));
  put(*executor, 1, 1.0f);
  EXPECT_FALSE(isRescued(*executor, 1));
}

/// What a program writes into a state is in the surface in which the next run reads it.
TEST_F(RescueTest, OfStates) {
  manifest::Manifest &m = files.content;
  conditions() = {{-8.0, 8.0, false}};
  m.states = {{"x", m.tensors[0].type}};
  m.functions = {{"main", {}, {{"y", 1}}, {affine(0, 1)}, {{0, 0, 1}}}};
  auto executor = make();
  std::vector<std::pair<float, bool>> after = {{1, false}, {3, false}, {7, false}, {15, false}, {31, true}, {63, true}};
  for (auto [value, rescued] : after) {
    ASSERT_TRUE(executor->run().ok());
    EXPECT_EQ(middle(*executor), value);
    EXPECT_EQ(isRescued(*executor), rescued);
  }
  Floats small(kElements, 1e-7f);
  ASSERT_TRUE(executor->states().write(0, small.data(), kElements * sizeof(float)).ok());
  ASSERT_TRUE(executor->run().ok());
  EXPECT_TRUE(isRescued(*executor));
}

} // namespace
