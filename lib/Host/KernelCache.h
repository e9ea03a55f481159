//===- KernelCache.h - objects of kernels, kept between builds -*- C++ -*-===//
#ifndef ANE_LIB_HOST_KERNELCACHE_H
#define ANE_LIB_HOST_KERNELCACHE_H

#include "Codegen.h"
#include <optional>

namespace mlir::ane::host {

/// Objects in a folder, by what they were made from: the text of the kernel, the target, and the compiler itself. Any
/// number of processes may use a folder at a time. What is damaged in it is made again; what is not used for a week, or
/// would fill the disk, goes (llvm::pruneCache).
class KernelCache {
public:
  /// No cache if `folder` is empty.
  explicit KernelCache(StringRef folder) : folder(folder) {}
  ~KernelCache();

  explicit operator bool() const { return !folder.empty(); }
  /// What a kernel is before it is lowered, for all targets.
  static std::string keyOf(func::FuncOp kernel);
  /// The name of the file of its object.
  std::string pathOf(StringRef key, const HostTarget &target) const;
  std::optional<Object> find(StringRef path) const;
  /// Does nothing where it can't write: a cache that is full or of somebody else fails no build.
  void keep(StringRef path, const Object &object) const;

private:
  std::string folder;
};

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_KERNELCACHE_H
