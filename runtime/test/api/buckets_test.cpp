#include "runtime/format/blob/blob.h"
#include "runtime/test/api/expect_status.h"
#include "runtime/test/core/test_bundle.h"
#include <cstring>
#include <future>
#include <thread>
#include <vector>

using namespace ane::rt;
using namespace ane::rt::test;
using manifest::Padding;

namespace {

constexpr int64_t kRoom = 12, kColumnBytes = kColumns * sizeof(float);

class Buckets : public testing::Test {
protected:
  Buckets() {
    files.content.functions[0].name = "main_8";
    files.content.buckets = {{"main", "tokens", Padding::Zeros, {}, {{0}}, {{1}, {1}}, {kIds}, {0}}};
  }
  ~Buckets() override {
    ane_session_destroy(session);
    ane_bundle_close(bundle);
    ane_context_destroy(context);
  }

  /// The first output's entries are written into a state of kRoom, from the position on that a second state has, and
  /// runs have to show that nothing else gets there.
  void addStates() {
    manifest::Manifest &m = files.content;
    manifest::TensorType position{ElementType::Int64, {1}}, cache = m.tensors[3].type;
    cache.shape[1] = kRoom;
    m.tensors.insert(m.tensors.end(), {{"cache", cache}, {"new cache", cache}, {"at", position}});
    m.states = {{"cache", cache}, {"at", position}};
    m.functions[0].states = {{0, 4, 5}, {1, 6, 6}};
    m.functions[0].steps.push_back({manifest::Step::Kind::Update, "cache", {3, 6}, {5}, "", 1});
    m.buckets[0].padding = Padding::Checked;
  }

  void open(const char *device = "cpu") {
    files.write();
    ane_options options = ANE_OPTIONS_INIT;
    options.device = device;
    options.context = context;
    expectOk(ane_bundle_open(files.dir().c_str(), &options, &bundle));
    expectOk(ane_session_create(bundle, nullptr, &session));
  }

  static void set(ane_session *session, size_t size) {
    expectOk(ane_session_set_input(session, 0, kIdList, size * sizeof *kIdList));
  }
  static ane_status *run(ane_session *session, bool isAsync = false) {
    if (!isAsync)
      return ane_session_run(session);
    expectOk(ane_session_run_async(session, nullptr, nullptr));
    return ane_session_wait(session);
  }
  static void expectSums(ane_session *session, size_t size) {
    const void *data = nullptr;
    size_t bytes = 0;
    expectOk(ane_session_output(session, 0, &data, &bytes));
    ASSERT_EQ(bytes, size * kColumnBytes);
    for (size_t i = 0; i < size; ++i)
      EXPECT_EQ(static_cast<const float *>(data)[i * kColumns + 3], TestBundle::expected(kIdList[i], 3));
  }
  static std::vector<float> cacheOf(ane_session *session) {
    std::vector<float> cache(kRoom * kColumns);
    expectOk(ane_state_read(session, 0, cache.data(), cache.size() * sizeof(float)));
    return cache;
  }
  static void setPosition(ane_session *session, int64_t at) { expectOk(ane_state_write(session, 1, &at, sizeof at)); }
  static void write(std::vector<float> &cache, int64_t at, size_t size) {
    for (size_t i = 0; i < size; ++i)
      for (int column = 0; column < kColumns; ++column)
        cache[(at + i) * kColumns + column] = TestBundle::expected(kIdList[i], column);
  }

