//===- merge.h - Adapters in the weights of their model ----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_EXPORT_MERGE_H
#define ANE_RUNTIME_TRAIN_EXPORT_MERGE_H

#include "runtime/format/manifest/manifest.h"
#include "runtime/train/export/export.h"

#include <list>

namespace ane::rt::train {

/// Weights and the memory that they are in.
struct MergedWeights {
  std::list<std::vector<float>> memory;
  std::vector<TrainedWeight> weights;
};

/// The weights beside which adapters stand, as the model `source` that was compiled has them, plus alpha / rank * B A:
/// each product is summed in float64 and added before it is rounded. `matrices` are A and B of all pairs, by name.
absl::StatusOr<MergedWeights> mergeAdapters(const ModelFile &source, const manifest::Adapters &record,
                                            absl::Span<const TrainedWeight> matrices);

/// Their names and shapes, without data: for checkExport().
std::vector<TrainedWeight> mergedWeights(const manifest::Manifest &manifest);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_EXPORT_MERGE_H
