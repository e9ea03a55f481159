//===- merge.cpp - Adapters in the weights of their model -----------------===//
#include "runtime/train/export/merge.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/support/quote.h"
#include <map>

namespace ane::rt::train {
namespace {

/// weight[o, i] += factor * sum of b[o, k] a[k, i]; the weight may be [i, o].
void addProduct(std::vector<float> &weight, const float *a, const float *b, int64_t outputs, int64_t inputs,
                int64_t rank, double factor, bool isTransposed) {
  std::vector<double> row(static_cast<size_t>(inputs));
  for (int64_t o = 0; o < outputs; ++o) {
    row.assign(row.size(), 0);
    for (int64_t k = 0; k < rank; ++k)
      for (int64_t i = 0; i < inputs; ++i)
        row[static_cast<size_t>(i)] += double(b[o * rank + k]) * a[k * inputs + i];
    for (int64_t i = 0; i < inputs; ++i) {
      float &element = weight[static_cast<size_t>(isTransposed ? i * outputs + o : o * inputs + i)];
      element = static_cast<float>(element + factor * row[static_cast<size_t>(i)]);
    }
  }
}

std::vector<int64_t> weightShape(const manifest::AdapterPair &pair, int64_t outputs, int64_t inputs) {
  return pair.transposed ? std::vector{inputs, outputs} : std::vector{outputs, inputs};
}

} // namespace

std::vector<TrainedWeight> mergedWeights(const manifest::Manifest &m) {
  std::vector<TrainedWeight> weights;
  const std::vector<manifest::AdapterTypes> types = manifest::adapterTypes(m);
  for (size_t i = 0; i < types.size(); ++i) {
    const manifest::AdapterPair &pair = m.adapters->pairs[i];
    weights.push_back({pair.weight, weightShape(pair, types[i].b.shape[0], types[i].a.shape[1]), nullptr});
  }
  return weights;
}

absl::StatusOr<MergedWeights> mergeAdapters(const ModelFile &source, const manifest::Adapters &record,
                                            absl::Span<const TrainedWeight> matrices) {
  std::map<std::string_view, const TrainedWeight *> known;
  for (const TrainedWeight &matrix : matrices)
    known[matrix.name] = &matrix;
  MergedWeights merged;
  for (const manifest::AdapterPair &pair : record.pairs) {
    const TrainedWeight &a = *known.at(pair.a), &b = *known.at(pair.b);
    const int64_t inputs = a.shape[1], outputs = b.shape[0];
    absl::StatusOr<ModelFile::Values> base = source.read(pair.weight);
    if (!base.ok())
      return base.status();
    const std::vector<int64_t> expected = weightShape(pair, outputs, inputs);
    if (base->shape != expected)
      return absl::InvalidArgumentError(absl::StrCat(
          source.path(), ": tensor ", quote(pair.weight), " is [", absl::StrJoin(base->shape, ", "),
          "], its adapter is for [", absl::StrJoin(expected, ", "), "]; name the model that was compiled"));
    addProduct(base->elements, a.data, b.data, outputs, inputs, record.rank, record.alpha / double(record.rank),
               pair.transposed);
    merged.memory.push_back(std::move(base->elements));
    merged.weights.push_back({pair.weight, expected, merged.memory.back().data()});
  }
  return merged;
}

} // namespace ane::rt::train
