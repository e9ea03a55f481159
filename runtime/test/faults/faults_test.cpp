//===- faults_test.cpp - When the system refuses --------------------------===//
//
// A bundle is opened, run and closed while one call after the other fails: each
// time that is an error or the right values, nothing is left behind, and the
// next attempt works. A file is written while calls fail: it is whole or absent.
// And a run gets along without any allocation.
//
//===----------------------------------------------------------------------===//

#include "absl/status/status.h"
#include "ane/runtime/ane.h"
#include "runtime/core/emulator.h"
#include "runtime/device/emulator/emulator_device.h"
#include "runtime/support/output_file.h"
#include "runtime/test/core/test_bundle.h"
#include "runtime/test/faults/faults.h"
#include "runtime/test/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace ane::rt::test;

namespace {

/// The emulator's calls must fail, too: it is linked here.
const bool linked = (ane::rt::setEmulatorModule(ane_emulator_module()), true);

struct Attempt {
  bool failed = false, explained = false;
  bool right = false; ///< the values
};

/// Keeps a part of a state, at the position that another has, as the function's first output and, not of buckets, a
/// state that is all of it. The function's table is a weight that can be set.
void addStates(TestBundle &files, bool isBucketed) {
  using ane::rt::manifest::Step;
  ane::rt::manifest::Manifest &m = files.content;
  ane::rt::manifest::StoredWeight table;
  table.file = "weights/table.bin";
  table.offset = 128;
  table.bytes = kVocabulary * kColumns * sizeof(float);
  table.hash = std::string(32, '0');
  table.hostFunctions = {"embed"};
  table.shape = {kVocabulary, kColumns};
  table.strides = {kColumns, 1};
  m.weights = {{"table", {ane::rt::ElementType::Float32, {kVocabulary, kColumns}}, "dense", {table}}};
  ane::rt::manifest::TensorType output = m.tensors[3].type, position{ane::rt::ElementType::Int64, {1}}, cache = output;
  cache.shape[1] += 3;
  m.tensors.insert(m.tensors.end(), {{"last", output}, {"cache", cache}, {"new cache", cache}, {"at", position}});
  m.states = {{"last", output}, {"cache", cache}, {"at", position}};
  m.functions[0].states = {{0, 4, 3}, {1, 5, 6}, {2, 7, 7}};
  m.functions[0].steps.push_back({Step::Kind::Update, "cache", {3, 7}, {6}, "", 1});
  if (isBucketed) {
    m.functions[0].states[0].write = 4; // what is filled up would show
    m.functions[0].name = "main_8";
    m.buckets = {{"main", "tokens", ane::rt::manifest::Padding::Checked, {}, {{0}}, {{1}, {1}}, {kIds}, {0}}};
  }
  files.write();
}

/// Opens, runs with fewer ids than a bucket has, sets a weight, reads, saves and restores states, and closes.
Attempt attempt(const std::string &path, const std::string &saved, const char *device, int count) {
  ane_options options = ANE_OPTIONS_INIT;
  options.device = device;
  options.threads = 3;
  options.verify = 1;
  ane_context *context = nullptr;
  ane_bundle *bundle = nullptr;
  ane_session *session = nullptr, *fork = nullptr, *shared = nullptr;
  const int64_t ids[kIds] = {1, 2, 3, 4, 5, 6, 7, 8};
  float table[kVocabulary][kColumns];
  for (int id = 0; id < kVocabulary; ++id)
    for (int column = 0; column < kColumns; ++column)
      table[id][column] = TestBundle::weight(kVocabulary - 1 - id, column);
  const void *data = nullptr;
  ane_status *status = ane_context_create(nullptr, &context);
  options.context = context;
  if (!status)
    status = ane_bundle_open(path.c_str(), &options, &bundle);
  if (!status)
    status = ane_session_create(bundle, nullptr, &session);
  if (!status)
    status = ane_session_set_input(session, 0, ids, count * sizeof *ids);
  if (!status)
    status = ane_session_run(session);
  if (!status)
    status = ane_session_set_weight(session, "table", table, sizeof table);
  if (!status)
    status = ane_session_run_async(session, nullptr, nullptr);
  if (!status)
    status = ane_session_wait(session);
  if (!status)
    status = ane_session_output(session, 0, &data, nullptr);
  if (!status)
    status = ane_state_save(session, saved.c_str());
  if (!status)
    status = ane_state_fork(session, &fork);
  if (!status)
    status = ane_session_share(session, "main", &shared);
  if (!status)
    status = ane_state_reset(fork);
  if (!status)
    status = ane_state_restore(fork, saved.c_str());
  if (!status) {
    ane_step step = ANE_STEP_INIT;
    size_t index = 0;
    for (ane_status *each : {ane_session_step(session, 0, &step), ane_session_find_output(session, "affine", &index),
                             ane_session_find_input(session, "none", &index), ane_state_find(session, "none", &index)})
      ane_status_free(each);
    ane_bundle_host(bundle);
  }
  Attempt result;
  result.failed = ane_status_code(status) != ANE_OK;
  result.explained = *ane_status_message(status) != '\0';
  result.right = data != nullptr;
  for (int i = 0; data && i < count; ++i)
    for (int j = 0; j < kColumns; ++j)
      result.right &=
          static_cast<const float *>(data)[i * kColumns + j] == TestBundle::expected(kVocabulary - 1 - ids[i], j);
  ane_status_free(status);
  ane_session_destroy(fork);
  ane_session_destroy(shared);
  ane_session_destroy(session);
  ane_bundle_close(bundle);
  ane_context_destroy(context);
  return result;
}

int64_t openFiles() {
  std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

struct Case {
  const char *name;
  Fault fault;
  bool avoidable;   ///< there is a way without: fewer threads, the CPU for a program
  int harmless = 0; ///< calls that may fail: that which brings a folder to disk
};

class Faults : public testing::TestWithParam<std::tuple<Case, const char *, int>> {
protected:
  Faults() { addStates(files, std::get<int>(GetParam()) != kIds); }
  TestBundle files{ANE_TEST_HOST_LIBRARY};
};

TEST_P(Faults, AreErrors) {
  auto [tried, device, count] = GetParam();
  const std::string path = files.dir(), saved = files.path("x.states");
  // What is made once in a process is there from now on.
  ASSERT_TRUE(attempt(path, saved, device, count).right);
  absl::ErrnoToStatus(ENOENT, "").IgnoreError();
  int64_t before = liveObjects(), filesBefore = openFiles();
  int failed = 0, happened = 0;
  for (int n = 1;; ++n) {
    failCall(tried.fault, n);
    Attempt result = attempt(path, saved, device, count);
    if (!stopFailing())
      break;
    ++happened;
    failed += result.failed;
    ASSERT_TRUE(result.failed ? result.explained : result.right) << "call " << n;
    ASSERT_EQ(liveObjects(), before) << "call " << n;
    ASSERT_EQ(openFiles(), filesBefore) << "call " << n;
  }
  EXPECT_GT(happened, 0) << "nothing was made to fail";
  if (!tried.avoidable)
    EXPECT_EQ(failed + tried.harmless, happened);
  EXPECT_TRUE(attempt(path, saved, device, count).right);
}

INSTANTIATE_TEST_SUITE_P(
    , Faults,
    testing::Combine(testing::Values(Case{"New", Fault::New, true}, Case{"Buffer", Fault::Buffer, true},
                                     Case{"Thread", Fault::Thread, true}, Case{"Open", Fault::Open, false, 1},
                                     Case{"OpenAt", Fault::OpenAt, false}, Case{"Stat", Fault::Stat, true},
                                     Case{"Map", Fault::Map, false}, Case{"Read", Fault::Read, false},
                                     Case{"Library", Fault::Library, false}),
                     testing::Values("cpu", "emulator"), testing::Values(kIds, 5)),
    [](const auto &info) {
      std::string name = std::get<Case>(info.param).name;
      return name + "_" + std::get<const char *>(info.param) + (std::get<int>(info.param) == kIds ? "" : "_Bucket");
    });

// A weight that could not be set is set again; the bundle's program, which other sessions have, stays what it is.
TEST(Weights, AFailureLeavesTheProgramOfOthersAlone) {
  using namespace ane::rt;
  TestBundle files(ANE_TEST_HOST_LIBRARY);
  addStates(files, false);
  files.content.weights[0].stored[0].programs = {"affine"};
  files.content.programs[0].weights = {"weights/table.bin"};
  files.write();
  int failed = 0;
  for (int n = 1;; ++n) {
    ane_context *context = nullptr;
    ane_bundle *bundle = nullptr;
    ane_session *sessions[2] = {};
    ASSERT_EQ(ane_context_create(nullptr, &context), nullptr);
    ane_options options = ANE_OPTIONS_INIT;
    options.device = "emulator";
    options.emulator_mode = "plain";
    options.context = context;
    ASSERT_EQ(ane_bundle_open(files.dir().c_str(), &options, &bundle), nullptr);
    const int64_t ids[kIds] = {1};
    for (ane_session *&session : sessions) {
      ASSERT_EQ(ane_session_create(bundle, nullptr, &session), nullptr);
      ASSERT_EQ(ane_session_set_input(session, 0, ids, sizeof ids), nullptr);
      ASSERT_EQ(ane_session_run(session), nullptr);
    }
    const std::vector<float> table(kVocabulary * kColumns, 7);
    auto set = [&] { return ane_session_set_weight(sessions[0], "table", table.data(), table.size() * sizeof(float)); };
    failCall(Fault::New, n);
    ane_status *status = set();
    const bool happened = stopFailing();
    failed += status != nullptr;
    ane_status_free(status);
    EXPECT_EQ(set(), nullptr);
    for (auto [session, expected] : {std::pair(sessions[0], 3 * 7.0f + 1), {sessions[1], TestBundle::expected(1, 5)}}) {
      const void *data = nullptr;
      EXPECT_EQ(ane_session_run(session), nullptr);
      EXPECT_EQ(ane_session_output(session, 0, &data, nullptr), nullptr);
      EXPECT_EQ(static_cast<const float *>(data)[5], expected) << "call " << n;
      EXPECT_EQ(ane_session_event_count(session), 0u) << "call " << n;
    }
    ane_counters counters = ANE_COUNTERS_INIT;
    EXPECT_EQ(ane_context_counters(context, &counters), nullptr);
    EXPECT_EQ(counters.compilations, 2u) << "call " << n; // the bundle's program, and the probe
    EXPECT_EQ(counters.weight_updates, 1u) << "call " << n;
    for (ane_session *session : sessions)
      ane_session_destroy(session);
    ane_bundle_close(bundle);
    ane_context_destroy(context);
    if (!happened)
      break;
  }
  EXPECT_GT(failed, 0);
}

// Whoever calls a device gets a status, and need not catch anything.
TEST(Emulator, AFailedAllocationIsAnErrorOfTheProgram) {
  using namespace ane::rt;
  ProgramDesc desc;
  desc.name = "p";
  desc.milText = "program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1, 8, 1, 64]> x) {\n"
                 "tensor<fp16, [1, 8, 1, 64]> y = relu(x = x);\n} -> (y);\n}\n";
  desc.procedures[0].inputs = {makeSurfaceDesc("x", ElementType::Float16, {1, 8, 1, 64})};
  desc.procedures[0].outputs = {makeSurfaceDesc("y", ElementType::Float16, {1, 8, 1, 64})};
  desc.procedures[0].inputs[0].bytes = desc.procedures[0].outputs[0].bytes = 49152;
  std::unique_ptr<Device> device = emulator::makeEmulatorDevice({});
  auto x = *makeHostSurface(49152);
  auto y = *makeHostSurface(49152);
  auto run = [&]() -> absl::Status {
    auto program = device->load(desc);
    return program.ok() ? (*program)->evaluate(0, {x.get()}, {y.get()}) : program.status();
  };
  ASSERT_TRUE(run().ok()) << run();
  int failed = 0;
  for (int n = 1;; ++n) {
    failCall(Fault::New, n);
    absl::Status status;
    EXPECT_NO_THROW(status = run()) << "call " << n;
    if (!stopFailing())
      break;
    if (status.ok())
      continue;
    ++failed;
    EXPECT_EQ(status.message(), "program 'p': no memory") << "call " << n;
  }
  EXPECT_GT(failed, 0);
}

/// "" or why not.
std::string writeOver(const std::string &path, const std::string &text) {
  try {
    absl::StatusOr<ane::rt::OutputFile> file = ane::rt::OutputFile::create(path);
    absl::Status status = file.status();
    if (status.ok())
      status = file->write(text.data(), text.size());
    if (status.ok())
      status = file->commitToDisk();
    return std::string(status.message());
  } catch (const std::bad_alloc &) {
    return "no memory";
  }
}

// Several blocks long, so that a thread writes them.
TEST(OutputFile, IsWholeOrAsBefore) {
  const std::string before = "what was there", after(1 << 20, 'x');
  TemporaryFolder folder;
  const std::string path = folder.path("out");
  auto content = [&] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (Fault fault : {Fault::New, Fault::Thread, Fault::Open, Fault::Write, Fault::Sync, Fault::Close, Fault::Rename}) {
    SCOPED_TRACE(static_cast<int>(fault));
    std::ofstream(path) << before;
    int64_t filesBefore = openFiles();
    int happened = 0;
    for (int n = 1;; ++n) {
      failCall(fault, n);
      std::string error = writeOver(path, after);
      if (!stopFailing()) {
        EXPECT_EQ(error, "");
        EXPECT_TRUE(content() == after);
        break;
      }
      // Behind the renaming the lock ends and the folder is brought to disk, whatever that says.
      if (error.empty()) {
        ASSERT_TRUE(content() == after) << "call " << n;
        std::ofstream(path) << before;
      } else {
        ++happened;
        ASSERT_TRUE(content() == before) << "call " << n;
      }
      ASSERT_EQ(openFiles(), filesBefore) << "call " << n;
    }
    EXPECT_GT(happened, 0) << "nothing failed";
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("")), {}), 1);
  }
}

