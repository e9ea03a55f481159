//===- json_lines.cpp - Texts in lines of JSON objects --------------------===//
#include "runtime/train/data/json_lines.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/unicode.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace ane::rt::train {
namespace {

using Json = nlohmann::json;

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// The members of an object that are called `names`, and nothing else of it is kept.
class TextMembers : public nlohmann::json_sax<Json> {
public:
  explicit TextMembers(absl::Span<const char *const> names) : texts(names.size()), names(names) {}

  std::vector<std::optional<std::string>> texts; ///< by name
  std::string error;

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("a bool"); }
  bool number_integer(number_integer_t) override { return other("a number"); }
  bool number_unsigned(number_unsigned_t) override { return other("a number"); }
  bool number_float(number_float_t, const string_t &) override { return other("a number"); }
  bool binary(binary_t &) override { return other("binary data"); }
  bool string(string_t &value) override {
    if (depth != 1 || member == names.size())
      return other("a string");
    if (texts[member])
      return fail(absl::StrCat("has ", quote(names[member]), " twice"));
    texts[member] = std::move(value);
    return true;
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
      member = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    return true;
  }
  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &) override {
    return fail(absl::StrCat("is no JSON text from its byte ", position, " on"));
  }

private:
  absl::Span<const char *const> names;
  int depth = 0;
  size_t member = names.size(); ///< of the object, that is being read; names.size(): another

  bool other(const char *found) {
    if (depth == 0)
      return fail(absl::StrCat("is ", found, ", expected an object"));
    return depth > 1 || member == names.size() ||
           fail(absl::StrCat(quote(names[member]), " is ", found, ", expected a string"));
  }
  bool fail(std::string message) {
    if (error.empty())
      error = std::move(message);
    return false;
  }
};

absl::Status takeLine(std::string_view line, absl::Span<const char *const> names, const char *what,
                      absl::FunctionRef<absl::Status(absl::Span<const std::string>)> take) {
  TextMembers members(names);
  if (!Json::sax_parse(line.begin(), line.end(), &members))
    return wrong(members.error);
  std::vector<std::string> texts;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!members.texts[i])
      return wrong("has no ", quote(names[i]), "; each line is an object with ", what, " as ",
                   absl::StrJoin(names, " and ", [](std::string *to, const char *name) { *to += quote(name); }));
    texts.push_back(*std::move(members.texts[i]));
  }
  return take(texts);
}

} // namespace

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

absl::Status forEachJsonLine(std::string_view bytes, const std::string &name, absl::Span<const char *const> names,
                             const char *what, absl::FunctionRef<absl::Status(absl::Span<const std::string>)> take) {
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
    if (absl::Status status = takeLine(line, names, what, take); !status.ok())
      return wrong(name, ": line ", number, " ", status.message());
  }
  return absl::OkStatus();
}

} // namespace ane::rt::train
