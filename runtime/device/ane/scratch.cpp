//===- scratch.cpp - Folders that the framework compiles in ---------------===//
#include "runtime/device/ane/scratch.h"

#include "absl/strings/str_cat.h"
#include "runtime/support/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <unistd.h>

namespace ane::rt::engine {
namespace {

namespace fs = std::filesystem;

/// The folders that programs of this process use. Never destroyed: programs may end after everything else.
struct Users {
  std::mutex mutex;
  std::map<std::string, std::pair<int, bool>> folders; ///< how many use it, and whether it stays
  static Users &all() {
    static Users *users = new Users;
    return *users;
  }
};

absl::Status makeFolder(const fs::path &path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return absl::UnavailableError(absl::StrCat(path.string(), ": cannot be made: ", error.message()));
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<Scratch> Scratch::at(const std::string &root, const std::string &identifier) {
  if (identifier.empty() || identifier.find('/') != std::string::npos || identifier.front() == '.')
    return absl::UnimplementedError(
        absl::StrCat("the framework names a program \"", identifier, "\", which is no folder's name"));
  Scratch scratch;
  const std::string path = (fs::path(root) / identifier).string();
  Users &users = Users::all();
  std::lock_guard<std::mutex> lock(users.mutex);
  if (absl::Status status = makeFolder(path); !status.ok())
    return status;
  ++users.folders[path].first;
  scratch.folder = path;
  return scratch;
}

Scratch::~Scratch() {
  if (folder.empty())
    return;
  Users &users = Users::all();
  std::lock_guard<std::mutex> lock(users.mutex);
  auto place = users.folders.find(folder);
  if (--place->second.first != 0)
    return;
  if (!place->second.second) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  users.folders.erase(place);
}

void Scratch::keep() {
  Users &users = Users::all();
  std::lock_guard<std::mutex> lock(users.mutex);
  users.folders[folder].second = true;
}

absl::Status Scratch::write(const std::string &name, const void *bytes, uint64_t size) const {
  const fs::path path = fs::path(folder) / name;
  if (absl::Status status = makeFolder(path.parent_path()); !status.ok())
    return status;
  auto file = OutputFile::create(path.string());
  if (!file.ok())
    return file.status();
  absl::Status status = file->write(bytes, size);
  return status.ok() ? file->commit() : status;
}

absl::Status Scratch::link(const std::string &name, const std::string &target) const {
  const fs::path path = fs::path(folder) / name;
  if (absl::Status status = makeFolder(path.parent_path()); !status.ok())
    return status;
  // By rename: another thread or process may be at it, too.
  const std::string fresh = absl::StrCat(path.string(), ".", getpid(), ".link");
  unlink(fresh.c_str());
  if (symlink(target.c_str(), fresh.c_str()) != 0 || std::rename(fresh.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(fresh.c_str());
    return absl::UnavailableError(absl::StrCat(path.string(), ": cannot be made: ", std::strerror(error)));
  }
  return absl::OkStatus();
}

} // namespace ane::rt::engine
