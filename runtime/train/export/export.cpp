//===- export.cpp - Trained weights for others ----------------------------===//
#include "runtime/train/export/export.h"
#include "runtime/format/safetensors/writer.h"
#include "runtime/train/export/plan.h"

namespace ane::rt::train {

absl::Status exportSafetensors(const std::string &path, absl::Span<const TrainedWeight> weights) {
  std::vector<safetensors::TensorRecord> records;
  for (const TrainedWeight &weight : weights)
    records.push_back({weight.name, ElementType::Float32, weight.shape});
  // transformers asks for the name of a framework whose layout tensors have.
  auto writer = safetensors::Writer::create(path, records, {{"format", "pt"}});
  if (!writer.ok())
    return writer.status();
  for (const TrainedWeight &weight : weights) {
    uint64_t bytes = sizeof(float);
    for (int64_t size : weight.shape)
      bytes *= static_cast<uint64_t>(size);
    if (absl::Status status = writer->write(weight.data, bytes); !status.ok())
      return status;
  }
  return writer->commit();
}

absl::Status exportModel(const ModelFile &source, const std::string &path, absl::Span<const TrainedWeight> weights,
                         const HuggingFaceForm &form) {
  return exportKind(path) == ExportKind::Gguf ? exportGguf(source, path, weights)
                                              : exportHuggingFace(source, path, weights, form);
}

} // namespace ane::rt::train
