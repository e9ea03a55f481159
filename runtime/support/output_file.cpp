//===- output_file.cpp - A file that appears only when complete -----------===//
#include "runtime/support/output_file.h"
#include "runtime/support/hash.h"
#include "runtime/support/unfinished.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ane::rt {
namespace {

absl::Status errnoError(const char *action, const std::string &path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", action, " ", path));
}

/// Some file systems can't do so for folders.
bool isSynced(int fd) { return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP; }

bool isSynced(const char *path) {
  int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  bool synced = isSynced(fd);
  int error = errno;
  ::close(fd);
  errno = error;
  return synced;
}

/// Small enough for a processor's cache, large enough that a system call costs
/// nothing beside it.
constexpr uint64_t kBlock = uint64_t(1) << 18;
/// Blocks between the caller and the thread.
constexpr size_t kBlocks = 8;

} // namespace

struct OutputFile::Impl {
  int fd = -1;
  std::string finalPath, temporaryPath;

  /// Blocks `written` to `filled` wait for the thread; block `filled` is the
  /// one that the caller fills. Block i is in slot i % kBlocks. Other than
  /// `error` and `hash`, the thread changes `written` only.
  std::vector<char> blocks[kBlocks];
  uint64_t filled = 0, written = 0;
  bool ends = false;
  absl::Status error;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;
  std::optional<Hash> hash;

  ~Impl() {
    stop();
    if (fd < 0)
      return;
    ::close(fd);
    ::unlink(temporaryPath.c_str());
  }

  absl::Status writeAt(uint64_t position, const char *bytes, uint64_t size);
  absl::Status writeBlock(uint64_t index);
  absl::Status append(const char *bytes, uint64_t size);
  absl::Status pass();
  absl::Status flush();
  void patch(uint64_t position, const char *bytes, uint64_t size);
  absl::Status commit(bool toDisk);
  void stop();
  void work();
};

absl::Status OutputFile::Impl::writeAt(uint64_t position, const char *bytes, uint64_t size) {
  while (size > 0) {
    ssize_t done = ::pwrite(fd, bytes, std::min(size, kBlock), static_cast<off_t>(position));
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return errnoError("write", finalPath);
    bytes += done;
    position += static_cast<uint64_t>(done);
    size -= static_cast<uint64_t>(done);
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Impl::writeBlock(uint64_t index) {
  const std::vector<char> &block = blocks[index % kBlocks];
  if (hash)
    hash->update(block.data(), block.size());
  absl::Status status = writeAt(index * kBlock, block.data(), block.size());
#if defined(__linux__)
  // The disk begins now: who waits for the file (fsync) finds little left to do.
  if (status.ok())
    ::sync_file_range(fd, static_cast<off_t>(index * kBlock), static_cast<off_t>(block.size()), SYNC_FILE_RANGE_WRITE);
#endif
  return status;
}

absl::Status OutputFile::Impl::append(const char *bytes, uint64_t size) {
  while (size > 0) {
    std::vector<char> &block = blocks[filled % kBlocks];
    block.reserve(kBlock);
    uint64_t part = std::min(size, kBlock - block.size());
    block.insert(block.end(), bytes, bytes + part);
    bytes += part;
    size -= part;
    if (block.size() == kBlock)
      if (absl::Status status = pass(); !status.ok())
        return status;
  }
  return absl::OkStatus();
}

/// Gives the full block to the thread and waits for a free one.
absl::Status OutputFile::Impl::pass() {
  std::unique_lock<std::mutex> lock(mutex);
  if (!thread.joinable()) {
    try {
      thread = std::thread([this] { work(); });
    } catch (const std::system_error &e) {
      return absl::ResourceExhaustedError(absl::StrCat("cannot write ", finalPath, ": ", e.what()));
    }
  }
  ++filled;
  changed.notify_all();
  changed.wait(lock, [&] { return filled - written < kBlocks; });
  return error;
}

/// Waits until all that was appended is in the file.
absl::Status OutputFile::Impl::flush() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return filled == written; });
  if (error.ok())
    error = writeBlock(filled);
  return error;
}

/// Changes bytes of the block that is being filled.
void OutputFile::Impl::patch(uint64_t position, const char *bytes, uint64_t size) {
  std::vector<char> &block = blocks[filled % kBlocks];
  uint64_t start = filled * kBlock;
  for (uint64_t i = 0; i < size; ++i)
    if (position + i >= start)
      block[position + i - start] = bytes[i];
}

