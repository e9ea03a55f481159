//===- huggingface.cpp - Trained weights as a folder of Hugging Face ------===//
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/format/safetensors/writer.h"
#include "runtime/support/quote.h"
#include "runtime/train/checkpoint/store.h"
#include "runtime/train/export/export.h"
#include "runtime/train/export/model_file.h"
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

using Trained = std::map<std::string, const TrainedWeight *>;

/// The trained weights by their names in the source.
absl::StatusOr<Trained> match(const ModelFile &source, absl::Span<const TrainedWeight> weights) {
  Trained trained;
  const char *remedy = source.isGguf() ? "; name the file that was compiled" : "; name the folder that was compiled";
  for (const TrainedWeight &weight : weights) {
    const gguf::Tensor *block = source.isGguf() ? source.ggufFile().tensor(weight.name) : nullptr;
    const std::string *name =
        source.isGguf() ? (block ? &weight.name : nullptr) : nameInCheckpoint(source.checkpoint(), weight.name);
    if (!name)
      return wrong(source.path(), ": has no tensor ", quote(weight.name), remedy);
    const safetensors::Tensor *tensor = block ? nullptr : source.checkpoint().tensor(*name);
    if ((block ? block->shape : tensor->shape) != weight.shape)
      return wrong(source.path(), ": tensor ", quote(*name), " is ", block ? block->describe() : tensor->describe(),
                   ", the trained weight is float32[", absl::StrJoin(weight.shape, ", "), "]", remedy);
    if (!trained.emplace(*name, &weight).second)
      return wrong(source.path(), ": tensor ", quote(*name), " is two of the trained weights");
  }
  return trained;
}

absl::Status writeCheckpoint(const safetensors::Checkpoint &checkpoint, const Trained &trained,
                             const std::string &path) {
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

/// Under the form's names; one tensor is in memory at a time. What has no such name is in the configuration.
absl::Status writeGgufTensors(const ModelFile &source, const Trained &trained, const HuggingFaceForm &form,
                              const std::string &path) {
  std::vector<safetensors::TensorRecord> records;
  for (const auto &[name, there] : form.tensors) {
    const gguf::Tensor *tensor = source.ggufFile().tensor(name);
    if (!tensor)
      return wrong(source.path(), ": has no tensor ", quote(name), "; name the file that was compiled");
    std::vector<int64_t> shape = tensor->shape;
    if (there.isTransposed && shape.size() == 2)
      std::swap(shape[0], shape[1]);
    records.push_back({there.name, ElementType::Float32, std::move(shape)});
  }
  auto writer = safetensors::Writer::create(path, records, {{"format", "pt"}});
  if (!writer.ok())
    return writer.status();
  for (const auto &[name, there] : form.tensors) {
    auto found = trained.find(name);
    absl::StatusOr<ModelFile::Values> own = ModelFile::Values();
    if (found == trained.end())
      own = source.read(name);
    if (!own.ok())
      return own.status();
    std::vector<int64_t> shape = found == trained.end() ? own->shape : found->second->shape;
    const float *data = found == trained.end() ? own->elements.data() : found->second->data;
    std::vector<float> values = toHuggingFace(there, data, shape);
    if (absl::Status status = writer->write(values.data(), values.size() * sizeof(float)); !status.ok())
      return status;
  }
  return writer->commit();
}

absl::Status writeTensors(const ModelFile &source, const Trained &trained, const HuggingFaceForm &form,
                          const std::string &path) {
  return source.isGguf() ? writeGgufTensors(source, trained, form, path)
                         : writeCheckpoint(source.checkpoint(), trained, path);
}

/// Whether there is a form for a GGUF file.
absl::Status checkForm(const ModelFile &source, const HuggingFaceForm &form) {
  if (!source.isGguf() || !form.config.empty())
    return absl::OkStatus();
  return wrong(source.path(), ": can't become a folder of Hugging Face: ",
               form.refused.empty() ? "the bundle was compiled from something else, and has no names for its tensors"
                                    : form.refused,
               "; export to NAME.gguf");
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

absl::Status exportModelTensors(const std::string &source, const std::string &path,
                                absl::Span<const TrainedWeight> weights, const HuggingFaceForm &form) {
  absl::StatusOr<ModelFile> model = ModelFile::open(source);
  if (!model.ok())
    return model.status();
  if (absl::Status s = checkForm(*model, form); !s.ok())
    return s;
  absl::StatusOr<Trained> trained = match(*model, weights);
  return trained.ok() ? writeTensors(*model, *trained, form, path) : trained.status();
}

absl::Status exportHuggingFace(const std::string &source, const std::string &folder,
                               absl::Span<const TrainedWeight> weights, const HuggingFaceForm &form) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored))
    return wrong(folder, ": exists and is not empty; remove it, or choose another name");
  absl::StatusOr<ModelFile> model = ModelFile::open(source);
  if (!model.ok())
    return model.status();
  if (absl::Status s = checkForm(*model, form); !s.ok())
    return s;
  absl::StatusOr<Trained> trained = match(*model, weights);
  if (!trained.ok())
    return trained.status();
  absl::StatusOr<std::string> config = form.config;
  if (!model->isGguf()) {
    absl::StatusOr<Folder> files = Folder::open(source);
    config = files.ok() ? configOf(*files) : files.status();
  }
  if (!config.ok())
    return config.status();
  absl::StatusOr<UnfinishedFolder> made = UnfinishedFolder::create(folder);
  if (!made.ok())
    return made.status();
  auto placeOf = [&](const std::string &name) { return absl::StrCat(made->name(), "/", name); };
  if (absl::Status s = writeFile(placeOf(kConfig), config->data(), config->size()); !s.ok())
    return s;
  for (const auto &[name, text] : form.files)
    if (absl::Status s = writeFile(placeOf(name), text.data(), text.size()); !s.ok())
      return s;
  // Of a file there is nothing to list.
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
  if (absl::Status s = writeTensors(*model, *trained, form, placeOf("model.safetensors")); !s.ok())
    return s;
  return made->commit();
}

} // namespace ane::rt::train
