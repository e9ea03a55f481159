//===- texts.cpp - Texts as tokens ----------------------------------------===//
#include "absl/strings/str_cat.h"
#include "runtime/support/mapped_file.h"
#include "runtime/train/data/json_lines.h"
#include "runtime/train/data/readers.h"

namespace ane::rt::train {
namespace {

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

absl::Status addDocument(std::string_view document, const text::Tokenizer &tokenizer, Documents &documents) {
  if (document.empty())
    return absl::OkStatus();
  absl::StatusOr<std::vector<int32_t>> ids = tokenizer.encode(document);
  if (!ids.ok())
    return ids.status();
  std::optional<int32_t> end = tokenizer.model().eos;
  if (end && (ids->empty() || ids->back() != *end))
    ids->push_back(*end);
  if (ids->empty())
    return absl::OkStatus();
  documents.begins.push_back(documents.tokens.size());
  documents.tokens.insert(documents.tokens.end(), ids->begin(), ids->end());
  return absl::OkStatus();
}

} // namespace

absl::Status addText(std::string_view bytes, const std::string &name, const text::Tokenizer &tokenizer,
                     Documents &documents) {
  if (absl::Status status = checkUtf8(bytes, name); !status.ok())
    return status;
  absl::Status status = addDocument(bytes, tokenizer, documents);
  return status.ok() ? status : wrong(name, ": ", status.message());
}

absl::Status addJsonLines(std::string_view bytes, const std::string &name, const text::Tokenizer &tokenizer,
                          Documents &documents) {
  constexpr const char *kNames[] = {"text"};
  return forEachJsonLine(bytes, name, kNames, "a document", [&](absl::Span<const std::string> texts) {
    return addDocument(texts[0], tokenizer, documents);
  });
}

absl::StatusOr<Documents> readTexts(const std::vector<std::string> &paths, bool areJsonLines,
                                    const text::Tokenizer &tokenizer) {
  Documents documents;
  documents.source = paths.size() == 1 ? paths[0] : absl::StrCat(paths[0], " and ", paths.size() - 1, " more");
  for (const std::string &path : paths) {
    absl::StatusOr<MappedFile> file = MappedFile::open(path);
    if (!file.ok())
      return file.status();
    std::string_view bytes(reinterpret_cast<const char *>(file->data()), file->size());
    absl::Status status =
        areJsonLines ? addJsonLines(bytes, path, tokenizer, documents) : addText(bytes, path, tokenizer, documents);
    if (!status.ok())
      return status;
  }
  if (documents.tokens.empty())
    return wrong(documents.source, ": has no text; there is nothing to train with");
  return documents;
}

} // namespace ane::rt::train
