//===- huggingface.cpp - Trained weights as a folder of Hugging Face ------===//
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/format/safetensors/safetensors.h"
#include "runtime/format/safetensors/writer.h"
#include "runtime/support/quote.h"
#include "runtime/train/checkpoint/store.h"
#include "runtime/train/export/export.h"
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace ane::rt::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kConfig[] = "config.json";
constexpr int64_t kMaxFileBytes = int64_t(1) << 30;

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// Files that transformers reads beside weights and configuration.
bool isCopied(const std::string &name) {
  static const char *const known[] = {
      "generation_config.json", "special_tokens_map.json", "added_tokens.json", "merges.txt", "vocab.json", "vocab.txt",
      "spiece.model",           "preprocessor_config.json"};
  return std::find(std::begin(known), std::end(known), name) != std::end(known) ||
         absl::StartsWith(name, "tokenizer") || absl::StartsWith(name, "chat_template");
}

std::string_view withoutFirst(std::string_view name) {
  size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

/// The source's name of a weight. Checkpoints of a base model lack the first part of the names that a model with a head
/// has, and the other way round.
const std::string *sourceName(const safetensors::Checkpoint &source, const std::string &weight) {
  for (std::string_view name : {std::string_view(weight), withoutFirst(weight)})
    if (auto found = source.tensors().find(name); found != source.tensors().end())
      return &found->first;
  for (const auto &[name, tensor] : source.tensors())
    if (withoutFirst(name) == weight)
      return &name;
  return nullptr;
}

using Trained = std::map<std::string, const TrainedWeight *>;

absl::StatusOr<Trained> match(const safetensors::Checkpoint &checkpoint, const std::string &source,
                              absl::Span<const TrainedWeight> weights) {
  Trained trained;
  for (const TrainedWeight &weight : weights) {
    const std::string *name = sourceName(checkpoint, weight.name);
    if (!name)
      return wrong(source, ": has no tensor ", quote(weight.name), "; name the folder that was compiled");
    const safetensors::Tensor &tensor = *checkpoint.tensor(*name);
    if (tensor.shape != weight.shape)
      return wrong(source, ": tensor ", quote(*name), " is ", tensor.describe(), ", the trained weight is float32[",
                   absl::StrJoin(weight.shape, ", "), "]; name the folder that was compiled");
    if (!trained.emplace(*name, &weight).second)
      return wrong(source, ": tensor ", quote(*name), " is two of the trained weights");
  }
  return trained;
}

absl::Status writeTensors(const safetensors::Checkpoint &checkpoint, const Trained &trained, const std::string &path) {
  std::vector<safetensors::TensorRecord> records;
  for (const auto &[name, tensor] : checkpoint.tensors())
    records.push_back({name, trained.count(name) ? ElementType::Float32 : tensor.type, tensor.shape});
  auto writer = safetensors::Writer::create(path, records, {{"format", "pt"}});
  if (!writer.ok())
    return writer.status();
  for (const auto &[name, tensor] : checkpoint.tensors()) {
    auto found = trained.find(name);
    uint64_t elements = tensor.bytes / static_cast<uint64_t>(byteWidth(tensor.type));
    absl::Status status = found == trained.end() ? writer->write(tensor.data, tensor.bytes)
                                                 : writer->write(found->second->data, elements * sizeof(float));
    if (!status.ok())
      return status;
  }
  return writer->commit();
}

/// The source's, but that weights are float32.
absl::StatusOr<std::string> configOf(const Folder &source) {
  absl::StatusOr<std::string> text = source.read(kConfig, kMaxFileBytes);
  if (!text.ok())
    return text;
  Json config = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object())
    return wrong(source.nameOf(kConfig), ": is no JSON object");
  for (const char *key : {"torch_dtype", "dtype"})
    if (config.contains(key))
      config[key] = "float32";
  return config.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

absl::Status exportHuggingFace(const std::string &source, const std::string &folder,
                               absl::Span<const TrainedWeight> weights) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored))
    return wrong(folder, ": exists and is not empty; remove it, or choose another name");
  absl::StatusOr<safetensors::Checkpoint> checkpoint = safetensors::Checkpoint::open(source);
  if (!checkpoint.ok())
    return checkpoint.status();
  absl::StatusOr<Trained> trained = match(*checkpoint, source, weights);
  if (!trained.ok())
    return trained.status();
  absl::StatusOr<Folder> files = Folder::open(source);
  if (!files.ok())
    return files.status();
  absl::StatusOr<std::string> config = configOf(*files);
  if (!config.ok())
    return config.status();
  absl::StatusOr<UnfinishedFolder> made = UnfinishedFolder::create(folder);
  if (!made.ok())
    return made.status();
  auto placeOf = [&](const std::string &name) { return absl::StrCat(made->name(), "/", name); };
  if (absl::Status s = writeFile(placeOf(kConfig), config->data(), config->size()); !s.ok())
    return s;
  for (const std::string &name : namesIn(source)) {
    if (!isCopied(name))
      continue;
    // In caches of the hub files are links.
    absl::StatusOr<MappedFile> file = MappedFile::open(absl::StrCat(source, "/", name));
    if (!file.ok())
      return file.status();
    if (absl::Status s = writeFile(placeOf(name), file->data(), file->size()); !s.ok())
      return s;
  }
  if (absl::Status s = writeTensors(*checkpoint, *trained, placeOf("model.safetensors")); !s.ok())
    return s;
  return made->commit();
}

} // namespace ane::rt::train
