//===- Bundle.h - writes a bundle ------------------------------*- C++ -*-===//
#ifndef ANE_BUNDLE_BUNDLE_H
#define ANE_BUNDLE_BUNDLE_H

#include "ane/Bundle/BundleDirectory.h"
#include "ane/Host/Host.h"
#include "ane/IR/ANE.h"
#include <string>
#include <vector>

namespace mlir::ane {

struct BundleOptions {
  /// Machines of the host libraries; none: programs only.
  std::vector<const HostTarget *> hosts;
  WeightKind weights = WeightKind::Source;
  ActivationKind activations = ActivationKind::Exact;
  /// Compute the CPU functions in double: the reference build of the tests.
  bool f64 = false;
  bool f32 = false;        // of HostOptions
  std::string kernelCache; // of HostOptions
  /// Files that the runtime reads and the plan does not know, by their paths in the bundle.
  std::vector<std::pair<std::string, std::string>> others;
  /// Called at the start of each step, for progress.
  std::function<void(StringRef)> progress;
};

/// Writes the module, which is in phase emittable, into `directory`: MIL text, weight files, native code, manifest and
/// `report` (report.json). The same module gives the same bytes. It is a bundle when the directory is committed.
LogicalResult writeBundle(ModuleOp module, const BundleOptions &options, BundleDirectory &directory, StringRef report);

} // namespace mlir::ane

#endif // ANE_BUNDLE_BUNDLE_H
