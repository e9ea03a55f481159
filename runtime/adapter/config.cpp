//===- config.cpp - adapter_config.json ------------------------------------===//
#include "runtime/adapter/config.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/format/manifest/manifest.h"
#include "runtime/support/json_owner.h"
#include "runtime/support/json_text.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/quote.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ane::rt::adapter {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMaxConfigBytes = 1 << 20;
constexpr int kMaxDepth = 16;
constexpr char kMerge[] = "; merge the adapter into its model (merge_and_unload in peft) and compile that";

/// Fields that say nothing about what an adapter computes once it is trained. (peft 0.21: LoraConfig.)
constexpr const char *kSilent[] = {
    "task_type",         "auto_mapping",   "peft_version",   "base_model_name_or_path", "revision",
    "inference_mode",    "lora_dropout",   "fan_in_fan_out", "layers_pattern",          "megatron_core",
    "qalora_group_size", "runtime_config", "eva_config",     "ensure_weight_tying"};
constexpr const char *kRead[] = {"peft_type",      "r",    "lora_alpha",        "use_rslora",
                                 "target_modules", "bias", "init_lora_weights", "layers_to_transform",
                                 "exclude_modules"};
/// Ways to begin that leave the model's own weights as they are.
constexpr const char *kBeginnings[] = {"gaussian", "eva", "orthogonal"};

bool contains(absl::Span<const char *const> names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// null, false, 0, and what is empty.
bool isNothing(const Json &value) {
  return value.is_null() || value == false || (value.is_number() && value == 0) ||
         ((value.is_string() || value.is_structured()) && value.empty()) || value == "";
}

std::string shown(const Json &value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 60) + "..." : text;
}

class Reader {
public:
  Reader(std::string file, const Json &json) : file(std::move(file)), json(json) {}

  absl::StatusOr<Config> read() {
    Config config;
    if (absl::Status s = checkMethod(); !s.ok())
      return s;
    const Json *rank = find("r"), *alpha = find("lora_alpha");
    if (!rank || !rank->is_number_integer() || *rank < 1 || *rank > manifest::kMaxAdapterRank)
      return wrong("r", absl::StrCat("expected a rank of 1 to ", manifest::kMaxAdapterRank));
    if (!alpha || !alpha->is_number() || !std::isfinite(alpha->get<double>()))
      return wrong("lora_alpha", "expected a number");
    const Json *stabilised = find("use_rslora");
    if (stabilised && !stabilised->is_boolean())
      return wrong("use_rslora", "expected true or false");
    config.rank = rank->get<int64_t>();
    config.alpha = alpha->get<double>();
    config.isRankStabilised = stabilised && stabilised->get<bool>();
    const Json *excluded = find("exclude_modules");
    config.isOfAllLayers = !find("layers_to_transform") && (!excluded || isNothing(*excluded));
    return readTargets(config);
  }

private:
  /// Null if it is missing or null.
  const Json *find(const char *name) const {
    auto found = json.find(name);
    return found == json.end() || found->is_null() ? nullptr : &*found;
  }

  absl::Status wrong(const std::string &name, const std::string &expected) const {
    const Json *value = find(name.c_str());
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": field ", quote(name), value ? absl::StrCat(" is ", shown(*value)) : " is missing", ", ", expected));
  }

  absl::Status checkMethod() const {
    const Json *type = find("peft_type");
    if (!type || *type != "LORA")
      return wrong("peft_type", "expected \"LORA\": other methods add something else than B (A x)");
    const Json *bias = find("bias");
    if (bias && *bias != "none")
      return wrong("bias", absl::StrCat("supported is \"none\": biases of the model's own stay as they are", kMerge));
    const Json *begin = find("init_lora_weights");
    if (begin && !begin->is_boolean() && !(begin->is_string() && contains(kBeginnings, begin->get<std::string>())))
      return wrong("init_lora_weights",
                   absl::StrCat("which has changed the model's own weights, too; supported are true, false, gaussian, "
                                "eva and orthogonal",
                                kMerge));
    for (const auto &[name, value] : json.items())
      if (!contains(kSilent, name) && !contains(kRead, name) && !isNothing(value))
        return wrong(name, absl::StrCat("which is not supported: an adapter adds B (A x) and nothing else", kMerge));
    return absl::OkStatus();
  }

  absl::StatusOr<Config> readTargets(Config &config) const {
    const Json *targets = find("target_modules");
    bool isList = targets && targets->is_array() && !targets->empty() &&
                  std::all_of(targets->begin(), targets->end(), [](const Json &each) {
                    return each.is_string() && !each.get_ref<const std::string &>().empty();
                  });
    if (!isList && !(targets && targets->is_string()))
      return wrong("target_modules", "expected a list of names, or a pattern");
    if (isList)
      config.targets = targets->get<std::vector<std::string>>();
    return config;
  }

  std::string file;
  const Json &json;
};

} // namespace

double Config::scale() const { return alpha / (isRankStabilised ? std::sqrt(double(rank)) : double(rank)); }

bool Config::isTarget(std::string_view layer) const {
  return std::any_of(targets.begin(), targets.end(), [&](const std::string &target) {
    return layer == target || (layer.size() > target.size() && layer[layer.size() - target.size() - 1] == '.' &&
                               layer.substr(layer.size() - target.size()) == target);
  });
}

absl::StatusOr<Config> parseConfig(std::string_view text, const std::string &file) {
  if (text.size() > kMaxConfigBytes)
    return absl::InvalidArgumentError(absl::StrCat(file, ": has ", text.size(), " bytes, limit ", kMaxConfigBytes));
  absl::StatusOr<Json> parsed = parseJsonObject<Json>(
      text, file, kMaxDepth, absl::StrCat("; expected what save_pretrained of peft writes beside ", kTensors));
  if (!parsed.ok())
    return parsed.status();
  JsonOwner<Json> json(*std::move(parsed));
  return Reader(file, *json).read();
}

absl::StatusOr<Config> readConfig(const std::string &folder) {
  std::string file = absl::StrCat(folder, "/", kConfig);
  absl::StatusOr<MappedFile> text = MappedFile::open(file);
  if (!text.ok())
    return text.status();
  return parseConfig({reinterpret_cast<const char *>(text->data()), text->size()}, file);
}

} // namespace ane::rt::adapter