  static constexpr int64_t kIdList[kIds + 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  TestBundle files{ANE_TEST_HOST_LIBRARY};
  ane_context *context = nullptr;
  ane_bundle *bundle = nullptr;
  ane_session *session = nullptr;
};

TEST_F(Buckets, AreFilledUp) {
  open();
  EXPECT_NE(std::string(ane_bundle_info(bundle))
                .find("\"sizes\":[8],\"inputs\":[{\"name\":\"input_ids\",\"dtype\":\"int64\","
                      "\"shape\":[-1]}]"),
            std::string::npos)
      << ane_bundle_info(bundle);
  ane_tensor_info info = ANE_TENSOR_INFO_INIT;
  expectOk(ane_session_output_info(session, 0, &info));
  EXPECT_EQ(info.shape[1], -1);
  EXPECT_EQ(info.bytes, sizeof(float) * kIds * kColumns);
  expectError(ane_session_run(session), ANE_FAILED_PRECONDITION, "input_ids was not set");
  for (size_t size : {5, 8, 1}) {
    set(session, size);
    expectOk(run(session, size == 8));
    expectSums(session, size);
  }
  void *place;
  const int64_t *ids = kIdList;
  expectError(ane_session_set_input(session, 0, ids, sizeof kIdList), ANE_INVALID_ARGUMENT,
              "with -1 from 1 to 8 (tokens); remedy: compile the model with a larger --bucket");
  expectError(ane_session_set_input(session, 0, ids, 12), ANE_INVALID_ARGUMENT, "has 12 bytes");
  expectError(
      ane_session_set_input(session, 0, ids, 0), ANE_INVALID_ARGUMENT,
      "has 0 bytes, expected int64[-1] with -1 from 1 to 8 (tokens); remedy: give a value of that type and shape");
  expectError(ane_session_set_input(session, 1, ids, 8), ANE_INVALID_ARGUMENT, "input 1");
  expectError(ane_session_input_data(session, 0, &place, nullptr), ANE_FAILED_PRECONDITION, "has buckets");
  expectError(ane_session_bind_input(session, 0, ids, 8), ANE_FAILED_PRECONDITION, "has buckets");
  expectError(ane_session_bind_output(session, 0, const_cast<int64_t *>(ids), 8), ANE_FAILED_PRECONDITION,
              "has buckets");
}

TEST_F(Buckets, WriteOnlyRealEntriesIntoStates) {
  addStates();
  for (const char *device : {"cpu", "emulator"}) {
    open(device);
    EXPECT_EQ(ane_state_count(session), 2u);
    std::vector<float> want(kRoom * kColumns);
    int64_t at = 0;
    for (size_t size : {5, 3, 1, 2, 1}) { // to the last entry, where the bucket's 8 would not fit
      setPosition(session, at);
      set(session, size);
      expectOk(run(session, size == 3));
      expectSums(session, size);
      write(want, at, size);
      EXPECT_EQ(cacheOf(session), want) << device << ": " << size << " at " << at;
      ane_copies copies = ANE_COPIES_INIT;
      expectOk(ane_session_copies(session, &copies));
      EXPECT_EQ(copies.last_state_bytes, size * kColumnBytes);
      at += static_cast<int64_t>(size);
    }
    setPosition(session, kRoom - 4);
    set(session, 5);
    expectError(run(session), ANE_INVALID_ARGUMENT, "5 entries at position 8 of axis 1 don't fit in its 12");
    EXPECT_EQ(cacheOf(session), want);
    ane_session_destroy(session);
    ane_bundle_close(bundle);
    session = nullptr;
    bundle = nullptr;
  }
}

TEST_F(Buckets, ShareAndForkStates) {
  addStates();
  open();
  set(session, 5);
  expectOk(run(session));
  ane_session *fork = nullptr, *other = nullptr, *exact = nullptr;
  expectOk(ane_state_fork(session, &fork));
  expectOk(ane_session_share(session, "main", &other));
  expectOk(ane_session_share(other, "main_8", &exact));
  std::vector<float> want(kRoom * kColumns);
  write(want, 0, 5);
  setPosition(other, 5);
  set(other, 2);
  expectOk(run(other));
  EXPECT_EQ(cacheOf(fork), want); // its own since
  write(want, 5, 2);
  EXPECT_EQ(cacheOf(session), want);
  setPosition(session, 3);
  set(exact, 8);
  expectOk(run(exact));
  write(want, 3, 8);
  EXPECT_EQ(cacheOf(session), want);
  setPosition(fork, 9);
  set(fork, 3);
  expectOk(run(fork));
  EXPECT_EQ(cacheOf(session), want);
  for (ane_session *each : {fork, other, exact})
    ane_session_destroy(each);
}

/// An output that does not follow the dimension shows what is filled up.
TEST_F(Buckets, RefuseWhatShows) {
  addStates();
  manifest::Manifest &m = files.content;
  m.states.push_back({"sum", m.tensors[3].type});
  m.tensors.push_back({"old sum", m.tensors[3].type});
  m.functions[0].states.push_back({2, 7, 3});
  m.functions[0].outputs.erase(m.functions[0].outputs.begin());
  m.buckets[0].outputs = {{1}};
  open();
  for (int attempt = 0; attempt < 2; ++attempt) {
    set(session, 5);
    expectError(run(session, attempt == 1), ANE_FAILED_PRECONDITION,
                "state sum of function main_8 depends on what inputs are filled up with from 5 on: give inputs of the "
                "sizes 8");
    EXPECT_EQ(cacheOf(session), std::vector<float>(kRoom * kColumns));
  }
  set(session, 8);
  expectOk(run(session));
}

/// Once, while the session runs for the first time, says something and waits for another thread that cancels the run.
struct Canceller {
  ane_session *session = nullptr;
  bool isDone = false;
  static void log(void *user, ane_log_level, const char *message) {
    auto *self = static_cast<Canceller *>(user);
    if (self->isDone || !std::strstr(message, "numeric"))
      return;
    self->isDone = true;
    std::async(std::launch::async, [self] { ane_session_cancel(self->session); }).wait();
  }
};

/// The first run with a size between those of buckets is the one that is only to compare.
TEST_F(Buckets, AreCancelledWhileTheyAreChecked) {
  addStates();
  // A number that fp16 does not hold, so that the program's step has something to say.
  std::vector<float> table(kVocabulary * kColumns, 70000);
  auto writer = blob::Writer::create(files.path("weights/table.bin"));
  ASSERT_TRUE(writer.ok() && writer->add(ElementType::Float32, table.size(), table.data()).ok() &&
              writer->finish().ok());
  for (bool isAsync : {false, true}) {
    Canceller canceller;
    expectOk(ane_context_create(nullptr, &context));
    expectOk(ane_context_set_log(context, ANE_LOG_WARNING, Canceller::log, &canceller));
    open("emulator");
    canceller.session = session;
    set(session, 5);
    expectError(run(session, isAsync), ANE_CANCELLED, "function main_8 was cancelled before step 2 of 4");
    EXPECT_TRUE(canceller.isDone);
    EXPECT_EQ(cacheOf(session), std::vector<float>(kRoom * kColumns));
    const void *data = nullptr;
    expectError(ane_session_output(session, 0, &data, nullptr), ANE_FAILED_PRECONDITION, "has not run successfully");
    // Nothing of it is left: the next run checks, and counts.
    expectOk(run(session, isAsync));
    std::vector<float> want(kRoom * kColumns);
    std::fill_n(want.begin(), 5 * kColumns, 3 * 70000.0f + 1);
    EXPECT_EQ(cacheOf(session), want);
    ane_session_destroy(session);
    ane_bundle_close(bundle);
    ane_context_destroy(context);
    session = nullptr;
    bundle = nullptr;
    context = nullptr;
  }
}

} // namespace
