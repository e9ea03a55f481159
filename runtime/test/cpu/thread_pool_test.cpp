#include "runtime/device/cpu/thread_pool.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace ane::rt;

namespace {

/// A loop as OpenMP lowering outlines it: writes begin + i into each element.
struct Loop {
  std::vector<uint32_t> *out;
  uint32_t begin;
  int nested = 0;
};

void loopBody(int32_t *gtid, int32_t *, void *context) {
  auto *loop = static_cast<Loop *>(context);
  const ane_host_table &table = hostTable();
  EXPECT_EQ(table.global_thread_num(nullptr), *gtid);
  uint64_t lb = 0, ub = loop->out->size() - 1;
  int64_t stride = 0;
  int32_t last = 0;
  table.for_static_init_8u(nullptr, *gtid, 34, &last, &lb, &ub, &stride, 1, 0);
  for (uint64_t i = lb; i <= ub; ++i)
    (*loop->out)[i] += loop->begin + static_cast<uint32_t>(i);
  table.for_static_fini(nullptr, *gtid);
  table.barrier(nullptr, *gtid);
}

void runLoop(std::vector<uint32_t> &out, uint32_t begin) {
  Loop loop{&out, begin};
  hostTable().fork_call(nullptr, 1, reinterpret_cast<void *>(loopBody), &loop);
}

TEST(ThreadPool, EachIterationRunsOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    ThreadPool::Scope scope(pool);
    for (size_t size : {1, 2, 7, 31, 32, 33, 1000}) {
      std::vector<uint32_t> out(size, 0);
      runLoop(out, 5);
      for (size_t i = 0; i < size; ++i)
        ASSERT_EQ(out[i], 5 + i) << threads << " threads, " << size;
    }
  }
}

TEST(ThreadPool, ForEachCallsEachOnce) {
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    for (uint64_t count : {0, 1, 5, 100}) {
      std::vector<uint32_t> calls(count, 0);
      pool.forEach(count, [&](uint64_t i) { ++calls[i]; });
      EXPECT_EQ(calls, std::vector<uint32_t>(count, 1));
    }
    EXPECT_THROW(pool.forEach(50, [](uint64_t i) { i == 33 ? throw std::bad_alloc() : void(); }), std::bad_alloc);
    std::atomic<int> after{0};
    pool.forEach(9, [&](uint64_t) { ++after; });
    EXPECT_EQ(after, 9);
  }
}

TEST(ThreadPool, WorksWithoutAPool) {
  std::vector<uint32_t> out(10, 0);
  runLoop(out, 1);
  EXPECT_EQ(out[9], 10u);
}

// Many short regions back to back, with pauses so that workers fall asleep.
TEST(ThreadPool, ManyRegions) {
  ThreadPool pool(4);
  ThreadPool::Scope scope(pool);
  std::vector<uint32_t> out(97, 0);
  uint32_t expected = 0;
  for (uint32_t round = 0; round < 3000; ++round) {
    runLoop(out, round);
    expected += round;
    if (round % 1000 == 999)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  for (uint32_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], expected + 3000 * i);
}

// Two callers at a time: one has the workers, the other works alone.
TEST(ThreadPool, ConcurrentCallers) {
  ThreadPool pool(3);
  auto caller = [&](uint32_t begin) {
    ThreadPool::Scope scope(pool);
    for (int round = 0; round < 300; ++round) {
      std::vector<uint32_t> out(50, 0);
      runLoop(out, begin);
      for (uint32_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], begin + i);
    }
  };
  std::thread first(caller, 100), second(caller, 200);
  first.join();
  second.join();
}

void nestedBody(int32_t *gtid, int32_t *, void *context) {
  auto *loop = static_cast<Loop *>(context);
  std::vector<uint32_t> inner(20, 0);
  runLoop(inner, 1);
  EXPECT_EQ(std::accumulate(inner.begin(), inner.end(), 0u), 210u);
  // The inner region must not have changed the share of the outer one.
  EXPECT_EQ(hostTable().global_thread_num(nullptr), *gtid);
  loopBody(gtid, gtid, loop);
}

TEST(ThreadPool, NestedRegionsAreSerial) {
  ThreadPool pool(3);
  ThreadPool::Scope scope(pool);
  std::vector<uint32_t> out(40, 0);
  Loop loop{&out, 7};
  hostTable().fork_call(nullptr, 1, reinterpret_cast<void *>(nestedBody), &loop);
  for (uint32_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], 7 + i);
  EXPECT_EQ(hostTable().global_thread_num(nullptr), 0);
}

TEST(ThreadPool, ScopesNest) {
  ThreadPool one(1), two(2);
  ThreadPool::Scope outer(one);
  {
    ThreadPool::Scope inner(two);
    std::vector<uint32_t> out(10, 0);
    runLoop(out, 0);
    EXPECT_EQ(out[9], 9u);
  }
  std::vector<uint32_t> out(10, 0);
  runLoop(out, 0);
  EXPECT_EQ(out[9], 9u);
}

TEST(ThreadCount, ComesFromOptionThenEnvironment) {
  ASSERT_EQ(setenv("ANE_NUM_THREADS", "3", 1), 0);
  EXPECT_EQ(*resolveThreadCount(0), 3);
  EXPECT_EQ(*resolveThreadCount(2), 2);
  for (const char *bad : {"0", "-1", "many", "100000", "2x"}) {
    setenv("ANE_NUM_THREADS", bad, 1);
    auto count = resolveThreadCount(0);
    ASSERT_FALSE(count.ok()) << bad;
    EXPECT_NE(count.status().message().find(bad), absl::string_view::npos);
  }
  unsetenv("ANE_NUM_THREADS");
  EXPECT_GE(*resolveThreadCount(0), 1);
  EXPECT_FALSE(resolveThreadCount(100000).ok());
}

} // namespace
