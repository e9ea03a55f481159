//===- Config.cpp - the configuration of a language model -----------------===//

#include "Config.h"
#include "ane/Support/InputFile.h"
#include "runtime/text/tokenizer/json_fields.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;
using nlohmann::json;

/// Configurations are small.
static constexpr size_t maxBytes = size_t(1) << 24;
static constexpr size_t maxListed = 20;

/// No size of a model is larger; products of a few of them are integers, too.
static constexpr int64_t maxInteger = 1 << 20;

llvm::Expected<json> Config::readJSON(StringRef path) {
  auto buffer = readInputFile(path, /*isText=*/true);
  if (!buffer)
    return buffer.takeError();
  auto object = ::ane::rt::text::parseJson((*buffer)->getBuffer(), path.str(), maxBytes);
  if (!object.ok())
    return llvm::createStringError(std::string(object.status().message()));
  return std::move(*object);
}

llvm::Expected<Config> Config::read(StringRef path) {
  auto object = readJSON(path);
  if (!object)
    return object.takeError();
  if (!object->is_object())
    return llvm::createStringError(path + ": is no JSON object of named values");
  return Config(path.str(), std::move(*object));
}

Config::Config(std::string origin, json object) : state(std::make_shared<State>()) {
  state->origin = std::move(origin);
  state->root = std::move(object);
  this->object = &state->root;
}

/// As it may stand in a message.
static std::string shown(const json &value) {
  constexpr size_t most = 60;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() > most ? text.substr(0, most) + "..." : text;
}

const json *Config::value(StringRef name) const {
  state->read.insert(prefix + name.str());
  bool isOutermost = object == &state->root;
  if (auto other = state->aliases.find(name.str()); isOutermost && other != state->aliases.end()) {
    state->read.insert(other->second);
    if (auto found = object->find(other->second); found != object->end())
      return &*found;
  }
  if (auto found = object->find(name.str()); found != object->end())
    return &*found;
  auto usual = isOutermost ? state->defaults.find(name.str()) : state->defaults.end();
  return usual == state->defaults.end() ? nullptr : &*usual;
}

const json *Config::find(StringRef name) const {
  const json *found = value(name);
  return found && found->is_null() ? nullptr : found;
}

void Config::fail(StringRef name, const Twine &problem) {
  state->problems.push_back((state->origin + ": field '" + prefix + name + "' " + problem).str());
}

void Config::mismatch(StringRef name, const Twine &expected) {
  if (const json *found = value(name))
    return fail(name,
                "is " + shown(*found) + (isGiven(name) ? "" : " where it is left out") + ", expected " + expected);
  fail(name, "is missing");
}

static std::optional<int64_t> asInteger(const json *value, int64_t least) {
  const auto *integer = value ? value->get_ptr<const json::number_integer_t *>() : nullptr;
  return integer && *integer >= least && *integer <= maxInteger ? std::optional(*integer) : std::nullopt;
}

int64_t Config::integer(StringRef name, int64_t least) {
  std::optional<int64_t> found = asInteger(value(name), least);
  if (!found)
    mismatch(name, "an integer from " + Twine(least) + " to 2^20");
  return found.value_or(least);
}

std::optional<int64_t> Config::integerOrNull(StringRef name, int64_t least) {
  return has(name) ? std::optional(integer(name, least)) : std::nullopt;
}

int64_t Config::integerOr(StringRef name, int64_t otherwise, int64_t least) {
  return integerOrNull(name, least).value_or(otherwise);
}

double Config::number(StringRef name) {
  const json *found = value(name);
  if (found && found->is_number())
    return found->get<double>();
  mismatch(name, "a number");
  return 1;
}

double Config::positive(StringRef name) {
  const json *found = value(name);
  if (found && found->is_number() && found->get<double>() > 0)
    return found->get<double>();
  mismatch(name, "a number above 0");
  return 1;
}

std::optional<double> Config::positiveOrNull(StringRef name) {
  return has(name) ? std::optional(positive(name)) : std::nullopt;
}

double Config::numberOr(StringRef name, double otherwise) { return has(name) ? number(name) : otherwise; }

bool Config::flag(StringRef name) {
  const json *found = value(name);
  if (found && found->is_boolean())
    return found->get<bool>();
  mismatch(name, "true or false");
  return false;
}

bool Config::flagOr(StringRef name, bool otherwise) { return has(name) ? flag(name) : otherwise; }

