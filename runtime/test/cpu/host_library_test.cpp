#include "runtime/device/cpu/host_library.h"
#include "runtime/device/cpu/thread_pool.h"
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>

using namespace ane::rt;

namespace {

absl::StatusOr<std::unique_ptr<HostLibrary>> loadLibrary(const std::string &path) {
  return HostLibrary::load(Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)), path);
}

TEST(HostLibrary, RunsAFunction) {
  auto library = loadLibrary(ANE_TEST_HOST_LIBRARY);
  ASSERT_TRUE(library.ok()) << library.status();
  auto embed = (*library)->find("test_embed");
  ASSERT_TRUE(embed.ok()) << embed.status();

  alignas(64) float weights[32 + 10 * 64];
  for (int i = 0; i < 10 * 64; ++i)
    weights[32 + i] = static_cast<float>(i);
  alignas(64) int64_t ids[8] = {9, 0, 3, 3, 1, 2, 8, 7};
  const void *bases[] = {weights};
  ane_host_context context = {bases, nullptr};
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    ThreadPool::Scope scope(pool);
    alignas(64) float out[8 * 64] = {};
    void *args[] = {ids, out};
    (*embed)(args, &context);
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 64; ++j)
        ASSERT_EQ(out[i * 64 + j], static_cast<float>(ids[i] * 64 + j));
  }
}

void expectRefused(const absl::Status &status, const char *words) {
  ASSERT_FALSE(status.ok());
  EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << status;
}

TEST(HostLibrary, RefusesWhatItCannotRun) {
  expectRefused(loadLibrary("/nonexistent.so").status(), "nonexistent");
  expectRefused(loadLibrary(ANE_TEST_OLD_HOST_LIBRARY).status(), "host ABI 999, this runtime has 1");
  std::string text = testing::TempDir() + "ane_text.so";
  std::ofstream(text) << "not a library";
  expectRefused(loadLibrary(text).status(), "ane_text.so");
  auto library = loadLibrary(ANE_TEST_HOST_LIBRARY);
  ASSERT_TRUE(library.ok());
  expectRefused((*library)->find("missing").status(), "no function missing");
}

TEST(HostLibrary, IsChosenByProcessorAndSystem) {
  EXPECT_TRUE(runsHere(machineTriple()));
  EXPECT_FALSE(runsHere("riscv64-unknown-linux-gnu"));
  EXPECT_FALSE(runsHere("x86_64-pc-windows-msvc"));
  EXPECT_FALSE(runsHere(""));
#if defined(__x86_64__) && defined(__linux__)
  EXPECT_TRUE(runsHere("x86_64-pc-linux-gnu"));
  EXPECT_TRUE(runsHere("x86_64-linux-musl"));
  EXPECT_FALSE(runsHere("x86_64-apple-macosx13.0.0"));
  EXPECT_FALSE(runsHere("aarch64-unknown-linux-gnu"));
#endif
  std::vector<manifest::HostLibrary> libraries = {{"riscv64-unknown-linux-gnu", "a"}, {machineTriple(), "b"}};
  auto chosen = selectHostLibrary(libraries);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ((*chosen)->path, "b");
  libraries.pop_back();
  expectRefused(selectHostLibrary(libraries).status(), "riscv64");
  expectRefused(selectHostLibrary({}).status(), "none at all");
}

TEST(HostLibrary, IsTheFirstWhoseLevelTheProcessorHas) {
  std::vector<manifest::HostLibrary> libraries = {
      {"riscv64-unknown-linux-gnu", "a", ""}, {machineTriple(), "b", "new"}, {machineTriple(), "c", "old"}};
  std::string lacks;
  auto missing = [&](const std::string &level) -> std::string {
    return lacks.find(level) == std::string::npos ? "" : "AVX of " + level;
  };
  EXPECT_EQ((*selectHostLibrary(libraries, missing))->path, "b");
  lacks = "new";
  EXPECT_EQ((*selectHostLibrary(libraries, missing))->path, "c");
  lacks = "new old";
  auto none = selectHostLibrary(libraries, missing);
  expectRefused(none.status(), ":new needs AVX of new; code for ");
  expectRefused(none.status(), ":old needs AVX of old");

  lacks.clear();
  setenv("ANE_HOST_CPU", "old", 1);
  EXPECT_EQ((*selectHostLibrary(libraries, missing))->path, "c");
  setenv("ANE_HOST_CPU", "older", 1);
  expectRefused(selectHostLibrary(libraries, missing).status(), "ANE_HOST_CPU asks for older");
  unsetenv("ANE_HOST_CPU");
}

TEST(HostLibrary, NamesWhatTheProcessorLacks) {
  EXPECT_EQ(missingFeatures(""), "");
  EXPECT_NE(missingFeatures("x86-64-v99"), "");
#if !defined(__x86_64__)
  EXPECT_NE(missingFeatures("x86-64-v3"), "");
#endif
}

// A file opened in the place of another must not be taken for it.
TEST(HostLibrary, TwoLibrariesAreTwo) {
  auto first = loadLibrary(ANE_TEST_HOST_LIBRARY);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_FALSE(loadLibrary(ANE_TEST_OLD_HOST_LIBRARY).ok());
  auto again = loadLibrary(ANE_TEST_HOST_LIBRARY);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*(*first)->find("test_embed"), *(*again)->find("test_embed"));
  first->reset();
  EXPECT_TRUE((*again)->find("test_affine").ok());
}

// The library stays loaded by its second user when the first is gone, whose descriptor's number the next file gets.
TEST(HostLibrary, ANumberThatComesBackIsAnotherFile) {
  const int number = open(ANE_TEST_HOST_LIBRARY, O_RDONLY | O_CLOEXEC);
  auto first = HostLibrary::load(Descriptor(number), "first");
  auto second = loadLibrary(ANE_TEST_HOST_LIBRARY);
  ASSERT_TRUE(first.ok() && second.ok());
  first->reset();
  Descriptor again(open(ANE_TEST_OTHER_HOST_LIBRARY, O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(again.get(), number);
  auto other = HostLibrary::load(std::move(again), "other");
  ASSERT_TRUE(other.ok()) << other.status();
  for (auto [library, addend] : {std::pair(&*second, 1), {&*other, 5}}) {
    alignas(64) float x[512] = {3}, y[512], scratch[512];
    void *args[] = {x, y};
    ane_host_context context = {nullptr, scratch};
    (*(*library)->find("test_affine"))(args, &context);
    EXPECT_EQ(y[0], static_cast<float>(2 * 3 + addend));
  }
}

} // namespace
