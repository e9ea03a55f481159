//===- threads_test.cpp - Bundles and sessions on several threads ---------===//

#include "ane/runtime/ane.h"
#include "runtime/device/emulator/emulator_device.h"
#include "runtime/test/core/test_bundle.h"
#ifdef ANE_SIMULATED_FRAMEWORK
#include "runtime/test/simulation/simulation.h"
#endif
#include "runtime/test/temporary_folder.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace ane::rt::test;

namespace {

constexpr int kThreads = 8, kRounds = 12;
#ifdef ANE_SIMULATED_FRAMEWORK
constexpr char kAne[] = "ane:" ANE_SIMULATED_FRAMEWORK;
#endif

void expectOk(ane_status *status) {
  EXPECT_EQ(status, nullptr) << ane_status_message(status);
  ane_status_free(status);
}

ane_bundle *openBundle(const TestBundle &files, const char *device) {
  ane_options options = ANE_OPTIONS_INIT;
  options.device = device;
  options.threads = 3;
  ane_bundle *bundle = nullptr;
  expectOk(ane_bundle_open(files.dir().c_str(), &options, &bundle));
  return bundle;
}

/// A session of its own, from its beginning to its end.
void runSession(ane_bundle *bundle, int seed) {
  ane_session *session = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &session));
  for (int run = 0; session && run < 3; ++run) {
    int64_t ids[kIds];
    for (int i = 0; i < kIds; ++i)
      ids[i] = (seed + run + i * 3) % kVocabulary;
    expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
    expectOk(ane_session_run(session));
    const void *data = nullptr;
    expectOk(ane_session_output(session, 0, &data, nullptr));
    for (int i = 0; data && i < kIds; ++i)
      EXPECT_EQ(static_cast<const float *>(data)[i * kColumns + 5], TestBundle::expected(ids[i], 5));
    EXPECT_EQ(ane_session_event_count(session), 0u);
    ane_step step = ANE_STEP_INIT;
    expectOk(ane_session_step(session, 2, &step));
    EXPECT_EQ(step.runs, run + 1u);
  }
  ane_session_destroy(session);
}

template <typename Fn>
void onThreads(Fn &&fn) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&fn, i] { fn(i); });
  for (std::thread &thread : threads)
    thread.join();
}

class Threads : public testing::TestWithParam<const char *> {
protected:
  /// Where device ane has its folders.
  Threads() { setenv("TMPDIR", temporary.path("").c_str(), 1); }
  ~Threads() override {
    unsetenv("TMPDIR");
#ifdef ANE_SIMULATED_FRAMEWORK
    if (GetParam() != kAne)
      return;
    EXPECT_EQ(ask<int>("simulated_findings"), 0) << ask<const char *>("simulated_finding_texts");
    EXPECT_EQ(ask<int>("simulated_live_objects"), 0);
    EXPECT_EQ(ask<int>("simulated_held_locks"), 0);
#endif
  }
  TemporaryFolder temporary;
  TestBundle files{ANE_TEST_HOST_LIBRARY};
};

TEST_P(Threads, SessionsOfOneBundle) {
  ane_bundle *bundle = openBundle(files, GetParam());
  onThreads([&](int thread) {
    for (int round = 0; round < kRounds; ++round)
      runSession(bundle, thread + round);
  });
  ane_bundle_close(bundle);
}

// Each bundle loads the same library of native code, and unloads it again.
TEST_P(Threads, BundlesComeAndGo) {
  onThreads([&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      ane_bundle *bundle = openBundle(files, GetParam());
      runSession(bundle, thread + round);
      EXPECT_STRNE(ane_bundle_host(bundle), "");
      ane_bundle_close(bundle);
    }
  });
}

// The bundle is closed while its sessions run.
TEST_P(Threads, SessionsOutliveTheirBundle) {
  for (int round = 0; round < kRounds; ++round) {
    ane_bundle *bundle = openBundle(files, GetParam());
    std::vector<ane_session *> sessions(kThreads);
    for (ane_session *&session : sessions)
      expectOk(ane_session_create(bundle, "main", &session));
    std::thread closes([&] { ane_bundle_close(bundle); });
    onThreads([&](int thread) {
      int64_t ids[kIds] = {thread};
      expectOk(ane_session_set_input(sessions[thread], 0, ids, sizeof ids));
      expectOk(ane_session_run(sessions[thread]));
      ane_session_destroy(sessions[thread]);
    });
    closes.join();
  }
}

