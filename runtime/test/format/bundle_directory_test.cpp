#include "manifest_samples.h"
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace ane::rt;
using namespace ane::rt::manifest;
namespace fs = std::filesystem;

namespace {

/// A bundle directory that goes away with the test.
class BundleDir : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ane-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    dir = pattern;
    fs::create_directory(dir / "bundle");
    for (const File &file : sample().files)
      write("bundle/" + file.path, "");
    write("bundle/manifest.json", print(sample()));
  }
  void TearDown() override { fs::remove_all(dir); }
  void write(const std::string &path, const std::string &text) {
    fs::create_directories((dir / path).parent_path());
    std::ofstream(dir / path, std::ios::binary) << text;
  }
  absl::StatusOr<Manifest> readFrom(const std::string &name, bool verifyHashes = false) {
    auto folder = ane::rt::Folder::open((dir / name).string());
    return folder.ok() ? read(*folder, {verifyHashes}) : folder.status();
  }
  void expectRefused(const char *words, bool verifyHashes = false) {
    auto result = readFrom("bundle", verifyHashes);
    ASSERT_FALSE(result.ok()) << words;
    expectWords(result.status(), words);
  }
  fs::path dir;
};

TEST_F(BundleDir, Reads) {
  auto result = readFrom("bundle", true);
  ASSERT_TRUE(result.ok()) << result.status();
  // A trailing slash and a link to the bundle itself are the user's own paths.
  EXPECT_TRUE(readFrom("bundle/").ok());
  fs::create_directory_symlink(dir / "bundle", dir / "link");
  EXPECT_TRUE(readFrom("link").ok());
}

TEST_F(BundleDir, RefusesAWrongSize) {
  write("bundle/weights/w.bin", "x");
  expectRefused("has 1 bytes, the manifest says 0");
}

TEST_F(BundleDir, RefusesAWrongHashOnRequest) {
  Manifest m = sample();
  m.files[2].bytes = 1;
  write("bundle/weights/w.bin", "x");
  write("bundle/manifest.json", print(m));
  EXPECT_TRUE(readFrom("bundle").ok());
  expectRefused("xxh128", true);
}

TEST_F(BundleDir, RefusesAMissingFile) {
  fs::remove(dir / "bundle/weights/w.bin");
  expectRefused("$.files[2]: \"weights/w.bin\" is missing");
}

TEST_F(BundleDir, RefusesALinkThatLeaves) {
  write("secret", "");
  fs::remove(dir / "bundle/weights/w.bin");
  fs::create_symlink("../../secret", dir / "bundle/weights/w.bin");
  expectRefused("is a symbolic link");
}

TEST_F(BundleDir, RefusesALinkedDirectoryThatLeaves) {
  write("bundle-2/w.bin", "");
  fs::remove_all(dir / "bundle/weights");
  fs::create_directory_symlink("../bundle-2", dir / "bundle/weights");
  expectRefused("is a symbolic link");
}

TEST_F(BundleDir, RefusesALinkThatStays) {
  write("bundle/weights/real.bin", "");
  fs::remove(dir / "bundle/weights/w.bin");
  fs::create_symlink("real.bin", dir / "bundle/weights/w.bin");
  expectRefused("is a symbolic link");
}

TEST_F(BundleDir, RefusesWhatIsNoFile) {
  fs::remove(dir / "bundle/weights/w.bin");
  fs::create_directory(dir / "bundle/weights/w.bin");
  expectRefused("not a regular file");
}

TEST_F(BundleDir, RefusesWhatIsNoBundle) {
  EXPECT_FALSE(readFrom("nowhere").ok());
  fs::remove(dir / "bundle/manifest.json");
  expectRefused("is not a bundle");
  expectRefused("give the folder that ane-compile wrote");
}

} // namespace
