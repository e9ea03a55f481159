//===- framework_faults_test.cpp - A device whose framework fails ----------===//
#include "absl/strings/str_cat.h"
#include "runtime/device/refusal.h"
#include "runtime/support/clock.h"
#include "runtime/test/simulation/simulation.h"

#include <thread>

using namespace ane::rt;
using namespace ane::rt::test;

namespace {

class Faults : public Simulation {
protected:
  const TestBundle files{ANE_TEST_HOST_LIBRARY};
  const std::vector<float> wanted = wantedValues();

  /// Runs with a fault at the first, second, ... call of a kind, until there are no more. `check` gets how many calls
  /// have failed.
  template <typename Check>
  void atEachCall(const std::string &kinds, int times, const std::string &fault, Check &&check) {
    for (int call = 1;; ++call) {
      const std::string word = absl::StrCat(kinds, "@", call, "x", times, "=", fault);
      SCOPED_TRACE(word);
      std::unique_ptr<Device> made = simulatedDevice();
      ASSERT_TRUE(schedule(word));
      const Ran ran = run(files.dir(), std::move(made));
      const int failed = ask<int>("simulated_stop_failing");
      check(ran, failed);
      if (failed == 0)
        break;
    }
  }
};

// ane-programming.md 1.8, ane-op-chip-matrix.md, and one that nobody has seen.
constexpr const char *kErrors[] = {
    "11:ANECCompile() FAILED: err=()",
    "1:InvalidMILProgram",
    "9:ANEProgramProcessRequestDirect() Failed with status=0x1d : Program Inference error",
    "2:error 0x2",
    "0x12:mapIOSurfaces",
    "13:mapIOSurfaces",
    "0x50004:Program load failure (0x50004)",
    "0x20004:Program load failure (0x20004)",
    "15:ANEProgramChainingPrepare() Failed",
    "10:verifyBundleAtPath",
    "42:IOSurface",
    "1:0xe00002bd",
    "4711:something that nobody has seen"};

class EachError : public Faults, public testing::WithParamInterface<const char *> {};

TEST_P(EachError, OnceAtEachCall) {
  atEachCall("any", 1, GetParam(), [&](const Ran &ran, int) {
    EXPECT_EQ(ran.status, absl::OkStatus());
    EXPECT_EQ(ran.values, wanted);
  });
}

// The CPU takes over, and the report names the error.
TEST_P(EachError, ForGoodFromEachCall) {
  const std::string text = std::strchr(GetParam(), ':') + 1;
  atEachCall("compile+load+evaluate", 1000, GetParam(), [&](const Ran &ran, int failed) {
    EXPECT_EQ(ran.status, absl::OkStatus());
    EXPECT_EQ(ran.values, wanted);
    ASSERT_EQ(ran.events.empty(), failed == 0);
    if (failed > 0)
      EXPECT_NE(ran.events[0].reason.find(text), std::string::npos) << ran.events[0].reason;
  });
}

INSTANTIATE_TEST_SUITE_P(All, EachError, testing::ValuesIn(kErrors));

// Calls that have no error, but give nothing.
TEST_F(Faults, NoObjects) {
  for (int times : {1, 1000})
    atEachCall("describe+request+surface", times, "0:nothing", [&](const Ran &ran, int failed) {
      EXPECT_EQ(ran.status, absl::OkStatus());
      EXPECT_EQ(ran.values, wanted);
      if (times > 1)
        EXPECT_EQ(ran.events.empty(), failed == 0);
    });
}

TEST_F(Faults, Exceptions) {
  for (int times : {1, 1000})
    atEachCall("describe+compile+load+evaluate+unload+request+attributes+exists", times, "exception",
               [&](const Ran &ran, int) {
                 EXPECT_EQ(ran.status, absl::OkStatus());
                 EXPECT_EQ(ran.values, wanted);
                 for (const Event &event : ran.events)
                   EXPECT_NE(event.reason.find(
                                 "raised an exception: NSInternalInconsistencyException: an exception that a test"),
                             std::string::npos)
                       << event.reason;
               });
  // What is tried twice goes on.
  atEachCall("compile+load+evaluate", 1, "exception", [&](const Ran &ran, int) {
    EXPECT_TRUE(ran.events.empty()) << ran.events[0].reason;
    EXPECT_EQ(ran.values, wanted);
  });
}

// What was computed and can't be read is computed again, on the CPU.
TEST_F(Faults, LocksThatFail) {
  for (int times : {1, 1000})
    atEachCall("lock", times, "0:busy", [&](const Ran &ran, int failed) {
      EXPECT_EQ(ran.status, absl::OkStatus());
      EXPECT_EQ(ran.values, wanted);
      if (times > 1) {
        ASSERT_EQ(ran.events.empty(), failed == 0);
        if (failed > 0)
          EXPECT_NE(ran.events[0].reason.find("IOSurfaceLock"), std::string::npos) << ran.events[0].reason;
      }
    });
}

// What was loaded is loaded again, and the engine goes on.
TEST_F(Faults, TheServiceEnds) {
  atEachCall("compile+load+evaluate+unload", 1, "daemon", [&](const Ran &ran, int) {
    EXPECT_EQ(ran.status, absl::OkStatus());
    EXPECT_EQ(ran.values, wanted);
    EXPECT_TRUE(ran.events.empty()) << ran.events[0].reason;
  });
}

TEST_F(Faults, TheServiceEndsAgainAndAgain) {
  atEachCall("load+evaluate", 1000, "daemon", [&](const Ran &ran, int failed) {
    EXPECT_EQ(ran.status, absl::OkStatus());
    EXPECT_EQ(ran.values, wanted);
    EXPECT_EQ(ran.events.empty(), failed == 0);
  });
}

// Others go on while one waits for the compiler.
TEST_F(Faults, SlowCompilations) {
  ASSERT_TRUE(set("compile_ms=400"));
  const int64_t start = nowNs();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      ProgramDesc desc;
      desc.name = absl::StrCat("p", i);
      desc.milText = absl::StrCat("program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1, 8, 1, 64]> x) {\n"
                                  "tensor<fp16, [1, 8, 1, 64]> y",
                                  i, " = add(x = x, y = x)[name = string(\"y\")];\n} -> (y", i, ");\n}\n");
      desc.procedures = {{"main",
                          {makeSurfaceDesc("x", ElementType::Float16, {1, 8, 1, 64})},
                          {makeSurfaceDesc(absl::StrCat("y", i), ElementType::Float16, {1, 8, 1, 64})}}};
      auto program = device->load(desc);
      EXPECT_TRUE(program.ok()) << program.status();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LT(nowNs() - start, int64_t(1'200'000'000)); // of 1.6 s one after the other
}

// Any of the errors, or an exception, or the end of the service, at any call: no crash, no wrong value, no leak.
TEST_F(Faults, RandomSchedules) {
  const bool isFull = std::getenv("ANE_FULL") != nullptr;
  constexpr int runs = 10;
  const int schedules = isFull ? 1000 : 30;
  int failed = 0;
  for (int seed = 1; seed <= schedules; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    std::unique_ptr<Device> made = simulatedDevice();
    ASSERT_TRUE(schedule(absl::StrCat("random=", seed, "/", seed % 4 == 0 ? 200 : 20)));
    const Ran ran = run(files.dir(), std::move(made), runs);
    failed += ask<int>("simulated_stop_failing");
    ASSERT_EQ(ran.status, absl::OkStatus());
    ASSERT_EQ(ran.values, wanted);
  }
  RecordProperty("faults", failed);
  EXPECT_GT(failed, schedules);
}

} // namespace
