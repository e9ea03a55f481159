//===- json_fields.h - Objects of a JSON file, field by field ---*- C++ -*-===//
//
// Every field of an object must be asked for: what the reader does not know is
// an error, never ignored. The first error wins, and names the file and the
// place; what is read behind it are defaults.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_JSON_FIELDS_H
#define ANE_RUNTIME_TEXT_TOKENIZER_JSON_FIELDS_H

#include "absl/status/statusor.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ane::rt::text {

using Json = nlohmann::json;

/// A file that is being read, and the first thing that is wrong with it.
struct JsonFile {
  std::string name;
  absl::Status status;

  void fail(std::string_view place, std::string_view what);
};

/// The value of a text of at most `limit` bytes, nested at most 64 deep.
absl::StatusOr<Json> parseJson(std::string_view text, const std::string &name, size_t limit = 1 << 30);
/// The same of a file.
absl::StatusOr<Json> readJson(const std::string &path);
/// "a list", "a string", ...: for messages.
std::string_view kindOf(const Json &value);

class Fields {
public:
  /// `value` lives longer. What is no object is an error, and has no fields.
  Fields(const Json &value, JsonFile &file, std::string place);
  /// All fields must have been asked for.
  ~Fields();
  Fields(const Fields &) = delete;

  /// Null if the field is not there, or is null.
  const Json *find(const char *key);
  /// Without `otherwise`, the field must be there.
  bool flag(const char *key, std::optional<bool> otherwise = std::nullopt);
  int64_t integer(const char *key, std::optional<int64_t> otherwise = std::nullopt);
  std::string text(const char *key, std::optional<std::string> otherwise = std::nullopt);
  /// One of the names, by its index.
  size_t choice(const char *key, const std::vector<std::string_view> &names,
                std::optional<std::string> otherwise = std::nullopt);
  /// Calls read(element, place) for each element of a list; none if it is not there.
  void list(const char *key, const std::function<void(const Json &, const std::string &)> &read);
  /// Must be there, and be an object.
  const Json &object(const char *key);
  /// Fields that have no effect here.
  void ignore(std::initializer_list<const char *> keys);
  /// All other fields are of no interest, either.
  void ignoreOthers() { isOpen = true; }

  void fail(const char *key, std::string_view what);
  std::string place(const char *key) const;
  JsonFile &file() { return reading; }

private:
  const Json &value;
  JsonFile &reading;
  std::string where;
  std::set<std::string, std::less<>> known;
  bool isOpen = false;

  const Json *need(const char *key, bool isOptional, std::string_view kind, bool (*is)(const Json &));
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_JSON_FIELDS_H
