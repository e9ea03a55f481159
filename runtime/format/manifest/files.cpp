//===- files.cpp - The bundle on disk -------------------------------------===//
#include "runtime/format/manifest/diagnostic.h"
#include "runtime/support/hash.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ane::rt::manifest {
namespace {

absl::Status checkFile(const Folder &folder, const std::string &where, const File &file, bool verifyHash) {
  absl::StatusOr<FolderFile> opened = folder.openFile(file.path);
  if (absl::IsNotFound(opened.status()))
    return errorAt(where, quote(file.path), " is missing from the bundle");
  if (!opened.ok())
    return errorAt(where, opened.status().message());
  if (opened->bytes() != file.bytes)
    return errorAt(where, quote(file.path), " has ", opened->bytes(), " bytes, the manifest says ", file.bytes,
                   "; the bundle is damaged, compile the model again");
  if (!verifyHash)
    return absl::OkStatus();
  absl::StatusOr<std::string> digest = hashFile(opened->descriptor, folder.nameOf(file.path));
  if (!digest.ok())
    return digest.status();
  if (*digest != file.hash)
    return errorAt(where, quote(file.path), " has xxh128 ", *digest, ", the manifest says ", file.hash,
                   "; the bundle is damaged, compile the model again");
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<std::string> hashFile(const Descriptor &file, const std::string &name) {
  Hash hash;
  std::vector<char> buffer(1 << 18);
  while (true) {
    ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return absl::InvalidArgumentError(absl::StrCat(name, ": cannot read: ", strerror(errno)));
    if (got == 0)
      return hash.digest();
    hash.update(buffer.data(), static_cast<size_t>(got));
  }
}

absl::StatusOr<std::string> hashFile(const std::string &path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0)
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot open"));
  return hashFile(file, path);
}

absl::StatusOr<Manifest> read(const Folder &folder, const ReadOptions &options) {
  absl::StatusOr<std::string> text = folder.read(kFileName, kMaxManifestBytes);
  if (!text.ok())
    return absl::InvalidArgumentError(absl::StrCat(folder.name(), ": is not a bundle: ", text.status().message(),
                                                   "; give the folder that ane-compile wrote"));
  absl::StatusOr<Manifest> manifest = parse(*text);
  if (!manifest.ok())
    return manifest.status();
  for (size_t i = 0; i < manifest->files.size(); ++i)
    if (absl::Status s = checkFile(folder, at("$.files", i), manifest->files[i], options.verifyHashes); !s.ok())
      return s;
  return manifest;
}

} // namespace ane::rt::manifest
