//===- model_file.h - The tensors of a model that was compiled ---*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_EXPORT_MODEL_FILE_H
#define ANE_RUNTIME_TRAIN_EXPORT_MODEL_FILE_H

#include "runtime/format/gguf/gguf.h"
#include "runtime/format/safetensors/safetensors.h"

#include <optional>

namespace ane::rt::train {

/// A folder of Hugging Face, or a GGUF file.
class ModelFile {
public:
  static absl::StatusOr<ModelFile> open(const std::string &path);

  bool isGguf() const { return gguf.has_value(); }
  const gguf::File &ggufFile() const { return *gguf; }
  const safetensors::Checkpoint &checkpoint() const { return *folder; }
  const std::string &path() const { return place; }

  struct Values {
    std::vector<int64_t> shape;
    std::vector<float> elements; ///< widened or expanded
  };
  /// InvalidArgument, naming the tensor, if there is none or it is none of floats.
  absl::StatusOr<Values> read(const std::string &name) const;

private:
  ModelFile() = default;
  std::string place;
  std::optional<gguf::File> gguf;
  std::optional<safetensors::Checkpoint> folder;
};

/// The checkpoint's name of a weight; null if it has none. Checkpoints of a base model lack the first part of the names
/// that a model with a head has, and the other way round.
const std::string *nameInCheckpoint(const safetensors::Checkpoint &checkpoint, std::string_view weight);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_EXPORT_MODEL_FILE_H
