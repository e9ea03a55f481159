#include "ane/runtime/ane.h"
#include "runtime/test/api/expect_status.h"
#include "runtime/test/core/test_bundle.h"
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

using namespace ane::rt::test;

extern "C" int smokeFunctionCount(const char *path);

namespace {

class Api : public testing::Test {
protected:
  void SetUp() override {
    ane_options options = ANE_OPTIONS_INIT;
    options.device = "cpu";
    options.threads = 2;
    options.verify = 1;
    expectOk(ane_bundle_open(files.dir().c_str(), &options, &bundle));
    ASSERT_NE(bundle, nullptr);
  }
  void TearDown() override { ane_bundle_close(bundle); }
  TestBundle files{ANE_TEST_HOST_LIBRARY};
  ane_bundle *bundle = nullptr;
};

TEST_F(Api, RunsAFunction) {
  EXPECT_STREQ(ane_bundle_device(bundle), "cpu");
  ASSERT_EQ(ane_bundle_function_count(bundle), 1u);
  EXPECT_STREQ(ane_bundle_function_name(bundle, 0), "main");
  EXPECT_EQ(ane_bundle_function_name(bundle, 1), nullptr);

  EXPECT_STREQ(ane_bundle_host(bundle), "");
  EXPECT_EQ(ane_bundle_host(nullptr), nullptr);
  ane_session *session = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &session));
  std::string host = ane_bundle_host(bundle);
  EXPECT_FALSE(host.empty());
  EXPECT_NE(std::string(ane_bundle_info(bundle)).find('"' + host + '"'), std::string::npos);
  ASSERT_EQ(ane_session_input_count(session), 1u);
  ASSERT_EQ(ane_session_output_count(session), 2u);
  ane_tensor_info info = ANE_TENSOR_INFO_INIT;
  expectOk(ane_session_input_info(session, 0, &info));
  EXPECT_STREQ(info.name, "input_ids");
  EXPECT_EQ(info.dtype, ANE_INT64);
  EXPECT_STREQ(ane_dtype_name(info.dtype), "int64");
  ASSERT_EQ(info.rank, 1u);
  EXPECT_EQ(info.shape[0], kIds);
  EXPECT_EQ(info.bytes, 64u);
  expectOk(ane_session_output_info(session, 0, &info));
  EXPECT_STREQ(info.name, "out/sum");
  EXPECT_EQ(info.dtype, ANE_FLOAT32);
  ASSERT_EQ(info.rank, 3u);
  EXPECT_EQ(info.shape[2], kColumns);

  const void *data = nullptr;
  size_t bytes = 0;
  expectError(ane_session_run(session), ANE_FAILED_PRECONDITION, "input_ids");
  expectError(ane_session_output(session, 0, &data, &bytes), ANE_FAILED_PRECONDITION, "has not run");
  int64_t ids[kIds] = {1, 2, 3, 4, 5, 6, 7, 8};
  expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
  // The bundle may go first.
  ane_bundle_close(bundle);
  bundle = nullptr;
  expectOk(ane_session_run(session));
  expectOk(ane_session_output(session, 0, &data, &bytes));
  ASSERT_EQ(bytes, sizeof(float) * kIds * kColumns);
  for (int i = 0; i < kIds; ++i)
    EXPECT_EQ(static_cast<const float *>(data)[i * kColumns + 3], TestBundle::expected(ids[i], 3));

  void *input = nullptr;
  expectOk(ane_session_input_data(session, 0, &input, nullptr));
  static_cast<int64_t *>(input)[0] = 9;
  expectOk(ane_session_run(session));
  EXPECT_EQ(static_cast<const float *>(data)[0], TestBundle::expected(9, 0));

  EXPECT_EQ(ane_session_event_count(session), 0u);
  ASSERT_EQ(ane_session_step_count(session), 3u);
  ane_step step = ANE_STEP_INIT;
  expectOk(ane_session_step(session, 1, &step));
  ane_copies copies = ANE_COPIES_INIT;
  expectOk(ane_session_copies(session, &copies));
  EXPECT_EQ(copies.runs, step.runs);
  EXPECT_EQ(copies.total_state_bytes, 0u);
  EXPECT_STREQ(step.name, "affine");
  EXPECT_STREQ(step.device, "cpu");
  EXPECT_EQ(step.kind, ANE_STEP_TWIN);
  EXPECT_EQ(step.runs, 2u);
  EXPECT_GE(step.total_ns, step.last_ns);
  ane_session_destroy(session);
}

