//===- adapter.h - The adapter that a session computes with --------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_ADAPTER_H
#define ANE_RUNTIME_CORE_ADAPTER_H

#include "runtime/adapter/peft.h"
#include "runtime/core/states.h"

namespace ane::rt {

/// A bundle that runs has the matrices of its adapters as states, which all functions of a session read. Zeros are no
/// adapter: the model is its base then, to the bit.
///
/// Of the adapter in a folder, for a bundle with such states. InvalidArgument, naming what helps, for one without them,
/// and for an adapter that does not fit (adapter/peft.h).
absl::StatusOr<std::vector<adapter::Matrices>> readAdapter(const Bundle &bundle, const std::string &folder);

/// Gives them to the states of a session of that bundle; no matrices: none. Returns the bytes that were written.
int64_t setAdapter(States &states, const Bundle &bundle, absl::Span<const adapter::Matrices> matrices);

/// Tells adapters apart; empty if the session has none.
std::string adapterDigest(const States &states);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_ADAPTER_H
