//===- export.h - Trained weights for others ---------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_EXPORT_EXPORT_H
#define ANE_RUNTIME_TRAIN_EXPORT_EXPORT_H

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/support/element_type.h"
#include "runtime/train/export/form.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ane::rt::train {

/// A parameter's value, row-major.
struct TrainedWeight {
  std::string name; ///< as in the model that was compiled
  std::vector<int64_t> shape;
  const float *data;
};

/// One safetensors file with a float32 tensor for each weight.
absl::Status exportSafetensors(const std::string &path, absl::Span<const TrainedWeight> weights);

/// A folder that transformers loads, of the folder `source` that was compiled: its configuration and tokenizer, and
/// model.safetensors, which has the tensors of the source's checkpoint. Those that were trained are float32 with new
/// values, and the configuration says so; others are copied. A tensor that the source does not have, since it is tied
/// to another, is not written either. Of a GGUF file, which `form` is of, all tensors are float32 under Hugging Face's
/// names, and the form has the tokenizer. `folder` must not exist, or be empty. InvalidArgument if a weight is not in
/// the source.
absl::Status exportHuggingFace(const std::string &source, const std::string &folder,
                               absl::Span<const TrainedWeight> weights, const HuggingFaceForm &form = {});

/// The model.safetensors of such a folder alone.
absl::Status exportModelTensors(const std::string &source, const std::string &path,
                                absl::Span<const TrainedWeight> weights, const HuggingFaceForm &form);

/// A GGUF file with the metadata and tensors of the file `source` that was compiled. Those that were trained have new
/// values, as float32 or, of matrices, as `matrices`: Float32 or Float16; others are copied. InvalidArgument if a
/// weight is not in the source.
absl::Status exportGguf(const std::string &source, const std::string &path, absl::Span<const TrainedWeight> weights,
                        ElementType matrices = ElementType::Float32);

/// By `path`: NAME.safetensors, NAME.gguf, or a folder. `source` is what was compiled, for the last two.
absl::Status exportWeights(const std::string &source, const std::string &path, absl::Span<const TrainedWeight> weights,
                           const HuggingFaceForm &form = {});

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_EXPORT_EXPORT_H
