//===- philox.cpp - Random numbers by counting ----------------------------===//
#include "runtime/support/philox.h"
#include "absl/numeric/int128.h"

namespace ane::rt {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0], second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9; // the golden ratio
    key[1] += 0xBB67AE85; // the square root of 3, less 1
  }
  return counter;
}

uint64_t randomBelow(uint64_t seed, uint64_t index, uint64_t bound) {
  std::array<uint32_t, 2> key = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  auto words = philox({static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), 0, 0}, key);
  absl::uint128 number = absl::MakeUint128(uint64_t(words[3]) << 32 | words[2], uint64_t(words[1]) << 32 | words[0]);
  // The upper 64 of the product's 192 bits.
  absl::uint128 low = absl::uint128(absl::Uint128Low64(number)) * bound;
  absl::uint128 high = absl::uint128(absl::Uint128High64(number)) * bound + absl::Uint128High64(low);
  return absl::Uint128High64(high);
}

} // namespace ane::rt
