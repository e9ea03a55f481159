//===- export.h - Trained weights for others ---------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_EXPORT_EXPORT_H
#define ANE_RUNTIME_TRAIN_EXPORT_EXPORT_H

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/support/element_type.h"
#include "runtime/train/export/form.h"
#include "runtime/train/export/model_file.h"

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

/// What an export's name says: NAME.safetensors, NAME.gguf, or a folder.
enum class ExportKind { Tensors, Gguf, Folder };
ExportKind exportKind(const std::string &path);

/// Whether an export can be written there: a folder must not exist, or be empty.
absl::Status checkPlace(const std::string &path);

/// One safetensors file with a float32 tensor for each weight, and no others.
absl::Status exportSafetensors(const std::string &path, absl::Span<const TrainedWeight> weights);

/// The model `source` that was compiled, with new values of what was trained; other tensors are copied. By `path`:
///
/// A folder that transformers loads. Of a folder of Hugging Face it has configuration and tokenizer, and
/// model.safetensors with the tensors of the source's checkpoint, of which those that were trained are float32, and the
/// configuration says so. A tensor that the source does not have, since it is tied to another, is not written either.
/// Of a GGUF file, which `form` is of, all tensors are float32 under Hugging Face's names, and the form has the
/// tokenizer.
///
/// NAME.safetensors: the model.safetensors of such a folder alone.
///
/// NAME.gguf: a file with the source's metadata. What was trained is float32.
absl::Status exportModel(const ModelFile &source, const std::string &path, absl::Span<const TrainedWeight> weights,
                         const HuggingFaceForm &form = {});
/// What is wrong with that, before there are values: `data` of weights is not read. InvalidArgument for a source that
/// is not the model that was compiled (it lacks a weight, or has it in another shape), one without a configuration
/// where a folder has one, one that the form is not of, and a place that can't be written.
absl::Status checkExport(const ModelFile &source, const std::string &path, absl::Span<const TrainedWeight> weights,
                         const HuggingFaceForm &form = {});

/// NAME.gguf, whose trained matrices are `matrices`: Float32 or Float16.
absl::Status exportGguf(const ModelFile &source, const std::string &path, absl::Span<const TrainedWeight> weights,
                        ElementType matrices = ElementType::Float32);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_EXPORT_EXPORT_H
