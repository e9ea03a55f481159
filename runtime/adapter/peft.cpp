//===- peft.cpp - Adapters in PEFT's format --------------------------------===//
#include "runtime/adapter/peft.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/adapter/config.h"
#include "runtime/format/safetensors/safetensors.h"
#include "runtime/support/floats.h"
#include "runtime/support/number_text.h"
#include "runtime/support/quote.h"
#include <cmath>
#include <set>

namespace ane::rt::adapter {
namespace {

constexpr char kPrefix[] = "base_model.model.";

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

std::string flagOf(const Config &config) {
  // With rank-stabilised scaling, the alpha that gives the same scale.
  return absl::StrCat("rank=", config.rank, ",alpha=", numberText(config.scale() * double(config.rank)),
                      ",targets=", config.targets.empty() ? "..." : absl::StrJoin(config.targets, ","));
}

class AdapterReader {
public:
  AdapterReader(const manifest::Manifest &m, Use use, const std::string &folder, Config config,
                const safetensors::Tensors &tensors)
      : record(*m.adapters), types(manifest::adapterTypes(m)), use(use), folder(folder), config(std::move(config)),
        tensors(tensors) {}

  absl::StatusOr<std::vector<Matrices>> read() {
    if (absl::Status s = checkFit(); !s.ok())
      return s;
    std::vector<Matrices> all;
    for (size_t i = 0; i < record.pairs.size(); ++i) {
      absl::StatusOr<Matrices> pair = readPair(i);
      if (!pair.ok())
        return pair.status();
      all.push_back(*std::move(pair));
    }
    // peft writes a copy of the model's own weight beside matrices of embeddings and heads.
    for (size_t i = 0; i < record.pairs.size(); ++i)
      if (absl::Status s = passOver(record.pairs[i].layer, {types[i].b.shape[0], types[i].a.shape[1]}); !s.ok())
        return s;
    // What is left is of layers without a place for it.
    for (const auto &[name, tensor] : tensors)
      if (!used.count(name))
        return wrong(file(), ": tensor ", quote(name),
                     " is of no layer that the bundle has adapters for (targets=", absl::StrJoin(record.targets, ","),
                     "); compile the model with --lora=", flagOf(config));
    return all;
  }

private:
  std::string file() const { return absl::StrCat(folder, "/", kTensors); }

  absl::Status checkFit() const {
    std::string name = absl::StrCat(folder, "/", kConfig);
    bool isExact = use == Use::Train;
    if (config.rank > record.rank || (isExact && config.rank != record.rank))
      return wrong(name, ": field \"r\" is ", config.rank, ", the bundle's adapters have rank ", record.rank,
                   "; compile the model with --lora=", flagOf(config));
    if (double own = record.alpha / double(record.rank);
        isExact && std::abs(config.scale() - own) > 1e-12 * std::abs(own))
      return wrong(name, ": field \"lora_alpha\" is ", numberText(config.alpha),
                   config.isRankStabilised ? " with \"use_rslora\"" : "", ", which multiplies B (A x) by ",
                   numberText(config.scale()), ", and the bundle's alpha is ", numberText(record.alpha),
                   ", which multiplies it by ", numberText(own), "; compile the model with --lora=", flagOf(config));
    return absl::OkStatus();
  }

  absl::Status passOver(const std::string &layer, const std::vector<int64_t> &shape) {
    auto found = tensors.find(absl::StrCat(kPrefix, layer, ".base_layer.weight"));
    if (found == tensors.end())
      return absl::OkStatus();
    if (found->second.shape != shape)
      return wrong(file(), ": tensor ", quote(found->first), " is ", found->second.describe(),
                   ", and the model's own [", absl::StrJoin(shape, ", "),
                   "]: the adapter was made with another vocabulary; merge it in peft "
                   "(merge_and_unload) and compile the result");
    used.insert(found->first);
    return absl::OkStatus();
  }

  absl::StatusOr<Matrices> readPair(size_t index) {
    const manifest::AdapterPair &pair = record.pairs[index];
    const manifest::AdapterTypes &type = types[index];
    const int64_t inputs = type.a.shape[1], outputs = type.b.shape[0];
    Matrices result;
    result.a.resize(static_cast<size_t>(record.rank * inputs));
    result.b.resize(static_cast<size_t>(outputs * record.rank));
    absl::StatusOr<const safetensors::Tensor *> a = find(pair, 'A', {config.rank, inputs}),
                                                b = find(pair, 'B', {outputs, config.rank});
    if (!a.ok() || !b.ok())
      return a.ok() ? b.status() : a.status();
    if (!*a != !*b)
      return wrong(file(), ": has tensor ", quote(tensorName(pair.layer, *a ? 'A' : 'B')), " and no ",
                   quote(tensorName(pair.layer, *a ? 'B' : 'A')), "; copy the whole adapter again");
    if (!*a)
      return result;
    std::vector<float> there = widened((*a)->type, (*a)->data, (*a)->bytes);
    std::copy(there.begin(), there.end(), result.a.begin());
    there = widened((*b)->type, (*b)->data, (*b)->bytes);
    if (pair.heads > 0) {
      std::vector<float> split = std::move(there);
      there.resize(split.size());
      joinPairs(split.data(), there.data(), outputs, config.rank, pair.heads);
    }
    const double factor = config.scale() / (record.alpha / double(record.rank));
    for (int64_t row = 0; row < outputs; ++row)
      for (int64_t i = 0; i < config.rank; ++i)
        result.b[static_cast<size_t>(row * record.rank + i)] =
            static_cast<float>(there[static_cast<size_t>(row * config.rank + i)] * factor);
    // As of any weight that is set (session_weights.cpp).
    for (auto [matrix, values] : {std::pair('A', &result.a), {'B', &result.b}})
      for (float value : *values)
        if (!std::isfinite(value))
          return wrong(file(), ": tensor ", quote(tensorName(pair.layer, matrix)), " has an element that is ", value,
                       matrix == 'B' ? absl::StrCat(" when it is multiplied by ", factor) : "",
                       ", expected finite numbers");
    return result;
  }

