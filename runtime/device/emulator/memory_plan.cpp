//===- memory_plan.cpp - Places of values in one block of memory ----------===//

#include "runtime/device/emulator/memory_plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <queue>
#include <utility>

namespace ane::rt::emulator {

void MemoryPlan::add(int64_t value, int64_t elements, Interval interval) {
  constexpr int64_t kLine = 16; // four-byte elements in 64 bytes
  int64_t rounded = (std::max<int64_t>(elements, 1) + kLine - 1) / kLine * kLine;
  items.push_back({value, rounded, interval});
}

namespace {

/// Gaps of the block, and how far it reaches. A value takes the lowest of the
/// first gaps that holds it: looking at all would be quadratic in a program
/// whose values live long.
class Gaps {
public:
  int64_t take(int64_t elements) {
    constexpr int kLooks = 64;
    int looks = 0;
    for (auto gap = gaps.begin(); gap != gaps.end() && looks < kLooks; ++gap, ++looks) {
      auto [offset, size] = *gap;
      if (size < elements)
        continue;
      gaps.erase(gap);
      if (size > elements)
        gaps.emplace(offset + elements, size - elements);
      return offset;
    }
    // The last gap may reach the end of the block, which then grows by less.
    int64_t offset = end;
    if (!gaps.empty() && gaps.rbegin()->first + gaps.rbegin()->second == end) {
      offset = gaps.rbegin()->first;
      gaps.erase(std::prev(gaps.end()));
    }
    end = offset + elements;
    return offset;
  }

  void free(int64_t offset, int64_t elements) {
    auto next = gaps.lower_bound(offset);
    if (next != gaps.end() && next->first == offset + elements) {
      elements += next->second;
      next = gaps.erase(next);
    }
    if (next != gaps.begin())
      if (auto before = std::prev(next); before->first + before->second == offset) {
        before->second += elements;
        return;
      }
    gaps.emplace_hint(next, offset, elements);
  }

  int64_t size() const { return end; }

private:
  std::map<int64_t, int64_t> gaps; ///< size by offset
  int64_t end = 0;
};

} // namespace

/// In the order in which values begin.
int64_t MemoryPlan::place(const std::function<void(int64_t, int64_t)> &assign) {
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) {
    return std::pair(a.interval.first, a.value) < std::pair(b.interval.first, b.value);
  });
  Gaps gaps;
  auto endsLater = [](const Item *a, const Item *b) { return a->interval.last > b->interval.last; };
  std::priority_queue<const Item *, std::vector<const Item *>, decltype(endsLater)> alive(endsLater);
  for (Item &item : items) {
    for (; !alive.empty() && alive.top()->interval.last < item.interval.first; alive.pop())
      gaps.free(alive.top()->offset, alive.top()->elements);
    item.offset = gaps.take(item.elements);
    alive.push(&item);
    assign(item.value, item.offset);
  }
  return gaps.size();
}

} // namespace ane::rt::emulator
