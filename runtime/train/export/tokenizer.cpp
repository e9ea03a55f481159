//===- tokenizer.cpp - A bundle's tokenizer for Hugging Face --------------===//
#include "runtime/train/export/tokenizer.h"
#include "runtime/text/tokenizer/readers.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace ane::rt::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kModel[] = "tokenizer/tokenizer.json", kNames[] = "tokenizer/chat.json",
               kTemplate[] = "tokenizer/chat_template.jinja";
constexpr int64_t kMaxBytes = int64_t(1) << 30;

} // namespace

absl::StatusOr<std::map<std::string, std::string>> tokenizerFiles(const Folder &bundle, const manifest::Manifest &m) {
  auto lists = [&](const char *path) {
    return std::any_of(m.files.begin(), m.files.end(), [&](const manifest::File &file) { return file.path == path; });
  };
  std::map<std::string, std::string> files;
  if (!lists(kModel))
    return files;
  absl::StatusOr<std::string> text = bundle.read(kModel, kMaxBytes);
  if (!text.ok())
    return text.status();
  absl::StatusOr<text::TokenizerModel> model = text::loadModel(*text, bundle.nameOf(kModel));
  if (!model.ok())
    return model.status();
  absl::StatusOr<std::string> tokenizer = text::writeTokenizerJson(*model);
  if (!tokenizer.ok())
    return tokenizer.status();
  files["tokenizer.json"] = *std::move(tokenizer);
  Json config = {{"tokenizer_class", "PreTrainedTokenizerFast"}, {"clean_up_tokenization_spaces", false}};
  if (lists(kNames)) {
    absl::StatusOr<std::string> names = bundle.read(kNames, kMaxBytes);
    if (!names.ok())
      return names.status();
    Json read = Json::parse(*names, nullptr, /*allow_exceptions=*/false);
    if (read.is_object())
      config.update(read);
  }
  files["tokenizer_config.json"] = config.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (lists(kTemplate)) {
    absl::StatusOr<std::string> source = bundle.read(kTemplate, kMaxBytes);
    if (!source.ok())
      return source.status();
    files["chat_template.jinja"] = *std::move(source);
  }
  return files;
}

} // namespace ane::rt::train