  /// Null if it is not there and need not be.
  absl::StatusOr<const safetensors::Tensor *> find(const manifest::AdapterPair &pair, char matrix,
                                                   const std::vector<int64_t> &shape) {
    std::string name = tensorName(pair.layer, matrix);
    auto found = tensors.find(name);
    if (found == tensors.end()) {
      if (use == Use::Train)
        return wrong(file(), ": has no tensor ", quote(name),
                     "; the bundle has adapters for targets=", absl::StrJoin(record.targets, ","),
                     ", the adapter is for ", flagOf(config));
      if (config.isOfAllLayers && config.isTarget(pair.layer))
        return wrong(file(), ": has no tensor ", quote(name),
                     ", of a layer that \"target_modules\" names; copy the "
                     "whole adapter again, or it is another model's");
      return nullptr;
    }
    used.insert(name);
    // peft would leave it out.
    if (!config.targets.empty() && !config.isTarget(pair.layer))
      return wrong(file(), ": tensor ", quote(name), " is of a layer that \"target_modules\" of ", kConfig,
                   " does not name: ", absl::StrJoin(config.targets, ","), "; copy the whole adapter again");
    const safetensors::Tensor &tensor = found->second;
    if (!isWidened(tensor.type))
      return wrong(file(), ": tensor ", quote(name), " is ", tensor.describe(),
                   ", supported are float32, float16 and bfloat16");
    if (tensor.shape != shape)
      return wrong(file(), ": tensor ", quote(name), " is ", tensor.describe(), ", expected [",
                   absl::StrJoin(shape, ", "), "]: it is another model's, or not of rank ", config.rank);
    return &tensor;
  }

  const manifest::Adapters &record;
  std::vector<manifest::AdapterTypes> types;
  Use use;
  const std::string &folder;
  Config config;
  const safetensors::Tensors &tensors;
  std::set<std::string> used;
};

/// Calls `place` with the row in the order of halves and the one in the order of neighbours, for each row.
template <typename Place>
void eachRow(int64_t rows, int64_t heads, Place place) {
  const int64_t width = rows / heads, half = width / 2;
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t part = 0; part < 2; ++part)
      for (int64_t i = 0; i < half; ++i)
        place(head * width + part * half + i, head * width + 2 * i + part);
}

void copyRow(const float *from, int64_t source, float *to, int64_t row, int64_t columns) {
  std::copy_n(from + source * columns, columns, to + row * columns);
}

} // namespace

std::string tensorName(const std::string &layer, char matrix) {
  return absl::StrCat(kPrefix, layer, ".lora_", std::string(1, matrix), ".weight");
}

void splitPairs(const float *from, float *to, int64_t rows, int64_t columns, int64_t heads) {
  eachRow(rows, heads, [&](int64_t halves, int64_t neighbours) { copyRow(from, neighbours, to, halves, columns); });
}

void joinPairs(const float *from, float *to, int64_t rows, int64_t columns, int64_t heads) {
  eachRow(rows, heads, [&](int64_t halves, int64_t neighbours) { copyRow(from, halves, to, neighbours, columns); });
}

absl::StatusOr<std::vector<Matrices>> readAdapter(const std::string &folder, const manifest::Manifest &m, Use use) {
  absl::StatusOr<Config> config = readConfig(folder);
  if (!config.ok())
    return config.status();
  if (!m.adapters)
    return wrong("the bundle has no adapters; compile the model with --lora=", flagOf(*config));
  // In caches of the hub files are links.
  std::string path = absl::StrCat(folder, "/", kTensors);
  absl::StatusOr<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  absl::StatusOr<safetensors::Tensors> tensors = safetensors::parse(file->data(), file->size(), path);
  if (!tensors.ok())
    return tensors.status();
  return AdapterReader(m, use, folder, *std::move(config), *tensors).read();
}

absl::StatusOr<std::string> compilerFlag(const std::string &folder) {
  absl::StatusOr<Config> config = readConfig(folder);
  if (!config.ok())
    return config.status();
  if (config->targets.empty())
    return wrong(folder, "/", kConfig,
                 ": field \"target_modules\" is a pattern; name the layers with --lora=", flagOf(*config));
  return flagOf(*config);
}

} // namespace ane::rt::adapter
