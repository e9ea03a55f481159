//===- KernelCache.cpp - objects of kernels, kept between builds ----------===//

#include "KernelCache.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// 128 bits, as hexadecimal digits.
static std::string hashOf(StringRef bytes) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(bytes));
  return llvm::formatv("{0:x-16}{1:x-16}", hash.high64, hash.low64);
}

/// Another compiler makes other objects of the same kernel: size and time of the files that hold this code, MLIR and
/// LLVM.
static std::string identityOfCompiler() {
  std::string identity = LLVM_VERSION_STRING;
  for (auto *code : {reinterpret_cast<void *>(&identityOfCompiler), reinterpret_cast<void *>(&mlir::verify),
                     reinterpret_cast<void *>(&llvm::pruneCache)}) {
    Dl_info library;
    llvm::sys::fs::file_status status;
    if (dladdr(code, &library) && !llvm::sys::fs::status(library.dli_fname, status))
      identity +=
          llvm::formatv(" {0} {1}", status.getSize(), status.getLastModificationTime().time_since_epoch().count());
  }
  return identity;
}

KernelCache::~KernelCache() {
  if (!folder.empty())
    llvm::pruneCache(folder, llvm::CachePruningPolicy());
}

std::string KernelCache::keyOf(func::FuncOp kernel) {
  static const std::string compiler = identityOfCompiler();
  std::string text;
  llvm::raw_string_ostream(text) << compiler << '\n' << kernel;
  return hashOf(text);
}

std::string KernelCache::pathOf(StringRef key, const HostTarget &target) const {
  SmallString<128> path(folder);
  // The prefix that pruneCache looks for.
  llvm::sys::path::append(path, "llvmcache-" + hashOf((key + " " + target.name()).str()));
  return path.str().str();
}

// A file holds the object, and behind it the digits of its hash.
static constexpr size_t numDigits = 32;

std::optional<Object> KernelCache::find(StringRef path) const {
  // What is no file of ours may be endless, or never begin.
  if (!llvm::sys::fs::is_regular_file(path))
    return std::nullopt;
  auto opened = llvm::sys::fs::openNativeFileForRead(path, llvm::sys::fs::OF_UpdateAtime); // of use to pruneCache
  if (!opened) {
    llvm::consumeError(opened.takeError());
    return std::nullopt;
  }
  auto file = llvm::MemoryBuffer::getOpenFile(*opened, path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false);
  llvm::sys::fs::closeFile(*opened);
  if (!file || (*file)->getBufferSize() < numDigits)
    return std::nullopt;
  StringRef object = (*file)->getBuffer().drop_back(numDigits);
  if (hashOf(object) != (*file)->getBuffer().take_back(numDigits))
    return std::nullopt;
  return Object(object.begin(), object.end());
}

void KernelCache::keep(StringRef path, const Object &object) const {
  auto file = llvm::sys::fs::TempFile::create(path + ".%%%%%%%%");
  if (!file)
    return llvm::consumeError(file.takeError());
  StringRef bytes(object.data(), object.size());
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << bytes << hashOf(bytes);
  stream.flush();
  bool written = !stream.has_error();
  stream.clear_error();
  llvm::consumeError(written ? file->keep(path) : file->discard());
}
