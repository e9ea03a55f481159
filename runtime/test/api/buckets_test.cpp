#include "runtime/test/api/expect_status.h"
#include "runtime/test/core/test_bundle.h"

using namespace ane::rt::test;

namespace {

TEST(Buckets, AreFilledUp) {
  TestBundle files{ANE_TEST_HOST_LIBRARY};
  auto &m = files.content;
  m.functions[0].name = "main_8";
  m.buckets = {{"main", "tokens", true, {}, {{0}}, {{1}, {1}}, {kIds}, {0}}};
  files.write();
  ane_options options = ANE_OPTIONS_INIT;
  options.device = "cpu";
  ane_bundle *bundle = nullptr;
  expectOk(ane_bundle_open(files.dir().c_str(), &options, &bundle));
  EXPECT_NE(std::string(ane_bundle_info(bundle))
                .find("\"sizes\":[8],\"inputs\":[{\"name\":\"input_ids\",\"dtype\":\"int64\","
                      "\"shape\":[-1]}]"),
            std::string::npos)
      << ane_bundle_info(bundle);
  ane_session *session = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &session));
  ane_tensor_info info = ANE_TENSOR_INFO_INIT;
  expectOk(ane_session_output_info(session, 0, &info));
  EXPECT_EQ(info.shape[1], -1);
  EXPECT_EQ(info.bytes, sizeof(float) * kIds * kColumns);
  int64_t ids[kIds + 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  expectError(ane_session_run(session), ANE_FAILED_PRECONDITION, "input_ids was not set");
  for (size_t size : {5, 8, 1}) {
    expectOk(ane_session_set_input(session, 0, ids, size * sizeof *ids));
    expectOk(size == 8 ? ane_session_run_async(session, nullptr, nullptr) : ane_session_run(session));
    expectOk(ane_session_wait(session));
    const void *data = nullptr;
    size_t bytes = 0;
    expectOk(ane_session_output(session, 0, &data, &bytes));
    ASSERT_EQ(bytes, size * kColumns * sizeof(float));
    for (size_t i = 0; i < size; ++i)
      EXPECT_EQ(static_cast<const float *>(data)[i * kColumns + 3], TestBundle::expected(ids[i], 3));
  }
  void *place;
  ane_session *other = nullptr;
  expectError(ane_session_set_input(session, 0, ids, sizeof ids), ANE_INVALID_ARGUMENT, "with -1 from 1 to 8 (tokens)");
  expectError(ane_session_set_input(session, 0, ids, 12), ANE_INVALID_ARGUMENT, "has 12 bytes");
  expectError(ane_session_set_input(session, 1, ids, 8), ANE_INVALID_ARGUMENT, "input 1");
  expectError(ane_session_input_data(session, 0, &place, nullptr), ANE_FAILED_PRECONDITION, "has buckets");
  expectError(ane_session_bind_input(session, 0, ids, 8), ANE_FAILED_PRECONDITION, "has buckets");
  expectError(ane_session_bind_output(session, 0, ids, 8), ANE_FAILED_PRECONDITION, "has buckets");
  expectError(ane_state_fork(session, &other), ANE_FAILED_PRECONDITION, "has buckets");
  ane_session_destroy(session);
  ane_bundle_close(bundle);
}

} // namespace