void OutputFile::Impl::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ends = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

void OutputFile::Impl::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return ends || written != filled; });
    if (ends)
      return;
    if (error.ok()) {
      lock.unlock();
      absl::Status status = writeBlock(written);
      lock.lock();
      error = status;
    }
    blocks[written % kBlocks].clear();
    ++written;
    changed.notify_all();
  }
}

OutputFile::OutputFile() : impl(new Impl) {}
OutputFile::OutputFile(OutputFile &&other) noexcept = default;
OutputFile &OutputFile::operator=(OutputFile &&other) noexcept = default;
OutputFile::~OutputFile() = default;

const std::string &OutputFile::path() const { return impl->finalPath; }

absl::StatusOr<OutputFile> OutputFile::create(const std::string &path) {
  // A device or a pipe would be replaced, not written. What a link shows does not matter: the link is replaced.
  struct stat there;
  if (::lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
    return absl::InvalidArgumentError(
        absl::StrCat("cannot create ", path, ": ", S_ISDIR(there.st_mode) ? "a folder" : "something that is no file",
                     " has that name; a file takes its name when it is whole, so give one that is free or a file's"));
  OutputFile file;
  file.impl->finalPath = path;
  removeLeftOvers(path);
  // Never a file or a link that is there already.
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = temporaryName(path, kUnfinished);
    int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
      continue;
    if (fd < 0)
      return errnoError("create", path);
    if (lockUnfinished(fd, name)) {
      file.impl->fd = fd;
      file.impl->temporaryPath = std::move(name);
      return file;
    }
    ::close(fd);
  }
  return absl::UnavailableError(absl::StrCat("cannot create ", path, ": others remove what it is made of"));
}

void OutputFile::startHash() { impl->hash.emplace(); }

std::string OutputFile::digest() { return impl->hash ? impl->hash->digest() : std::string(); }

absl::Status OutputFile::write(const void *data, uint64_t size) {
  if (absl::Status status = impl->append(static_cast<const char *>(data), size); !status.ok())
    return status;
  length += size;
  return absl::OkStatus();
}

absl::Status OutputFile::rewrite(uint64_t position, const void *data, uint64_t size) {
  if (position > length || size > length - position)
    return absl::OutOfRangeError(
        absl::StrCat("cannot rewrite ", size, " bytes at ", position, " of ", path(), ", which has ", length));
  if (absl::Status status = impl->flush(); !status.ok())
    return status;
  impl->hash.reset();
  impl->patch(position, static_cast<const char *>(data), size);
  return impl->writeAt(position, static_cast<const char *>(data), size);
}

absl::Status OutputFile::Impl::commit(bool toDisk) {
  absl::Status status = flush();
  if (status.ok() && toDisk && !isSynced(fd))
    status = errnoError("bring to disk", finalPath);
  if (!status.ok())
    return status;
  stop();
  const std::string folder = parentOf(finalPath);
  // Network and quota file systems report a full disk only when a file is closed. A second descriptor keeps the lock
  // until it has its name.
  int lock = ::dup(fd);
  int closed = ::close(fd);
  fd = -1;
  if (closed != 0 || std::rename(temporaryPath.c_str(), finalPath.c_str()) != 0) {
    status = errnoError("write", finalPath);
    ::unlink(temporaryPath.c_str());
  }
  if (lock >= 0)
    ::close(lock);
  // The file is whole under its name; only that name could still be lost, which is no error.
  if (status.ok() && toDisk)
    isSynced(folder.c_str());
  return status;
}

absl::Status OutputFile::commit() { return impl->commit(/*toDisk=*/false); }
absl::Status OutputFile::commitToDisk() { return impl->commit(/*toDisk=*/true); }

std::string parentOf(const std::string &path) {
  std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

absl::Status syncPath(const std::string &path) {
  return isSynced(path.c_str()) ? absl::OkStatus() : errnoError("bring to disk", path);
}

absl::Status writeFile(const std::string &path, const void *data, uint64_t size) {
  absl::StatusOr<OutputFile> file = OutputFile::create(path);
  if (!file.ok())
    return file.status();
  if (absl::Status status = file->write(data, size); !status.ok())
    return status;
  return file->commit();
}

} // namespace ane::rt
