//===- files.cpp - The bundle on disk -------------------------------------===//
#include "runtime/format/manifest/diagnostic.h"
#include "runtime/support/hash.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ane::rt::manifest {
namespace {

/// Closes a descriptor at the end of a scope.
struct Descriptor {
  explicit Descriptor(int fd) : fd(fd) {}
  ~Descriptor() {
    if (fd >= 0)
      close(fd);
  }
  Descriptor(const Descriptor &) = delete;
  int fd;
};

absl::Status systemError(const std::string &path, const char *what) {
  int code = errno;
  std::string message = absl::StrCat(path, ": ", what, ": ", strerror(code));
  return code == ENOENT ? absl::NotFoundError(message) : absl::InvalidArgumentError(message);
}

/// Opens a regular file; a FIFO or device in a bundle must not block the
/// reader.
absl::StatusOr<int> openRegular(const std::string &path, struct stat &info) {
  int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return systemError(path, "cannot open");
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file"));
  }
  return fd;
}

/// Calls sink(data, size) for the pieces of a file.
template <typename Sink>
absl::Status stream(int fd, const std::string &path, Sink &&sink) {
  std::vector<char> buffer(1 << 18);
  while (true) {
    ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(path, "cannot read");
    if (got == 0)
      return absl::OkStatus();
    sink(buffer.data(), static_cast<size_t>(got));
  }
}

std::string realPath(const std::string &path) {
  std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  return real ? std::string(real.get()) : std::string();
}

absl::Status checkFile(const std::string &root, const std::string &where, const File &file, bool verifyHash) {
  std::string path = root + "/" + file.path;
  std::string real = realPath(path);
  if (real.empty())
    return errorAt(where, quote(file.path), " is missing from the bundle (", strerror(errno), ")");
  std::string prefix = root == "/" ? root : root + "/";
  if (real.compare(0, prefix.size(), prefix) != 0)
    return errorAt(where, quote(file.path), " is a symbolic link that leaves the bundle, to ", quote(real));
  struct stat info;
  absl::StatusOr<int> fd = openRegular(real, info);
  if (!fd.ok())
    return fd.status();
  Descriptor closer(*fd);
  if (info.st_size != file.bytes)
    return errorAt(where, quote(file.path), " has ", info.st_size, " bytes, the manifest says ", file.bytes,
                   "; the bundle is damaged, compile the model again");
  if (!verifyHash)
    return absl::OkStatus();
  Hash hash;
  if (absl::Status s = stream(*fd, real, [&](const char *data, size_t size) { hash.update(data, size); }); !s.ok())
    return s;
  if (std::string digest = hash.digest(); digest != file.hash)
    return errorAt(where, quote(file.path), " has xxh128 ", digest, ", the manifest says ", file.hash,
                   "; the bundle is damaged, compile the model again");
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<std::string> hashFile(const std::string &path) {
  struct stat info;
  absl::StatusOr<int> fd = openRegular(path, info);
  if (!fd.ok())
    return fd.status();
  Descriptor closer(*fd);
  Hash hash;
  if (absl::Status s = stream(*fd, path, [&](const char *data, size_t size) { hash.update(data, size); }); !s.ok())
    return s;
  return hash.digest();
}

absl::StatusOr<Manifest> read(const std::string &dir, const ReadOptions &options) {
  std::string root = realPath(dir);
  if (root.empty())
    return systemError(dir, "cannot open bundle");
  struct stat info;
  if (stat(root.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return absl::InvalidArgumentError(absl::StrCat(dir, ": is not a bundle; a bundle is a directory"));
  std::string path = root + "/" + kFileName;
  absl::StatusOr<int> fd = openRegular(path, info);
  if (!fd.ok())
    return absl::InvalidArgumentError(absl::StrCat(dir, ": is not a bundle: ", fd.status().message()));
  Descriptor closer(*fd);
  if (info.st_size > kMaxManifestBytes)
    return errorAt("$", "has ", info.st_size, " bytes, limit ", kMaxManifestBytes);
  std::string text;
  text.reserve(info.st_size);
  if (absl::Status s = stream(*fd, path, [&](const char *data, size_t size) { text.append(data, size); }); !s.ok())
    return s;
  absl::StatusOr<Manifest> manifest = parse(text);
  if (!manifest.ok())
    return manifest.status();
  for (size_t i = 0; i < manifest->files.size(); ++i)
    if (absl::Status s = checkFile(root, at("$.files", i), manifest->files[i], options.verifyHashes); !s.ok())
      return s;
  return manifest;
}

} // namespace ane::rt::manifest
