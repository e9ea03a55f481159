//===- language_bundle.cpp - A bundle and its texts -----------------------===//
#include "runtime/tools/language_bundle.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/quote.h"
#include "runtime/tools/run_session.h"
#include <algorithm>
#include <ctime>

namespace ane::rt::tools {
namespace {

constexpr const char *kTemplate = "tokenizer/chat_template.jinja", *kNames = "tokenizer/chat.json";
constexpr int64_t kMaxTemplateBytes = 1 << 20;

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

bool lists(const Bundle &bundle, const std::string &path) {
  const std::vector<manifest::File> &files = bundle.manifest().files;
  return std::any_of(files.begin(), files.end(), [&](const manifest::File &file) { return file.path == path; });
}

/// Whether the model does what it is asked for.
absl::Status checkUse(const RunOptions &options, const Bundle &bundle) {
  const std::optional<manifest::LanguageModel> &record = bundle.manifest().languageModel;
  bool wantsText = options.language.talk == Talk::Text;
  const char *use = wantsText ? "--text" : options.language.talk == Talk::Chat ? "--chat" : "--prompt";
  if (!record)
    return wrong(options.bundle, " is no language model: its manifest has no \"language_model\"; ", use,
                 " is for what ane-compile makes of a GGUF file or of a directory with config.json");
  if (wantsText && record->kind != "encoder")
    return wrong(options.bundle, " is a decoder (", record->architecture,
                 "), which gives no embeddings; give --prompt or --chat instead of --text");
  if (!wantsText && record->kind != "decoder")
    return wrong(options.bundle, " is an encoder (", record->architecture,
                 "), which gives embeddings and answers nothing; give --text instead of ", use);
  for (const auto &[token, bias] : options.language.sampling.logitBias)
    if (token >= record->vocabulary)
      return wrong("--logit-bias: token ", token, " is beyond the model's vocabulary of ", record->vocabulary);
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<LanguageBundle> openLanguageBundle(const RunOptions &options) {
  auto bundle = openBundle(options, options.device);
  if (!bundle.ok())
    return bundle.status();
  if (absl::Status status = checkUse(options, **bundle); !status.ok())
    return status;
  auto tokenizer = text::Tokenizer::ofBundle((*bundle)->files(), (*bundle)->manifest().languageModel->vocabulary);
  if (!tokenizer.ok())
    return tokenizer.status();
  return LanguageBundle{*std::move(bundle), *std::move(tokenizer)};
}

absl::StatusOr<text::ChatFormat> readChatFormat(const Bundle &bundle, const std::string &ownTemplate) {
  std::string name = ownTemplate, source;
  if (!ownTemplate.empty()) {
    auto file = MappedFile::open(ownTemplate);
    if (!file.ok())
      return absl::Status(file.status().code(), absl::StrCat("--chat-template: ", file.status().message()));
    source.assign(reinterpret_cast<const char *>(file->data()), file->size());
  } else {
    name = bundle.files().nameOf(kTemplate);
    if (!lists(bundle, kTemplate))
      return wrong(name, " is not there: the model came without a chat template; give one with --chat-template=FILE, ",
                   "or continue a text with --prompt");
    auto text = bundle.files().read(kTemplate, kMaxTemplateBytes);
    if (!text.ok())
      return text.status();
    source = *std::move(text);
  }
  auto parsed = text::ChatTemplate::parse(source, name);
  if (!parsed.ok())
    return absl::Status(parsed.status().code(),
                        absl::StrCat(parsed.status().message(), "; --chat-template=FILE takes another template"));
  text::ChatFormat format = {*std::move(parsed), {}, {{"tools", nullptr}, {"documents", nullptr}}};
  if (lists(bundle, kNames)) {
    auto text = bundle.files().read(kNames, kMaxTemplateBytes);
    if (!text.ok())
      return text.status();
    auto names = nlohmann::ordered_json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!names.is_object())
      return wrong(bundle.files().nameOf(kNames), ": is no JSON object; compile the model again");
    format.render.trusted = std::move(names);
  }
  std::time_t now = std::time(nullptr);
  localtime_r(&now, &format.render.now);
  return format;
}

} // namespace ane::rt::tools
