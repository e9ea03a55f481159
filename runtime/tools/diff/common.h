//===- common.h - The longest common part of two sequences ------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_DIFF_COMMON_H
#define ANE_RUNTIME_TOOLS_DIFF_COMMON_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ane::rt::mildiff {

/// Pairs of places with equal elements, rising in both sequences, as many as there can be; of elements that repeat
/// often, only near repetitions are tried, which keeps time and memory linear but for a logarithm.
std::vector<std::pair<size_t, size_t>> commonPart(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b);

} // namespace ane::rt::mildiff

#endif // ANE_RUNTIME_TOOLS_DIFF_COMMON_H
