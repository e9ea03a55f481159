//===- form.cpp - How Hugging Face's files have a model --------------------===//
#include "runtime/train/export/form.h"
#include "absl/strings/str_cat.h"
#include "runtime/adapter/peft.h"
#include <nlohmann/json.hpp>
#include <numeric>

namespace ane::rt::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kFile[] = "training/huggingface.json";
constexpr int64_t kMaxBytes = int64_t(64) << 20, kMostHeads = 1 << 20;
constexpr int kMaxDepth = 16;

bool isFlag(const Json &tensor, const char *key) { return !tensor.contains(key) || tensor[key].is_boolean(); }

/// Whether it is what the compiler writes.
bool isTensor(const Json &tensor) {
  if (!tensor.is_object() || !tensor.contains("name") || !tensor["name"].is_string())
    return false;
  bool hasHeads = tensor.contains("heads");
  return isFlag(tensor, "transposed") && isFlag(tensor, "centred") &&
         (!hasHeads || (tensor["heads"].is_number_integer() && tensor["heads"] >= 0 && tensor["heads"] <= kMostHeads));
}

} // namespace

absl::StatusOr<HuggingFaceForm> readForm(const Folder &bundle) {
  HuggingFaceForm form;
  absl::StatusOr<std::string> text = bundle.read(kFile, kMaxBytes);
  if (absl::IsNotFound(text.status()))
    return form;
  if (!text.ok())
    return text.status();
  bool isDeep = false;
  Json json = Json::parse(
      *text, [&](int depth, Json::parse_event_t, Json &) { return !(isDeep |= depth > kMaxDepth); },
      /*allow_exceptions=*/false);
  auto damaged = [&] {
    return absl::DataLossError(
        absl::StrCat(bundle.nameOf(kFile), ": is not what ane-compile writes; compile the model again"));
  };
  if (isDeep || !json.is_object() || !json.contains("tensors") || !json["tensors"].is_object())
    return damaged();
  for (const auto &[name, tensor] : json["tensors"].items()) {
    if (!isTensor(tensor))
      return damaged();
    form.tensors[name] = {tensor["name"].get<std::string>(), tensor.value("heads", int64_t(0)),
                          tensor.value("transposed", false), tensor.value("centred", false)};
  }
  if (json.contains("refused") && json["refused"].is_string())
    form.refused = json["refused"].get<std::string>();
  if (json.contains("config"))
    form.config = json["config"].dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return form;
}

std::vector<float> toHuggingFace(const HuggingFaceForm::Tensor &form, const float *data, std::vector<int64_t> &shape) {
  const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
  std::vector<float> result(data, data + count);
  if (form.heads > 0 && !shape.empty() && shape[0] % (2 * form.heads) == 0)
    adapter::splitPairs(data, result.data(), shape[0], count / shape[0], form.heads);
  if (form.isTransposed && shape.size() == 2) {
    for (int64_t row = 0; row < shape[0]; ++row)
      for (int64_t column = 0; column < shape[1]; ++column)
        result[static_cast<size_t>(column * shape[0] + row)] = data[row * shape[1] + column];
    std::swap(shape[0], shape[1]);
  }
  if (form.isCentred)
    for (float &value : result)
      value -= 1;
  return result;
}

} // namespace ane::rt::train
