//===- folder_test.cpp - Files of one folder ------------------------------===//

#include "runtime/support/folder.h"
#include "runtime/test/temporary_folder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ane::rt {
namespace {

/// DIR/inside/sub/file holds "content", DIR/secret holds "secret".
class FolderTest : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(files.path("inside/sub"));
    std::ofstream(files.path("inside/sub/file")) << "content";
    std::ofstream(files.path("secret")) << "secret";
  }
  Folder inside() { return *Folder::open(files.path("inside")); }
  void expectRefused(const Folder &folder, const std::string &path, absl::StatusCode code, const std::string &words) {
    absl::Status status = folder.openFile(path).status();
    EXPECT_EQ(status.code(), code) << path << ": " << status;
    EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << words << " not in: " << status;
    EXPECT_FALSE(folder.map(path).ok()) << path;
    EXPECT_FALSE(folder.read(path, 100).ok()) << path;
  }
  test::TemporaryFolder files;
};

TEST_F(FolderTest, OpensFiles) {
  Folder folder = inside();
  auto file = folder.openFile("sub/file");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->bytes(), 7);
  EXPECT_EQ(*folder.read("sub/file", 7), "content");
  EXPECT_EQ(folder.map("sub/file")->size(), 7u);
  EXPECT_NE(folder.read("sub/file", 6).status().message().find("has 7 bytes, limit 6"), absl::string_view::npos);
}

TEST_F(FolderTest, RefusesPathsThatAreNotPlain) {
  Folder folder = inside();
  for (const char *path :
       {"", "/", "/etc/passwd", "../secret", "sub/../../secret", "./sub/file", "sub//file", "sub/file/", "sub/.", ".."})
    expectRefused(folder, path, absl::StatusCode::kInvalidArgument, "is no plain path below the folder");
  expectRefused(folder, std::string("sub/file\0x", 10), absl::StatusCode::kInvalidArgument, "is no plain path");
}

TEST_F(FolderTest, RefusesEveryLink) {
  fs::create_symlink("../secret", files.path("inside/out"));
  fs::create_symlink("sub/file", files.path("inside/in"));
  fs::create_directory_symlink("..", files.path("inside/up"));
  Folder folder = inside();
  for (const char *path : {"out", "in", "up/secret"})
    expectRefused(folder, path, absl::StatusCode::kInvalidArgument, "is a symbolic link");
}

TEST_F(FolderTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(files.path("inside/fifo").c_str(), 0600), 0);
  Folder folder = inside();
  for (const char *path : {"sub", "fifo"})
    expectRefused(folder, path, absl::StatusCode::kInvalidArgument, "is not a regular file");
  expectRefused(folder, "sub/file/deeper", absl::StatusCode::kInvalidArgument, "Not a directory");
  expectRefused(folder, "nowhere", absl::StatusCode::kNotFound, "No such file");
}

TEST_F(FolderTest, OpensOnlyWhatIsListed) {
  Folder folder = inside();
  std::ofstream(files.path("inside/other")) << "x";
  EXPECT_TRUE(folder.openFile("other").ok());
  folder.restrictTo({"sub/file"});
  EXPECT_TRUE(folder.openFile("sub/file").ok());
  expectRefused(folder, "other", absl::StatusCode::kNotFound,
                "is not among the files that the bundle's manifest lists");
}

// The folder that was opened, whatever happens to its name.
TEST_F(FolderTest, StaysTheSame) {
  std::string before = fs::current_path();
  ASSERT_EQ(chdir(files.path("").c_str()), 0);
  auto folder = Folder::open("inside");
  ASSERT_EQ(chdir("/"), 0);
  fs::rename(files.path("inside"), files.path("moved"));
  fs::create_directories(files.path("inside/sub"));
  std::ofstream(files.path("inside/sub/file")) << "another";
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_EQ(*folder->read("sub/file", 100), "content");
  ASSERT_EQ(chdir(before.c_str()), 0);
}

TEST_F(FolderTest, IsAFolder) {
  EXPECT_EQ(Folder::open(files.path("nowhere")).status().code(), absl::StatusCode::kNotFound);
  absl::Status status = Folder::open(files.path("secret")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("is not a folder"), absl::string_view::npos) << status;
}

} // namespace
} // namespace ane::rt
