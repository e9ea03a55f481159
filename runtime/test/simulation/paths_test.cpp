//===- paths_test.cpp - Paths of evaluation on the simulated framework ----===//
#include "runtime/core/devices.h"
#include "runtime/core/evaluation_paths.h"
#include "runtime/core/probe_program.h"
#include "runtime/device/ane/machine.h"
#include "runtime/device/refusal.h"
#include "runtime/test/simulation/simulation.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace ane::rt;
using engine::EvaluationPath;

namespace {

constexpr char kMachine[] = "Apple M4, 24G84"; // the simulation's

class Paths : public test::Simulation {
protected:
  Paths() { setenv("ANE_CACHE_DIR", (root + "/cache").c_str(), 1); }
  ~Paths() override { unsetenv("ANE_CACHE_DIR"); }

  /// A loaded program that multiplies by 2.
  struct Loaded {
    std::unique_ptr<ProbeProgram> probe;
    std::unique_ptr<DeviceProgram> program;
    std::unique_ptr<Request> request;
  };
  Loaded load() const {
    Loaded made;
    made.probe = std::make_unique<ProbeProgram>(*ProbeProgram::create(*device, "p", {}));
    made.probe->desc.folder = *made.probe->filesWith(2);
    made.program = *device->load(made.probe->desc);
    made.request = *made.probe->request(*made.program);
    return made;
  }
  /// The note of an evaluation whose values are right.
  static std::string noteOf(const Loaded &of) {
    EXPECT_TRUE(of.probe->clear().ok());
    auto done = of.program->submit(*of.request);
    EXPECT_TRUE(done.ok()) << done.status();
    EXPECT_EQ(*of.probe->factor(), 2);
    return done.ok() ? done->note : "";
  }
  EvaluationPath found(const std::string &words) {
    EXPECT_TRUE(test::set(words)) << words;
    probed = probeEvaluationPaths(*device);
    EXPECT_TRUE(probed.ok()) << probed.status();
    EXPECT_EQ(device->taken(), EvaluationPath::Standard);
    return bestOf(*probed);
  }
  absl::StatusOr<ProbedPaths> probed;
};

TEST_F(Paths, TheFastestIsFound) {
  // Far apart: the emulator's own time, which other load on a machine makes tens of milliseconds, is in all of them.
  EXPECT_EQ(found("standard_us=60000 direct_us=4000 real_time_us=70000"), EvaluationPath::Direct);
  ASSERT_EQ(probed->size(), 3u);
  for (const ProbedPath &each : *probed) {
    EXPECT_EQ(each.why, "") << nameOf(each.path);
    ASSERT_EQ(each.microseconds.size(), 2u);
    EXPECT_GE(each.microseconds[0], each.path == EvaluationPath::Direct     ? 4000
                                    : each.path == EvaluationPath::Standard ? 60000
                                                                            : 70000);
  }
  EXPECT_EQ(found("standard_us=60000 direct_us=70000 real_time_us=3000"), EvaluationPath::RealTime);
}

// Whatever they may gain.
TEST_F(Paths, WhatDoesNotWorkIsNotTaken) {
  EXPECT_EQ(found("standard_us=9000 direct=zeros real_time=missing"), EvaluationPath::Standard);
  EXPECT_EQ((*probed)[1].why, "it multiplies by 0, expected 2");
  EXPECT_EQ((*probed)[2].why, "the framework of this system has no real-time evaluation: its clients lack "
                              "evaluateRealTimeWithModel:options:request:error:");
  EXPECT_EQ(found("direct=fails real_time=zeros"), EvaluationPath::Standard);
  EXPECT_NE((*probed)[1].why.find("direct evaluation: 0xe00002c7"), std::string::npos) << (*probed)[1].why;
  device = test::simulatedDevice(); // one that has not seen it
  EXPECT_EQ(found("direct=missing"), EvaluationPath::Standard);
  EXPECT_NE((*probed)[1].why.find("doEvaluateDirectWithModel"), std::string::npos) << (*probed)[1].why;
}

// A user's word is no reason for wrong values.
TEST_F(Paths, WhatAUserAsksForIsChecked) {
  ASSERT_TRUE(test::set("direct=zeros"));
  absl::Status status = takePath(*device, EvaluationPath::Direct);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("the direct path of evaluation gives wrong values here"), std::string::npos)
      << status;
  EXPECT_EQ(device->taken(), EvaluationPath::Standard);
  ASSERT_TRUE(test::set("direct=works"));
  EXPECT_EQ(takePath(*device, EvaluationPath::Direct), absl::OkStatus());
  EXPECT_EQ(device->taken(), EvaluationPath::Direct);
}

