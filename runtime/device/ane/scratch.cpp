//===- scratch.cpp - Folders that the framework compiles in ---------------===//
#include "runtime/device/ane/scratch.h"

#include "absl/strings/str_cat.h"
#include "runtime/support/hash.h"
#include "runtime/support/of_process.h"
#include "runtime/support/output_file.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace ane::rt::engine {
namespace {

namespace fs = std::filesystem;

struct Use {
  int users = 0;
  bool isClaimed = false, isLost = false;
  std::optional<bool> stays;
};

/// The folders of a root that programs of this process use.
struct Root {
  int lockFile = -1;
  std::map<std::string, Use> folders;
};

struct Roots {
  std::mutex mutex;
  std::map<std::string, Root> known;
};

absl::Status makeFolder(const fs::path &path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return absl::UnavailableError(absl::StrCat(path.string(), ": cannot be made: ", error.message()));
  return absl::OkStatus();
}

/// The only one, of all threads and processes, who changes what is used of a root. Processes see each other by locks
/// of a file in it: each folder has a byte, which its users share, and byte 0 is held here. Such locks belong to a
/// process, and end with it, however it ends. One file serves all folders, as a process may open few (256 on macOS).
class Alone {
public:
  explicit Alone(const std::string &path)
      : roots(ofProcess<Roots>()), guard(roots->mutex), path(path), root(roots->known[path]) {
    status = open();
  }
  ~Alone() {
    if (status.ok())
      lock(0, F_UNLCK, F_SETLK);
  }

  absl::Status status;
  std::map<std::string, Use> &folders() { return root.folders; }
  /// Null: not one of this process, as after fork().
  Use *find(const std::string &identifier) {
    auto found = root.folders.find(identifier);
    return found == root.folders.end() ? nullptr : &found->second;
  }
  /// F_RDLCK: to use it, F_WRLCK: alone, F_UNLCK: no longer. False: others do. What one has stays then.
  bool lock(const std::string &identifier, short type) {
    Hash hash;
    hash.update(identifier.data(), identifier.size());
    return lock(1 + std::stoll(hash.digest().substr(0, 15), nullptr, 16), type, F_SETLK);
  }

private:
  absl::Status open() {
    if (absl::Status made = makeFolder(path); !made.ok())
      return made;
    const std::string name = absl::StrCat(path, "/.anemone-", geteuid(), ".lock");
    bool isAnother = false;
    while (true) {
      if (root.lockFile < 0)
        root.lockFile = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
      if (root.lockFile < 0 || !lock(0, F_WRLCK, F_SETLKW))
        return absl::UnavailableError(absl::StrCat(name, ": cannot be locked: ", std::strerror(errno)));
      struct stat ours, there;
      if (fstat(root.lockFile, &ours) == 0 && stat(name.c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
          ours.st_dev == there.st_dev)
        break;
      // Somebody has cleared the root, and others don't see locks of the old file.
      close(std::exchange(root.lockFile, -1));
      isAnother = true;
    }
    if (isAnother)
      for (auto &[identifier, use] : root.folders)
        use.isLost = !lock(identifier, use.isClaimed ? F_WRLCK : F_RDLCK) || use.isLost;
    return absl::OkStatus();
  }

  bool lock(off_t place, short type, int command) {
    struct flock wanted = {};
    wanted.l_type = type;
    wanted.l_whence = SEEK_SET;
    wanted.l_start = place;
    wanted.l_len = 1;
    int done;
    while ((done = fcntl(root.lockFile, command, &wanted)) != 0 && errno == EINTR)
      ;
    return done == 0;
  }

  const std::shared_ptr<Roots> roots;
  const std::lock_guard<std::mutex> guard;
  const std::string &path;
  Root &root;
};

} // namespace

absl::StatusOr<Scratch> Scratch::at(const std::string &root, const std::string &identifier) {
  if (identifier.empty() || identifier.find('/') != std::string::npos || identifier.front() == '.')
    return absl::UnimplementedError(
        absl::StrCat("the framework names a program \"", identifier, "\", which is no folder's name"));
  Alone alone(root);
  if (!alone.status.ok())
    return alone.status;
  if (absl::Status status = makeFolder(fs::path(root) / identifier); !status.ok())
    return status;
  Use *known = alone.find(identifier);
  errno = EAGAIN;
  if (known ? known->isClaimed || known->isLost : !alone.lock(identifier, F_RDLCK)) {
    const std::string path = absl::StrCat(root, "/", identifier);
    if (errno != EAGAIN && errno != EACCES)
      return absl::UnavailableError(absl::StrCat(path, ": cannot be locked: ", std::strerror(errno)));
    return absl::AlreadyExistsError(absl::StrCat(path, ": is somebody's own"));
  }
  ++alone.folders()[identifier].users;
  Scratch scratch;
  scratch.root = root;
  scratch.identifier = identifier;
  return scratch;
}

Scratch::~Scratch() {
  if (identifier.empty())
    return;
  Alone alone(root);
  Use *use = alone.find(identifier);
  if (!use || --use->users != 0)
    return;
  std::error_code ignored;
  const bool stays = use->stays.value_or(fs::exists(fs::path(path()) / kDescription, ignored));
  if (alone.status.ok() && !stays && alone.lock(identifier, F_WRLCK))
    fs::remove_all(path(), ignored);
  alone.lock(identifier, F_UNLCK);
  alone.folders().erase(identifier);
}

bool Scratch::claim() const {
  Alone alone(root);
  Use *use = alone.find(identifier);
  if (!alone.status.ok() || !use || use->users != 1 || use->isLost || !alone.lock(identifier, F_WRLCK))
    return false;
  return use->isClaimed = true;
}

bool Scratch::isHeld() const {
  Alone alone(root);
  Use *use = alone.find(identifier);
  return alone.status.ok() && use && !use->isLost;
}

void Scratch::keep(bool stays) const {
  Alone alone(root);
  if (Use *use = alone.find(identifier))
    use->stays = stays;
}

bool Scratch::has(const std::string &name, uint64_t size) const {
  struct stat found;
  return lstat((fs::path(path()) / name).c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         static_cast<uint64_t>(found.st_size) == size;
}

absl::Status Scratch::write(const std::string &name, const void *bytes, uint64_t size) const {
  const fs::path file = fs::path(path()) / name;
  if (absl::Status status = makeFolder(file.parent_path()); !status.ok())
    return status;
  auto made = OutputFile::create(file.string());
  if (!made.ok())
    return made.status();
  absl::Status status = made->write(bytes, size);
  return status.ok() ? made->commit() : status;
}

absl::Status Scratch::link(const std::string &name, const std::string &target) const {
  const fs::path file = fs::path(path()) / name;
  std::error_code isNone;
  if (fs::read_symlink(file, isNone) == target && !isNone)
    return absl::OkStatus();
  if (absl::Status status = makeFolder(file.parent_path()); !status.ok())
    return status;
  // By rename: another thread or process may be at it, too.
  static std::atomic<uint64_t> number{0};
  const std::string fresh = absl::StrCat(file.string(), ".", getpid(), ".", ++number, ".link");
  unlink(fresh.c_str());
  if (symlink(target.c_str(), fresh.c_str()) != 0 || std::rename(fresh.c_str(), file.c_str()) != 0) {
    const int error = errno;
    unlink(fresh.c_str());
    return absl::UnavailableError(absl::StrCat(file.string(), ": cannot be made: ", std::strerror(error)));
  }
  return absl::OkStatus();
}

} // namespace ane::rt::engine
