// A checkpoint is saved while one call after the other fails: a full disk, a folder that can't be written. Each time it
// is whole, or the one before is what there is, and the next attempt works.
#include "runtime/test/faults/faults.h"
#include "runtime/test/temporary_folder.h"
#include "runtime/train/checkpoint/checkpoint.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <new>

using namespace ane::rt;
using namespace ane::rt::test;
using namespace ane::rt::train;
namespace fs = std::filesystem;

namespace {

/// Several blocks long, so that a thread writes them.
constexpr size_t kElements = 1 << 17;

struct Saver {
  std::vector<float> weight = std::vector<float>(kElements), first = std::vector<float>(kElements);
  Identity identity{"hash", {{"weight", {ElementType::Float32, {int64_t(kElements)}}}}};

  std::vector<RunArray> arrays() {
    return {{"", "weight", {int64_t(kElements)}, weight.data()},
            {"first", "weight", {int64_t(kElements)}, first.data()}};
  }
  /// Step 1 again: the folder of that name is replaced.
  absl::Status save(const std::string &folder, int64_t step) {
    RunState state;
    state.step = step;
    std::fill(weight.begin(), weight.end(), static_cast<float>(step));
    try {
      return saveCheckpoint(folder, state, identity, arrays(), 1).status();
    } catch (const std::bad_alloc &) {
      return absl::ResourceExhaustedError("no memory");
    }
  }
  /// The step that is there, -1 if that is none that is whole.
  int64_t load(const std::string &folder) {
    auto path = findCheckpoint(folder);
    auto state = path.ok() ? loadCheckpoint(*path, identity, arrays()) : path.status();
    return state.ok() && weight[0] == static_cast<float>(state->step) && weight.back() == weight[0] ? state->step : -1;
  }
};

int64_t entries(const std::string &folder) { return std::distance(fs::directory_iterator(folder), {}); }

TEST(CheckpointFaults, TheOlderOneStays) {
  for (Fault fault : {Fault::New, Fault::Thread, Fault::Open, Fault::Write, Fault::Close, Fault::Sync, Fault::Rename,
                      Fault::MakeFolder}) {
    SCOPED_TRACE(static_cast<int>(fault));
    int happened = 0, failed = 0;
    for (int n = 1;; ++n) {
      TemporaryFolder temporary;
      std::string folder = temporary.path("run");
      Saver saver;
      ASSERT_TRUE(saver.save(folder, 1).ok());
      int64_t files = entries("/proc/self/fd");
      failCall(fault, n);
      absl::Status status = saver.save(folder, 2);
      if (!stopFailing()) {
        EXPECT_TRUE(status.ok()) << status;
        EXPECT_EQ(saver.load(folder), 2);
        break;
      }
      ++happened;
      failed += !status.ok();
      if (!status.ok())
        EXPECT_NE(status.message(), "");
      if (fault == Fault::Write || fault == Fault::Sync)
        EXPECT_TRUE(status.ok() || absl::IsResourceExhausted(status)) << status;
      // That of step 2 may have its name when something behind that fails.
      int64_t step = saver.load(folder);
      EXPECT_TRUE(status.ok() ? step == 2 : step == 1 || step == 2) << "call " << n << " " << step << " " << status;
      EXPECT_EQ(entries("/proc/self/fd"), files) << "call " << n;
      ASSERT_TRUE(saver.save(folder, 3).ok()) << "call " << n;
      EXPECT_EQ(saver.load(folder), 3);
      EXPECT_EQ(entries(folder), 1) << "call " << n << " leaves something behind";
    }
    EXPECT_GT(happened, 0) << "nothing was made to fail";
    EXPECT_GT(failed, 0);
  }
}

TEST(CheckpointFaults, AStepThatIsThereIsReplacedOrStays) {
  for (Fault fault : {Fault::Open, Fault::Write, Fault::Sync, Fault::MakeFolder}) {
    SCOPED_TRACE(static_cast<int>(fault));
    for (int n = 1;; ++n) {
      TemporaryFolder temporary;
      std::string folder = temporary.path("run");
      Saver saver;
      ASSERT_TRUE(saver.save(folder, 1).ok());
      failCall(fault, n);
      absl::Status status = saver.save(folder, 1);
      bool happened = stopFailing();
      EXPECT_EQ(saver.load(folder), 1) << "call " << n;
      if (!happened)
        break;
    }
  }
}

} // namespace