TEST_F(Paths, APipeIsNoCache) {
  std::filesystem::create_directories(root + "/cache");
  ASSERT_EQ(mkfifo((root + "/cache/evaluation.json").c_str(), 0600), 0);
  EXPECT_EQ(keptPath({}), std::nullopt);
}

TEST_F(Paths, NothingRuns) {
  ASSERT_TRUE(test::schedule("evaluate@1x100000=9:status=0x1d"));
  absl::Status status = probeEvaluationPaths(*device).status();
  EXPECT_NE(status.message().find("probe of evaluation at 64x32 does not run"), std::string::npos) << status;
}

TEST(BestOf, FasterByFivePercentInEachSize) {
  auto best = [](std::vector<double> direct, std::vector<double> realTime, const char *whyNoDirect = "") {
    return bestOf({{EvaluationPath::Standard, "", {100, 200}},
                   {EvaluationPath::Direct, whyNoDirect, std::move(direct)},
                   {EvaluationPath::RealTime, "", std::move(realTime)}});
  };
  EXPECT_EQ(best({96, 100}, {10, 191}), EvaluationPath::Standard); // tiny ones do not outweigh the others
  EXPECT_EQ(best({95, 190}, {100, 200}), EvaluationPath::Direct);
  EXPECT_EQ(best({95, 190}, {94, 188}), EvaluationPath::RealTime);
  EXPECT_EQ(best({}, {100, 200}, "it failed"), EvaluationPath::Standard);
  EXPECT_EQ(best({50, 100}, {100, 200}, "wrong values at the end"), EvaluationPath::Standard);
}

TEST_F(Paths, EachGivesTheSame) {
  const Loaded loaded = load();
  for (EvaluationPath path : engine::kEvaluationPaths) {
    ASSERT_EQ(device->take(path), absl::OkStatus());
    EXPECT_EQ(device->taken(), path);
    EXPECT_EQ(noteOf(loaded), "");
  }
}

TEST_F(Paths, OneThatFailsLaterIsLeft) {
  const Loaded loaded = load();
  for (EvaluationPath path : {EvaluationPath::Direct, EvaluationPath::RealTime}) {
    ASSERT_TRUE(test::set("direct=works real_time=works"));
    ASSERT_EQ(device->take(path), absl::OkStatus());
    EXPECT_EQ(noteOf(loaded), "");
    ASSERT_TRUE(test::set("direct=fails real_time=fails"));
    const std::string note = noteOf(loaded);
    EXPECT_NE(note.find(nameOf(path)), std::string::npos) << note;
    EXPECT_NE(note.find("standard ones from here on"), std::string::npos) << note;
    EXPECT_EQ(device->taken(), EvaluationPath::Standard);
    EXPECT_EQ(noteOf(loaded), "");
  }
}

// An exception is a failure, too; what is wrong with the program, or gone, is not the path's doing.
TEST_F(Paths, WhoseFaultItIs) {
  const Loaded loaded = load();
  ASSERT_EQ(device->take(EvaluationPath::Direct), absl::OkStatus());
  ASSERT_TRUE(test::schedule("evaluate@1x2=9:status=0x1d"));
  EXPECT_FALSE(loaded.program->submit(*loaded.request).ok());
  EXPECT_EQ(device->taken(), EvaluationPath::Direct);
  EXPECT_EQ(noteOf(loaded), "");
  ASSERT_TRUE(test::schedule("evaluate@1=exception"));
  EXPECT_NE(noteOf(loaded).find("raised an exception"), std::string::npos);
  EXPECT_EQ(device->taken(), EvaluationPath::Standard);
}

TEST_F(Paths, OneThatTheSystemLacksIsRefused) {
  ASSERT_TRUE(test::set("direct=missing"));
  absl::Status status = device->take(EvaluationPath::Direct);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  EXPECT_EQ(device->taken(), EvaluationPath::Standard);
  EXPECT_EQ(noteOf(load()), "");
}

