//===- folder.h - Files of one folder, and of no other ----------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_FOLDER_H
#define ANE_RUNTIME_SUPPORT_FOLDER_H

#include "absl/status/statusor.h"
#include "runtime/support/mapped_file.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace ane::rt {

/// A file descriptor, closed at the end.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~Descriptor();

  int get() const { return fd; }

private:
  int fd;
};

/// A regular file that is open for reading, and what it was when it was opened.
struct FolderFile {
  Descriptor descriptor;
  struct stat info;

  int64_t bytes() const { return info.st_size; }
  timespec modified() const {
#ifdef __APPLE__
    return info.st_mtimespec;
#else
    return info.st_mtim;
#endif
  }
};

/// The files below a folder that somebody else wrote. Their names are taken as
/// hostile: a path is relative, has plain components between its slashes, and
/// none of them is a symbolic link; what it leads to is a regular file.
///
/// The folder stays open: neither a change of the working directory nor another
/// folder under the same name changes what is read.
class Folder {
public:
  /// `path` is the user's own and may go through links. NotFound, or
  /// InvalidArgument for what is no folder.
  static absl::StatusOr<Folder> open(const std::string &path);

  /// One without files on disk: it has those that replace() gives it, for map(). `name`
  /// is for messages.
  static Folder inMemory(std::string name);

  /// The same folder, to replace files in.
  absl::StatusOr<Folder> again() const;

  /// Makes map() show `content` for a file.
  void replace(const std::string &path, std::shared_ptr<const MappedFile> content);

  /// Makes every other file a NotFound from now on.
  void restrictTo(const std::vector<std::string> &paths);

  /// NotFound, or InvalidArgument for a path or a file that is refused.
  absl::StatusOr<FolderFile> openFile(std::string_view path) const;
  absl::StatusOr<MappedFile> map(std::string_view path) const;
  /// The whole content; InvalidArgument above `limit` bytes.
  absl::StatusOr<std::string> read(std::string_view path, int64_t limit) const;

  /// Where the system finds a file, for links to it: an absolute path that led there just now. NotFound for what
  /// replace() has given, or where that folder's name leads elsewhere by now.
  absl::StatusOr<std::string> pathOnDisk(std::string_view path) const;

  /// How a message calls a file of the folder.
  std::string nameOf(std::string_view path) const;
  const std::string &name() const { return folderName; }

private:
  std::string folderName;
  Descriptor descriptor;
  bool restricted = false;
  std::set<std::string, std::less<>> allowed; ///< when restricted
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> replaced;
};

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_FOLDER_H
