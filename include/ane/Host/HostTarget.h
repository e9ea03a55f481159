//===- HostTarget.h - machines that CPU code is made for -------*- C++ -*-===//
//
// Users name machines by triples. A triple may stand for several targets, one library each, of which the runtime takes
// the first that its processor runs. A target says everything that code generation knows of a machine: LLVM's processor
// and the tiles of its kernels (lib/Host/Targets.cpp). Adding a machine is adding a record there.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_HOST_HOSTTARGET_H
#define ANE_HOST_HOSTTARGET_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir::ane {

namespace host {
struct ByteProducts;
struct TileTable;
} // namespace host

struct HostTarget {
  /// As manifests have it, e.g. "x86_64-unknown-linux-gnu".
  StringRef triple;
  /// Level that a processor must have, e.g. "x86-64-v4"; empty: all of the triple have it.
  StringRef level;
  /// LLVM's names.
  StringRef llvmTriple, cpu;
  const host::TileTable *tiles;
  const host::ByteProducts *bytes;
  /// What LLVM may use beside the features of `cpu`, in its spelling.
  StringRef features = "";

  /// TRIPLE or TRIPLE:LEVEL, which findHostTargets takes.
  std::string name() const;
  /// Of the library in a bundle.
  std::string fileName() const;
};

/// The targets of `names`, in the order in which a runtime must try them, each once. A name is
///   TRIPLE        all targets of a triple; only processor and system count: the code calls nothing
///   TRIPLE:LEVEL  one of them
///   native        the target that runs best on this machine
///   all           every target
///   none          no target
/// No name at all is this machine's triple. `onePerTriple` keeps the target that most processors run, unless levels
/// were named. Fails with a message in `wrong`.
FailureOr<std::vector<const HostTarget *>> findHostTargets(ArrayRef<std::string> names, bool onePerTriple,
                                                           std::string &wrong);

} // namespace mlir::ane

#endif // ANE_HOST_HOSTTARGET_H
