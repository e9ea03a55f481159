//===- safetensors.h - Checkpoints of Hugging Face --------------*- C++ -*-===//
//
// A file is a JSON header (names, element types, shapes, places) and dense
// tensors; a sharded checkpoint is several of them and an index that says which
// tensor is where. Source of the format: github.com/huggingface/safetensors.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_SAFETENSORS_SAFETENSORS_H
#define ANE_RUNTIME_FORMAT_SAFETENSORS_SAFETENSORS_H

#include "absl/status/statusor.h"
#include "runtime/support/element_type.h"
#include "runtime/support/mapped_file.h"

#include <map>
#include <string>
#include <vector>

namespace ane::rt::safetensors {

struct Tensor {
  ElementType type;
  std::vector<int64_t> shape; ///< empty for a scalar
  const uint8_t *data;        ///< row-major, little-endian, of any alignment
  uint64_t bytes;
  uint64_t offset; ///< of the data in the file
  size_t file;     ///< index into the checkpoint's files

  /// "bfloat16[576, 1536]", for messages.
  std::string describe() const;
};

using Tensors = std::map<std::string, Tensor, std::less<>>;

/// The tensors of one file's bytes, which they are views of. Errors name the
/// file, the tensor and the field. As in the reference implementation, tensors
/// lie side by side and fill the file: a download that was cut off is an error.
absl::StatusOr<Tensors> parse(const uint8_t *data, uint64_t size, const std::string &name,
                              std::map<std::string, std::string> *metadata = nullptr);

/// The file of each tensor that an index names, by tensor: names in the index's folder. Errors name the index and the
/// tensor.
absl::StatusOr<std::map<std::string, std::string>> parseIndex(const uint8_t *data, uint64_t size,
                                                              const std::string &name);

/// One file, or the files of an index, mapped as long as the object lives.
class Checkpoint {
public:
  /// `path`: a .safetensors file, an index (.json), or a folder with
  /// model.safetensors or model.safetensors.index.json. Files of an index lie
  /// beside it; each tensor that it names is in the file that it names.
  static absl::StatusOr<Checkpoint> open(const std::string &path);

  const Tensors &tensors() const { return all; }
  const std::vector<std::string> &files() const { return paths; }
  /// Null if there is none.
  const Tensor *tensor(std::string_view name) const;

private:
  absl::Status add(const std::string &path);

  Tensors all;
  std::vector<std::string> paths;
  std::vector<MappedFile> mappings;
};

} // namespace ane::rt::safetensors

#endif // ANE_RUNTIME_FORMAT_SAFETENSORS_SAFETENSORS_H
