//===- tensor.h - Types and values inside the emulator --------------------===//
//
// In memory a value takes four bytes per element whatever its MIL type: fp16
// and fp32 are float, every integer type and bool is int32_t. After each op a
// fp16 result is rounded to the nearest fp16 value (ties to even,
// ane-op-chip-matrix.md 4.1) and kept as the fp32 number that equals it, so
// storage is exactly fp16 in value, no kernel has to widen its operands, and
// data movement needs one kernel for all types. uint32 values above 2^31-1 keep
// their bits.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_TENSOR_H
#define ANE_RUNTIME_DEVICE_EMULATOR_TENSOR_H

#include "runtime/support/element_type.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ane::rt::emulator {

using Shape = std::vector<int64_t>;

/// Product of the dimensions from `first` to `last` (exclusive); the largest
/// int64_t if it is beyond that. Results of ops are computed from hostile
/// parameters before they are compared with the declared, bounded types.
inline int64_t product(const Shape &shape, size_t first, size_t last) {
  int64_t count = 1;
  for (size_t i = first; i < last; ++i)
    if (__builtin_mul_overflow(count, shape[i], &count))
      return INT64_MAX;
  return count;
}
inline int64_t product(const Shape &shape) { return product(shape, 0, shape.size()); }
/// The same for sums.
inline int64_t saturatingSum(int64_t a, int64_t b) { return __builtin_add_overflow(a, b, &a) ? INT64_MAX : a; }

/// Elements from one index of an axis to the next, row major.
Shape rowMajorStrides(const Shape &shape);

/// "[1, 2]"
std::string shapeString(const Shape &shape);

struct TensorType {
  ElementType element = ElementType::Float16;
  Shape shape;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t size() const { return product(shape); }
  /// "tensor<fp16, [1, 2]>"
  std::string str() const;
  bool operator==(const TensorType &other) const { return element == other.element && shape == other.shape; }
  bool operator!=(const TensorType &other) const { return !(*this == other); }
};

/// Elements of the largest constant, 4 GiB in memory (its file holds them, too).
/// Values of run time have a lower bound (limits.h). Sizes computed from checked
/// shapes stay far from overflow.
constexpr int64_t kMaxElements = int64_t(1) << 30;

/// Float values live as float, all others as int32_t.
inline bool heldAsFloat(ElementType type) { return isFloat(type); }

/// Memory of `count` four-byte elements, aligned to 64 bytes, not initialised.
/// Throws std::bad_alloc, as containers do; the device makes a status of it.
struct FreeDeleter {
  void operator()(void *memory) const;
};
using Buffer = std::unique_ptr<void, FreeDeleter>;
Buffer allocateElements(int64_t count);

/// Where a constant's elements are, as the text says.
struct BlobPlace {
  std::string path; ///< as in the text
  uint64_t record = 0;
  uint64_t first = 0, bytes = 0; ///< of the payload in the file
};

/// A value known when the program is loaded.
struct Constant {
  TensorType type;
  std::optional<BlobPlace> place; ///< nothing for literals and what was computed
  /// An op has looked at the elements while it was loaded: another value would make another program of it.
  mutable bool isUsed = false;
  /// Elements; empty for strings and for constants that stay in the file.
  std::shared_ptr<void> elements;
  /// A fp16 constant that is widened at each use, because all constants
  /// together would take too much memory as fp32. Points into the weight file.
  const uint16_t *packed = nullptr;
  /// Keeps the file of `packed` mapped.
  std::shared_ptr<const void> file;
  std::vector<std::string> strings;

  /// For ops while they are loaded; kernels have KernelContext.
  const float *floats() const {
    isUsed = true;
    return static_cast<const float *>(elements.get());
  }
  const int32_t *ints() const {
    isUsed = true;
    return static_cast<const int32_t *>(elements.get());
  }
};

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_TENSOR_H