// Programs of several bundles in a context with room for one: they make room for each other while others run.
TEST_P(Threads, BundlesOfOneContext) {
  TestBundle second{ANE_TEST_HOST_LIBRARY};
  ane_context_options budgets = ANE_CONTEXT_OPTIONS_INIT;
  budgets.loaded_programs = 1;
  ane_context *context = nullptr;
  expectOk(ane_context_create(&budgets, &context));
  ane_options options = ANE_OPTIONS_INIT;
  options.device = GetParam();
  options.threads = 3;
  options.context = context;
  std::atomic<int> lines{0};
  expectOk(ane_context_set_log(
      context, ANE_LOG_INFO, [](void *user, ane_log_level, const char *) { ++*static_cast<std::atomic<int> *>(user); },
      &lines));
  onThreads([&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      ane_bundle *bundle = nullptr;
      expectOk(ane_bundle_open((thread % 2 ? files : second).dir().c_str(), &options, &bundle));
      runSession(bundle, thread + round);
      ane_counters counters = ANE_COUNTERS_INIT;
      expectOk(ane_context_counters(context, &counters));
      EXPECT_LE(counters.loaded_programs, 1u);
      ane_bundle_close(bundle);
    }
  });
  ane_counters counters = ANE_COUNTERS_INIT;
  expectOk(ane_context_counters(context, &counters));
  EXPECT_EQ(counters.loaded_programs, 0u);
  EXPECT_EQ(counters.evaluations, std::string(GetParam()) == "cpu" ? 0u : 3u * kThreads * kRounds);
  EXPECT_EQ(lines, static_cast<int>(counters.evictions));
  ane_context_destroy(context);
}

// Each context loads the same program for itself, which a device may have once for all of them.
TEST_P(Threads, BundlesOfSeveralContexts) {
  onThreads([&](int thread) {
    ane_context *context = nullptr;
    expectOk(ane_context_create(nullptr, &context));
    ane_options options = ANE_OPTIONS_INIT;
    options.device = GetParam();
    options.context = context;
    for (int round = 0; round < kRounds; ++round) {
      ane_bundle *bundle = nullptr;
      expectOk(ane_bundle_open(files.dir().c_str(), &options, &bundle));
      runSession(bundle, thread + round);
      ane_bundle_close(bundle);
    }
    ane_context_destroy(context);
  });
}

// One thread starts runs, others cancel them.
TEST_P(Threads, CancelsFromElsewhere) {
  ane_bundle *bundle = openBundle(files, GetParam());
  ane_session *session = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &session));
  int64_t ids[kIds] = {};
  expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
  onThreads([&](int thread) {
    for (int round = 0; round < 20 * kRounds; ++round) {
      if (thread != 0) {
        ane_session_cancel(session);
        continue;
      }
      expectOk(ane_session_run_async(session, nullptr, nullptr));
      ane_status *status = ane_session_wait(session);
      EXPECT_TRUE(!status || ane_status_code(status) == ANE_CANCELLED) << ane_status_message(status);
      ane_status_free(status);
    }
  });
  expectOk(ane_session_run(session));
  ane_session_destroy(session);
  ane_bundle_close(bundle);
}

/// Has the program read the table, which is a weight.
void addWeight(TestBundle &files) {
  using namespace ane::rt;
  manifest::StoredWeight table;
  table.file = "weights/table.bin";
  table.offset = 128;
  table.bytes = kVocabulary * kColumns * sizeof(float);
  table.hash = std::string(32, '0');
  table.programs = {"affine"};
  table.hostFunctions = {"embed"};
  table.shape = {kVocabulary, kColumns};
  table.strides = {kColumns, 1};
  files.content.weights = {{"table", {ElementType::Float32, {kVocabulary, kColumns}}, "dense", {table}}};
  files.content.programs[0].weights = {"weights/table.bin"};
  files.write();
}

class WeightsOfThreads : public Threads {};

