//===- clock.h - Time that has gone by --------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_CLOCK_H
#define ANE_RUNTIME_SUPPORT_CLOCK_H

#include <chrono>
#include <cstdint>

namespace ane::rt {

/// Of a clock that never goes back.
inline int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace ane::rt
#endif // ANE_RUNTIME_SUPPORT_CLOCK_H
