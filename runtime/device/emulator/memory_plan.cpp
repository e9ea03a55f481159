//===- memory_plan.cpp - Places of values in one block of memory ----------===//

#include "runtime/device/emulator/memory_plan.h"

#include <algorithm>
#include <utility>

namespace ane::rt::emulator {

void MemoryPlan::add(int64_t value, int64_t elements, Interval interval) {
  constexpr int64_t kLine = 16; // four-byte elements in 64 bytes
  int64_t rounded = (std::max<int64_t>(elements, 1) + kLine - 1) / kLine * kLine;
  items.push_back({value, rounded, interval});
}

/// In the order in which values begin, each takes the lowest gap between the
/// values that are still alive.
int64_t MemoryPlan::place(const std::function<void(int64_t, int64_t)> &assign) {
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) {
    return std::pair(a.interval.first, a.value) < std::pair(b.interval.first, b.value);
  });
  int64_t size = 0;
  std::vector<const Item *> alive; // by offset
  for (Item &item : items) {
    alive.erase(std::remove_if(alive.begin(), alive.end(),
                               [&](const Item *other) { return other->interval.last < item.interval.first; }),
                alive.end());
    int64_t offset = 0;
    auto at = alive.begin();
    for (; at != alive.end(); ++at) {
      if ((*at)->offset - offset >= item.elements)
        break;
      offset = std::max(offset, (*at)->offset + (*at)->elements);
    }
    item.offset = offset;
    alive.insert(at, &item);
    size = std::max(size, offset + item.elements);
    assign(item.value, offset);
  }
  return size;
}

} // namespace ane::rt::emulator
