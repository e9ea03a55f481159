//===- Config.h - the configuration of a language model --------*- C++ -*-===//
//
// Named values, as `config.json` of a Hugging Face directory has them; other formats are brought into these names.
// Every field is read, known to say nothing about a forward pass, or an error: a field that is ignored in silence makes
// a model that answers nonsense.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_LM_CONFIG_H
#define ANE_LIB_IMPORT_LM_CONFIG_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace mlir::ane::lm {

/// A view of an object of named values; copies share what has been read and what is wrong. What can't be read is noted
/// as a problem, and a value that lets the reader go on is returned. Defaults are of the outermost object.
class Config {
public:
  /// Reads the object in a JSON file.
  static llvm::Expected<Config> read(StringRef path);
  /// Reads a JSON file of a few levels.
  static llvm::Expected<nlohmann::json> readJSON(StringRef path);
  /// `origin` is for messages.
  Config(std::string origin, nlohmann::json object);

  const std::string &origin() const { return state->origin; }
  /// All of it, as it was given.
  const nlohmann::json &fields() const { return *object; }
  /// There, and not null.
  bool has(StringRef name) const { return find(name) != nullptr; }
  /// There, not by default.
  bool isGiven(StringRef name) const { return object->contains(name.str()); }

  /// What fields mean where they are left out; null: that there is no such value.
  void setDefaults(nlohmann::json values) { state->defaults = std::move(values); }
  /// Another name of a field, which wins if both are there.
  void alias(StringRef name, StringRef other) { state->aliases[name.str()] = other.str(); }

  /// At least 1 (`least`); a problem if it is missing and has no default, null or something else.
  int64_t integer(StringRef name, int64_t least = 1);
  std::optional<int64_t> integerOrNull(StringRef name, int64_t least = 1);
  double number(StringRef name);
  /// Above 0.
  double positive(StringRef name);
  std::optional<double> positiveOrNull(StringRef name);
  bool flag(StringRef name);
  std::string text(StringRef name);
  /// The same of objects without defaults, where null says what a missing field says.
  int64_t integerOr(StringRef name, int64_t otherwise, int64_t least = 1);
  double numberOr(StringRef name, double otherwise);
  bool flagOr(StringRef name, bool otherwise);
  std::string textOr(StringRef name, StringRef otherwise = "");
  /// Empty if it is missing.
  std::vector<std::string> texts(StringRef name);
  std::vector<double> numbers(StringRef name);
  /// The numbers of a field that is one integer or several (ids of tokens).
  std::vector<int64_t> integers(StringRef name);
  /// The object of that name; its fields are "name.field" in messages.
  std::optional<Config> section(StringRef name);
  /// A view of nothing, whose problems are this one's.
  Config nothing() const;

  /// Each field of `older`, which describes the same in a form of earlier days, is here, too, with the same value, and
  /// none is here alone but those of `others`, which have that value.
  void expectFieldsOf(Config older, const nlohmann::json &others) const;
  /// A field that is supported with one value only, which it has if it is missing.
  void expect(StringRef name, const nlohmann::json &value);
  /// Fields that say nothing about what the model computes.
  void ignore(ArrayRef<StringRef> names);
  /// Fields that other models have, which say nothing about this one: each that has no default.
  void ignoreOthers(const nlohmann::json &fields);

  const std::vector<std::string> &problems() const { return state->problems; }
  /// Notes a problem of the field.
  void fail(StringRef name, const Twine &problem);
  /// Notes each field that nobody has read, and returns everything that is wrong.
  const std::vector<std::string> &finish();

private:
  struct State {
    std::string origin;
    nlohmann::json root, defaults = nlohmann::json::object();
    std::map<std::string, std::string> aliases;
    std::set<std::string> read;
    std::vector<std::string> problems;
  };
  Config(std::shared_ptr<State> state, const nlohmann::json *object, std::string prefix)
      : state(std::move(state)), object(object), prefix(std::move(prefix)) {}
  /// As it is given, or else its default; null if it has neither. It counts as read.
  const nlohmann::json *value(StringRef name) const;
  /// The same, and null if that is null.
  const nlohmann::json *find(StringRef name) const;
  /// Notes that the field is something else; `expected` says what it should be.
  void mismatch(StringRef name, const Twine &expected);
  void findUnread(const nlohmann::json &from, const std::string &path);

  std::shared_ptr<State> state;
  const nlohmann::json *object;
  std::string prefix; // "rope_scaling."
};

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_CONFIG_H
