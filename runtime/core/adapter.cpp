//===- adapter.cpp - The adapter that a session computes with -------------===//
#include "runtime/core/adapter.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/hash.h"
#include <algorithm>
#include <cstring>
#include <map>

namespace ane::rt {

absl::StatusOr<std::vector<adapter::Matrices>> readAdapter(const Bundle &bundle, const std::string &folder) {
  const manifest::Manifest &m = bundle.manifest();
  if (m.training)
    return absl::InvalidArgumentError(
        "the bundle trains, and has its adapters as parameters; compile the model without --train to run it");
  return adapter::readAdapter(folder, m, adapter::Use::Run);
}

int64_t setAdapter(States &states, const Bundle &bundle, absl::Span<const adapter::Matrices> matrices) {
  int64_t total = 0;
  std::map<std::string_view, const std::vector<float> *> values;
  for (size_t i = 0; i < matrices.size(); ++i) {
    const manifest::AdapterPair &pair = bundle.manifest().adapters->pairs[i];
    values[pair.a] = &matrices[i].a;
    values[pair.b] = &matrices[i].b;
  }
  for (State &state : states.all()) {
    if (!state.isAdapter)
      continue;
    if (matrices.empty())
      std::memset(state.now.dense, 0, static_cast<size_t>(state.bytes));
    else
      std::memcpy(state.now.dense, values.at(state.record->name)->data(), static_cast<size_t>(state.bytes));
    state.now.wroteDense();
    total += state.bytes;
  }
  return total;
}

std::string adapterDigest(const States &states) {
  Hash hash;
  bool isZero = true;
  for (const State &state : states.all()) {
    if (!state.isAdapter)
      continue;
    const auto *bytes = static_cast<const uint8_t *>(state.now.dense);
    hash.update(bytes, static_cast<size_t>(state.bytes));
    isZero = isZero && std::all_of(bytes, bytes + state.bytes, [](uint8_t byte) { return byte == 0; });
  }
  return isZero ? "" : hash.digest();
}

} // namespace ane::rt
