#include "ane/runtime/ane.h"
#include "runtime/test/api/expect_status.h"
#include "runtime/test/core/test_bundle.h"
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>

using namespace ane::rt::test;

namespace {

class Async : public testing::Test {
protected:
  Async() {
    ane_options options = ANE_OPTIONS_INIT;
    options.device = "cpu";
    expectOk(ane_bundle_open(files.dir().c_str(), &options, &bundle));
  }
  ~Async() override { ane_bundle_close(bundle); }
  TestBundle files{ANE_TEST_HOST_LIBRARY};
  ane_bundle *bundle = nullptr;
};

/// Runs again from its callback, a number of times.
struct Chain {
  ane_session *session;
  int left;
  std::string error;
};

void next(void *user, const ane_status *status) {
  auto *chain = static_cast<Chain *>(user);
  chain->error += ane_status_message(status);
  if (--chain->left > 0)
    expectOk(ane_session_run_async(chain->session, next, chain));
}

TEST_F(Async, RunsAsynchronously) {
  ane_session *session = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &session));
  expectOk(ane_session_wait(session));
  int64_t ids[kIds] = {1, 2, 3, 4, 5, 6, 7, 8};
  expectOk(ane_session_run_async(session, nullptr, nullptr));
  expectError(ane_session_wait(session), ANE_FAILED_PRECONDITION, "input_ids was not set");
  expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
  Chain chain = {session, 5, ""};
  expectOk(ane_session_run_async(session, next, &chain));
  expectOk(ane_session_wait(session));
  EXPECT_EQ(chain.left, 0);
  EXPECT_EQ(chain.error, "");
  const void *data = nullptr;
  expectOk(ane_session_output(session, 0, &data, nullptr));
  EXPECT_EQ(static_cast<const float *>(data)[3], TestBundle::expected(1, 3));
  ane_step step = ANE_STEP_INIT;
  expectOk(ane_session_step(session, 2, &step));
  EXPECT_EQ(step.runs, 5u);
  ane_session_cancel(session); // nothing runs: no effect
  expectOk(ane_session_run(session));
  ane_session_destroy(session);
}

TEST_F(Async, CancelsARun) {
  ane_session *session = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &session));
  int64_t ids[kIds] = {};
  expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
  // Who is faster, run or cancel, is open; each attempt ends in one of two ways.
  int cancelled = 0;
  for (int attempt = 0; attempt < 600 && cancelled == 0; ++attempt) {
    expectOk(ane_session_run_async(session, nullptr, nullptr));
    ane_session_cancel(session);
    ane_status *status = ane_session_wait(session);
    if (status) {
      ++cancelled;
      expectError(status, ANE_CANCELLED, "function main was cancelled before step");
    }
  }
  EXPECT_GT(cancelled, 0);
  expectOk(ane_session_run(session));
  ane_session_destroy(session);
}

/// Runs again from its callback for ever.
struct Endless {
  ane_session *session;
  std::atomic<int> calls{0}, cancelled{0};
  std::string refused; ///< why the last run was not started
};

void again(void *user, const ane_status *status) {
  auto *endless = static_cast<Endless *>(user);
  ++endless->calls;
  endless->cancelled += ane_status_code(status) == ANE_CANCELLED;
  ane_status *started = ane_session_run_async(endless->session, again, endless);
  endless->refused = ane_status_message(started);
  ane_status_free(started);
}

// Whatever the run has got to, its callback is called, and sessions that share states run on.
TEST_F(Async, DestroysWhatRuns) {
  ane_session *other = nullptr;
  expectOk(ane_session_create(bundle, nullptr, &other));
  int64_t ids[kIds] = {};
  expectOk(ane_session_set_input(other, 0, ids, sizeof ids));
  int cancelled = 0;
  for (int attempt = 0; attempt < 60; ++attempt) {
    ane_session *session = nullptr;
    expectOk(ane_session_share(other, "main", &session));
    expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
    Endless endless = {session};
    expectOk(ane_session_run_async(session, again, &endless));
    // From before the thread of the run is there to the middle of a chain.
    while (endless.calls < attempt % 4)
      std::this_thread::yield();
    ane_session_destroy(session);
    ASSERT_GE(endless.calls, std::max(1, attempt % 4));
    ASSERT_EQ(endless.refused, "the session is being destroyed");
    cancelled += endless.cancelled;
    expectOk(ane_session_run(other));
  }
  EXPECT_GT(cancelled, 0);
  ane_session_destroy(other);
}

} // namespace
