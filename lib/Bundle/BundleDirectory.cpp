//===- BundleDirectory.cpp - a bundle in the making -----------------------===//

#include "ane/Bundle/BundleDirectory.h"
#include "runtime/format/coreml/package.h"
#include "runtime/support/unfinished.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

using namespace mlir;
using namespace mlir::ane;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
using ::ane::rt::kUnfinished, ::ane::rt::removeAll, ::ane::rt::temporaryName, ::ane::rt::temporaryNames;

static constexpr char previousKind[] = "previous";

/// The file of `directory` that is none of `own`, with what lists them; "" if there is none.
static std::string strangerIn(const std::string &directory, const llvm::StringSet<> &own, StringRef what) {
  std::error_code error;
  fs::recursive_directory_iterator it(directory, error, /*follow_symlinks=*/false), end;
  for (; !error && it != end; it.increment(error)) {
    StringRef relative = StringRef(it->path()).drop_front(directory.size() + 1);
    if (it->type() != fs::file_type::directory_file && !own.contains(relative))
      return ("the " + what + " there holds '" + relative + "', which is not of it").str();
  }
  return error ? "can't list it: " + error.message() : "";
}

/// Why what stands at `directory` may not be replaced; "" if it is a bundle, or a package of Core ML, and nothing else.
static std::string whyKept(const std::string &directory) {
  namespace coreml = ::ane::rt::coreml;
  if (coreml::findModel(directory) == coreml::Kind::Package)
    return strangerIn(directory, {coreml::kManifestPath, coreml::kModelPath, coreml::kWeightsPath, ".DS_Store"},
                      "package");
  const std::string manifestPath = directory + "/" + ::ane::rt::manifest::kFileName;
  auto text = llvm::MemoryBuffer::getFile(manifestPath);
  if (!text)
    return "it exists and is no bundle";
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse((*text)->getBuffer());
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  // Other programs have files of this name, too. Of a bundle, any version will do.
  llvm::json::Object *manifest = parsed ? parsed->getAsObject() : nullptr;
  llvm::json::Array *files = manifest ? manifest->getArray("files") : nullptr;
  if (!files || !manifest->getInteger("schema") || !manifest->getString("producer"))
    return ("its " + Twine(::ane::rt::manifest::kFileName) + " is not that of a bundle").str();
  // Finder leaves the other one.
  llvm::StringSet<> own = {::ane::rt::manifest::kFileName, ".DS_Store"};
  for (const llvm::json::Value &file : *files)
    if (const llvm::json::Object *record = file.getAsObject())
      own.insert(record->getString("path").value_or(""));
  return strangerIn(directory, own, "bundle");
}

static std::error_code lastError() { return {errno, std::generic_category()}; }

static std::error_code renameTo(const std::string &from, const std::string &to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? std::error_code() : lastError();
}

/// Where a kill came while the older bundle stood aside, it comes back.
static void bringBack(const std::string &target) {
  for (const std::string &previous : temporaryNames(target, previousKind))
    // rename() does not replace a bundle. One that is not needed goes away under a name that says so.
    if (renameTo(previous, target))
      renameTo(previous, temporaryName(target, kUnfinished));
}

FailureOr<BundleDirectory> BundleDirectory::create(StringRef target, EmitError emitError) {
  BundleDirectory bundle;
  SmallString<128> absolute(target);
  fs::make_absolute(absolute);
  path::remove_dots(absolute, /*remove_dot_dot=*/true);
  while (absolute.size() > 1 && path::is_separator(absolute.back()))
    absolute.pop_back();
  // What a link names is replaced, not the link.
  if (SmallString<128> real; !fs::real_path(absolute, real))
    absolute = real;
  bundle.target = absolute.str().str();
  if (absolute == "/") {
    emitError("can't write '" + target + "': the root of the file system can't be replaced by a bundle");
    return failure();
  }
  StringRef parent = path::parent_path(absolute);
  if (!fs::is_directory(parent)) {
    emitError("can't write '" + target + "': there is no directory '" + parent + "'");
    return failure();
  }
  bringBack(bundle.target);
  fs::file_status status;
  if (!fs::status(bundle.target, status, /*follow=*/false))
    if (std::string why = whyKept(bundle.target); !why.empty()) {
      emitError("can't write '" + target + "': " + why + "; remedy: remove it, or choose another name");
      return failure();
    }
  auto folder = Unfinished::create(bundle.target, Unfinished::Kind::Folder);
  if (!folder) {
    emitError("can't write '" + target + "': can't create a folder beside it: " + folder.getError().message());
    return failure();
  }
  bundle.folder = std::move(*folder);
  return bundle;
}