/// "last" is the sum of the run before.
TEST_F(Api, KeepsStates) {
  ane::rt::manifest::Manifest &m = files.content;
  m.tensors.push_back({"last", m.tensors[3].type});
  m.states = {{"last", m.tensors[3].type}};
  m.functions[0].states = {{0, 4, 3}};
  files.write();
  ane_bundle_close(bundle);
  SetUp();
  EXPECT_NE(std::string(ane_bundle_info(bundle)).find("\"states\":[{\"name\":\"last\",\"dtype\":\"float32\""),
            std::string::npos);
  ane_session *session = nullptr, *fork = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &session));
  ASSERT_EQ(ane_state_count(session), 1u);
  ane_tensor_info info = ANE_TENSOR_INFO_INIT;
  expectOk(ane_state_info(session, 0, &info));
  EXPECT_STREQ(info.name, "last");
  EXPECT_EQ(info.rank, 3u);
  size_t index = 9;
  expectOk(ane_state_find(session, "last", &index));
  EXPECT_EQ(index, 0u);
  expectError(ane_state_find(session, "first", &index), ANE_NOT_FOUND,
              "there is no state first; the function has last");
  expectError(ane_state_find(session, nullptr, &index), ANE_INVALID_ARGUMENT, "name is NULL");
  float values[kIds * kColumns];
  ASSERT_EQ(info.bytes, sizeof values);
  int64_t ids[kIds] = {1, 2, 3, 4, 5, 6, 7, 8};
  expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
  expectOk(ane_session_run(session));
  expectOk(ane_state_read(session, 0, values, sizeof values));
  EXPECT_EQ(values[3], TestBundle::expected(1, 3));
  std::string path = files.path("last.states");
  expectOk(ane_state_save(session, path.c_str()));
  expectOk(ane_state_fork(session, &fork));
  expectOk(ane_state_reset(session));
  expectOk(ane_state_read(session, 0, values, sizeof values));
  EXPECT_EQ(values[3], 0);
  expectOk(ane_state_read(fork, 0, values, sizeof values));
  EXPECT_EQ(values[3], TestBundle::expected(1, 3));
  values[3] = 7;
  expectOk(ane_state_write(fork, 0, values, sizeof values));
  expectOk(ane_state_restore(session, path.c_str()));
  expectOk(ane_state_read(session, 0, values, sizeof values));
  EXPECT_EQ(values[3], TestBundle::expected(1, 3));

  size_t copied = 0;
  expectOk(ane_state_copy(session, fork, 1, &copied)); // written as a whole, so that entries say nothing
  EXPECT_EQ(copied, sizeof values);
  expectOk(ane_state_read(session, 0, values, sizeof values));
  EXPECT_EQ(values[3], 7);
  expectOk(ane_state_copy(session, session, SIZE_MAX, &copied));
  EXPECT_EQ(copied, 0u);
  expectError(ane_state_copy(session, nullptr, 1, &copied), ANE_INVALID_ARGUMENT, "session is NULL");

  ane_session *shared = nullptr;
  expectOk(ane_session_share(session, "main", &shared));
  expectError(ane_session_run(shared), ANE_FAILED_PRECONDITION, "was not set");
  ids[0] = 5;
  expectOk(ane_session_set_input(shared, 0, ids, sizeof ids));
  expectOk(ane_session_run(shared));
  expectOk(ane_state_read(session, 0, values, sizeof values));
  EXPECT_EQ(values[3], TestBundle::expected(5, 3));
  expectError(ane_session_share(session, "other", &shared), ANE_NOT_FOUND, "has no function");
  expectError(ane_session_share(session, nullptr, &shared), ANE_INVALID_ARGUMENT, "function is NULL");
  expectError(ane_session_share(session, "main", nullptr), ANE_INVALID_ARGUMENT, "other is NULL");
  expectError(ane_session_share(nullptr, "main", &shared), ANE_INVALID_ARGUMENT, "session is NULL");
  // While one runs, the other waits.
  struct Calls {
    ane_session *other;
    ane_code code = ANE_OK;
  } calls = {session};
  ane_run_callback tryOther = [](void *user, const ane_status *) {
    auto *calls = static_cast<Calls *>(user);
    ane_status *status = ane_session_run(calls->other);
    calls->code = ane_status_code(status);
    ane_status_free(status);
  };
  expectOk(ane_session_run_async(shared, tryOther, &calls));
  expectOk(ane_session_wait(shared));
  EXPECT_EQ(calls.code, ANE_OK); // of the callback, by which the run has ended
  ane_session_destroy(shared);

  expectError(ane_state_info(session, 1, &info), ANE_INVALID_ARGUMENT, "the session has 1 states");
  expectError(ane_state_write(session, 0, values, 4), ANE_INVALID_ARGUMENT, "has 4 bytes, expected float32[1,8,64]");
  expectError(ane_state_restore(session, files.path("manifest.json").c_str()), ANE_INVALID_ARGUMENT,
              "no file of states");
  expectError(ane_state_restore(session, files.path("none").c_str()), ANE_NOT_FOUND, "none");
  expectError(ane_state_save(session, files.path("none/none").c_str()), ANE_NOT_FOUND, "none");
  expectError(ane_state_read(nullptr, 0, values, sizeof values), ANE_INVALID_ARGUMENT, "session is NULL");
  expectError(ane_state_read(session, 0, nullptr, sizeof values), ANE_INVALID_ARGUMENT, "data is NULL");
  expectError(ane_state_fork(session, nullptr), ANE_INVALID_ARGUMENT, "fork is NULL");
  EXPECT_EQ(ane_state_count(nullptr), 0u);
  ane_session_destroy(fork);
  ane_session_destroy(session);
}

