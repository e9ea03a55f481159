//===- parse.cpp - JSON text to manifest ----------------------------------===//
//
// Only the structure is checked here: which keys there are and what they hold.
// What the values mean is checked by verify().
//
//===----------------------------------------------------------------------===//
#include "runtime/format/manifest/diagnostic.h"
#include "runtime/support/json_owner.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

using Json = nlohmann::json;

namespace ane::rt::manifest {
namespace {

/// Stops nlohmann's parser from inside its callback; never leaves this file.
struct Refusal {
  std::string message;
};

/// A typed view of one JSON value that reports errors by JSON path. The first
/// error wins; reading goes on with defaults, which costs nothing and keeps the
/// readers below free of control flow.
class Reader {
public:
  Reader(const Json &json, std::string where, absl::Status &status)
      : json(json), where(std::move(where)), status(status) {}

  void fail(const std::string &message) const {
    if (status.ok())
      status = errorAt(where, message);
  }

  /// Refuses keys that this schema does not have: a typo, or a newer writer.
  void keys(std::initializer_list<const char *> allowed) const {
    if (!json.is_object())
      return fail(absl::StrCat("is ", json.type_name(), ", expected an object"));
    for (auto it = json.begin(); it != json.end(); ++it)
      if (std::none_of(allowed.begin(), allowed.end(), [&](const char *key) { return it.key() == key; }))
        return fail(absl::StrCat("unknown key ", quote(it.key()), "; schema ", kSchema, " has no such field"));
  }

  Reader operator[](const char *key) const {
    static const Json missing;
    std::string path = absl::StrCat(where, ".", key);
    if (json.is_object()) {
      auto it = json.find(key);
      if (it != json.end())
        return Reader(*it, std::move(path), status);
    }
    if (status.ok())
      status = errorAt(path, "is missing");
    return Reader(missing, std::move(path), status);
  }

  bool has(const char *key) const { return json.is_object() && json.contains(key); }

  std::string string() const {
    if (!json.is_string()) {
      fail(absl::StrCat("is ", json.type_name(), ", expected a string"));
      return {};
    }
    const auto &text = json.get_ref<const std::string &>();
    if (static_cast<int64_t>(text.size()) > kMaxNameLength) {
      fail(absl::StrCat("is a string of ", text.size(), " bytes, limit ", kMaxNameLength));
      return {};
    }
    return text;
  }

  int64_t integer() const {
    if (json.is_number_unsigned() && json.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
      fail(absl::StrCat("is ", json.get<uint64_t>(), ", limit ", INT64_MAX));
      return 0;
    }
    if (!json.is_number_integer()) {
      fail(absl::StrCat("is ", json.type_name(), ", expected an integer"));
      return 0;
    }
    return json.get<int64_t>();
  }

  double number() const {
    if (!json.is_number())
      fail(absl::StrCat("is ", json.type_name(), ", expected a number"));
    return json.is_number() ? json.get<double>() : 0;
  }

  bool boolean() const {
    if (!json.is_boolean())
      fail(absl::StrCat("is ", json.type_name(), ", expected true or false"));
    return json.is_boolean() && json.get<bool>();
  }

  ElementType dtype() const {
    std::string name = string();
    std::optional<ElementType> type = elementTypeFromName(name);
    // Packed and string types exist inside weight files only.
    if (type && bitWidth(*type) >= 8 && name == numpyName(*type))
      return *type;
    fail(absl::StrCat("unknown dtype ", quote(name),
                      "; known are bool, [u]int8..64, float16, bfloat16, "
                      "float32, float64"));
    return ElementType::Float32;
  }

  template <typename T, typename Fn>
  std::vector<T> list(Fn &&read, int64_t limit = kMaxRecords) const {
    std::vector<T> result;
    if (!json.is_array()) {
      fail(absl::StrCat("is ", json.type_name(), ", expected a list"));
      return result;
    }
    if (static_cast<int64_t>(json.size()) > limit) {
      fail(absl::StrCat("has ", json.size(), " entries, limit ", limit));
      return result;
    }
    result.reserve(json.size());
    for (size_t i = 0; i < json.size() && status.ok(); ++i)
      result.push_back(read(Reader(json[i], at(where, i), status)));
    return result;
  }

