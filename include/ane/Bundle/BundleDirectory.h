//===- BundleDirectory.h - a bundle in the making --------------*- C++ -*-===//
//
// Files are written into a directory with a temporary name beside the target, which takes the target's name when all is
// there. Until then, and on an interrupt, nothing stands under the target's name but what was there before.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_BUNDLE_BUNDLEDIRECTORY_H
#define ANE_BUNDLE_BUNDLEDIRECTORY_H

#include "mlir/Support/LLVM.h"
#include "runtime/format/manifest/manifest.h"
#include <functional>
#include <string>

namespace mlir::ane {

/// From now on SIGINT, SIGTERM and SIGHUP remove the bundle in the making before they end the process. Call it before
/// any other thread starts.
void removeUnfinishedOnInterrupt();

class BundleDirectory {
public:
  using EmitError = llvm::function_ref<void(const llvm::Twine &)>;

  BundleDirectory() = default;
  BundleDirectory(BundleDirectory &&other) noexcept;
  BundleDirectory &operator=(BundleDirectory &&other) noexcept;
  ~BundleDirectory(); // removes the temporary directory unless committed

  /// Creates the temporary directory for a bundle at `path`. Refuses to replace anything that is no bundle.
  static FailureOr<BundleDirectory> create(StringRef path, EmitError emitError);

  /// The absolute path of a file of the bundle; its folders exist.
  FailureOr<std::string> pathOf(StringRef relative, EmitError emitError);

  LogicalResult write(StringRef relative, StringRef contents, EmitError emitError);

  /// Size and hash of a written file, for the manifest.
  FailureOr<::ane::rt::manifest::File> describe(StringRef relative, EmitError emitError);

  /// Gives the directory its name; an older bundle of that name goes away.
  LogicalResult commit(EmitError emitError);

private:
  std::string target, temporary;
};

} // namespace mlir::ane

#endif // ANE_BUNDLE_BUNDLEDIRECTORY_H