// One program is made of another that others want at the time, where there is room for one, or for both.
TEST_P(WeightsOfThreads, AreSetWhileOthersRun) {
  addWeight(files);
  const bool isCpu = std::string(GetParam()) == "cpu";
  struct Case {
    uint64_t room;
    const char *mode, *way;
  };
  for (const auto &[room, mode, way] : {Case{1, "plain", "patch"},
                                        {2, "plain", "patch"},
                                        {3, "plain", "patch"},
                                        {1, "faithful",
                                         "recompile, since by patch it computes with the old weights, "
                                         "and by donor the budget has no room for two programs"},
                                        {2, "faithful", "donor, since by patch it computes with the old weights"},
                                        {3, "faithful", "donor, since by patch it computes with the old weights"}}) {
    SCOPED_TRACE(testing::Message() << mode << " " << room);
    ane_context_options budgets = ANE_CONTEXT_OPTIONS_INIT;
    budgets.loaded_programs = room;
    budgets.compilations = 1 << 20;
    ane_context *context = nullptr;
    expectOk(ane_context_create(&budgets, &context));
    ane_options options = ANE_OPTIONS_INIT;
    options.device = GetParam();
    options.emulator_mode = mode;
    options.threads = 3;
    options.context = context;
    ane_bundle *bundle = nullptr;
    expectOk(ane_bundle_open(files.dir().c_str(), &options, &bundle));
    onThreads([&, room = room, way = way](int thread) {
      const char *found = nullptr, *again = nullptr;
      expectOk(ane_bundle_weights_by(bundle, &found));
      ane_session *session = nullptr;
      expectOk(ane_session_create(bundle, nullptr, &session));
      const int64_t ids[kIds] = {thread};
      expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
      for (int round = 0; round < 10 * kRounds; ++round) {
        const float value = static_cast<float>(thread + round);
        if (thread % 2) {
          const std::vector<float> table(kVocabulary * kColumns, value);
          expectOk(ane_session_set_weight(session, "table", table.data(), table.size() * sizeof(float)));
        }
        expectOk(ane_session_run(session));
        const void *data = nullptr;
        expectOk(ane_session_output(session, 0, &data, nullptr));
        EXPECT_EQ(static_cast<const float *>(data)[5], thread % 2 ? 3 * value + 1 : TestBundle::expected(thread, 5));
        ane_counters counters = ANE_COUNTERS_INIT;
        expectOk(ane_context_counters(context, &counters));
        EXPECT_LE(counters.loaded_programs, room);
      }
      ane_session_destroy(session);
      expectOk(ane_bundle_weights_by(bundle, &again));
      EXPECT_STREQ(found, isCpu ? "memory" : way);
      EXPECT_EQ(found, again);
    });
    ane_bundle_close(bundle);
    ane_context_destroy(context);
  }
}

const auto nameOfDevice = [](const testing::TestParamInfo<const char *> &info) {
  return std::string(info.param).substr(0, std::string(info.param).find(':'));
};
INSTANTIATE_TEST_SUITE_P(, Threads, testing::Values("cpu", "emulator"), nameOfDevice);
INSTANTIATE_TEST_SUITE_P(, WeightsOfThreads, testing::Values("cpu", "emulator"), nameOfDevice);
#ifdef ANE_SIMULATED_FRAMEWORK
INSTANTIATE_TEST_SUITE_P(Simulated, Threads, testing::Values(kAne), nameOfDevice);
#endif

// Programs of one device share what it counts and what one of them breaks (C48).
TEST(Emulator, ProgramsShareTheirProcess) {
  using namespace ane::rt;
  emulator::EmulatorOptions options;
  options.mode = emulator::Mode::Faithful;
  auto describe = [](const std::string &statement) {
    ProgramDesc desc;
    desc.name = "p";
    desc.milText =
        "program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1, 8, 1, 64]> a) {\n" + statement + "\n} -> (y);\n}\n";
    for (auto [name, list] : {std::pair("a", &desc.procedures[0].inputs), {"y", &desc.procedures[0].outputs}}) {
      list->push_back(makeSurfaceDesc(name, ElementType::Float16, {1, 8, 1, 64}));
      list->back().bytes = 49152;
    }
    return desc;
  };
  const ProgramDesc good = describe("tensor<fp16, [1, 8, 1, 64]> y = relu(x = a);");
  const ProgramDesc tile =
      describe("tensor<int32, [4]> r = const()[name = string(\"r\"), val = tensor<int32, [4]>([1, 1, 1, 1])];\n"
               "tensor<fp16, [1, 8, 1, 64]> y = tile(reps = r, x = a);");
  // The process breaks once, so that a round is a race only if the others run both before and after that.
  constexpr int kMostRounds = 10000;
  bool raced = false;
  for (int round = 0; round < kMostRounds && !raced && !HasFailure(); ++round) {
    std::unique_ptr<Device> device = emulator::makeEmulatorDevice(options);
    std::atomic<int> ready{0}, before{0}, after{0};
    onThreads([&](int thread) {
      auto program = device->load(thread == 0 ? tile : good);
      EXPECT_TRUE(program.ok()) << program.status();
      auto x = *makeHostSurface(49152), y = *makeHostSurface(49152);
      for (++ready; ready < kThreads;)
        std::this_thread::yield();
      for (int run = 0; program.ok() && run < kRounds; ++run) {
        absl::Status status = (*program)->evaluate(0, {x.get()}, {y.get()});
        // Counting orders threads: that of the write is left out.
        if (thread != 0)
          ++(status.ok() ? before : after);
      }
    });
    raced = before && after;
    auto x = *makeHostSurface(49152), y = *makeHostSurface(49152);
    EXPECT_FALSE((*device->load(good))->evaluate(0, {x.get()}, {y.get()}).ok());
  }
  EXPECT_TRUE(raced);
}

} // namespace
