//===- adapter.h - Trained adapters in PEFT's format -------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_EXPORT_ADAPTER_H
#define ANE_RUNTIME_TRAIN_EXPORT_ADAPTER_H

#include "runtime/format/manifest/manifest.h"
#include "runtime/train/export/export.h"

namespace ane::rt::train {

/// What an adapter's configuration says beside the record.
struct AdapterExport {
  std::string source;           ///< the base model; empty: not said
  bool isLanguageModel = false; ///< its task is to continue texts
};

/// A folder that PeftModel.from_pretrained loads on the base model, under Hugging Face's names and in its order.
/// `matrices` are A and B of all pairs, by name. `folder` must not exist, or be empty.
absl::Status exportAdapter(const std::string &folder, const manifest::Adapters &record, const AdapterExport &about,
                           absl::Span<const TrainedWeight> matrices);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_EXPORT_ADAPTER_H
