//===- huggingface.cpp - Trained weights as a folder of Hugging Face ------===//
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/output_file.h"
#include "runtime/train/checkpoint/store.h"
#include "runtime/train/export/plan.h"
#include <algorithm>

namespace ane::rt::train {
namespace {

/// Files that transformers reads beside weights and configuration.
bool isCopied(const std::string &name) {
  static const char *const known[] = {
      "generation_config.json", "special_tokens_map.json", "added_tokens.json", "merges.txt", "vocab.json", "vocab.txt",
      "spiece.model",           "preprocessor_config.json"};
  return std::find(std::begin(known), std::end(known), name) != std::end(known) ||
         absl::StartsWith(name, "tokenizer") || absl::StartsWith(name, "chat_template");
}

absl::Status writeCheckpoint(const safetensors::Checkpoint &checkpoint, const ExportPlan &plan,
                             const std::string &path) {
  std::vector<safetensors::TensorRecord> records;
  for (const auto &[name, tensor] : checkpoint.tensors())
    records.push_back({name, plan.trained.count(name) ? ElementType::Float32 : tensor.type, tensor.shape});
  auto writer = safetensors::Writer::create(path, records, {{"format", "pt"}});
  if (!writer.ok())
    return writer.status();
  for (const auto &[name, tensor] : checkpoint.tensors()) {
    auto found = plan.trained.find(name);
    uint64_t elements = tensor.bytes / static_cast<uint64_t>(byteWidth(tensor.type));
    absl::Status status = found == plan.trained.end() ? writer->write(tensor.data, tensor.bytes)
                                                      : writer->write(found->second->data, elements * sizeof(float));
    if (!status.ok())
      return status;
  }
  return writer->commit();
}

/// Under the form's names; one tensor is in memory at a time. What has no such name is in the configuration.
absl::Status writeGgufTensors(const ModelFile &source, const ExportPlan &plan, const HuggingFaceForm &form,
                              const std::string &path) {
  auto writer = safetensors::Writer::create(path, plan.tensors, {{"format", "pt"}});
  if (!writer.ok())
    return writer.status();
  for (const auto &[name, there] : form.tensors) {
    const std::vector<int64_t> &shape = source.ggufFile().tensor(name)->shape;
    std::vector<float> elements;
    if (auto found = plan.trained.find(name); found != plan.trained.end()) {
      const float *data = found->second->data;
      elements.assign(data, data + source.ggufFile().tensor(name)->elements());
    } else {
      absl::StatusOr<ModelFile::Values> own = source.read(name);
      if (!own.ok())
        return own.status();
      elements = std::move(own->elements);
    }
    elements = toHuggingFace(there, std::move(elements), shape);
    if (absl::Status status = writer->write(elements.data(), elements.size() * sizeof(float)); !status.ok())
      return status;
  }
  return writer->commit();
}

absl::Status writeTensors(const ModelFile &source, const ExportPlan &plan, const HuggingFaceForm &form,
                          const std::string &path) {
  return source.isGguf() ? writeGgufTensors(source, plan, form, path)
                         : writeCheckpoint(source.checkpoint(), plan, path);
}

} // namespace

absl::Status exportHuggingFace(const ModelFile &source, const std::string &path,
                               absl::Span<const TrainedWeight> weights, const HuggingFaceForm &form) {
  absl::StatusOr<ExportPlan> plan = planExport(source, path, weights, form);
  if (!plan.ok())
    return plan.status();
  if (exportKind(path) == ExportKind::Tensors)
    return writeTensors(source, *plan, form, path);
  absl::StatusOr<UnfinishedFolder> made = UnfinishedFolder::create(path);
  if (!made.ok())
    return made.status();
  auto placeOf = [&](const std::string &name) { return absl::StrCat(made->name(), "/", name); };
  if (absl::Status s = writeFile(placeOf("config.json"), plan->config.data(), plan->config.size()); !s.ok())
    return s;
  for (const auto &[name, text] : form.files)
    if (absl::Status s = writeFile(placeOf(name), text.data(), text.size()); !s.ok())
      return s;
  // Of a file there is nothing to list.
  for (const std::string &name : namesIn(source.path())) {
    if (!isCopied(name))
      continue;
    // In caches of the hub files are links.
    absl::StatusOr<MappedFile> file = MappedFile::open(absl::StrCat(source.path(), "/", name));
    if (!file.ok())
      return file.status();
    if (absl::Status s = writeFile(placeOf(name), file->data(), file->size()); !s.ok())
      return s;
  }
  if (absl::Status s = writeTensors(source, *plan, form, placeOf("model.safetensors")); !s.ok())
    return s;
  return made->commit();
}

} // namespace ane::rt::train