TEST_F(Api, DescribesTheBundle) {
  std::string info = ane_bundle_info(bundle);
  for (const char *part : {"\"functions\":[{\"name\":\"main\",\"inputs\":[{\"name\":"
                           "\"input_ids\",\"dtype\":\"int64\",\"shape\":[8]}]",
                           "\"target\":{\"chip\":", "\"programs\":[", "\"weights\":[]"})
    EXPECT_NE(info.find(part), std::string::npos) << part << " in " << info;
  EXPECT_EQ(ane_bundle_info(nullptr), nullptr);
}

TEST_F(Api, RunsOnTheCallersMemory) {
  ane_options options = ANE_OPTIONS_INIT;
  for (const char *device : {"cpu", "emulator"}) {
    options.device = device;
    ane_bundle *other = nullptr;
    expectOk(ane_bundle_open(files.dir().c_str(), &options, &other));
    ane_session *session = nullptr;
    expectOk(ane_session_create(other, nullptr, &session));
    alignas(64) int64_t ids[kIds] = {1, 2, 3, 4, 5, 6, 7, 8};
    alignas(64) float sums[kIds * kColumns] = {};
    expectOk(ane_session_bind_input(session, 0, ids, sizeof ids));
    expectOk(ane_session_bind_output(session, 0, sums, sizeof sums));
    const void *data = nullptr;
    for (int64_t first : {1, 9}) {
      ids[0] = first;
      expectOk(ane_session_run(session));
      expectOk(ane_session_output(session, 0, &data, nullptr));
      EXPECT_EQ(data, sums);
      EXPECT_EQ(sums[3], TestBundle::expected(first, 3));
    }
    // Back to the session's own memory.
    expectOk(ane_session_bind_output(session, 0, nullptr, 0));
    expectError(ane_session_output(session, 0, &data, nullptr), ANE_FAILED_PRECONDITION, "has not run");
    int64_t own[kIds] = {2};
    expectOk(ane_session_set_input(session, 0, own, sizeof own));
    EXPECT_EQ(ids[0], 9); // not written through the binding
    expectOk(ane_session_run(session));
    EXPECT_EQ(sums[3], TestBundle::expected(9, 3));
    expectOk(ane_session_output(session, 0, &data, nullptr));
    EXPECT_EQ(static_cast<const float *>(data)[3], TestBundle::expected(2, 3));
    expectOk(ane_session_bind_input(session, 0, nullptr, 0));
    expectOk(ane_session_bind_input(session, 0, ids, sizeof ids));
    expectOk(ane_session_bind_input(session, 0, nullptr, 0));
    expectError(ane_session_run(session), ANE_FAILED_PRECONDITION, "input_ids");
    expectError(ane_session_bind_input(session, 0, ids, 8), ANE_INVALID_ARGUMENT, "has 8 bytes, expected int64[8]");
    expectError(ane_session_bind_output(session, 0, sums + 1, sizeof sums), ANE_INVALID_ARGUMENT, "aligned to 64");
    expectError(ane_session_bind_output(session, 7, sums, sizeof sums), ANE_INVALID_ARGUMENT, "output 7");
    ane_session_destroy(session);
    ane_bundle_close(other);
  }
}

