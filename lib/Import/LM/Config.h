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
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace mlir::ane::lm {

/// A view of an object of named values; copies share what has been read and what is wrong. What can't be read is noted
/// as a problem, and a value that lets the reader go on is returned.
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

  /// At least 1 (`least`); a problem if it is missing, null or something else.
  int64_t integer(StringRef name, int64_t least = 1);
  int64_t integerOr(StringRef name, int64_t otherwise, int64_t least = 1);
  double number(StringRef name);
  double numberOr(StringRef name, double otherwise);
  bool flag(StringRef name, bool otherwise);
  std::string text(StringRef name, StringRef otherwise = "");
  /// Empty if it is missing.
  std::vector<std::string> texts(StringRef name);
  std::vector<double> numbers(StringRef name);
  /// The numbers of a field that is one integer or several (ids of tokens).
  std::vector<int64_t> integers(StringRef name);
  /// The object of that name; its fields are "name.field" in messages.
  std::optional<Config> section(StringRef name);
  /// A view of nothing, whose problems are this one's.
  Config nothing() const;

  /// Each field of `older`, which describes the same in a form of earlier days, is here, too, with the same value.
  void expectFieldsOf(Config older) const;
  /// A field that is supported with one value only, which it has if it is missing.
  void expect(StringRef name, const nlohmann::json &value);
  /// Fields that say nothing about what the model computes.
  void ignore(ArrayRef<StringRef> names);

  const std::vector<std::string> &problems() const { return state->problems; }
  /// Notes a problem of the field.
  void fail(StringRef name, const Twine &problem);
  /// Notes each field that nobody has read, and returns everything that is wrong.
  const std::vector<std::string> &finish();

private:
  struct State {
    std::string origin;
    nlohmann::json root;
    std::set<std::string> read;
    std::vector<std::string> problems;
  };
  Config(std::shared_ptr<State> state, const nlohmann::json *object, std::string prefix)
      : state(std::move(state)), object(object), prefix(std::move(prefix)) {}
  /// Null if the field is missing or null; it counts as read.
  const nlohmann::json *find(StringRef name) const;
  void findUnread(const nlohmann::json &from, const std::string &path);

  std::shared_ptr<State> state;
  const nlohmann::json *object;
  std::string prefix; // "rope_scaling."
};

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_CONFIG_H
