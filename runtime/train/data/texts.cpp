//===- texts.cpp - Texts as tokens ----------------------------------------===//
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/quote.h"
#include "runtime/train/data/readers.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace ane::rt::train {
namespace {

using Json = nlohmann::json;

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// InvalidArgument with line and byte of the first character that is none.
absl::Status checkUtf8(std::string_view bytes, const std::string &name) {
  if (text::isValidUtf8(bytes))
    return absl::OkStatus();
  size_t at = 0;
  while (size_t count = text::characterBytes(bytes, at))
    at += count;
  auto line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<int64_t>(at), '\n');
  return wrong(name, ": line ", line, ", byte ", at, " of the file: 0x",
               absl::Hex(static_cast<uint8_t>(bytes[at]), absl::kZeroPad2),
               " begins no character of UTF-8; convert the file (iconv -t UTF-8)");
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

/// The member "text" of an object, and nothing else of it is kept.
class TextMember : public nlohmann::json_sax<Json> {
public:
  std::optional<std::string> text;
  std::string error;

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("a bool"); }
  bool number_integer(number_integer_t) override { return other("a number"); }
  bool number_unsigned(number_unsigned_t) override { return other("a number"); }
  bool number_float(number_float_t, const string_t &) override { return other("a number"); }
  bool binary(binary_t &) override { return other("binary data"); }
  bool string(string_t &value) override {
    if (depth == 1 && isText) {
      if (text)
        return fail("has \"text\" twice");
      text = std::move(value);
      return true;
    }
    return other("a string");
  }
  bool start_object(size_t) override {
    bool isRight = depth == 0 || other("an object");
    ++depth;
    return isRight;
  }
  bool end_object() override {
    --depth;
    return true;
  }
  bool start_array(size_t) override {
    bool isRight = other("a list");
    ++depth;
    return isRight;
  }
  bool end_array() override {
    --depth;
    return true;
  }
  bool key(string_t &name) override {
    if (depth == 1)
      isText = name == "text";
    return true;
  }
  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &) override {
    return fail(absl::StrCat("is no JSON text from its byte ", position, " on"));
  }

private:
  int depth = 0;
  bool isText = false; ///< the member of the object that is being read

  bool other(const char *found) {
    if (depth == 0)
      return fail(absl::StrCat("is ", found, ", expected an object"));
    return depth > 1 || !isText || fail(absl::StrCat("\"text\" is ", found, ", expected a string"));
  }
  bool fail(std::string message) {
    if (error.empty())
      error = std::move(message);
    return false;
  }
};

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
  if (absl::Status status = checkUtf8(bytes, name); !status.ok())
    return status;
  int64_t number = 0;
  for (size_t begin = 0; begin < bytes.size();) {
    size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view line = bytes.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    TextMember member;
    absl::Status status;
    if (!Json::sax_parse(line.begin(), line.end(), &member))
      status = wrong(member.error);
    else if (!member.text)
      status = wrong("has no \"text\"; each line is an object whose member \"text\" is a document");
    else
      status = addDocument(*member.text, tokenizer, documents);
    if (!status.ok())
      return wrong(name, ": line ", number, " ", status.message());
  }
  return absl::OkStatus();
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
