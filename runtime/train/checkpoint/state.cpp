//===- state.cpp - What a run is between two steps ------------------------===//
#include "runtime/train/checkpoint/state.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/support/hash.h"
#include "runtime/support/json_owner.h"
#include "runtime/support/number_text.h"
#include "runtime/support/quote.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using Json = nlohmann::json;

namespace ane::rt::train {
namespace {

constexpr int kMaxDepth = 6;
constexpr size_t kMaxRank = 16;

//===-- writing -----------------------------------------------------------===//

/// JSON has no infinities and no NaN.
Json numberJson(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json optionalJson(const std::optional<double> &value) { return value ? numberJson(*value) : Json(); }

/// The text of a JSON object, member by member. A tree of nlohmann's would not outlive a lack of memory.
class ObjectText {
public:
  ObjectText &add(const std::string &name, const Json &scalar) { return addText(name, textOf(scalar)); }
  ObjectText &addText(const std::string &name, const std::string &json) {
    members.push_back(absl::StrCat(textOf(name), ": ", json));
    return *this;
  }
  /// `begin` is before each member, `end` behind the last.
  std::string text(const std::string &begin = " ", const std::string &end = "") const {
    std::string all = absl::StrJoin(members, absl::StrCat(",", begin));
    return absl::StrCat("{", members.empty() || begin == " " ? "" : begin, all, end, "}");
  }

private:
  static std::string textOf(const Json &scalar) { return scalar.dump(-1, ' ', false, Json::error_handler_t::replace); }
  std::vector<std::string> members;
};

//===-- reading -----------------------------------------------------------===//

/// Fields of one JSON object; the first error wins, and reading goes on with defaults.
class Fields {
public:
  Fields(const Json &json, std::string where, absl::Status &status)
      : json(json), where(std::move(where)), status(status) {
    if (!json.is_object())
      fail(this->where, absl::StrCat("is ", json.type_name(), ", expected an object"));
  }

  std::string text(const char *key) const {
    const Json *value = find(key);
    if (value && !value->is_string())
      fail(at(key), absl::StrCat("is ", value->type_name(), ", expected a string"));
    return status.ok() ? value->get<std::string>() : "";
  }
  int64_t count(const char *key) const {
    uint64_t value = natural(key);
    if (value > uint64_t(std::numeric_limits<int64_t>::max()))
      fail(at(key), absl::StrCat("is ", value, ", limit ", std::numeric_limits<int64_t>::max()));
    return static_cast<int64_t>(value);
  }
  uint64_t natural(const char *key) const {
    const Json *value = find(key);
    if (value && !value->is_number_unsigned())
      fail(at(key), absl::StrCat("is ", described(*value), ", expected a whole number from 0 on"));
    return status.ok() ? value->get<uint64_t>() : 0;
  }
  double number(const char *key) const {
    const Json *value = find(key);
    return value ? toNumber(*value, at(key)) : 0;
  }
  std::optional<double> optional(const char *key) const {
    const Json *value = find(key);
    if (!value || value->is_null())
      return std::nullopt;
    return toNumber(*value, at(key));
  }
  Fields object(const char *key) const {
    static const Json none = Json::object();
    const Json *value = find(key);
    return Fields(value ? *value : none, at(key), status);
  }
  const Json &list(const char *key) const {
    static const Json none = Json::array();
    const Json *value = find(key);
    if (value && !value->is_array())
      fail(at(key), absl::StrCat("is ", value->type_name(), ", expected a list"));
    return status.ok() ? *value : none;
  }
  template <typename Fn>
  void each(Fn &&take) const {
    if (json.is_object())
      for (auto it = json.begin(); it != json.end() && status.ok(); ++it)
        take(it.key());
  }

  std::string at(std::string_view key) const {
    return absl::StrCat(where, where.empty() ? "" : ".", absl::string_view(key.data(), key.size()));
  }
  void fail(const std::string &place, const std::string &message) const {
    if (status.ok())
      status = absl::InvalidArgumentError(absl::StrCat(place, ": ", message));
  }

private:
  const Json *find(const char *key) const {
    if (!status.ok())
      return nullptr;
    auto found = json.find(key);
    if (found != json.end())
      return &*found;
    fail(at(key), "is missing");
    return nullptr;
  }
  static std::string described(const Json &value) {
    return value.is_number() ? value.dump() : std::string(value.type_name());
  }
  double toNumber(const Json &value, const std::string &place) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (value.is_number())
      return value.get<double>();
    if (value == "nan")
      return std::numeric_limits<double>::quiet_NaN();
    if (value == "inf" || value == "-inf")
      return value == "inf" ? infinity : -infinity;
    fail(place, absl::StrCat("is ", value.type_name(), ", expected a number"));
    return 0;
  }

  const Json &json;
  std::string where;
  absl::Status &status;
};

Identity readIdentity(const Fields &fields, absl::Status &status) {
  Identity identity;
  identity.training = fields.text("training");
  size_t index = 0;
  for (const Json &entry : fields.list("parameters")) {
    Fields parameter(entry, absl::StrCat(fields.at("parameters"), "[", index++, "]"), status);
    Identity::Parameter read;
    read.name = parameter.text("name");
    std::string dtype = parameter.text("dtype");
    std::optional<ElementType> type = elementTypeFromName(dtype);
    if (!type)
      parameter.fail(parameter.at("dtype"), absl::StrCat(quote(dtype), " is no type of elements"));
    read.type.dtype = type.value_or(ElementType::Float32);
    const Json &shape = parameter.list("shape");
    if (shape.size() > kMaxRank)
      parameter.fail(parameter.at("shape"), absl::StrCat("has rank ", shape.size(), ", limit ", kMaxRank));
    for (const Json &size : shape) {
      if (!size.is_number_unsigned())
        parameter.fail(parameter.at("shape"), "is no list of sizes");
      if (!status.ok())
        return identity;
      read.type.shape.push_back(size.get<int64_t>());
    }
    if (!status.ok())
      return identity;
    identity.parameters.push_back(std::move(read));
  }
  for (const Json &line : fields.list("graph")) {
    if (!line.is_string())
      fields.fail(fields.at("graph"), "is no list of strings");
    if (!status.ok())
      return identity;
    identity.graph.push_back(line.get<std::string>());
  }
  return identity;
}

RunState readRun(const Fields &fields) {
  RunState run;
  run.step = fields.count("step");
  run.updates = fields.count("updates");
  run.microBatch = fields.count("micro_batch");
  run.optimizer = fields.text("optimizer");
  Fields numbers = fields.object("hyper_parameters"), words = fields.object("settings");
  numbers.each([&](const std::string &key) { run.hyperParameters[key] = numbers.number(key.c_str()); });
  words.each([&](const std::string &key) { run.settings[key] = words.text(key.c_str()); });
  Fields data = fields.object("data");
  run.data = data.text("fingerprint");
  run.seed = data.natural("seed");
  run.epoch = data.natural("epoch");
  run.index = data.natural("index");
  Fields scale = fields.object("loss_scale");
  run.lossScale = scale.number("scale");
  run.finiteSteps = scale.count("finite_steps");
  run.skippedSteps = scale.count("skipped_steps");
  Fields losses = fields.object("losses");
  run.lastLoss = losses.optional("last");
  run.bestLoss = losses.optional("best");
  run.lastEvaluation = losses.optional("last_evaluation");
  run.bestEvaluation = losses.optional("best_evaluation");
  run.device = fields.text("device");
  run.host = fields.text("host");
  return run;
}

std::vector<StoredFile> readFiles(const Fields &fields, absl::Status &status) {
  std::vector<StoredFile> files;
  size_t index = 0;
  for (const Json &entry : fields.list("files")) {
    Fields file(entry, absl::StrCat("files[", index++, "]"), status);
    StoredFile read{file.text("name"), file.count("bytes"), file.text("xxh128")};
    if (!status.ok())
      break;
    files.push_back(std::move(read));
  }
  return files;
}

/// "x is 1 there and 2 here", of values in text.
std::string differs(std::string_view field, const std::string &there, const std::string &here) {
  return absl::StrCat(absl::string_view(field.data(), field.size()), " is ", there, " there and ", here, " here");
}

template <typename Value, typename Print>
std::string difference(const std::map<std::string, Value> &there, const std::map<std::string, Value> &here,
                       Print &&print) {
  for (const auto &[name, value] : there)
    if (auto other = here.find(name); other == here.end() || print(other->second) != print(value))
      return differs(name, print(value), other == here.end() ? "not set" : print(other->second));
  for (const auto &[name, value] : here)
    if (!there.count(name))
      return differs(name, "not set", print(value));
  return "";
}

/// A number of the configuration, "rms_norm_eps 1.0e-5", by its name; of ops and constants, what only one of both has.
std::string graphDifference(const std::vector<std::string> &there, const std::vector<std::string> &here) {
  auto missing = [](const std::vector<std::string> &from, const std::vector<std::string> &in) {
    auto found = std::find_if(from.begin(), from.end(), [&](const std::string &line) {
      return std::find(in.begin(), in.end(), line) == in.end();
    });
    return found == from.end() ? std::string() : *found;
  };
  const std::string other = missing(there, here), own = missing(here, there);
  if (other.empty() && own.empty())
    return "";
  auto nameOf = [](const std::string &line) { return line.substr(0, line.find(' ')); };
  auto valueOf = [](const std::string &line) { return line.substr(line.find(' ') + 1); };
  if (!other.empty() && !own.empty() && nameOf(other) == nameOf(own) && !std::isdigit(other[0]))
    return differs(nameOf(own), valueOf(other), valueOf(own));
  return absl::StrCat("what the model computes has ", other.empty() ? "nothing in its place" : quote(other),
                      " there and ", own.empty() ? "nothing in its place" : quote(own), " here");
}

} // namespace

Identity identityOf(const manifest::Manifest &m) {
  const manifest::Training &training = *m.training;
  // The functions' code is not part of it: another compiler's is another way to the same.
  std::string text = absl::StrCat(training.loss, "\n", training.target, "\n", training.ignore, "\n", training.sweep,
                                  "\n", training.classes);
  for (const manifest::TrainedParameter &parameter : training.parameters)
    absl::StrAppend(&text, "\n", parameter.name, parameter.decays ? " decays" : "",
                    parameter.isStatistic ? " statistic" : "");
  // The same matrices are another model's with another factor.
  if (m.adapters)
    absl::StrAppend(&text, "\nalpha ", numberText(m.adapters->alpha));
  Hash hash;
  hash.update(text.data(), text.size());
  Identity identity{hash.digest(), {}, training.graph};
  const manifest::Function &step = *std::find_if(m.functions.begin(), m.functions.end(),
                                                 [&](const auto &function) { return function.name == training.step; });
  for (const manifest::TrainedParameter &parameter : training.parameters)
    for (const manifest::Port &port : step.inputs)
      if (port.name == parameter.name)
        identity.parameters.push_back({port.name, m.tensors[port.tensor].type});
  return identity;
}

std::string difference(const Identity &there, const Identity &here) {
  size_t common = std::min(there.parameters.size(), here.parameters.size());
  for (size_t i = 0; i < common; ++i) {
    const Identity::Parameter &other = there.parameters[i], &own = here.parameters[i];
    if (other.name != own.name)
      return differs(absl::StrCat("parameter ", i), quote(other.name), quote(own.name));
    if (!(other.type == own.type))
      return differs(absl::StrCat("parameter ", quote(own.name)), manifest::typeText(other.type),
                     manifest::typeText(own.type));
  }
  if (there.parameters.size() != here.parameters.size())
    return differs("the number of parameters", absl::StrCat(there.parameters.size()),
                   absl::StrCat(here.parameters.size()));
  if (there.training != here.training)
    return differs("the training record (loss, target, weights, alpha of adapters)", there.training, here.training);
  return graphDifference(there.graph, here.graph);
}

std::string difference(const RunState &there, const RunState &here) {
  auto text = [](const std::string &value) { return quote(value); };
  auto number = [](double value) { return Json(value).dump(); };
  if (there.optimizer != here.optimizer)
    return differs("optimizer", quote(there.optimizer), quote(here.optimizer));
  if (std::string found = difference(there.hyperParameters, here.hyperParameters, number); !found.empty())
    return found;
  if (std::string found = difference(there.settings, here.settings, text); !found.empty())
    return found;
  if (there.seed != here.seed)
    return differs("seed", absl::StrCat(there.seed), absl::StrCat(here.seed));
  return there.data == here.data ? "" : differs("the data's hash", quote(there.data), quote(here.data));
}

std::string printState(const StateFile &state) {
  const RunState &run = state.run;
  ObjectText numbers, words, data, scale, losses, identity, all;
  for (const auto &[name, value] : run.hyperParameters)
    numbers.add(name, numberJson(value));
  for (const auto &[name, value] : run.settings)
    words.add(name, value);
  data.add("fingerprint", run.data).add("seed", run.seed).add("epoch", run.epoch).add("index", run.index);
  scale.add("scale", numberJson(run.lossScale))
      .add("finite_steps", run.finiteSteps)
      .add("skipped_steps", run.skippedSteps);
  losses.add("last", optionalJson(run.lastLoss))
      .add("best", optionalJson(run.bestLoss))
      .add("last_evaluation", optionalJson(run.lastEvaluation))
      .add("best_evaluation", optionalJson(run.bestEvaluation));
  std::vector<std::string> parameters, files;
  for (const Identity::Parameter &parameter : state.identity.parameters) {
    ObjectText entry;
    entry.add("name", parameter.name)
        .add("dtype", std::string(numpyName(parameter.type.dtype)))
        .addText("shape", absl::StrCat("[", absl::StrJoin(parameter.type.shape, ", "), "]"));
    parameters.push_back(entry.text());
  }
  for (const StoredFile &file : state.files) {
    ObjectText entry;
    entry.add("name", file.name).add("bytes", file.bytes).add("xxh128", file.hash);
    files.push_back(entry.text());
  }
  auto listText = [](const std::vector<std::string> &entries) {
    return absl::StrCat("[\n  ", absl::StrJoin(entries, ",\n  "), "\n ]");
  };
  std::vector<std::string> graph;
  for (const std::string &line : state.identity.graph)
    graph.push_back(Json(line).dump(-1, ' ', false, Json::error_handler_t::replace));
  identity.add("training", state.identity.training)
      .addText("parameters", listText(parameters))
      .addText("graph", listText(graph));
  all.add("version", kCheckpointVersion)
      .add("step", run.step)
      .add("updates", run.updates)
      .add("micro_batch", run.microBatch)
      .add("optimizer", run.optimizer)
      .addText("hyper_parameters", numbers.text())
      .addText("settings", words.text())
      .addText("data", data.text())
      .addText("loss_scale", scale.text())
      .addText("losses", losses.text())
      .add("device", run.device)
      .add("host", run.host)
      .addText("identity", identity.text())
      .addText("files", listText(files));
  return all.text("\n ", "\n") + "\n";
}

absl::StatusOr<StateFile> parseState(std::string_view text, const std::string &name) {
  auto error = [&](const auto &...what) { return absl::InvalidArgumentError(absl::StrCat(name, ": ", what...)); };
  bool isDeep = false;
  // Deeper values are left out, which is how the parser is kept from nesting without end.
  auto shallow = [&](int depth, Json::parse_event_t, Json &) {
    isDeep = isDeep || depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  JsonOwner<Json> json(Json::parse(text.begin(), text.end(), shallow, /*allow_exceptions=*/false));
  if (json->is_discarded() || !json->is_object())
    return error("is no JSON object; it is no state of a checkpoint, or is damaged");
  if (isDeep)
    return error("is nested deeper than ", kMaxDepth, " levels");
  absl::Status status;
  Fields fields(*json, "", status);
  // The version comes first: all else may differ in another one.
  int64_t version = fields.count("version");
  if (status.ok() && version != kCheckpointVersion)
    return error("version: is ", version, ", this runtime reads ", kCheckpointVersion,
                 "; go on with the version of Anemone that wrote it");
  StateFile state;
  state.run = readRun(fields);
  state.identity = readIdentity(fields.object("identity"), status);
  state.files = readFiles(fields, status);
  if (!status.ok())
    return error(status.message());
  return state;
}

} // namespace ane::rt::train