  std::vector<int64_t> integers(int64_t limit) const {
    return list<int64_t>([](const Reader &r) { return r.integer(); }, limit);
  }
  std::vector<std::string> strings() const {
    return list<std::string>([](const Reader &r) { return r.string(); });
  }

private:
  const Json &json;
  std::string where;
  absl::Status &status;
};

TensorType readType(const Reader &r) { return {r["dtype"].dtype(), r["shape"].integers(kMaxRank)}; }

Condition readCondition(const Reader &r) {
  r.keys({"low", "high", "exact"});
  Condition condition;
  if (r.has("low"))
    condition.low = r["low"].number();
  if (r.has("high"))
    condition.high = r["high"].number();
  if (r.has("exact"))
    condition.exact = r["exact"].boolean();
  return condition;
}

MaskRows readMask(const Reader &r) {
  r.keys({"extent", "inner", "least"});
  return {r["extent"].integer(), r["inner"].integer(), r["least"].number()};
}

Surface readSurface(const Reader &r) {
  r.keys({"name", "dtype", "shape", "row_stride", "bytes", "expand", "perm", "holds", "mask"});
  Surface surface;
  surface.name = r["name"].string();
  surface.dtype = r["dtype"].dtype();
  surface.shape = r["shape"].integers(kMaxRank);
  surface.rowStride = r["row_stride"].integer();
  surface.bytes = r["bytes"].integer();
  surface.expand = r["expand"].integers(kMaxRank);
  surface.perm = r["perm"].integers(kMaxRank);
  if (r.has("holds"))
    surface.holds = r["holds"].list<Condition>(readCondition, kMaxConditions);
  if (r.has("mask"))
    surface.mask = readMask(r["mask"]);
  return surface;
}

Procedure readProcedure(const Reader &r) {
  r.keys({"name", "twin", "inputs", "outputs"});
  return {r["name"].string(), r["twin"].string(), r["inputs"].list<Surface>(readSurface),
          r["outputs"].list<Surface>(readSurface)};
}

Program readProgram(const Reader &r) {
  r.keys({"name", "mil", "weights", "procedures"});
  return {r["name"].string(), r["mil"].string(), r["weights"].strings(),
          r["procedures"].list<Procedure>(readProcedure)};
}

HostFunction readHostFunction(const Reader &r) {
  r.keys({"name", "symbol", "inputs", "outputs", "arena_bytes"});
  auto readArgument = [](const Reader &argument) {
    argument.keys({"dtype", "shape"});
    return readType(argument);
  };
  HostFunction function;
  function.name = r["name"].string();
  function.symbol = r["symbol"].string();
  function.inputs = r["inputs"].list<TensorType>(readArgument);
  function.outputs = r["outputs"].list<TensorType>(readArgument);
  function.arenaBytes = r["arena_bytes"].integer();
  return function;
}

Step readStep(const Reader &r) {
  Step step;
  std::string kind = r["kind"].string();
  if (kind == "host") {
    r.keys({"kind", "function", "inputs", "outputs"});
    step.target = r["function"].string();
  } else if (kind == "program") {
    r.keys({"kind", "program", "procedure", "inputs", "outputs"});
    step.kind = Step::Kind::Program;
    step.target = r["program"].string();
    step.procedure = r["procedure"].string();
  } else if (kind == "update") {
    r.keys({"kind", "state", "inputs", "outputs", "axis", "skip_outside"});
    step.kind = Step::Kind::Update;
    step.target = r["state"].string();
    step.axis = r["axis"].integer();
    step.skipOutside = r["skip_outside"].boolean();
  } else {
    r["kind"].fail(absl::StrCat("unknown step kind ", quote(kind), ", expected \"host\", \"program\" or \"update\""));
  }
  step.inputs = r["inputs"].integers(kMaxRecords);
  step.outputs = r["outputs"].integers(kMaxRecords);
  return step;
}

Port readPort(const Reader &r) {
  r.keys({"name", "tensor", "range"});
  Port port = {r["name"].string(), r["tensor"].integer()};
  if (r.has("range")) {
    Reader range = r["range"];
    range.keys({"min", "max", "reader"});
    port.min = range["min"].integer();
    port.max = range["max"].integer();
    port.reader = range["reader"].string();
  }
  return port;
}

State readState(const Reader &r) {
  r.keys({"name", "dtype", "shape", "initial"});
  State state = {r["name"].string(), readType(r)};
  if (r.has("initial")) {
    Reader initial = r["initial"];
    initial.keys({"file", "offset"});
    state.file = initial["file"].string();
    state.offset = initial["offset"].integer();
  }
  return state;
}

StateUse readStateUse(const Reader &r) {
  r.keys({"state", "read", "write"});
  return {r["state"].integer(), r["read"].integer(), r["write"].integer()};
}

Check readCheck(const Reader &r) {
  r.keys({"subject", "tensor", "min", "max", "total"});
  Check check = {r["subject"].string(), r["tensor"].integer(), r["min"].integer(), r["max"].integer()};
  if (r.has("total"))
    check.total = r["total"].integer();
  return check;
}

Function readFunction(const Reader &r) {
  r.keys({"name", "inputs", "outputs", "states", "steps", "checks"});
  Function function;
  function.name = r["name"].string();
  function.inputs = r["inputs"].list<Port>(readPort);
  function.outputs = r["outputs"].list<Port>(readPort);
  if (r.has("states"))
    function.states = r["states"].list<StateUse>(readStateUse);
  function.steps = r["steps"].list<Step>(readStep);
  if (r.has("checks"))
    function.checks = r["checks"].list<Check>(readCheck);
  return function;
}

Bucket readBucket(const Reader &r) {
  r.keys({"name", "dimension", "padding", "masks", "inputs", "outputs", "sizes", "functions"});
  auto readAxes = [](const Reader &axes) { return axes.integers(kMaxRank); };
  Bucket bucket;
  bucket.name = r["name"].string();
  bucket.dimension = r["dimension"].string();
  std::string padding = r["padding"].string();
  auto *known = std::find(std::begin(kPaddingNames), std::end(kPaddingNames), padding);
  if (known == std::end(kPaddingNames))
    r["padding"].fail(absl::StrCat("is ", quote(padding), ", expected \"none\", \"checked\" or \"zeros\""));
  else
    bucket.padding = static_cast<Padding>(known - std::begin(kPaddingNames));
  bucket.masks = r["masks"].integers(kMaxRecords);
  bucket.inputs = r["inputs"].list<std::vector<int64_t>>(readAxes);
  bucket.outputs = r["outputs"].list<std::vector<int64_t>>(readAxes);
  bucket.sizes = r["sizes"].integers(kMaxRecords);
  bucket.functions = r["functions"].integers(kMaxRecords);
  return bucket;
}

StoredWeight readStored(const Reader &r) {
  StoredWeight stored;
  stored.file = r["file"].string();
  stored.offset = r["offset"].integer();
  stored.bytes = r["bytes"].integer();
  stored.hash = r["xxh128"].string();
  stored.programs = r["programs"].strings();
  stored.hostFunctions = r["host_functions"].strings();
  if (r.has("fixed")) {
    r.keys({"file", "offset", "bytes", "xxh128", "programs", "host_functions", "fixed"});
    stored.fixed = r["fixed"].string();
    return stored;
  }
  r.keys({"file", "offset", "bytes", "xxh128", "programs", "host_functions", "dtype", "base", "shape", "strides",
          "columns"});
  stored.dtype = r["dtype"].dtype();
  stored.base = r["base"].integer();
  stored.shape = r["shape"].integers(kMaxRank);
  stored.strides = r["strides"].integers(kMaxRank);
  stored.columns = r["columns"].integer();
  return stored;
}

LanguageModel readLanguageModel(const Reader &r) {
  r.keys({"kind", "architecture", "context", "vocabulary", "decode", "prefill", "stop_tokens", "bos", "window",
          "together"});
  LanguageModel model;
  model.kind = r["kind"].string();
  model.architecture = r["architecture"].string();
  model.context = r["context"].integer();
  model.vocabulary = r["vocabulary"].integer();
  model.decode = r["decode"].string();
  model.prefill = r["prefill"].strings();
  model.stopTokens = r["stop_tokens"].integers(kMaxRecords);
  if (r.has("bos"))
    model.bos = r["bos"].integer();
  if (r.has("window"))
    model.window = r["window"].integer();
  if (r.has("together"))
    model.together = r["together"].string();
  return model;
}

Training readTraining(const Reader &r) {
  r.keys({"step", "evaluate", "loss", "target", "loss_scale", "ignore", "parameters", "weights", "sweep", "optimizers",
          "squares", "add", "classes", "graph"});
  Training training;
  training.step = r["step"].string();
  training.evaluate = r["evaluate"].string();
  training.loss = r["loss"].string();
  training.target = r["target"].string();
  training.lossScale = r["loss_scale"].string();
  training.ignore = r["ignore"].integer();
  training.parameters = r["parameters"].list<TrainedParameter>([](const Reader &parameter) {
    parameter.keys({"name", "decays", "baked", "statistic"});
    return TrainedParameter{parameter["name"].string(), parameter["decays"].boolean(),
                            parameter.has("baked") && parameter["baked"].boolean(),
                            parameter.has("statistic") && parameter["statistic"].boolean()};
  });
  training.weights = r["weights"].string();
  training.sweep = r["sweep"].integer();
  training.optimizers = r["optimizers"].list<Optimizer>([](const Reader &optimizer) {
    optimizer.keys({"kind", "function"});
    return Optimizer{optimizer["kind"].string(), optimizer["function"].string()};
  });
  training.squares = r["squares"].string();
  training.add = r["add"].string();
  if (r.has("classes"))
    training.classes = r["classes"].integer();
  if (r.has("graph"))
    training.graph = r["graph"].list<std::string>([](const Reader &line) { return line.string(); });
  return training;
}

Adapters readAdapters(const Reader &r) {
  r.keys({"rank", "alpha", "targets", "pairs"});
  Adapters adapters;
  adapters.rank = r["rank"].integer();
  adapters.alpha = r["alpha"].number();
  adapters.targets = r["targets"].strings();
  adapters.pairs = r["pairs"].list<AdapterPair>([](const Reader &pair) {
    pair.keys({"layer", "weight", "a", "b", "transposed", "heads"});
    return AdapterPair{pair["layer"].string(), pair["weight"].string(),      pair["a"].string(),
                       pair["b"].string(),     pair["transposed"].boolean(), pair["heads"].integer()};
  });
  return adapters;
}

Weight readWeight(const Reader &r) {
  r.keys({"name", "dtype", "shape", "encoding", "range", "trainable", "stored"});
  Weight weight{r["name"].string(), readType(r), r["encoding"].string(), r["stored"].list<StoredWeight>(readStored)};
  if (r.has("range")) {
    std::vector<double> bounds = r["range"].list<double>([](const Reader &bound) { return bound.number(); });
    if (bounds.size() == 2)
      weight.range = {bounds[0], bounds[1]};
    else
      r["range"].fail(absl::StrCat("has ", bounds.size(), " entries, expected the least and the largest element"));
  }
  weight.trainable = r.has("trainable") && r["trainable"].boolean();
  return weight;
}

Manifest readManifest(const Reader &r) {
  Manifest m;
  // The version comes first: everything else may differ in another schema.
  m.schema = r["schema"].integer();
  if (m.schema != kSchema)
    r["schema"].fail(
        absl::StrCat("is ", m.schema, ", this reader knows ", kSchema, "; recompile the model or update the runtime"));
  r.keys({"schema", "producer", "target", "tensors", "states", "functions", "buckets", "language_model", "training",
          "adapters", "programs", "host_functions", "host_libraries", "host_weights", "weights", "files"});
  m.producer = r["producer"].string();
  Reader target = r["target"];
  target.keys({"chip", "route", "os", "opset", "strictness"});
  m.target = {target["chip"].string(), target["route"].string(), target["os"].string(), target["opset"].string(),
              target["strictness"].string()};
  m.tensors = r["tensors"].list<Tensor>([](const Reader &tensor) {
    tensor.keys({"name", "dtype", "shape"});
    return Tensor{tensor["name"].string(), readType(tensor)};
  });
  if (r.has("states"))
    m.states = r["states"].list<State>(readState);
  m.functions = r["functions"].list<Function>(readFunction);
  if (r.has("buckets"))
    m.buckets = r["buckets"].list<Bucket>(readBucket);
  if (r.has("language_model"))
    m.languageModel = readLanguageModel(r["language_model"]);
  if (r.has("training"))
    m.training = readTraining(r["training"]);
  if (r.has("adapters"))
    m.adapters = readAdapters(r["adapters"]);
  m.programs = r["programs"].list<Program>(readProgram);
  m.hostFunctions = r["host_functions"].list<HostFunction>(readHostFunction);
  m.hostLibraries = r["host_libraries"].list<HostLibrary>([](const Reader &library) {
    library.keys({"triple", "path", "cpu", "activations"});
    return HostLibrary{library["triple"].string(), library["path"].string(), library["cpu"].string(),
                       library.has("activations") ? library["activations"].string() : ""};
  });
  m.hostWeights = r["host_weights"].strings();
  if (r.has("weights"))
    m.weights = r["weights"].list<Weight>(readWeight);
  m.files = r["files"].list<File>([](const Reader &file) {
    file.keys({"path", "bytes", "xxh128"});
    return File{file["path"].string(), file["bytes"].integer(), file["xxh128"].string()};
  });
  return m;
}

/// Parses text, refusing deep nesting (which costs memory) and repeated keys
/// (of which two readers could pick different values).
absl::StatusOr<Json> parseJson(std::string_view text) {
  std::vector<std::set<std::string>> open;
  auto callback = [&](int, Json::parse_event_t event, Json &value) {
    switch (event) {
    case Json::parse_event_t::object_start:
    case Json::parse_event_t::array_start:
      open.emplace_back();
      if (static_cast<int64_t>(open.size()) > kMaxDepth)
        throw Refusal{absl::StrCat("nested deeper than ", kMaxDepth, " levels")};
      break;
    case Json::parse_event_t::object_end:
    case Json::parse_event_t::array_end:
      open.pop_back();
      break;
    case Json::parse_event_t::key:
      if (!open.back().insert(value.get<std::string>()).second)
        throw Refusal{absl::StrCat("key ", quote(value.get<std::string>()), " repeated")};
      break;
    case Json::parse_event_t::value:
      break;
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), callback);
  } catch (const Json::parse_error &error) {
    return errorAt("$", "not JSON: ", error.what());
  } catch (const Json::exception &error) {
    return errorAt("$", error.what());
  } catch (const Refusal &refusal) {
    return errorAt("$", refusal.message);
  }
}

} // namespace

absl::StatusOr<Manifest> parse(std::string_view text) {
  if (static_cast<int64_t>(text.size()) > kMaxManifestBytes)
    return errorAt("$", "has ", text.size(), " bytes, limit ", kMaxManifestBytes);
  absl::StatusOr<Json> parsed = parseJson(text);
  if (!parsed.ok())
    return parsed.status();
  JsonOwner<Json> json(*std::move(parsed));
  absl::Status status;
  Manifest manifest = readManifest(Reader(*json, "$", status));
  if (!status.ok())
    return status;
  status = verify(manifest);
  if (!status.ok())
    return status;
  return manifest;
}

} // namespace ane::rt::manifest
