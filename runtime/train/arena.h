//===- arena.h - Memory of all parameters -----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_ARENA_H
#define ANE_RUNTIME_TRAIN_ARENA_H

#include "absl/status/statusor.h"
#include <cstdint>
#include <string>
#include <utility>

namespace ane::rt::train {

/// Floats in whole pages of their own, all zero at first. Pages that nobody has
/// written take no memory.
class Arena {
public:
  /// ResourceExhausted, saying for what, if the system has none.
  static absl::StatusOr<Arena> map(int64_t floats, const std::string &what);

  Arena() = default;
  Arena(Arena &&other) noexcept : begin(std::exchange(other.begin, nullptr)), count(std::exchange(other.count, 0)) {}
  Arena &operator=(Arena &&other) noexcept {
    std::swap(begin, other.begin);
    std::swap(count, other.count);
    return *this;
  }
  ~Arena();

  float *data() const { return begin; }
  int64_t floats() const { return count; }

private:
  float *begin = nullptr;
  int64_t count = 0;
};

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_ARENA_H