TEST_F(Api, ReportsErrors) {
  ane_session *session = nullptr;
  expectError(ane_session_create(bundle, "decode", &session), ANE_NOT_FOUND, "decode");
  EXPECT_EQ(session, nullptr);
  expectOk(ane_session_create(bundle, "main", &session));
  char byte = 0;
  ane_tensor_info info = ANE_TENSOR_INFO_INIT;
  expectError(ane_session_set_input(session, 0, &byte, SIZE_MAX), ANE_INVALID_ARGUMENT, "18446744073709551615 bytes");
  expectError(ane_session_set_input(session, 5, &byte, 1), ANE_INVALID_ARGUMENT, "input 5");
  expectError(ane_session_input_info(session, 5, &info), ANE_INVALID_ARGUMENT, "input 5");
  expectError(ane_session_set_input(session, 0, nullptr, 1), ANE_INVALID_ARGUMENT, "NULL");
  ane_session_destroy(session);
}

TEST_F(Api, TakesNull) {
  ane_bundle *other = nullptr;
  expectError(ane_bundle_open(nullptr, nullptr, &other), ANE_INVALID_ARGUMENT, "path");
  expectError(ane_bundle_open("x", nullptr, nullptr), ANE_INVALID_ARGUMENT, "bundle");
  expectError(ane_session_create(nullptr, nullptr, nullptr), ANE_INVALID_ARGUMENT, "bundle");
  expectError(ane_session_run(nullptr), ANE_INVALID_ARGUMENT, "session");
  ane_session *session = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &session));
  const void *data;
  void *input;
  size_t bytes;
  ane_tensor_info info = ANE_TENSOR_INFO_INIT;
  for (ane_session *given : {session, static_cast<ane_session *>(nullptr)}) {
    const char *missing = given ? "NULL" : "session is NULL";
    expectError(ane_session_input_info(given, 0, given ? nullptr : &info), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_session_output_info(given, 0, given ? nullptr : &info), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_session_set_input(given, 0, nullptr, 64), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_session_set_weight(given, given ? "w" : nullptr, nullptr, 4), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_session_input_data(given, 0, given ? nullptr : &input, &bytes), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_session_output(given, 0, given ? nullptr : &data, &bytes), ANE_INVALID_ARGUMENT, missing);
  }
  expectError(ane_session_set_weight(session, nullptr, &bytes, 4), ANE_INVALID_ARGUMENT, "name is NULL");
  expectError(ane_session_set_weight(session, "w", &bytes, 4), ANE_NOT_FOUND, "the bundle has no weight \"w\"");
  expectError(ane_session_bind_weight(session, "w", &bytes, 4), ANE_NOT_FOUND, "the bundle has no weight \"w\"");
  expectError(ane_session_bind_input(nullptr, 0, nullptr, 0), ANE_INVALID_ARGUMENT, "session");
  expectError(ane_session_bind_output(nullptr, 0, nullptr, 0), ANE_INVALID_ARGUMENT, "session");
  // A bundle without adapters is its base.
  expectError(ane_session_set_adapter(nullptr, nullptr, nullptr), ANE_INVALID_ARGUMENT, "session");
  expectOk(ane_session_set_adapter(session, nullptr, nullptr));
  expectError(ane_session_set_adapter(session, "/nowhere", &bytes), ANE_NOT_FOUND, "/nowhere/adapter_config.json");
  ane_session_destroy(session);
  EXPECT_EQ(ane_session_input_count(nullptr), 0u);
  EXPECT_EQ(ane_session_output_count(nullptr), 0u);
  EXPECT_EQ(ane_session_step_count(nullptr), 0u);
  EXPECT_EQ(ane_bundle_device(nullptr), nullptr);
  EXPECT_EQ(ane_bundle_function_count(nullptr), 0u);
  EXPECT_EQ(ane_bundle_function_name(nullptr, 0), nullptr);
  ane_bundle_close(nullptr);
  ane_session_destroy(nullptr);
  ane_status_free(nullptr);
  EXPECT_EQ(ane_status_code(nullptr), ANE_OK);
  EXPECT_STREQ(ane_status_message(nullptr), "");
  EXPECT_EQ(ane_session_event_count(nullptr), 0u);
  ane_event event = ANE_EVENT_INIT;
  ane_step step = ANE_STEP_INIT;
  expectError(ane_session_event(nullptr, 0, &event), ANE_INVALID_ARGUMENT, "session");
  expectError(ane_session_step(nullptr, 0, &step), ANE_INVALID_ARGUMENT, "session");
  ane_copies copies = ANE_COPIES_INIT;
  expectError(ane_session_copies(nullptr, &copies), ANE_INVALID_ARGUMENT, "session");
  expectError(ane_session_find_input(nullptr, "x", &bytes), ANE_INVALID_ARGUMENT, "session");
  expectError(ane_session_run_async(nullptr, nullptr, nullptr), ANE_INVALID_ARGUMENT, "session");
  expectError(ane_session_wait(nullptr), ANE_INVALID_ARGUMENT, "session");
  expectError(ane_context_create(nullptr, nullptr), ANE_INVALID_ARGUMENT, "context");
  expectError(ane_context_counters(nullptr, nullptr), ANE_INVALID_ARGUMENT, "counters");
  ane_session_cancel(nullptr);
  ane_context_destroy(nullptr);
  EXPECT_EQ(ane_dtype_name(static_cast<ane_dtype>(99)), nullptr);
}

