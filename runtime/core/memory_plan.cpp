//===- memory_plan.cpp - Buffers that share one allocation ----------------===//
#include "runtime/core/memory_plan.h"
#include "absl/strings/str_cat.h"
#include <algorithm>
#include <numeric>

namespace ane::rt {
namespace {

constexpr int64_t kAlignment = 64;
/// Far above any machine; keeps the sums below exact.
constexpr int64_t kMaxTotal = int64_t(1) << 52;

int64_t roundUp(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

} // namespace

absl::StatusOr<MemoryPlan> planMemory(const std::vector<Lifetime> &buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].bytes != buffers[b].bytes ? buffers[a].bytes > buffers[b].bytes : a < b;
  });

  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  std::vector<size_t> placed; // by offset
  for (size_t index : order) {
    const Lifetime &buffer = buffers[index];
    int64_t offset = 0;
    for (size_t other : placed) {
      const Lifetime &taken = buffers[other];
      if (taken.last < buffer.first || buffer.last < taken.first)
        continue;
      if (plan.offsets[other] >= offset + roundUp(buffer.bytes))
        break;
      offset = std::max(offset, plan.offsets[other] + roundUp(taken.bytes));
    }
    if (buffer.bytes > kMaxTotal || offset > kMaxTotal - buffer.bytes)
      return absl::ResourceExhaustedError(absl::StrCat("values of the plan need more than ", kMaxTotal, " bytes"));
    plan.offsets[index] = offset;
    plan.bytes = std::max(plan.bytes, offset + roundUp(buffer.bytes));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), index,
                                   [&](size_t a, size_t b) { return plan.offsets[a] < plan.offsets[b]; }),
                  index);
  }
  return plan;
}

absl::StatusOr<AlignedBuffer> AlignedBuffer::allocate(int64_t bytes) {
  AlignedBuffer buffer;
  buffer.size = bytes;
  if (bytes == 0)
    return buffer;
  buffer.memory.reset(static_cast<uint8_t *>(std::aligned_alloc(kAlignment, static_cast<size_t>(roundUp(bytes)))));
  if (!buffer.memory)
    return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes"));
  return buffer;
}

} // namespace ane::rt
