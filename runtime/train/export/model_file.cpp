//===- model_file.cpp - The tensors of a model that was compiled ----------===//
#include "runtime/train/export/model_file.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/floats.h"
#include "runtime/support/quote.h"

namespace ane::rt::train {
namespace {

std::string_view withoutFirst(std::string_view name) {
  size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

} // namespace

const std::string *nameInCheckpoint(const safetensors::Checkpoint &checkpoint, std::string_view weight) {
  for (std::string_view name : {weight, withoutFirst(weight)})
    if (auto found = checkpoint.tensors().find(name); found != checkpoint.tensors().end())
      return &found->first;
  for (const auto &[name, tensor] : checkpoint.tensors())
    if (withoutFirst(name) == weight)
      return &name;
  return nullptr;
}

absl::StatusOr<ModelFile> ModelFile::open(const std::string &path) {
  ModelFile file;
  file.place = path;
  if (absl::EndsWith(path, ".gguf")) {
    absl::StatusOr<gguf::File> opened = gguf::File::open(path);
    if (!opened.ok())
      return opened.status();
    file.gguf = *std::move(opened);
    return file;
  }
  absl::StatusOr<safetensors::Checkpoint> opened = safetensors::Checkpoint::open(path);
  if (!opened.ok())
    return opened.status();
  file.folder = *std::move(opened);
  return file;
}

absl::StatusOr<ModelFile::Values> ModelFile::read(const std::string &name) const {
  auto missing = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": has no tensor ", quote(name), "; name the model that was compiled"));
  };
  if (gguf) {
    const gguf::Tensor *tensor = gguf->tensor(name);
    if (!tensor)
      return missing();
    Values values{tensor->shape, std::vector<float>(static_cast<size_t>(tensor->elements()))};
    gguf::expandBlocks(tensor->block.type, tensor->data, tensor->elements() / tensor->block.elements,
                       values.elements.data());
    return values;
  }
  const std::string *own = nameInCheckpoint(*folder, name);
  if (!own)
    return missing();
  const safetensors::Tensor &tensor = *folder->tensor(*own);
  if (!isWidened(tensor.type))
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": tensor ", quote(*own), " is ", tensor.describe(), ", no tensor of floats"));
  return Values{tensor.shape, widened(tensor.type, tensor.data, tensor.bytes)};
}

} // namespace ane::rt::train
