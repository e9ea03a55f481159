//===- weights.h - Weights and their stored forms ---------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_MANIFEST_WEIGHTS_H
#define ANE_RUNTIME_FORMAT_MANIFEST_WEIGHTS_H

#include "runtime/format/manifest/manifest.h"

namespace ane::rt::manifest {

/// The encoding of a weight whose elements the model's file has as a list of numbers,
/// not as bytes.
inline constexpr char kListedEncoding[] = "numbers";

/// The weight of that name. NotFound names some that there are.
absl::StatusOr<const Weight *> findWeight(const Manifest &manifest, const std::string &name);

/// Why no other value of the weight can be shown, empty where one can.
std::string whyFixed(const Weight &weight);

/// Elements that a file holds of a weight, with those that fill up panels.
int64_t elementCount(const StoredWeight &stored);

/// Whether a float32 is stored as float16.
bool isNarrowed(const Weight &weight, const StoredWeight &stored);

/// Writes to `to`, stored.bytes bytes, what the compiler writes there for a model
/// whose `weight` has the elements `from`, row-major. Not for what is `fixed`, and
/// of what is narrowed not for elements that are not finite in float16. Both records
/// have passed verify().
void makeStored(const Weight &weight, const StoredWeight &stored, const uint8_t *from, uint8_t *to);

} // namespace ane::rt::manifest
#endif // ANE_RUNTIME_FORMAT_MANIFEST_WEIGHTS_H