// The program is for values up to 50: those of ids below 5.
TEST_F(Api, CountsRescuedRuns) {
  files.content.programs[0].procedures[0].inputs[0].holds = {{{}, 50.0, false}};
  files.write();
  ane_options options = ANE_OPTIONS_INIT;
  options.device = "emulator";
  ane_bundle *other = nullptr;
  ane_session *session = nullptr;
  expectOk(ane_bundle_open(files.dir().c_str(), &options, &other));
  expectOk(ane_session_create(other, nullptr, &session));
  for (int64_t id : {4, 6, 1, 9, 8}) {
    int64_t ids[kIds] = {id, id, id, id, id, id, id, id};
    expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
    expectOk(ane_session_run(session));
    const void *data = nullptr;
    size_t bytes = 0;
    expectOk(ane_session_output(session, 0, &data, &bytes));
    EXPECT_EQ(static_cast<const float *>(data)[3], TestBundle::expected(id, 3));
  }
  ASSERT_EQ(ane_session_event_count(session), 1u);
  ane_event event = ANE_EVENT_INIT;
  expectOk(ane_session_event(session, 0, &event));
  EXPECT_EQ(event.phase, ANE_PHASE_NUMERIC);
  EXPECT_EQ(event.runs, 3);
  EXPECT_STREQ(event.reason,
               "input x has values from 60 to 66, and the program computes what the model does where they "
               "are at most 50");
  ane_step step = ANE_STEP_INIT;
  expectOk(ane_session_step(session, 1, &step));
  EXPECT_EQ(step.runs, 5u);
  EXPECT_EQ(step.rescued_runs, 3u);
  EXPECT_EQ(step.evaluations, 2u);
  ane_session_destroy(session);
  ane_bundle_close(other);
}

