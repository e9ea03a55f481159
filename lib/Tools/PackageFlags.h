//===- PackageFlags.h - flags of packages of Core ML -----------*- C++ -*-===//
#ifndef ANE_LIB_TOOLS_PACKAGEFLAGS_H
#define ANE_LIB_TOOLS_PACKAGEFLAGS_H

#include "CompileFlags.h"
#include "ane/IR/ANE.h"
#include "ane/Pipeline/Pipelines.h"
#include "ane/Target/CoreML/CoreML.h"

namespace mlir::ane {

/// What the flags say of a package; without one nothing is set.
struct PackageFlags {
  std::optional<Route> route;
  std::optional<int64_t> os; ///< macOS major version
  std::optional<Opset> opset;
  Precision precision = Precision::Half;
  coreml::ExportOptions text;

  /// Returns what is wrong, or an empty string.
  std::string take(const CompileFlags &flags);
};

/// The target with the operations of another version of Core ML.
TargetAttr withOpset(TargetAttr target, Opset opset);

} // namespace mlir::ane

#endif // ANE_LIB_TOOLS_PACKAGEFLAGS_H
