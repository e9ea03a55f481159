//===- philox.h - Random numbers by counting --------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_PHILOX_H
#define ANE_RUNTIME_SUPPORT_PHILOX_H

#include <array>
#include <cstdint>

namespace ane::rt {

/// Philox4x32-10: ten rounds over a counter, by which number i of a seed is known
/// without those before it. Source: Salmon, Moraes, Dror, Shaw, "Parallel random
/// numbers: as easy as 1, 2, 3" (SC 2011), section 4.3 and table 2.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Number `index` of `seed`, of 0 ... bound - 1, each as likely to within 2^-64; `bound` is not 0. It is a share of the
/// bound, which the bound does not change: sums of weights that differ by rounding, as between machines, give numbers
/// that differ as little.
uint64_t randomBelow(uint64_t seed, uint64_t index, uint64_t bound);

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_PHILOX_H