TEST_F(Api, LoadsNoNativeCodeWhenAsked) {
  ane_options options = ANE_OPTIONS_INIT;
  options.no_native_code = 1;
  ane_bundle *other = nullptr;
  ane_session *session = nullptr;
  expectOk(ane_bundle_open(files.dir().c_str(), &options, &other));
  expectError(ane_session_create(other, nullptr, &session), ANE_FAILED_PRECONDITION,
              "embed: is native code of the bundle");
  EXPECT_STREQ(ane_bundle_host(other), "");
  ane_bundle_close(other);
}

TEST_F(Api, LoadsNativeCodeOfTheOwner) {
  ane_options options = ANE_OPTIONS_INIT;
  ane_bundle *other = nullptr;
  ane_session *session = nullptr;
  const std::string code = files.path(files.content.hostLibraries[0].path);
  ASSERT_EQ(::chmod(code.c_str(), 0777), 0);
  expectOk(ane_bundle_open(files.dir().c_str(), &options, &other));
  expectError(ane_session_create(other, nullptr, &session), ANE_FAILED_PRECONDITION,
              "can be written by every user (its mode is 0777)");
  ane_bundle_close(other);
  options.trust = ANE_TRUST_ANYONE;
  expectOk(ane_bundle_open(files.dir().c_str(), &options, &other));
  expectOk(ane_session_create(other, nullptr, &session));
  ane_session_destroy(session);
  ane_bundle_close(other);
  options.trust = 3;
  expectError(ane_bundle_open(files.dir().c_str(), &options, &other), ANE_INVALID_ARGUMENT,
              "options: trust is 3, expected an ane_trust");
}

