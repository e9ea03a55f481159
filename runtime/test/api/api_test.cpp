#include "ane/runtime/ane.h"
#include "runtime/test/core/test_bundle.h"
#include <cstddef>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>

using namespace ane::rt::test;

extern "C" int smokeFunctionCount(const char *path);

namespace {

void expectOk(ane_status *status) {
  EXPECT_EQ(status, nullptr) << ane_status_message(status);
  ane_status_free(status);
}

void expectError(ane_status *status, ane_code code, const std::string &words) {
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(ane_status_code(status), code);
  EXPECT_NE(std::string(ane_status_message(status)).find(words), std::string::npos)
      << words << " not in: " << ane_status_message(status);
  ane_status_free(status);
}

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
  ane_tensor_info info;
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

  EXPECT_STREQ(ane_session_events(session), "[]");
  std::string profile = ane_session_profile(session);
  EXPECT_NE(profile.find("\"kind\":\"twin\",\"device\":\"cpu\",\"runs\":2"), std::string::npos) << profile;
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
  ane_tensor_info info;
  expectOk(ane_state_info(session, 0, &info));
  EXPECT_STREQ(info.name, "last");
  EXPECT_EQ(info.rank, 3u);
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

  expectError(ane_state_info(session, 1, &info), ANE_INVALID_ARGUMENT, "the function has 1 states");
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
                           "\"target\":{\"chip\":", "\"programs\":["})
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
  ane_tensor_info info;
  expectError(ane_session_set_input(session, 0, &byte, 1), ANE_INVALID_ARGUMENT, "has 1 bytes, expected int64[8]");
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
  ane_tensor_info info;
  for (ane_session *given : {session, static_cast<ane_session *>(nullptr)}) {
    const char *missing = given ? "NULL" : "session is NULL";
    expectError(ane_session_input_info(given, 0, given ? nullptr : &info), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_session_output_info(given, 0, given ? nullptr : &info), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_session_set_input(given, 0, nullptr, 64), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_session_input_data(given, 0, given ? nullptr : &input, &bytes), ANE_INVALID_ARGUMENT, missing);
    expectError(ane_session_output(given, 0, given ? nullptr : &data, &bytes), ANE_INVALID_ARGUMENT, missing);
  }
  expectError(ane_session_bind_input(nullptr, 0, nullptr, 0), ANE_INVALID_ARGUMENT, "session");
  expectError(ane_session_bind_output(nullptr, 0, nullptr, 0), ANE_INVALID_ARGUMENT, "session");
  ane_session_destroy(session);
  EXPECT_EQ(ane_session_input_count(nullptr), 0u);
  EXPECT_EQ(ane_session_output_count(nullptr), 0u);
  EXPECT_EQ(ane_session_profile(nullptr), nullptr);
  EXPECT_EQ(ane_bundle_device(nullptr), nullptr);
  EXPECT_EQ(ane_bundle_function_count(nullptr), 0u);
  EXPECT_EQ(ane_bundle_function_name(nullptr, 0), nullptr);
  ane_bundle_close(nullptr);
  ane_session_destroy(nullptr);
  ane_status_free(nullptr);
  EXPECT_EQ(ane_status_code(nullptr), ANE_OK);
  EXPECT_STREQ(ane_status_message(nullptr), "");
  EXPECT_EQ(ane_session_events(nullptr), nullptr);
  EXPECT_EQ(ane_dtype_name(static_cast<ane_dtype>(99)), nullptr);
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

// Compiled before the last member of the options was there.
TEST_F(Api, TakesOlderOptions) {
  struct {
    size_t size;
    const char *device;
    int32_t threads, verify;
    const char *emulator_mode;
    int32_t unrelated;
  } older = {offsetof(ane_options, no_native_code), "cpu", 1, 0, nullptr, 1};
  ane_bundle *other = nullptr;
  ane_session *session = nullptr;
  expectOk(ane_bundle_open(files.dir().c_str(), reinterpret_cast<const ane_options *>(&older), &other));
  expectOk(ane_session_create(other, nullptr, &session));
  ane_session_destroy(session);
  ane_bundle_close(other);
}

TEST_F(Api, RefusesWrongOptions) {
  ane_options options = ANE_OPTIONS_INIT;
  ane_bundle *other = nullptr;
  options.size = 4;
  expectError(ane_bundle_open(files.dir().c_str(), &options, &other), ANE_INVALID_ARGUMENT, "ANE_OPTIONS_INIT");
  options = ANE_OPTIONS_INIT;
  options.device = "gpu";
  expectError(ane_bundle_open(files.dir().c_str(), &options, &other), ANE_INVALID_ARGUMENT, "gpu");
  expectError(ane_bundle_open("/nonexistent", nullptr, &other), ANE_NOT_FOUND, "/nonexistent");
  EXPECT_EQ(smokeFunctionCount(files.dir().c_str()), 1);
  EXPECT_EQ(smokeFunctionCount("/nonexistent"), -1);
}

// Nothing but the C API may be visible to the program that links libane.
TEST(Shared, ExportsTheApiOnly) {
  FILE *nm = popen("nm -D --defined-only " ANE_SHARED " 2>&1", "r");
  ASSERT_NE(nm, nullptr);
  char line[1024];
  int symbols = 0;
  while (fgets(line, sizeof line, nm)) {
    std::string text(line);
    std::string name = text.substr(text.rfind(' ') + 1);
    EXPECT_TRUE(name.rfind("ane_", 0) == 0 || name.rfind("ANE_1", 0) == 0) << text;
    ++symbols;
  }
  EXPECT_EQ(pclose(nm), 0);
  EXPECT_GT(symbols, 20);
}

} // namespace
