//===- adapter.cpp - Trained adapters in PEFT's format --------------------===//
#include "runtime/train/export/adapter.h"
#include "absl/strings/str_cat.h"
#include "runtime/adapter/config.h"
#include "runtime/adapter/peft.h"
#include "runtime/support/output_file.h"
#include "runtime/train/checkpoint/store.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace ane::rt::train {
namespace {

using Json = nlohmann::ordered_json;

std::string configOf(const manifest::Adapters &record, const AdapterExport &about) {
  bool isWhole = std::trunc(record.alpha) == record.alpha && std::abs(record.alpha) < 1e15;
  bool isTransposed = std::any_of(record.pairs.begin(), record.pairs.end(),
                                  [](const manifest::AdapterPair &pair) { return pair.transposed; });
  Json json = {{"peft_type", "LORA"},
               {"task_type", about.isLanguageModel ? Json("CAUSAL_LM") : Json()},
               {"base_model_name_or_path", about.source.empty() ? Json() : Json(about.source)},
               {"inference_mode", true},
               {"r", record.rank},
               {"lora_alpha", isWhole ? Json(static_cast<int64_t>(record.alpha)) : Json(record.alpha)},
               {"target_modules", record.targets},
               {"lora_dropout", 0.0},
               {"bias", "none"},
               {"fan_in_fan_out", isTransposed},
               {"init_lora_weights", true},
               {"use_rslora", false},
               {"use_dora", false},
               {"modules_to_save", nullptr}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

absl::Status exportAdapter(const std::string &folder, const manifest::Adapters &record, const AdapterExport &about,
                           absl::Span<const TrainedWeight> matrices) {
  if (absl::Status s = checkPlace(folder); !s.ok())
    return s;
  std::map<std::string_view, const TrainedWeight *> known;
  for (const TrainedWeight &matrix : matrices)
    known[matrix.name] = &matrix;
  std::vector<TrainedWeight> weights;
  std::vector<std::vector<float>> rows; // in the order of Hugging Face's outputs
  rows.reserve(record.pairs.size());
  for (const manifest::AdapterPair &pair : record.pairs) {
    const TrainedWeight &a = *known.at(pair.a), &b = *known.at(pair.b);
    weights.push_back({adapter::tensorName(pair.layer, 'A'), a.shape, a.data});
    weights.push_back({adapter::tensorName(pair.layer, 'B'), b.shape, b.data});
    if (pair.heads == 0)
      continue;
    rows.emplace_back(static_cast<size_t>(b.shape[0] * b.shape[1]));
    adapter::splitPairs(b.data, rows.back().data(), b.shape[0], b.shape[1], pair.heads);
    weights.back().data = rows.back().data();
  }
  absl::StatusOr<UnfinishedFolder> made = UnfinishedFolder::create(folder);
  if (!made.ok())
    return made.status();
  std::string config = configOf(record, about);
  absl::Status status = writeFile(absl::StrCat(made->name(), "/", adapter::kConfig), config.data(), config.size());
  if (status.ok())
    status = exportSafetensors(absl::StrCat(made->name(), "/", adapter::kTensors), weights);
  return status.ok() ? made->commit() : status;
}

} // namespace ane::rt::train