// Compiled with the header of another version of the library.
TEST_F(Api, StructsGrow) {
  struct Older {
    size_t size;
    const char *device;
    int32_t threads, verify;
    const char *emulator_mode;
    int32_t unrelated[4];
  } older = {offsetof(ane_options, no_native_code), "cpu", 1, 0, nullptr, {1, 1, 1, 1}};
  struct Newer {
    ane_options known;
    uint64_t unknown[2];
  } newer = {ANE_OPTIONS_INIT, {0, 0}};
  newer.known.size = sizeof newer;
  newer.known.device = "cpu";
  for (const ane_options *given : {reinterpret_cast<const ane_options *>(&older), &std::as_const(newer.known)}) {
    ane_bundle *other = nullptr;
    ane_session *session = nullptr;
    expectOk(ane_bundle_open(files.dir().c_str(), given, &other));
    expectOk(ane_session_create(other, nullptr, &session));
    ane_session_destroy(session);
    ane_bundle_close(other);
  }
  newer.unknown[1] = 1;
  ane_bundle *other = nullptr;
  expectError(ane_bundle_open(files.dir().c_str(), &newer.known, &other), ANE_INVALID_ARGUMENT,
              "options: byte " + std::to_string(offsetof(Newer, unknown[1])) +
                  " is set, which libanemone " ANE_VERSION);

  // What the library fills: as far as the caller knows, and no further.
  ane_session *session = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &session));
  struct {
    ane_step known;
    uint64_t unknown, after;
  } step = {ANE_STEP_INIT, 7, 7};
  step.known.size = offsetof(ane_step, runs);
  step.known.runs = 7;
  expectOk(ane_session_step(session, 0, &step.known));
  EXPECT_STREQ(step.known.name, "embed");
  EXPECT_EQ(step.known.runs, 7u);
  step.known.size = sizeof step.known + sizeof step.unknown;
  expectOk(ane_session_step(session, 0, &step.known));
  EXPECT_EQ(step.known.runs, 0u);
  EXPECT_EQ(step.unknown, 0u);
  EXPECT_EQ(step.after, 7u);
  EXPECT_EQ(step.known.size, sizeof step.known + sizeof step.unknown);
  step.known.size = 1 << 20; // was never set
  expectError(ane_session_step(session, 0, &step.known), ANE_INVALID_ARGUMENT, "step: size is 1048576");
  ane_session_destroy(session);
}

TEST_F(Api, FindsByName) {
  ane_session *session = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &session));
  size_t index = 9;
  expectOk(ane_session_find_input(session, "input_ids", &index));
  EXPECT_EQ(index, 0u);
  expectOk(ane_session_find_output(session, "affine", &index));
  EXPECT_EQ(index, 1u);
  expectError(ane_session_find_output(session, "logits", &index), ANE_NOT_FOUND,
              "there is no output logits; the function has out/sum, affine");
  expectError(ane_session_find_input(session, nullptr, &index), ANE_INVALID_ARGUMENT, "name is NULL");
  expectError(ane_state_find(session, "h", &index), ANE_NOT_FOUND, "there is no state h; the function has none");
  ane_session_destroy(session);
}

struct Logged {
  std::vector<std::string> lines;
  static void add(void *user, ane_log_level level, const char *message) {
    static_cast<Logged *>(user)->lines.push_back(std::to_string(level) + " " + message);
  }
};