// A whole run, at each of its evaluations: values are right, and the report says what became of the path.
TEST_F(Paths, ARunSaysSo) {
  const test::TestBundle files(ANE_TEST_HOST_LIBRARY);
  for (const char *words : {"direct=works", "direct=fails"}) {
    auto made = test::simulatedDevice();
    ASSERT_EQ(made->take(EvaluationPath::Direct), absl::OkStatus());
    ASSERT_TRUE(test::set(words));
    const test::Ran ran = test::run(files.dir(), std::move(made));
    EXPECT_EQ(ran.status, absl::OkStatus());
    EXPECT_EQ(ran.values, test::wantedValues());
    ASSERT_EQ(ran.events.size(), words == std::string("direct=works") ? 0u : 1u);
    if (!ran.events.empty()) {
      EXPECT_EQ(ran.events[0].phase, "evaluation");
      EXPECT_NE(ran.events[0].reason.find("0xe00002c7"), std::string::npos) << ran.events[0].reason;
    }
  }
}

TEST_F(Paths, WhatWasFoundIsKeptForItsMachine) {
  const std::vector<std::string> libraries = {ANE_SIMULATED_FRAMEWORK};
  EXPECT_EQ(engine::chipAndBuild(libraries), kMachine);
  EXPECT_FALSE(keptPath(libraries));
  ASSERT_EQ(keepPath(kMachine, EvaluationPath::Direct), absl::OkStatus());
  EXPECT_EQ(keptPath(libraries), EvaluationPath::Direct);
  ASSERT_EQ(keepPath("Apple M4, 24G90", EvaluationPath::Direct), absl::OkStatus());
  EXPECT_FALSE(keptPath(libraries)) << "it is of another build";
  EXPECT_EQ(keepPath("", EvaluationPath::Direct).code(), absl::StatusCode::kFailedPrecondition);
  for (const char *text :
       {"", "{", "[]", "7", "{\"machine\": 1, \"evaluation\": \"direct\"}", "{\"machine\": \"Apple M4, 24G84\"}",
        "{\"machine\": \"Apple M4, 24G84\", \"evaluation\": \"auto\"}",
        "{\"machine\": \"Apple M4, 24G84\", \"evaluation\": \"quick\"}",
        "{\"machine\": \"\", \"evaluation\": \"direct\"}"}) {
    std::ofstream(root + "/cache/evaluation.json") << text;
    EXPECT_FALSE(keptPath(libraries)) << text;
  }
}

TEST_F(Paths, ADeviceTakesWhatWasKeptOrAsked) {
  const std::string name = std::string("ane:") + ANE_SIMULATED_FRAMEWORK;
  auto taken = [](Device &of) { return static_cast<engine::AneDevice &>(of).taken(); };
  ASSERT_EQ(keepPath(kMachine, EvaluationPath::RealTime), absl::OkStatus());
  EXPECT_EQ(taken(**makeDevice({name})), EvaluationPath::RealTime);
  ASSERT_TRUE(test::set("real_time=missing"));
  EXPECT_EQ(taken(**makeDevice({name})), EvaluationPath::Standard) << "it is gone since";
}

TEST_F(Paths, Chains) {
  const Loaded loaded = load();
  absl::Status refused = device->chain(*loaded.program, *loaded.request);
  EXPECT_EQ(codeOf(refused), "15") << refused;
  EXPECT_NE(refused.message().find(
                "preparing a chain: ANEProgramChainingPrepare() Failed (code 15 of com.apple.appleneuralengine)"),
            std::string::npos)
      << refused;
  ASSERT_TRUE(test::set("chain=prepared"));
  absl::Status unready = device->chain(*loaded.program, *loaded.request);
  EXPECT_NE(unready.message().find("giving the input of a chain: no reason is given"), std::string::npos) << unready;
  ASSERT_TRUE(test::set("chain=accepted"));
  EXPECT_EQ(device->chain(*loaded.program, *loaded.request), absl::OkStatus());
  EXPECT_EQ(noteOf(loaded), "") << "it evaluates as before";
}

TEST(Words, OfPaths) {
  for (EvaluationPath path : engine::kEvaluationPaths)
    EXPECT_EQ(**engine::evaluationPathFrom(nameOf(path)), path);
  EXPECT_FALSE(*engine::evaluationPathFrom("auto"));
  EXPECT_EQ(engine::evaluationPathFrom("fast").status().message(),
            "is \"fast\", expected auto, standard, direct or real-time");
}

} // namespace