/// The functions of ane.h that give a status.
std::set<std::string> declared() {
  std::ifstream file(ANE_HEADER);
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::set<std::string> names;
  const std::string begin = "ANE_API ane_status *";
  for (size_t at = 0; (at = text.find(begin, at)) != std::string::npos; ++at)
    names.insert(text.substr(at + begin.size(), text.find('(', at) - at - begin.size()));
  return names;
}

// Where even the words of an error find no memory.
TEST(Functions, ThrowNoException) {
  size_t size = 4; // of a struct that no header has
  auto *options = reinterpret_cast<ane_context_options *>(&size);
  auto *counters = reinterpret_cast<ane_counters *>(&size);
  const std::pair<const char *, std::function<ane_status *()>> calls[] = {
      {"ane_context_create", [&] { return ane_context_create(nullptr, nullptr); }},
      {"ane_context_configure", [&] { return ane_context_configure(nullptr, options); }},
      {"ane_context_counters", [&] { return ane_context_counters(nullptr, counters); }},
      {"ane_bundle_open", [&] { return ane_bundle_open("/nonexistent", nullptr, nullptr); }},
      {"ane_bundle_weights_by", [&] { return ane_bundle_weights_by(nullptr, nullptr); }},
      {"ane_session_create", [&] { return ane_session_create(nullptr, nullptr, nullptr); }},
      {"ane_session_share", [&] { return ane_session_share(nullptr, nullptr, nullptr); }},
      {"ane_session_input_info", [&] { return ane_session_input_info(nullptr, 0, nullptr); }},
      {"ane_session_output_info", [&] { return ane_session_output_info(nullptr, 0, nullptr); }},
      {"ane_session_find_input", [&] { return ane_session_find_input(nullptr, nullptr, nullptr); }},
      {"ane_session_find_output", [&] { return ane_session_find_output(nullptr, nullptr, nullptr); }},
      {"ane_session_set_input", [&] { return ane_session_set_input(nullptr, 0, nullptr, 0); }},
      {"ane_session_input_data", [&] { return ane_session_input_data(nullptr, 0, nullptr, nullptr); }},
      {"ane_session_bind_input", [&] { return ane_session_bind_input(nullptr, 0, nullptr, 0); }},
      {"ane_session_bind_constant_input", [&] { return ane_session_bind_constant_input(nullptr, 0, nullptr, 0); }},
      {"ane_session_bind_output", [&] { return ane_session_bind_output(nullptr, 0, nullptr, 0); }},
      {"ane_session_set_adapter", [&] { return ane_session_set_adapter(nullptr, nullptr, nullptr); }},
      {"ane_session_bind_weight", [&] { return ane_session_bind_weight(nullptr, nullptr, nullptr, 0); }},
      {"ane_session_set_weight", [&] { return ane_session_set_weight(nullptr, nullptr, nullptr, 0); }},
      {"ane_session_run", [&] { return ane_session_run(nullptr); }},
      {"ane_session_run_async", [&] { return ane_session_run_async(nullptr, nullptr, nullptr); }},
      {"ane_session_wait", [&] { return ane_session_wait(nullptr); }},
      {"ane_session_output", [&] { return ane_session_output(nullptr, 0, nullptr, nullptr); }},
      {"ane_session_event", [&] { return ane_session_event(nullptr, 0, nullptr); }},
      {"ane_session_step", [&] { return ane_session_step(nullptr, 0, nullptr); }},
      {"ane_session_copies", [&] { return ane_session_copies(nullptr, nullptr); }},
      {"ane_state_info", [&] { return ane_state_info(nullptr, 0, nullptr); }},
      {"ane_state_find", [&] { return ane_state_find(nullptr, nullptr, nullptr); }},
      {"ane_state_read", [&] { return ane_state_read(nullptr, 0, nullptr, 0); }},
      {"ane_state_write", [&] { return ane_state_write(nullptr, 0, nullptr, 0); }},
      {"ane_state_reset", [&] { return ane_state_reset(nullptr); }},
      {"ane_state_save", [&] { return ane_state_save(nullptr, nullptr); }},
      {"ane_state_restore", [&] { return ane_state_restore(nullptr, nullptr); }},
      {"ane_state_copy", [&] { return ane_state_copy(nullptr, nullptr, 0, nullptr); }},
      {"ane_state_fork", [&] { return ane_state_fork(nullptr, nullptr); }},
  };
  std::set<std::string> missing = declared();
  missing.erase("ane_context_set_log"); // can't fail
  for (const auto &[name, call] : calls) {
    EXPECT_EQ(missing.erase(name), 1u) << name;
    for (int n = 1;; ++n) {
      failCall(Fault::New, n);
      ane_status *status = call();
      bool happened = stopFailing();
      EXPECT_NE(ane_status_code(status), ANE_OK) << name;
      ane_status_free(status);
      if (happened)
        continue;
      EXPECT_GT(n, 1) << name << " allocates nothing";
      break;
    }
  }
  EXPECT_EQ(missing, std::set<std::string>());
}