std::string Config::text(StringRef name) {
  const json *found = value(name);
  if (const auto *text = found ? found->get_ptr<const std::string *>() : nullptr)
    return *text;
  mismatch(name, "a string");
  return "";
}

std::string Config::textOr(StringRef name, StringRef otherwise) { return has(name) ? text(name) : otherwise.str(); }

/// Takes the elements of a list; `take` says whether one is of the right kind.
static bool readList(const json &value, llvm::function_ref<bool(const json &)> take) {
  bool isList = value.is_array();
  for (const json &item : value)
    isList &= take(item);
  return isList;
}

std::vector<std::string> Config::texts(StringRef name) {
  std::vector<std::string> list;
  const json *value = find(name);
  if (value && !readList(*value, [&](const json &item) {
        const auto *text = item.get_ptr<const std::string *>();
        list.push_back(text ? *text : "");
        return text != nullptr;
      }))
    fail(name, "is " + shown(*value) + ", expected a list of strings");
  return list;
}

std::vector<double> Config::numbers(StringRef name) {
  std::vector<double> list;
  const json *value = find(name);
  if (value && !readList(*value, [&](const json &item) {
        list.push_back(item.is_number() ? item.get<double>() : 0);
        return item.is_number();
      }))
    fail(name, "is " + shown(*value) + ", expected a list of numbers");
  return list;
}

std::vector<int64_t> Config::integers(StringRef name) {
  std::vector<int64_t> list;
  const json *value = find(name);
  if (!value)
    return list;
  if (!readList(value->is_array() ? *value : json::array({*value}), [&](const json &item) {
        const auto *integer = item.get_ptr<const json::number_integer_t *>();
        list.push_back(integer ? *integer : 0);
        return integer != nullptr;
      }))
    fail(name, "is " + shown(*value) + ", expected an integer, or a list of integers");
  return list;
}

std::optional<Config> Config::section(StringRef name) {
  const json *value = find(name);
  if (!value)
    return std::nullopt;
  if (value->is_object())
    return Config(state, value, prefix + name.str() + ".");
  fail(name, "is " + shown(*value) + ", expected an object");
  return std::nullopt;
}

Config Config::nothing() const {
  static const json empty = json::object();
  return Config(state, &empty, prefix);
}

void Config::expect(StringRef name, const json &expected) {
  if (const json *value = find(name); value && *value != expected)
    fail(name, "is " + shown(*value) + ", which is not supported; supported is " + shown(expected));
}

void Config::expectFieldsOf(Config older, const json &others) const {
  constexpr StringLiteral remedy = ": both describe the same; take out the one that is wrong";
  for (const auto &[field, value] : older.object->items()) {
    auto found = object->find(field);
    if (found == object->end() || *found != value)
      older.fail(field, "is " + shown(value) + ", and '" + prefix + field + "' is " +
                            (found == object->end() ? "missing" : shown(*found)) + remedy);
  }
  for (const auto &[field, value] : object->items())
    if (!older.object->contains(field) && (!others.contains(field) || others[field] != value))
      older.fail(field, "is missing, and '" + prefix + field + "' is " + shown(value) + remedy);
}

void Config::ignore(ArrayRef<StringRef> names) {
  for (StringRef name : names)
    state->read.insert(prefix + name.str());
}

void Config::ignoreOthers(const json &fields) {
  for (const auto &[name, value] : fields.items())
    if (!state->defaults.contains(name))
      ignore({name});
}

void Config::findUnread(const json &from, const std::string &path) {
  for (const auto &[name, value] : from.items()) {
    std::string field = path + name;
    auto inner = state->read.lower_bound(field + ".");
    bool isSection = value.is_object() && inner != state->read.end() && StringRef(*inner).starts_with(field + ".");
    if (isSection)
      findUnread(value, field + ".");
    else if (!state->read.count(field) && !value.is_null())
      state->problems.push_back(state->origin + ": field '" + field + "' is " + shown(value) +
                                ", which this compiler does not know: take it out if it has no effect on the model");
  }
}

const std::vector<std::string> &Config::finish() {
  findUnread(state->root, "");
  if (state->problems.size() > maxListed) {
    size_t more = state->problems.size() - maxListed;
    state->problems.resize(maxListed);
    state->problems.push_back("and " + std::to_string(more) + " more");
  }
  return state->problems;
}