// Two bundles, one of them opened twice, and several sessions in a context with room for one program.
TEST_F(Api, BundlesShareAContext) {
  TestBundle second{ANE_TEST_HOST_LIBRARY};
  ane_context_options budgets = ANE_CONTEXT_OPTIONS_INIT;
  ane_context *context = nullptr;
  expectOk(ane_context_create(&budgets, &context));
  ane_options options = ANE_OPTIONS_INIT;
  options.device = "emulator";
  options.context = context;
  ane_bundle *bundles[3] = {};
  ane_session *sessions[5] = {};
  const int owner[5] = {0, 0, 1, 2, 2};
  for (int i = 0; i < 3; ++i)
    expectOk(ane_bundle_open((i < 2 ? files : second).dir().c_str(), &options, &bundles[i]));
  for (int i = 0; i < 5; ++i) {
    expectOk(ane_session_create(bundles[owner[i]], nullptr, &sessions[i]));
    int64_t ids[kIds] = {i};
    expectOk(ane_session_set_input(sessions[i], 0, ids, sizeof ids));
  }
  auto runAll = [&] {
    for (int i = 0; i < 5; ++i) {
      const void *data = nullptr;
      expectOk(ane_session_run(sessions[i]));
      expectOk(ane_session_output(sessions[i], 0, &data, nullptr));
      EXPECT_EQ(static_cast<const float *>(data)[3], TestBundle::expected(i, 3));
      EXPECT_EQ(ane_session_event_count(sessions[i]), 0u);
    }
  };
  auto count = [&] {
    ane_counters counters = ANE_COUNTERS_INIT;
    expectOk(ane_context_counters(context, &counters));
    return counters;
  };
  runAll();
  EXPECT_EQ(count().compilations, 2u); // of five sessions: files are what counts
  EXPECT_EQ(count().loaded_programs, 2u);
  EXPECT_EQ(count().evaluations, 5u);
  EXPECT_EQ(count().evictions, 0u);

  Logged logged;
  expectOk(ane_context_set_log(context, ANE_LOG_INFO, Logged::add, &logged));
  budgets.loaded_programs = 1;
  expectOk(ane_context_configure(context, &budgets));
  EXPECT_EQ(count().loaded_programs, 1u);
  runAll();
  runAll();
  EXPECT_EQ(count().loaded_programs, 1u);
  EXPECT_EQ(count().evictions, 5u);
  EXPECT_EQ(count().compilations, 2u); // what makes room is loaded again
  EXPECT_EQ(logged.lines, std::vector<std::string>(5, "3 program affine was unloaded to make room"));
  expectOk(ane_context_set_log(context, ANE_LOG_OFF, nullptr, nullptr));

  // Beyond the compilations, the CPU runs what was not compiled, in all sessions of the program.
  budgets.compilations = 2;
  expectOk(ane_context_configure(context, &budgets));
  TestBundle third{ANE_TEST_HOST_LIBRARY};
  ane_bundle *late = nullptr;
  expectOk(ane_bundle_open(third.dir().c_str(), &options, &late));
  for (int i : {0, 1}) {
    ane_session *session = nullptr;
    expectOk(ane_session_create(late, nullptr, &session));
    int64_t ids[kIds] = {i};
    expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
    expectOk(ane_session_run(session));
    ane_event event = ANE_EVENT_INIT;
    expectOk(ane_session_event(session, 0, &event));
    EXPECT_STREQ(event.program, "affine");
    EXPECT_STREQ(event.device, "emulator");
    EXPECT_EQ(event.phase, ANE_PHASE_LOAD);
    EXPECT_NE(std::string(event.reason).find("2 programs were compiled in this process"), std::string::npos);
    ane_session_destroy(session);
  }
  ane_bundle_close(late);
  EXPECT_EQ(count().refusals, 1u);
  runAll();
  ane_context_destroy(context); // bundles keep what they need
  expectOk(ane_session_run(sessions[4]));
  for (ane_session *session : sessions)
    ane_session_destroy(session);
  for (ane_bundle *each : bundles)
    ane_bundle_close(each);
}

TEST_F(Api, RefusesWrongOptions) {
  ane_options options = ANE_OPTIONS_INIT;
  ane_bundle *other = nullptr;
  for (size_t size : {4, 20, 60}) { // members begin and end at multiples of 8
    options.size = size;
    expectError(ane_bundle_open(files.dir().c_str(), &options, &other), ANE_INVALID_ARGUMENT,
                "options: size is " + std::to_string(size) + ", expected 72");
  }
  options = ANE_OPTIONS_INIT;
  options.device = "gpu";
  expectError(ane_bundle_open(files.dir().c_str(), &options, &other), ANE_INVALID_ARGUMENT, "gpu");
  expectError(ane_bundle_open("/nonexistent", nullptr, &other), ANE_NOT_FOUND, "/nonexistent");
  options = ANE_OPTIONS_INIT;
  options.memory_limit = 100;
  ane_session *session = nullptr;
  expectOk(ane_bundle_open(files.dir().c_str(), &options, &other));
  expectError(ane_session_create(other, nullptr, &session), ANE_RESOURCE_EXHAUSTED, "of 100 bytes are left");
  ane_bundle_close(other);
  EXPECT_EQ(smokeFunctionCount(files.dir().c_str()), 1);
  EXPECT_EQ(smokeFunctionCount("/nonexistent"), -1);
}

} // namespace
