//===- places_test.cpp - A device with fewer places than is known of it ---===//
#include "absl/strings/str_cat.h"
#include "runtime/core/context.h"
#include "runtime/support/of_process.h"
#include <condition_variable>
#include <future>
#include <gtest/gtest.h>
#include <thread>

using namespace ane::rt;

namespace {

/// What a device has.
struct Places {
  const int limit;
  std::mutex mutex;
  std::condition_variable changed;
  int taken = 0, most = 0, refusals = 0, running = 0;
  bool isHeld = false; ///< evaluations do not end
};

class Placed final : public DeviceProgram {
public:
  explicit Placed(Places &all) : all(all) {}
  ~Placed() override { unload(); }
  absl::Status load() override {
    std::lock_guard<std::mutex> lock(all.mutex);
    if (all.taken >= all.limit) {
      ++all.refusals;
      return refuse(Refusal::Resource, "no place");
    }
    all.most = std::max(all.most, ++all.taken);
    isLoaded = true;
    return absl::OkStatus();
  }
  void unload() override {
    std::lock_guard<std::mutex> lock(all.mutex);
    all.taken -= std::exchange(isLoaded, false);
  }
  absl::StatusOr<Completion> submit(const Request &) override {
    std::unique_lock<std::mutex> lock(all.mutex);
    EXPECT_TRUE(isLoaded);
    ++all.running;
    all.changed.notify_all();
    all.changed.wait(lock, [&] { return !all.isHeld; });
    --all.running;
    return Completion();
  }

private:
  Places &all;
  bool isLoaded = false;
};

class PlacesTest : public testing::TestWithParam<int> {
protected:
  std::shared_ptr<CachedProgram> program(const std::string &name) {
    return *context.program(name, devicePrograms, name, 10, [this]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
      return std::make_unique<Placed>(all);
    });
  }
  static absl::Status run(CachedProgram &program) {
    CachedProgram::Call call;
    return program.evaluate(call, {}, {}).status();
  }
  Places all{GetParam()};
  Context context;
  std::shared_ptr<DevicePrograms> devicePrograms = std::make_shared<DevicePrograms>();
};

TEST_P(PlacesTest, AreLearned) {
  devicePrograms->known.loaded = 127;
  std::vector<std::shared_ptr<CachedProgram>> programs;
  for (int i = 0; i < 6; ++i)
    programs.push_back(program(absl::StrCat(i)));
  for (int round = 0; round < 3; ++round)
    for (auto &each : programs)
      EXPECT_TRUE(run(*each).ok());
  // Asked for one too many once.
  EXPECT_EQ(all.refusals, 1);
  EXPECT_EQ(all.most, all.limit);
  const ProgramCounters counters = context.cache().counters();
  EXPECT_EQ(counters.loaded, all.limit);
  EXPECT_EQ(counters.retries, 1);
  EXPECT_EQ(counters.refusals, 0);
  // A user's budget brings none.
  context.cache().setBudgets({0, kNoLimit, 0});
  auto more = program("more");
  EXPECT_TRUE(run(*more).ok());
  EXPECT_EQ(all.refusals, 1);
}

// Those that run keep their places: another waits until one ends.
TEST_P(PlacesTest, AreWaitedFor) {
  all.isHeld = true;
  std::vector<std::shared_ptr<CachedProgram>> programs;
  std::vector<std::thread> threads;
  for (int i = 0; i < all.limit; ++i)
    programs.push_back(program(absl::StrCat(i)));
  for (int i = 0; i < all.limit; ++i)
    threads.emplace_back([&, i] { EXPECT_TRUE(run(*programs[i]).ok()); });
  {
    std::unique_lock<std::mutex> lock(all.mutex);
    all.changed.wait(lock, [&] { return all.running == all.limit; });
  }
  auto another = program("another");
  auto loads = std::async(std::launch::async, [&] { return another->load(); });
  auto process = ofProcess<LoadedPrograms>();
  while (process->waiting == 0 && loads.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
    ;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    all.isHeld = false;
    all.changed.notify_all();
  }
  EXPECT_TRUE(loads.get().ok());
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(all.most, all.limit);
}

TEST_P(PlacesTest, AreTakenInTurns) {
  constexpr int kThreads = 6, kRounds = 200;
  std::vector<std::shared_ptr<CachedProgram>> programs;
  for (int i = 0; i < kThreads; ++i)
    programs.push_back(program(absl::StrCat(i)));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round)
        EXPECT_TRUE(run(*programs[(i + round) % programs.size()]).ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(all.most, all.limit);
  const ProgramCounters counters = context.cache().counters();
  EXPECT_EQ(counters.evaluations, kThreads * kRounds);
  EXPECT_EQ(counters.refusals, 0);
  EXPECT_EQ(counters.running, 0);
}

INSTANTIATE_TEST_SUITE_P(, PlacesTest, testing::Values(1, 2, 4));

} // namespace
