//===- package.h - Packages of Core ML --------------------------*- C++ -*-===//
//
// The folder that a model travels in (coreml-mlprogram.md 1.1):
//
//   Name.mlpackage/
//     Manifest.json                              which item is the model
//     Data/com.apple.CoreML/model.mlmodel        model.h
//     Data/com.apple.CoreML/weights/weight.bin   ../blob/blob.h
//
// A compiled model, Name.mlmodelc, has text and weights beside each other:
// model.mil and weights/weight.bin.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_COREML_PACKAGE_H
#define ANE_RUNTIME_FORMAT_COREML_PACKAGE_H

#include "absl/status/statusor.h"
#include "runtime/format/coreml/model.h"

#include <string>
#include <string_view>

namespace ane::rt::coreml {

/// Places in a package, relative to it.
inline constexpr const char *kManifestPath = "Manifest.json";
inline constexpr const char *kModelPath = "Data/com.apple.CoreML/model.mlmodel";
inline constexpr const char *kWeightsPath = "Data/com.apple.CoreML/weights/weight.bin";
/// How a program calls that file.
inline constexpr const char *kWeightsName = "weights/weight.bin";

/// Of a compiled model, its text.
inline constexpr const char *kCompiledPath = "model.mil";

/// What the folder `path` holds, by the files in it; None also for what is no folder.
enum class Kind { None, Package, Compiled };
Kind findModel(const std::string &path);

/// The model of a package, and where it lies.
struct Package {
  Model model;
  /// What `@model_path` stands for: the folder of the model.
  std::string folder;
};

/// Reads the package in folder `path`, which is taken as hostile: a manifest may
/// name no file outside of it, and nothing is read through a link. NotFound without
/// a manifest or a model, otherwise the errors of parse().
absl::StatusOr<Package> readPackage(const std::string &path);

/// Where a manifest says that the model is, relative to the package. `name` is that
/// of the manifest, for messages.
absl::StatusOr<std::string> parseManifest(std::string_view text, const std::string &name);

/// Manifest.json of a package with one model and one folder of weights. The
/// identifiers come from `digest`, so that the same model has the same bytes.
std::string printManifest(std::string_view digest);

} // namespace ane::rt::coreml

#endif // ANE_RUNTIME_FORMAT_COREML_PACKAGE_H