// What runs is the executor, the pool of threads and native code; on the emulator, kernels that need no memory of their
// own.
TEST(Runs, AllocateNothing) {
  TestBundle files(ANE_TEST_HOST_LIBRARY);
  addStates(files, /*isBucketed=*/false);
  for (const char *device : {"cpu", "emulator"}) {
    ane_options options = ANE_OPTIONS_INIT;
    options.device = device;
    options.threads = 3;
    ane_bundle *bundle = nullptr;
    ane_session *session = nullptr;
    ASSERT_EQ(ane_bundle_open(files.dir().c_str(), &options, &bundle), nullptr);
    ASSERT_EQ(ane_session_create(bundle, nullptr, &session), nullptr);
    const int64_t ids[kIds] = {1, 2, 3, 4, 5, 6, 7, 8};
    const void *data = nullptr;
    for (Fault fault : {Fault::New, Fault::Buffer})
      for (int run = 0; run < 3; ++run) {
        failCall(fault, 1);
        ane_status *status = ane_session_set_input(session, 0, ids, sizeof ids);
        if (!status)
          status = ane_session_run(session);
        if (!status)
          status = ane_session_output(session, 0, &data, nullptr);
        EXPECT_FALSE(stopFailing()) << device << ": run " << run << " allocates";
        ASSERT_EQ(status, nullptr) << ane_status_message(status);
        EXPECT_EQ(static_cast<const float *>(data)[kColumns + 3], TestBundle::expected(2, 3));
      }
    ane_session_destroy(session);
    ane_bundle_close(bundle);
  }
}

} // namespace
