//===- tokenizer.cpp - A bundle's tokenizer for Hugging Face --------------===//
#include "runtime/train/export/tokenizer.h"
#include "runtime/support/json_text.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/tokenizer.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace ane::rt::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kModel[] = "tokenizer/tokenizer.json", kNames[] = "tokenizer/chat.json",
               kTemplate[] = "tokenizer/chat_template.jinja";
constexpr int64_t kMaxBytes = 1 << 20;
constexpr int kMaxDepth = 16;

} // namespace

absl::StatusOr<std::map<std::string, std::string>> tokenizerFiles(const Folder &bundle, const manifest::Manifest &m) {
  auto lists = [&](const char *path) {
    return std::any_of(m.files.begin(), m.files.end(), [&](const manifest::File &file) { return file.path == path; });
  };
  std::map<std::string, std::string> files;
  if (!lists(kModel))
    return files;
  absl::StatusOr<text::Tokenizer> model =
      text::Tokenizer::ofBundle(bundle, m.languageModel ? std::optional(m.languageModel->vocabulary) : std::nullopt);
  if (!model.ok())
    return model.status();
  absl::StatusOr<std::string> tokenizer = text::writeTokenizerJson(*model);
  if (!tokenizer.ok())
    return tokenizer.status();
  files["tokenizer.json"] = *std::move(tokenizer);
  Json config = {{"tokenizer_class", "PreTrainedTokenizerFast"}, {"clean_up_tokenization_spaces", false}};
  if (lists(kNames)) {
    absl::StatusOr<std::string> text = bundle.read(kNames, kMaxBytes);
    if (!text.ok())
      return text.status();
    absl::StatusOr<Json> names =
        parseJsonObject<Json>(*text, bundle.nameOf(kNames), kMaxDepth, "; compile the model again");
    if (!names.ok())
      return names.status();
    config.update(*names);
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
