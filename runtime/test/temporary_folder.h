//===- temporary_folder.h - A folder for one test run -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEST_TEMPORARY_FOLDER_H
#define ANE_RUNTIME_TEST_TEMPORARY_FOLDER_H

#include "runtime/support/folder.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace ane::rt::test {

/// A new folder under the system's temporary one, removed with its contents.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ane_test_XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      std::abort();
    folder = pattern;
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::string path(const std::string &name) const { return folder + "/" + name; }
  std::shared_ptr<const Folder> open() const { return std::make_shared<const Folder>(*Folder::open(folder)); }

private:
  std::string folder;
};

} // namespace ane::rt::test

#endif // ANE_RUNTIME_TEST_TEMPORARY_FOLDER_H
