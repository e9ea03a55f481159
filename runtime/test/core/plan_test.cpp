//===- plan_test.cpp - What sessions of a function share ------------------===//
#include "runtime/core/executor.h"
#include "runtime/core/plan.h"
#include "runtime/test/core/test_bundle.h"
#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace ane::rt;
using namespace ane::rt::test;

namespace {

class PlanTest : public testing::Test {
protected:
  std::shared_ptr<Bundle> open(const std::string &device, Trust trust = Trust::Owner) {
    files.write();
    BundleOptions options;
    options.device = device;
    options.trust = trust;
    auto bundle = Bundle::open(files.dir(), options);
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    return *std::move(bundle);
  }

  static absl::StatusOr<std::shared_ptr<const Plan>> planOf(Bundle &bundle) {
    return bundle.plan(**bundle.function(""));
  }

  TestBundle files{ANE_TEST_HOST_LIBRARY};
};

TEST_F(PlanTest, IsMadeOnceForAllThreadsAndSessions) {
  for (const char *device : {"cpu", "emulator"}) {
    auto bundle = open(device);
    std::vector<std::shared_ptr<const Plan>> plans(8);
    std::vector<std::thread> threads;
    for (auto &plan : plans)
      threads.emplace_back([&] {
        auto executor = Executor::create(bundle, "");
        ASSERT_TRUE(executor.ok()) << executor.status();
        plan = *planOf(*bundle);
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(std::set<std::shared_ptr<const Plan>>(plans.begin(), plans.end()).size(), 1u);
    // It stays when the last session is gone.
    EXPECT_EQ(*planOf(*bundle), plans[0]);
  }
}

TEST_F(PlanTest, SaysWhatStepsAre) {
  const auto onDevice = *planOf(*open("emulator"));
  ASSERT_EQ(onDevice->steps.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<HostStep>(onDevice->steps[0].work));
  ASSERT_TRUE(std::holds_alternative<ProgramStep>(onDevice->steps[1].work));
  EXPECT_EQ(onDevice->programs.size(), 1u);
  const auto onCpu = *planOf(*open("cpu"));
  ASSERT_TRUE(std::holds_alternative<HostStep>(onCpu->steps[1].work));
  EXPECT_NE(std::get<HostStep>(onCpu->steps[1].work).twinOf, nullptr);
  EXPECT_EQ(std::get<HostStep>(onCpu->steps[2].work).twinOf, nullptr);
  EXPECT_TRUE(onCpu->programs.empty());
}

// Of all sessions: they have the memory, and the plan says where in it.
TEST_F(PlanTest, SaysWhereValuesLie) {
  auto bundle = open("cpu");
  const auto plan = *planOf(*bundle);
  for (const PlannedValue &value : plan->values) {
    EXPECT_EQ(value.offset % 64, 0);
    EXPECT_LE(value.offset + manifest::byteCount(*value.type), plan->bytes);
  }
  auto first = Executor::create(bundle, ""), second = Executor::create(bundle, "");
  ASSERT_TRUE(first.ok() && second.ok());
  const auto distance = [&](Executor &of) {
    return static_cast<const uint8_t *>(of.outputs()[0].data) - static_cast<const uint8_t *>(of.inputs()[0].data);
  };
  EXPECT_EQ(distance(**first), distance(**second));
  EXPECT_EQ(distance(**first),
            plan->values[plan->outputs[0].value].offset - plan->values[plan->inputs[0].value].offset);
  EXPECT_NE((*first)->inputs()[0].data, (*second)->inputs()[0].data);
}

TEST_F(PlanTest, AFailureIsNotKept) {
  auto bundle = open("cpu", Trust::Nobody);
  for (int time = 0; time < 2; ++time)
    EXPECT_TRUE(absl::IsFailedPrecondition(planOf(*bundle).status())) << planOf(*bundle).status();
}

} // namespace
