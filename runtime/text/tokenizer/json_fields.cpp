//===- json_fields.cpp - Objects of a JSON file, field by field -----------===//
#include "runtime/text/tokenizer/json_fields.h"
#include "runtime/support/json_text.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/quote.h"
#include "runtime/text/tokenizer/text_map.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ane::rt::text {

void JsonFile::fail(std::string_view place, std::string_view what) {
  if (status.ok())
    status = absl::InvalidArgumentError(absl::StrCat(name, ": ", view(place), place.empty() ? "" : ": ", view(what)));
}

absl::StatusOr<Json> parseJson(std::string_view text, const std::string &name, size_t limit) {
  constexpr int maxDepth = 64;
  if (text.size() > limit)
    return absl::InvalidArgumentError(absl::StrCat(name, ": has ", text.size(), " bytes, limit ", limit));
  return parseJsonText<Json>(text, name, maxDepth, "; remedy: get the file again, whole and unchanged");
}

absl::StatusOr<Json> readJson(const std::string &path) {
  absl::StatusOr<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  return parseJson({reinterpret_cast<const char *>(file->data()), file->size()}, path);
}

std::string_view kindOf(const Json &value) {
  return value.is_object()           ? "an object"
         : value.is_array()          ? "a list"
         : value.is_string()         ? "a string"
         : value.is_boolean()        ? "a bool"
         : value.is_number_integer() ? "an integer"
         : value.is_number()         ? "a number"
                                     : "null";
}

Fields::Fields(const Json &value, JsonFile &file, std::string place)
    : value(value), reading(file), where(std::move(place)) {
  if (!value.is_object())
    file.fail(where, absl::StrCat("is ", view(kindOf(value)), ", expected an object"));
}

Fields::~Fields() {
  if (!value.is_object() || isOpen)
    return;
  for (const auto &[key, held] : value.items())
    if (known.count(key) == 0)
      reading.fail(where, absl::StrCat("field ", quote(key), " is not known"));
}

std::string Fields::place(const char *key) const { return absl::StrCat(where, where.empty() ? "" : ".", key); }
void Fields::fail(const char *key, std::string_view what) { reading.fail(place(key), what); }

const Json *Fields::find(const char *key) {
  known.insert(key);
  if (!value.is_object())
    return nullptr;
  auto found = value.find(key);
  return found == value.end() || found->is_null() ? nullptr : &*found;
}

const Json *Fields::need(const char *key, bool isOptional, std::string_view kind, bool (*is)(const Json &)) {
  const Json *found = find(key);
  if (!found && !isOptional)
    fail(key, absl::StrCat("is missing, expected ", view(kind)));
  if (found && !is(*found)) {
    fail(key, absl::StrCat("is ", view(kindOf(*found)), ", expected ", view(kind)));
    return nullptr;
  }
  return found;
}

bool Fields::flag(const char *key, std::optional<bool> otherwise) {
  const Json *found = need(key, otherwise.has_value(), "a bool", [](const Json &json) { return json.is_boolean(); });
  return found ? found->get<bool>() : otherwise.value_or(false);
}

int64_t Fields::integer(const char *key, std::optional<int64_t> otherwise) {
  const Json *found = need(key, otherwise.has_value(), "an integer", [](const Json &json) {
    return json.is_number_integer() && (!json.is_number_unsigned() || json.get<uint64_t>() <= INT64_MAX);
  });
  return found ? found->get<int64_t>() : otherwise.value_or(0);
}

std::string Fields::text(const char *key, std::optional<std::string> otherwise) {
  const Json *found = need(key, otherwise.has_value(), "a string", [](const Json &json) { return json.is_string(); });
  return found ? found->get<std::string>() : otherwise.value_or("");
}

size_t Fields::choice(const char *key, const std::vector<std::string_view> &names,
                      std::optional<std::string> otherwise) {
  std::string name = text(key, std::move(otherwise));
  std::string all;
  for (size_t i = 0; i < names.size(); ++i) {
    if (name == names[i])
      return i;
    absl::StrAppend(&all, i > 0 ? ", " : "", view(names[i]));
  }
  fail(key, absl::StrCat("is ", quote(name), ", supported are ", all));
  return 0;
}

void Fields::list(const char *key, const std::function<void(const Json &, const std::string &)> &read) {
  const Json *found = need(key, true, "a list", [](const Json &json) { return json.is_array(); });
  for (size_t i = 0; found && i < found->size() && reading.status.ok(); ++i)
    read((*found)[i], absl::StrCat(place(key), "[", i, "]"));
}

const Json &Fields::object(const char *key) {
  static const Json empty = Json::object();
  const Json *found = need(key, false, "an object", [](const Json &json) { return json.is_object(); });
  return found ? *found : empty;
}

void Fields::ignore(std::initializer_list<const char *> keys) { known.insert(keys.begin(), keys.end()); }

} // namespace ane::rt::text
