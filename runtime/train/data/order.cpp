//===- order.cpp - Shuffling without a table ------------------------------===//
#include "runtime/train/data/order.h"
#include "runtime/support/philox.h"

namespace ane::rt::train {

/// Four make it indistinguishable from chance for large sizes (Luby, Rackoff 1988); small ones need more.
static constexpr uint32_t kRounds = 8;

Permutation::Permutation(uint64_t size, uint64_t seed, uint64_t stream)
    : size(size), seed(seed), stream(stream), halfBits(1) {
  while (halfBits < 32 && size - 1 >= uint64_t(1) << (2 * halfBits))
    ++halfBits;
}

uint64_t Permutation::encipher(uint64_t number) const {
  const uint64_t mask = (uint64_t(1) << halfBits) - 1;
  uint64_t left = number >> halfBits, right = number & mask;
  for (uint32_t round = 0; round < kRounds; ++round) {
    auto words = philox(
        {static_cast<uint32_t>(right), round, static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)},
        {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
    uint64_t next = left ^ (words[0] & mask);
    left = right;
    right = next;
  }
  return left << halfBits | right;
}

uint64_t Permutation::operator()(uint64_t place) const {
  do
    place = encipher(place);
  while (place >= size);
  return place;
}

} // namespace ane::rt::train
