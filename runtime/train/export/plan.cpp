//===- plan.cpp - What an export is made of -------------------------------===//
#include "runtime/train/export/plan.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/support/json_text.h"
#include "runtime/support/output_file.h"
#include "runtime/support/quote.h"
#include "runtime/train/checkpoint/store.h"
#include <filesystem>

namespace fs = std::filesystem;

namespace ane::rt::train {
namespace {

using Json = nlohmann::ordered_json;
using Trained = decltype(ExportPlan::trained);

constexpr char kConfig[] = "config.json";
constexpr int64_t kMaxConfigBytes = int64_t(64) << 20;
constexpr int kMaxDepth = 64;

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

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

/// The tensors that a form makes of a GGUF file's.
absl::StatusOr<std::vector<safetensors::TensorRecord>> tensorsOf(const ModelFile &source, const HuggingFaceForm &form) {
  if (form.config.empty())
    return wrong(source.path(), ": can't become a folder of Hugging Face: ",
                 form.refused.empty() ? "the bundle was compiled from something else, and has no names for its tensors"
                                      : form.refused,
                 "; export to NAME.gguf");
  std::vector<safetensors::TensorRecord> records;
  for (const auto &[name, there] : form.tensors) {
    const gguf::Tensor *tensor = source.ggufFile().tensor(name);
    if (!tensor)
      return wrong(source.path(), ": has no tensor ", quote(name), "; name the file that was compiled");
    absl::StatusOr<std::vector<int64_t>> shape = shapeInHuggingFace(there, tensor->shape);
    if (!shape.ok())
      return wrong(source.path(), ": tensor ", quote(name), " is ", shape.status().message());
    records.push_back({there.name, ElementType::Float32, *std::move(shape)});
  }
  return records;
}

/// The source's, but that weights are float32.
absl::StatusOr<std::string> configOf(const std::string &source) {
  absl::StatusOr<Folder> folder = Folder::open(source);
  if (!folder.ok())
    return folder.status();
  absl::StatusOr<std::string> text = folder->read(kConfig, kMaxConfigBytes);
  if (!text.ok())
    return text;
  absl::StatusOr<Json> config =
      parseJsonObject<Json>(*text, folder->nameOf(kConfig), kMaxDepth, "; get the file again, whole and unchanged");
  if (!config.ok())
    return config.status();
  for (const char *key : {"torch_dtype", "dtype"})
    if (config->contains(key))
      (*config)[key] = "float32";
  return config->dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

ExportKind exportKind(const std::string &path) {
  return absl::EndsWith(path, ".safetensors") ? ExportKind::Tensors
         : absl::EndsWith(path, ".gguf")      ? ExportKind::Gguf
                                              : ExportKind::Folder;
}

absl::Status checkPlace(const std::string &path) {
  const bool isFolder = exportKind(path) == ExportKind::Folder;
  std::error_code ignored;
  if (isFolder && fs::exists(path, ignored) && !fs::is_empty(path, ignored))
    return wrong(path, ": exists and is not empty; remove it, or choose another name");
  if (!isFolder && fs::is_directory(path, ignored))
    return wrong(path, ": is a folder; remove it, or choose another name");
  // Both are gone at once.
  return isFolder ? UnfinishedFolder::create(path).status() : OutputFile::create(path).status();
}

absl::StatusOr<ExportPlan> planExport(const ModelFile &source, const std::string &path,
                                      absl::Span<const TrainedWeight> weights, const HuggingFaceForm &form) {
  if (absl::Status s = checkPlace(path); !s.ok())
    return s;
  const ExportKind kind = exportKind(path);
  if (kind == ExportKind::Gguf && !source.isGguf())
    return wrong(path, ": is of the kind of a GGUF file that was compiled, and ", source.path(),
                 " is none; give a folder");
  ExportPlan plan;
  if (source.isGguf() && kind != ExportKind::Gguf) {
    absl::StatusOr<std::vector<safetensors::TensorRecord>> tensors = tensorsOf(source, form);
    if (!tensors.ok())
      return tensors.status();
    plan.tensors = *std::move(tensors);
    plan.config = form.config;
  } else if (kind == ExportKind::Folder) {
    absl::StatusOr<std::string> config = configOf(source.path());
    if (!config.ok())
      return config.status();
    plan.config = *std::move(config);
  }
  absl::StatusOr<Trained> trained = match(source, weights);
  if (!trained.ok())
    return trained.status();
  plan.trained = *std::move(trained);
  return plan;
}

absl::Status checkExport(const ModelFile &source, const std::string &path, absl::Span<const TrainedWeight> weights,
                         const HuggingFaceForm &form) {
  return planExport(source, path, weights, form).status();
}

} // namespace ane::rt::train
