//===- diagnostic.h - Messages about a manifest -----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_MANIFEST_DIAGNOSTIC_H
#define ANE_RUNTIME_FORMAT_MANIFEST_DIAGNOSTIC_H

#include "absl/strings/str_cat.h"
#include "runtime/format/manifest/manifest.h"
#include "runtime/support/quote.h"
#include <string>

#define ANE_RETURN_IF_ERROR(expr)                                                                                      \
  if (absl::Status status = (expr); !status.ok())                                                                      \
  return status

namespace ane::rt::manifest {

/// Limits on what a manifest may ask of its reader. They are far above any real
/// model and keep all sizes exact in int64.
inline constexpr int64_t kMaxManifestBytes = int64_t(64) << 20;
inline constexpr int64_t kMaxDepth = 12;
inline constexpr int64_t kMaxRecords = 1 << 20; ///< entries of one list
inline constexpr int64_t kMaxRank = 16;
inline constexpr int64_t kMaxElements = int64_t(1) << 46;
inline constexpr int64_t kMaxBytes = int64_t(1) << 50; ///< files and buffers
inline constexpr int64_t kMaxNameLength = 4096;

/// An error about the JSON value at `where`, e.g. "$.programs[2].twin".
template <typename... Parts>
absl::Status errorAt(const std::string &where, const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(kFileName, ": ", where, ": ", parts...));
}

/// "$.programs[2]"
inline std::string at(const std::string &where, size_t index) { return absl::StrCat(where, "[", index, "]"); }

std::string shapeText(const std::vector<int64_t> &shape);

/// What the manifest calls the values of Padding.
inline constexpr const char *kPaddingNames[] = {"none", "checked", "zeros"};

/// The parts of verify(): records on their own, the plans that use them, and the
/// index of weights.
absl::Status verifyRecords(const Manifest &manifest);
absl::Status verifyPlans(const Manifest &manifest);
absl::Status verifyBuckets(const Manifest &manifest);
absl::Status verifyLanguageModel(const Manifest &manifest);
absl::Status verifyTraining(const Manifest &manifest);
absl::Status verifyAdapters(const Manifest &manifest);
absl::Status verifyWeights(const Manifest &manifest);

absl::Status checkName(const std::string &where, const std::string &name);
absl::Status checkShape(const std::string &where, const std::vector<int64_t> &shape);
absl::Status checkHash(const std::string &where, const std::string &hash);

} // namespace ane::rt::manifest
#endif // ANE_RUNTIME_FORMAT_MANIFEST_DIAGNOSTIC_H
