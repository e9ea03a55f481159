//===- output_file_test.cpp - What a killed process leaves ----------------===//

#include "runtime/support/output_file.h"
#include "runtime/support/unfinished.h"
#include "runtime/test/temporary_folder.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ane::rt {
namespace {

class OutputFileTest : public testing::Test {
protected:
  std::vector<std::string> names() {
    std::vector<std::string> list;
    for (const fs::directory_entry &entry : fs::directory_iterator(files.path("")))
      list.push_back(entry.path().filename().string());
    std::sort(list.begin(), list.end());
    return list;
  }
  std::string content() {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  test::TemporaryFolder files;
  std::string path = files.path("y.npy");
};

TEST_F(OutputFileTest, WhatIsNoFileStays) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(writeFile(path, "x", 1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_EQ(names(), std::vector<std::string>{"y.npy"});
  const absl::Status folder = writeFile(files.path("."), "x", 1);
  EXPECT_NE(folder.message().find("a folder has that name"), std::string::npos) << folder;
}

TEST_F(OutputFileTest, WhatAKilledProcessLeavesIsRemovedByTheNext) {
  pid_t child = fork();
  if (child == 0) {
    auto file = OutputFile::create(path);
    (void)file->write("half", 4);
    ::kill(::getpid(), SIGKILL);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  ASSERT_TRUE(WIFSIGNALED(state));
  ASSERT_EQ(temporaryNames(path, kUnfinished).size(), 1u);
  ASSERT_TRUE(writeFile(path, "whole", 5).ok());
  EXPECT_EQ(content(), "whole");
  EXPECT_EQ(names(), std::vector<std::string>{"y.npy"});
}

TEST_F(OutputFileTest, WhatIsBeingWrittenStays) {
  auto first = OutputFile::create(path);
  ASSERT_TRUE(first.ok() && first->write("first", 5).ok());
  ASSERT_TRUE(writeFile(path, "second", 6).ok());
  EXPECT_EQ(content(), "second");
  EXPECT_EQ(names().size(), 2u);
  ASSERT_TRUE(first->commit().ok());
  EXPECT_EQ(content(), "first");
  EXPECT_EQ(names().size(), 1u);
}

TEST_F(OutputFileTest, OtherNamesStay) {
  // Of another place, of the user, and a link, which is nobody's unfinished file.
  std::vector<std::string> others = {"x.npy.unfinished-00000001", "y.npy.unfinished-1", "y.npy.unfinished-0000000g"};
  for (const std::string &name : others)
    std::ofstream(files.path(name)) << "mine";
  fs::create_symlink(others[0], files.path("y.npy.unfinished-00000002"));
  ASSERT_TRUE(writeFile(path, "whole", 5).ok());
  EXPECT_EQ(names().size(), 5u);
}

} // namespace
} // namespace ane::rt
