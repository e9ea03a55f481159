//===- Package.h - writes a package of Core ML -----------------*- C++ -*-===//
#ifndef ANE_BUNDLE_PACKAGE_H
#define ANE_BUNDLE_PACKAGE_H

#include "ane/Bundle/BundleDirectory.h"
#include "ane/Target/CoreML/CoreML.h"

namespace mlir::ane {

/// Writes the module, which holds one program (ane-outline-package) with names and records, into `directory` as an
/// .mlpackage. The same module gives the same bytes. It is a package when the directory is committed.
LogicalResult writePackage(ModuleOp module, const coreml::ExportOptions &options, BundleDirectory &directory);

} // namespace mlir::ane

#endif // ANE_BUNDLE_PACKAGE_H