FailureOr<std::string> BundleDirectory::pathOf(StringRef relative, EmitError emitError) {
  std::string full = folder.name();
  // The bundle's own folder is not created again: after an interrupt it stays away.
  StringRef inside = path::parent_path(relative);
  for (auto part = path::begin(inside), end = path::end(inside); part != end; ++part) {
    full += "/" + part->str();
    if (std::error_code error = fs::create_directory(full, /*IgnoreExisting=*/true, fs::all_all)) {
      emitError("can't create '" + full + "': " + error.message());
      return failure();
    }
  }
  return folder.name() + "/" + relative.str();
}

LogicalResult BundleDirectory::write(StringRef relative, StringRef contents, EmitError emitError) {
  FailureOr<std::string> full = pathOf(relative, emitError);
  if (failed(full))
    return failure();
  std::error_code error;
  llvm::raw_fd_ostream stream(*full, error, fs::CD_CreateNew);
  if (!error) {
    stream << contents;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error) {
    emitError("can't write '" + *full + "': " + error.message());
    return failure();
  }
  return success();
}

FailureOr<::ane::rt::manifest::File> BundleDirectory::describe(StringRef relative, EmitError emitError) {
  std::string full = folder.name() + "/" + relative.str();
  ::ane::rt::manifest::File file;
  uint64_t bytes = 0;
  auto hash = ::ane::rt::manifest::hashFile(full);
  if (std::error_code error = fs::file_size(full, bytes); error || !hash.ok()) {
    emitError("can't read back '" + full + "': " + (error ? error.message() : std::string(hash.status().message())));
    return failure();
  }
  file.path = relative.str();
  file.bytes = int64_t(bytes);
  file.hash = *hash;
  return file;
}

//===-- commit ------------------------------------------------------------===//

/// Lets two directories change names in one step.
static std::error_code exchangeNames(const std::string &first, const std::string &second) {
#if defined(__linux__) && defined(SYS_renameat2)
  constexpr unsigned exchangeFlag = 2; // RENAME_EXCHANGE
  bool done = syscall(SYS_renameat2, AT_FDCWD, first.c_str(), AT_FDCWD, second.c_str(), exchangeFlag) == 0;
#elif defined(__APPLE__)
  bool done = renamex_np(first.c_str(), second.c_str(), RENAME_SWAP) == 0;
#else
  bool done = false;
  errno = ENOSYS;
#endif
  return done ? std::error_code() : lastError();
}

/// Gives the folder `made` the name `target`; what had that name is at `made` then. Another process may do the same at
/// the same time: then one bundle after the other has the name, each whole.
static std::error_code takePlace(const std::string &made, const std::string &target) {
  std::string previous;
  for (bool canExchange = true;;) {
    if (canExchange) {
      std::error_code error = exchangeNames(made, target);
      if (!error)
        return {};
      canExchange = error == std::errc::no_such_file_or_directory;
    }
    // This takes a free place, and fails where a bundle is.
    std::error_code error = renameTo(made, target);
    if (error != std::errc::directory_not_empty && error != std::errc::file_exists) {
      if (!previous.empty())
        renameTo(previous, error ? target : made);
      return error;
    }
    if (canExchange)
      continue; // another process has taken the place in this moment
    if (!previous.empty())
      removeAll(previous);
    previous = temporaryName(target, previousKind);
    error = renameTo(target, previous);
    if (error && error != std::errc::no_such_file_or_directory)
      return error;
  }
}

/// Waits until what `path` holds is on disk.
static std::error_code syncPath(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  // Some file systems can't do so for folders.
  bool synced = fd >= 0 && (::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP);
  std::error_code error = synced ? std::error_code() : lastError();
  if (fd >= 0)
    ::close(fd);
  return error;
}

/// Waits until a folder with all that is in it is on disk.
static std::error_code syncTree(const std::string &root) {
  std::error_code error;
  fs::recursive_directory_iterator it(root, error, /*follow_symlinks=*/false), end;
  for (; !error && it != end; it.increment(error))
    if ((error = syncPath(it->path())))
      return error;
  return error ? error : syncPath(root);
}

LogicalResult BundleDirectory::commit(EmitError emitError, function_ref<LogicalResult()> others) {
  if (std::error_code error = syncTree(folder.name())) {
    emitError("can't write '" + target + "' to disk: " + error.message());
    return failure();
  }
  InterruptsWait wait;
  if (failed(others()))
    return failure();
  fs::file_status status;
  if (!fs::status(target, status, /*follow=*/false))
    if (std::string why = whyKept(target); !why.empty()) {
      emitError("can't replace '" + target + "', which has got this name meanwhile: " + why +
                "; remedy: choose another name");
      return failure();
    }
  if (std::error_code error = takePlace(folder.name(), target)) {
    emitError("can't rename '" + folder.name() + "' to '" + target + "': " + error.message());
    return failure();
  }
  // The bundle is there: that its name may be lost with the power is no reason to say it is not.
  (void)syncPath(path::parent_path(target).str());
  removeAll(folder.name());
  folder.release();
  wait.allIsDone();
  return success();
}
