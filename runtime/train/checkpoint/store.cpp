//===- store.cpp - Folders that appear when they are whole ----------------===//
#include "runtime/train/checkpoint/store.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/output_file.h"
#include "runtime/support/unfinished.h"
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace ane::rt::train {
namespace {

absl::Status systemError(const char *action, const std::string &path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", action, " ", path));
}

/// Lets two folders change names in one step.
bool exchangeNames(const std::string &first, const std::string &second) {
#if defined(__linux__)
  return ::renameat2(AT_FDCWD, first.c_str(), AT_FDCWD, second.c_str(), RENAME_EXCHANGE) == 0;
#elif defined(__APPLE__)
  return ::renamex_np(first.c_str(), second.c_str(), RENAME_SWAP) == 0;
#else
  return false;
#endif
}

/// Gives the folder `made` the name `place`; what had that name is at `made` then.
absl::Status takePlace(const std::string &made, const std::string &place) {
  if (::rename(made.c_str(), place.c_str()) == 0)
    return absl::OkStatus();
  // Only an empty folder is replaced.
  if (errno != ENOTEMPTY && errno != EEXIST)
    return systemError("write", place);
  if (exchangeNames(made, place))
    return absl::OkStatus();
  // A file system that can't do so has one moment without the name.
  std::string aside = temporaryName(place, kUnfinished);
  if (::rename(place.c_str(), aside.c_str()) != 0)
    return systemError("replace", place);
  if (::rename(made.c_str(), place.c_str()) != 0) {
    absl::Status status = systemError("write", place);
    ::rename(aside.c_str(), place.c_str());
    return status;
  }
  ::rename(aside.c_str(), made.c_str());
  return absl::OkStatus();
}

} // namespace

std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  // The iterator of the C++ library ends the process where there is no memory.
  std::unique_ptr<DIR, int (*)(DIR *)> entries(::opendir(folder.c_str()), ::closedir);
  while (const dirent *entry = entries ? ::readdir(entries.get()) : nullptr)
    if (std::string_view name = entry->d_name; name != "." && name != "..")
      names.emplace_back(name);
  return names;
}

void removeFolder(const std::string &place) {
  std::string aside = temporaryName(place, kUnfinished);
  if (::rename(place.c_str(), aside.c_str()) == 0)
    removeAll(aside);
}

absl::StatusOr<UnfinishedFolder> UnfinishedFolder::create(const std::string &place) {
  removeLeftOvers(place);
  for (int attempt = 0; attempt < 100; ++attempt) {
    UnfinishedFolder made;
    std::string name = temporaryName(place, kUnfinished);
    if (::mkdir(name.c_str(), 0777) != 0) {
      if (errno == EEXIST)
        continue;
      return systemError("create", place);
    }
    made.lock = Descriptor(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (made.lock.get() < 0 && errno != ENOENT) {
      absl::Status status = systemError("create", place);
      ::rmdir(name.c_str());
      return status;
    }
    if (made.lock.get() < 0 || !lockUnfinished(made.lock.get(), name))
      continue; // taken for a left-over
    made.place = place;
    made.temporary = std::move(name);
    return made;
  }
  return absl::UnavailableError(absl::StrCat("cannot create ", place, ": others remove what it is made of"));
}

UnfinishedFolder::~UnfinishedFolder() {
  if (!temporary.empty())
    removeAll(temporary);
}

absl::Status UnfinishedFolder::commit() {
  for (const std::string &name : namesIn(temporary))
    if (absl::Status status = syncPath(absl::StrCat(temporary, "/", name)); !status.ok())
      return status;
  if (absl::Status status = syncPath(temporary); !status.ok())
    return status;
  if (absl::Status status = takePlace(temporary, place); !status.ok())
    return status;
  // It is there: that its name may be lost with the power is no reason to say it is not.
  syncPath(parentOf(place)).IgnoreError();
  removeAll(temporary); // what had the name before
  temporary.clear();
  return absl::OkStatus();
}

} // namespace ane::rt::train
