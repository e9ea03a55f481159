//===- form.cpp - How Hugging Face's files have a model --------------------===//
#include "runtime/train/export/form.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/adapter/peft.h"
#include "runtime/support/json_text.h"
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
  const std::string file = bundle.nameOf(kFile), remedy = "; compile the model again";
  absl::StatusOr<Json> parsed = parseJsonObject<Json>(*text, file, kMaxDepth, remedy);
  if (!parsed.ok())
    return parsed.status();
  Json &json = *parsed;
  auto damaged = [&] {
    return absl::InvalidArgumentError(absl::StrCat(file, ": is not what ane-compile writes", remedy));
  };
  if (!json.contains("tensors") || !json["tensors"].is_object())
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

absl::StatusOr<std::vector<int64_t>> shapeInHuggingFace(const HuggingFaceForm::Tensor &form,
                                                        std::vector<int64_t> shape) {
  auto wrong = [&](const auto &...what) {
    return absl::InvalidArgumentError(
        absl::StrCat("[", absl::StrJoin(shape, ", "), "], which ", kFile, " ", what..., "; compile the model again"));
  };
  if (form.heads > 0 && (shape.empty() || shape[0] % (2 * form.heads) != 0))
    return wrong("cuts into ", form.heads, " heads of pairs");
  if (form.isTransposed && shape.size() != 2)
    return wrong("transposes");
  if (form.isTransposed)
    std::swap(shape[0], shape[1]);
  return shape;
}

std::vector<float> toHuggingFace(const HuggingFaceForm::Tensor &form, std::vector<float> elements,
                                 const std::vector<int64_t> &shape) {
  if (form.heads > 0) {
    std::vector<float> split(elements.size());
    const int64_t columns = std::accumulate(shape.begin() + 1, shape.end(), int64_t(1), std::multiplies<>());
    adapter::splitPairs(elements.data(), split.data(), shape[0], columns, form.heads);
    elements = std::move(split);
  }
  if (form.isTransposed) {
    std::vector<float> turned(elements.size());
    for (int64_t row = 0; row < shape[0]; ++row)
      for (int64_t column = 0; column < shape[1]; ++column)
        turned[static_cast<size_t>(column * shape[0] + row)] = elements[static_cast<size_t>(row * shape[1] + column)];
    elements = std::move(turned);
  }
  if (form.isCentred)
    for (float &element : elements)
      element -= 1;
  return elements;
}

} // namespace ane::rt::train
