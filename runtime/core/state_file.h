//===- state_file.h - States on disk ----------------------------*- C++ -*-===//
//
// A file of states, all numbers little-endian:
//
//   "ANESTATE", uint32 version, uint32 number of states, without those of adapters
//   each state: its name and its NumPy dtype (uint32 length, bytes),
//               uint32 rank, int64 sizes
//   the values, dense, one after the other
//   hash of all before (support/hash.h), 32 hexadecimal digits
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_STATE_FILE_H
#define ANE_RUNTIME_CORE_STATE_FILE_H

#include "runtime/core/states.h"

namespace ane::rt {

/// Writes the values under a temporary name and renames the file when it is
/// complete.
absl::Status saveStates(const States &states, const std::string &path);

/// Replaces all values but those of adapters, or none: DataLoss for a damaged file, InvalidArgument
/// for one of another kind, version, or other states.
absl::Status restoreStates(States &states, const std::string &path);

/// restoreStates() of bytes; `name` is for messages.
absl::Status readStates(States &states, const uint8_t *data, uint64_t size, const std::string &name);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_STATE_FILE_H
