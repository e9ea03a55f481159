//===- unfinished.cpp - What a killed process leaves ----------------------===//
#include "runtime/support/unfinished.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <ftw.h>
#include <memory>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ane::rt {
namespace {

constexpr size_t kDigits = 8;

/// Whether `name` is what `fd` was opened on, and not another thing by now.
bool isNameOf(const std::string &name, int fd) {
  struct stat opened, named;
  return ::fstat(fd, &opened) == 0 && ::lstat(name.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

} // namespace

std::string temporaryName(const std::string &place, const std::string &kind) {
  std::random_device random;
  return absl::StrCat(place, ".", kind, "-", absl::Hex(random(), absl::kZeroPad8));
}

std::vector<std::string> temporaryNames(const std::string &place, const std::string &kind) {
  fs::path folder = fs::path(place).parent_path();
  std::string prefix = absl::StrCat(fs::path(place).filename().string(), ".", kind, "-");
  std::vector<std::string> names;
  // The iterator of the C++ library ends the process where there is no memory.
  std::unique_ptr<DIR, int (*)(DIR *)> entries(::opendir(folder.empty() ? "." : folder.c_str()), ::closedir);
  while (const dirent *entry = entries ? ::readdir(entries.get()) : nullptr) {
    absl::string_view rest = entry->d_name;
    if (absl::ConsumePrefix(&rest, prefix) && rest.size() == kDigits &&
        std::all_of(rest.begin(), rest.end(), absl::ascii_isxdigit))
      names.push_back((folder / entry->d_name).string());
  }
  return names;
}

bool lockUnfinished(int fd, const std::string &name) {
  return (::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && isNameOf(name, fd);
}

void removeLeftOvers(const std::string &place) {
  for (const std::string &name : temporaryNames(place, kUnfinished)) {
    int fd = ::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
      continue;
    // The lock is kept meanwhile: who has just created it takes another name.
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && isNameOf(name, fd))
      removeAll(name);
    ::close(fd);
  }
}

void removeAll(const std::string &name) {
  auto removeEntry = [](const char *path, const struct stat *, int, FTW *) {
    ::remove(path);
    return 0;
  };
  constexpr int openFolders = 8;
  // Another thread may add files as long as their folder is there. The C++ library's remove_all() ends the process
  // where there is no memory.
  for (int i = 0; i < 100 && ::unlink(name.c_str()) != 0 && errno != ENOENT; ++i)
    ::nftw(name.c_str(), removeEntry, openFolders, FTW_DEPTH | FTW_PHYS);
}

} // namespace ane::rt
