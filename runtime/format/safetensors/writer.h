//===- writer.h - Writes a safetensors file ---------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_SAFETENSORS_WRITER_H
#define ANE_RUNTIME_FORMAT_SAFETENSORS_WRITER_H

#include "absl/status/statusor.h"
#include "runtime/support/element_type.h"
#include "runtime/support/output_file.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ane::rt::safetensors {

/// What the header says of a tensor.
struct TensorRecord {
  std::string name; ///< valid UTF-8; not "__metadata__", which the format has for itself
  ElementType type = ElementType::Float32;
  std::vector<int64_t> shape; ///< empty for a scalar
};

/// Writes the header, which describes all tensors, and then their elements, which need not be in memory at once. The
/// file has its name when it is whole (OutputFile).
class Writer {
public:
  /// Tensors lie in the file in this order, side by side; the first begins at a multiple of 8. InvalidArgument names
  /// the tensor that has no type or name of the format, a negative size, or the name of another.
  static absl::StatusOr<Writer> create(const std::string &path, const std::vector<TensorRecord> &tensors,
                                       const std::map<std::string, std::string> &metadata = {});

  /// The next elements, row-major and little-endian: of one tensor after the other, in pieces of any size.
  absl::Status write(const void *data, uint64_t bytes) { return file.write(data, bytes); }

  /// FailedPrecondition, and no file, if there are fewer or more bytes than the tensors have.
  absl::Status commit();

  /// Bytes of the file so far.
  uint64_t size() const { return file.size(); }
  /// Hash of the file (support/hash.h), after commit().
  std::string digest() { return file.digest(); }

private:
  explicit Writer(OutputFile file) : file(std::move(file)) {}

  OutputFile file;
  uint64_t expected = 0; ///< bytes of the file
};

} // namespace ane::rt::safetensors

#endif // ANE_RUNTIME_FORMAT_SAFETENSORS_WRITER_H
