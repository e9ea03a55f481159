//===- BundleDirectory.h - a bundle in the making --------------*- C++ -*-===//
//
// Files are written into a folder beside the target (Unfinished.h). When all of it is on disk, the folder and the older
// bundle exchange their names in one step, and the older one is removed. At no moment, whatever ends the process, does
// anything but a whole bundle have the target's name.
//
// Some file systems can't exchange names. There an older bundle steps aside first, as NAME.previous-1f2e3d4c; a kill
// right then leaves no bundle under the name, and the next BundleDirectory of that name brings the older one back.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_BUNDLE_BUNDLEDIRECTORY_H
#define ANE_BUNDLE_BUNDLEDIRECTORY_H

#include "ane/Bundle/Unfinished.h"
#include "runtime/format/manifest/manifest.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::ane {

class BundleDirectory {
public:
  using EmitError = llvm::function_ref<void(const llvm::Twine &)>;

  /// Creates the folder for a bundle at `path`. Refuses to replace anything that is no bundle.
  static FailureOr<BundleDirectory> create(StringRef path, EmitError emitError);

  /// The absolute path of a file of the bundle; its folders exist.
  FailureOr<std::string> pathOf(StringRef relative, EmitError emitError);

  LogicalResult write(StringRef relative, StringRef contents, EmitError emitError);

  /// Size and hash of a written file, for the manifest.
  FailureOr<::ane::rt::manifest::File> describe(StringRef relative, EmitError emitError);

  /// Gives the bundle its name; an older bundle of that name goes away. `others` is called right before, when all of
  /// the bundle is on disk: other outputs get their names there, and no bundle appears if that fails. Interrupts end
  /// the process before all this or after it.
  LogicalResult commit(EmitError emitError, llvm::function_ref<LogicalResult()> others);

private:
  std::string target;
  Unfinished folder;
};

} // namespace mlir::ane

#endif // ANE_BUNDLE_BUNDLEDIRECTORY_H
