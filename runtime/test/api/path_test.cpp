// A bundle that was opened by a relative path, in a process that then goes elsewhere.
#include "ane/runtime/ane.h"
#include "runtime/test/api/expect_status.h"
#include "runtime/test/core/test_bundle.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

using namespace ane::rt::test;
namespace fs = std::filesystem;

namespace {

class RelativePath : public testing::TestWithParam<const char *> {
protected:
  RelativePath() : before(fs::current_path()), root(fs::path(files.dir()).parent_path()) {}
  ~RelativePath() override {
    fs::current_path(before);
    ane_bundle_close(bundle);
  }

  /// Opens the bundle by its name alone, and leaves its folder for one where nothing has that name.
  void openAndLeave() {
    fs::current_path(root);
    ane_options options = ANE_OPTIONS_INIT;
    options.device = GetParam();
    options.verify = 1;
    expectOk(ane_bundle_open("bundle", &options, &bundle));
    fs::create_directory(root / "elsewhere");
    fs::current_path(root / "elsewhere");
  }
  void expectRuns() {
    ane_session *session = nullptr;
    expectOk(ane_session_create(bundle, nullptr, &session));
    int64_t ids[kIds] = {1, 2, 3, 4, 5, 6, 7, 8};
    expectOk(ane_session_set_input(session, 0, ids, sizeof ids));
    expectOk(ane_session_run(session));
    const void *data = nullptr;
    size_t bytes = 0;
    expectOk(ane_session_output(session, 0, &data, &bytes));
    ASSERT_EQ(bytes, sizeof(float) * kIds * kColumns);
    for (int i = 0; i < kIds; ++i)
      EXPECT_EQ(static_cast<const float *>(data)[i * kColumns + 3], TestBundle::expected(ids[i], 3));
    EXPECT_EQ(ane_session_event_count(session), 0u);
    ane_session_destroy(session);
  }

  fs::path before;
  TestBundle files{ANE_TEST_HOST_LIBRARY};
  fs::path root;
  ane_bundle *bundle = nullptr;
};

/// Code, weights and programs are loaded by the first session and its run, for which `chdir` comes too early.
TEST_P(RelativePath, SurvivesAnotherFolder) {
  openAndLeave();
  expectRuns();
}

/// It is the folder that was opened, though another one has its name by now.
TEST_P(RelativePath, SurvivesAnotherBundle) {
  openAndLeave();
  fs::rename(root / "bundle", root / "moved");
  fs::create_directory(root / "bundle");
  expectRuns();
}

/// A path is relative to the folder that the process is in now.
TEST_P(RelativePath, IsOfTheFolderOfTheCall) {
  openAndLeave();
  ane_bundle *other = nullptr;
  ane_options options = ANE_OPTIONS_INIT;
  options.device = GetParam();
  expectError(ane_bundle_open("bundle", &options, &other), ANE_NOT_FOUND, "bundle");
  expectOk(ane_bundle_open("../bundle", &options, &other));
  ane_bundle_close(other);
}

INSTANTIATE_TEST_SUITE_P(Devices, RelativePath, testing::Values("cpu", "emulator"),
                         [](const auto &device) { return std::string(device.param); });

} // namespace
