//===- limits.h - What a program may take ---------------------------------===//
//
// A few words of hostile text ask for any amount of memory and time. Every
// program passes these bounds when it is loaded, before anything is allocated
// for its values and before any kernel runs.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_LIMITS_H
#define ANE_RUNTIME_DEVICE_EMULATOR_LIMITS_H

#include <cstdint>

namespace ane::rt::emulator {

/// Axes of a tensor; MIL has up to 5, tables of compressed weights two more.
constexpr int64_t kMaxRank = 16;

/// Multiply-adds that BLAS does in the time of one visit of an element.
constexpr int64_t kProductsPerVisit = 64;

/// Visits of elements that take as long as the beginning of a line of them.
constexpr int64_t kVisitsPerLine = 32;

/// Bytes of memory for each byte of constants: what the smallest elements (one
/// bit) take in the emulator's form (four bytes).
constexpr int64_t kBytesPerConstantByte = 32;

struct Limits {
  /// Values, scratch memory and surfaces of a program together: a process with
  /// one program stays below 2 GB. Results that are computed at load may take
  /// kBytesPerConstantByte times the constants on top.
  int64_t bytes = 1800 * (int64_t(1) << 20);
  /// Visits of elements in one op: 10 s at most on a slow machine (2.5 GHz, two
  /// threads to a core). A convolution in full resolution of an image model (256
  /// to 256 channels, 3x3, 512x512) takes three quarters.
  int64_t work = int64_t(1) << 32;
};

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_LIMITS_H
