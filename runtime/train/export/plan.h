//===- plan.h - What an export is made of ------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_EXPORT_PLAN_H
#define ANE_RUNTIME_TRAIN_EXPORT_PLAN_H

#include "runtime/format/safetensors/writer.h"
#include "runtime/train/export/export.h"

namespace ane::rt::train {

/// Known before anything is written.
struct ExportPlan {
  std::map<std::string, const TrainedWeight *, std::less<>> trained; ///< by names in the source
  std::vector<safetensors::TensorRecord> tensors; ///< of a GGUF file under Hugging Face's names, in the form's order
  std::string config;                             ///< a folder's config.json
};

/// Errors are those of checkExport().
absl::StatusOr<ExportPlan> planExport(const ModelFile &source, const std::string &path,
                                      absl::Span<const TrainedWeight> weights, const HuggingFaceForm &form);

/// The two other kinds of exportModel().
absl::Status exportHuggingFace(const ModelFile &source, const std::string &path,
                               absl::Span<const TrainedWeight> weights, const HuggingFaceForm &form);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_EXPORT_PLAN_H
