//===- memory_plan.h - Buffers that share one allocation --------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_MEMORY_PLAN_H
#define ANE_RUNTIME_SUPPORT_MEMORY_PLAN_H

#include "absl/status/statusor.h"
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace ane::rt {

/// A buffer that lives from step `first` to step `last`, both included.
struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets; ///< multiples of 64, one for each buffer
  int64_t bytes = 0;            ///< of the whole allocation
};

/// Places buffers so that those whose lives overlap do not overlap in memory:
/// largest first, each at the lowest gap; beyond the first thousands, the rest
/// in order of time. ResourceExhausted when all of them together exceed what a
/// machine can address.
absl::StatusOr<MemoryPlan> planMemory(const std::vector<Lifetime> &buffers);

/// Memory aligned to 64 bytes.
class AlignedBuffer {
public:
  /// Content is undefined. 0 bytes give a valid, empty buffer.
  static absl::StatusOr<AlignedBuffer> allocate(int64_t bytes);
  AlignedBuffer() = default;

  uint8_t *data() const { return memory.get(); }
  int64_t bytes() const { return size; }

private:
  struct Free {
    void operator()(uint8_t *data) const { std::free(data); }
  };
  std::unique_ptr<uint8_t, Free> memory;
  int64_t size = 0;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_SUPPORT_MEMORY_PLAN_H
