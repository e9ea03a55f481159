//===- memory_plan.h - Places of values in one block of memory ------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_MEMORY_PLAN_H
#define ANE_RUNTIME_DEVICE_EMULATOR_MEMORY_PLAN_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ane::rt::emulator {

/// Places values so that those which live at the same time do not overlap.
class MemoryPlan {
public:
  /// From the step that makes a value to the last one that reads it, both
  /// included: a result never takes the place of an operand of its own step.
  struct Interval {
    size_t first = SIZE_MAX;
    size_t last = 0;
    void use(size_t time) {
      first = time < first ? time : first;
      last = time > last ? time : last;
    }
    bool used() const { return first != SIZE_MAX; }
  };

  void add(int64_t value, int64_t elements, Interval interval);

  /// Calls assign(value, offset in elements) for every value and returns the
  /// size of the block. Offsets are multiples of 64 bytes.
  int64_t place(const std::function<void(int64_t, int64_t)> &assign);

private:
  struct Item {
    int64_t value;
    int64_t elements;
    Interval interval;
    int64_t offset = 0;
  };
  std::vector<Item> items;
};

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_MEMORY_PLAN_H
