//===- memory_plan.cpp - Buffers that share one allocation ----------------===//
#include "runtime/support/memory_plan.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ane::rt {
namespace {

constexpr int64_t kAlignment = 64;
/// Far above any machine; keeps the sums below exact.
constexpr int64_t kMaxTotal = int64_t(1) << 52;

int64_t roundUp(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Buffers that are compared with each other one by one. The time grows with
/// the square of their number.
constexpr size_t kCompared = 4096;

bool overlap(const Lifetime &a, const Lifetime &b) { return a.first <= b.last && b.first <= a.last; }

/// Places the buffers of `order`, largest first, each at the lowest gap between
/// those that live at the same time.
void placeLargest(const std::vector<Lifetime> &buffers, absl::Span<const size_t> order, MemoryPlan &plan) {
  std::vector<size_t> placed; // by offset
  for (size_t index : order) {
    const Lifetime &buffer = buffers[index];
    int64_t offset = 0;
    for (size_t other : placed) {
      const Lifetime &taken = buffers[other];
      if (!overlap(taken, buffer))
        continue;
      if (plan.offsets[other] >= offset + roundUp(buffer.bytes))
        break;
      offset = std::max(offset, plan.offsets[other] + roundUp(taken.bytes));
    }
    plan.offsets[index] = offset;
    plan.bytes = std::max(plan.bytes, offset + roundUp(buffer.bytes));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), index,
                                   [&](size_t a, size_t b) { return plan.offsets[a] < plan.offsets[b]; }),
                  index);
  }
}

/// Free ranges of a block that grows at its end.
class Gaps {
public:
  explicit Gaps(int64_t begin) : end(begin) {}

  /// From the smallest gap that is large enough.
  int64_t take(int64_t size) {
    auto found = bySize.lower_bound({size, 0});
    if (found != bySize.end()) {
      auto [gap, offset] = *found;
      erase(byOffset.find(offset));
      insert(offset + size, gap - size);
      return offset;
    }
    int64_t offset = end;
    if (!byOffset.empty() && std::prev(byOffset.end())->first + std::prev(byOffset.end())->second == end) {
      offset = std::prev(byOffset.end())->first;
      erase(std::prev(byOffset.end()));
    }
    end = offset + size;
    return offset;
  }

  void give(int64_t offset, int64_t size) {
    auto after = byOffset.lower_bound(offset);
    if (after != byOffset.begin())
      if (auto before = std::prev(after); before->first + before->second == offset) {
        offset = before->first;
        size += before->second;
        erase(before);
      }
    if (after != byOffset.end() && after->first == offset + size) {
      size += after->second;
      erase(after);
    }
    insert(offset, size);
  }

  int64_t size() const { return end; }

private:
  void insert(int64_t offset, int64_t size) {
    if (size == 0)
      return;
    byOffset[offset] = size;
    bySize.insert({size, offset});
  }
  void erase(std::map<int64_t, int64_t>::iterator gap) {
    bySize.erase({gap->second, gap->first});
    byOffset.erase(gap);
  }

  std::map<int64_t, int64_t> byOffset;          ///< size
  std::set<std::pair<int64_t, int64_t>> bySize; ///< size and offset
  int64_t end;
};

/// Places the buffers of `order` behind all others, in the order in which they
/// begin.
void placeRest(const std::vector<Lifetime> &buffers, std::vector<size_t> order, MemoryPlan &plan) {
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::pair(buffers[a].first, a) < std::pair(buffers[b].first, b); });
  using Death = std::pair<int64_t, size_t>;
  std::priority_queue<Death, std::vector<Death>, std::greater<Death>> alive;
  Gaps gaps(plan.bytes);
  for (size_t index : order) {
    for (; !alive.empty() && alive.top().first < buffers[index].first; alive.pop()) {
      size_t dead = alive.top().second;
      gaps.give(plan.offsets[dead], roundUp(buffers[dead].bytes));
    }
    plan.offsets[index] = gaps.take(roundUp(buffers[index].bytes));
    alive.push({buffers[index].last, index});
  }
  plan.bytes = gaps.size();
}

} // namespace

absl::StatusOr<MemoryPlan> planMemory(const std::vector<Lifetime> &buffers) {
  int64_t total = 0;
  for (const Lifetime &buffer : buffers) {
    if (buffer.bytes > kMaxTotal - total)
      return absl::ResourceExhaustedError(absl::StrCat("values need more than ", kMaxTotal, " bytes"));
    total += roundUp(buffer.bytes);
  }
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].bytes != buffers[b].bytes ? buffers[a].bytes > buffers[b].bytes : a < b;
  });
  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  size_t compared = std::min(order.size(), kCompared);
  placeLargest(buffers, absl::MakeSpan(order).first(compared), plan);
  placeRest(buffers, {order.begin() + static_cast<ptrdiff_t>(compared), order.end()}, plan);
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
#if defined(__linux__)
  // A decoder's step reads its caches once, each page of which is looked up anew: large ones save a tenth of its time.
  constexpr int64_t kLargePage = 2 << 20;
  auto address = reinterpret_cast<uintptr_t>(buffer.memory.get());
  uintptr_t begin = (address + kLargePage - 1) / kLargePage * kLargePage;
  uintptr_t end = (address + static_cast<uintptr_t>(bytes)) / kLargePage * kLargePage;
  if (begin < end) // a wish, which may be denied
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
  return buffer;
}

} // namespace ane::rt
