//===- folder.cpp - Files of one folder, and of no other ------------------===//
#include "runtime/support/folder.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ane::rt {
namespace {

absl::Status systemError(const std::string &name, int code) {
  std::string message = absl::StrCat(name, ": cannot open: ", strerror(code));
  return code == ENOENT ? absl::NotFoundError(message) : absl::InvalidArgumentError(message);
}

template <typename... Parts>
absl::Status refused(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// Why a component of a path could not be opened. A link has several error
/// codes, by system and by flags, so that it is looked for.
absl::Status componentError(int folder, const std::string &component, const std::string &name) {
  int code = errno;
  struct stat info;
  if (fstatat(folder, component.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
    return refused(name, ": '", component, "' is a symbolic link, which could lead out of the folder; ",
                   "put the file itself there");
  return systemError(name, code);
}

} // namespace

Descriptor::~Descriptor() {
  if (fd >= 0)
    ::close(fd);
}

absl::StatusOr<Folder> Folder::open(const std::string &path) {
  Folder folder;
  folder.folderName = path;
  folder.descriptor = Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.descriptor.get() < 0)
    return errno == ENOTDIR ? refused(path, ": is not a folder") : systemError(path, errno);
  return folder;
}

Folder Folder::inMemory(std::string name) {
  Folder folder;
  folder.folderName = std::move(name);
  folder.restricted = true; // to nothing
  return folder;
}

void Folder::restrictTo(const std::vector<std::string> &paths) {
  restricted = true;
  allowed = {paths.begin(), paths.end()};
}

absl::StatusOr<FolderFile> Folder::openFile(std::string_view path) const {
  std::string name = nameOf(path);
  std::vector<std::string> components = absl::StrSplit(absl::string_view(path.data(), path.size()), '/');
  for (const std::string &component : components)
    if (component.empty() || component == "." || component == ".." || component.find('\0') != std::string::npos)
      return refused(name, ": is no plain path below the folder; each part between slashes must be the name of a file");
  if (restricted && !allowed.count(path))
    return absl::NotFoundError(absl::StrCat(name, ": is not among the files that the bundle's manifest lists"));

  Descriptor parent;
  int at = descriptor.get();
  for (size_t i = 0; i + 1 < components.size(); ++i) {
    int next = openat(at, components[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0)
      return componentError(at, components[i], name);
    parent = Descriptor(next);
    at = next;
  }
  // O_NONBLOCK: a FIFO in place of the file must not hang the reader.
  FolderFile file{Descriptor(openat(at, components.back().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)),
                  {}};
  if (file.descriptor.get() < 0)
    return componentError(at, components.back(), name);
  if (fstat(file.descriptor.get(), &file.info) != 0)
    return systemError(name, errno);
  if (!S_ISREG(file.info.st_mode))
    return refused(name, ": is not a regular file");
  return file;
}

absl::StatusOr<Folder> Folder::again() const {
  Folder copy;
  copy.folderName = folderName;
  copy.descriptor = Descriptor(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 0));
  if (copy.descriptor.get() < 0)
    return systemError(folderName, errno);
  copy.restricted = restricted;
  copy.allowed = allowed;
  copy.replaced = replaced;
  return copy;
}

void Folder::replace(const std::string &path, std::shared_ptr<const MappedFile> content) {
  replaced[path] = std::move(content);
}

absl::StatusOr<MappedFile> Folder::map(std::string_view path) const {
  if (auto other = replaced.find(path); other != replaced.end())
    return MappedFile::show(other->second);
  absl::StatusOr<FolderFile> file = openFile(path);
  if (!file.ok())
    return file.status();
  return MappedFile::map(file->descriptor.get(), nameOf(path));
}

absl::StatusOr<std::string> Folder::read(std::string_view path, int64_t limit) const {
  absl::StatusOr<FolderFile> file = openFile(path);
  if (!file.ok())
    return file.status();
  if (file->bytes() > limit)
    return refused(nameOf(path), ": has ", file->bytes(), " bytes, limit ", limit);
  std::string text(static_cast<size_t>(file->bytes()), '\0');
  size_t done = 0;
  while (done < text.size()) {
    ssize_t got = ::read(file->descriptor.get(), text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return absl::DataLossError(absl::StrCat(nameOf(path), ": cannot read: ", strerror(errno)));
    if (got == 0) // it has become shorter
      break;
    done += static_cast<size_t>(got);
  }
  text.resize(done);
  return text;
}

absl::StatusOr<std::string> Folder::pathOnDisk(std::string_view path) const {
  const std::string name = nameOf(path);
  if (replaced.count(path))
    return absl::NotFoundError(absl::StrCat(name, ": is in memory only"));
  absl::StatusOr<FolderFile> file = openFile(path);
  if (!file.ok())
    return file.status();
  struct stat found = {};
  std::unique_ptr<char, decltype(&std::free)> absolute(realpath(name.c_str(), nullptr), &std::free);
  if (!absolute || stat(absolute.get(), &found) != 0 || found.st_dev != file->info.st_dev ||
      found.st_ino != file->info.st_ino)
    return absl::NotFoundError(absl::StrCat(name, ": is another file by now"));
  return std::string(absolute.get());
}

std::string Folder::nameOf(std::string_view path) const {
  return absl::StrCat(folderName, "/", absl::string_view(path.data(), path.size()));
}

} // namespace ane::rt
