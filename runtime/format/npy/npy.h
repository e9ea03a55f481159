//===- npy.h - NumPy's .npy files -------------------------------*- C++ -*-===//
//
// Format: numpy.lib.format, versions 1 to 3. Little-endian, C order, element
// types bool, (u)int8..64, float16/32/64. No objects, no structured types.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_NPY_NPY_H
#define ANE_RUNTIME_FORMAT_NPY_NPY_H

#include "absl/status/statusor.h"
#include "runtime/support/element_type.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ane::rt::npy {

/// A dense array, row-major. Bool elements are one byte each, 0 or 1.
struct Array {
  ElementType type = ElementType::Float32;
  std::vector<int64_t> shape; ///< empty for a scalar
  std::vector<uint8_t> data;

  int64_t elements() const;
  /// "float32[2, 3]", for messages.
  std::string describe() const;
};

/// What stands before an array's elements.
struct Header {
  ElementType type = ElementType::Float32;
  std::vector<int64_t> shape;
  uint64_t bytes = 0;     ///< of the header
  uint64_t dataBytes = 0; ///< of the elements, which follow
};
/// A header, with its magic and lengths, has no more bytes.
inline constexpr uint64_t kMaxHeaderBytes = 12 + 10000;
/// Of a file of `size` bytes that begins with the `present` bytes of `data`: all of them, or kMaxHeaderBytes. The
/// elements fill the rest of the file.
absl::StatusOr<Header> parseHeader(const uint8_t *data, uint64_t present, uint64_t size, const std::string &name);
/// What NumPy counts as true is 1 from now on, as Array says.
void normalizeBools(uint8_t *elements, uint64_t count);

/// Errors name the file, what is wrong and what would be right. Nothing is
/// allocated for data that the file does not hold.
absl::StatusOr<Array> read(const std::string &path);
absl::StatusOr<Array> parse(const uint8_t *data, uint64_t size, const std::string &name);

/// Writes version 1.0, the data aligned to 64 bytes as NumPy does; under a
/// temporary name that is renamed when complete.
absl::Status write(const std::string &path, ElementType type, const std::vector<int64_t> &shape, const void *data);

/// kInvalidArgument naming `subject`, both types and both shapes, unless the
/// array has this type and shape.
absl::Status expect(const Array &array, ElementType type, const std::vector<int64_t> &shape,
                    const std::string &subject);

} // namespace ane::rt::npy

#endif // ANE_RUNTIME_FORMAT_NPY_NPY_H
