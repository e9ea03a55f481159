//===- print.cpp - Manifest to JSON text ----------------------------------===//
#include "runtime/format/manifest/diagnostic.h"
#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;

namespace ane::rt::manifest {
namespace {

template <typename T, typename Fn>
Json list(const std::vector<T> &items, Fn &&toJson) {
  Json result = Json::array();
  for (const T &item : items)
    result.push_back(toJson(item));
  return result;
}

Json typeJson(const TensorType &type) { return {{"dtype", std::string(numpyName(type.dtype))}, {"shape", type.shape}}; }

Json conditionJson(const Condition &condition) {
  Json json = Json::object();
  if (condition.low)
    json["low"] = *condition.low;
  if (condition.high)
    json["high"] = *condition.high;
  if (condition.exact)
    json["exact"] = true;
  return json;
}

Json surfaceJson(const Surface &surface) {
  Json json = {{"name", surface.name},   {"dtype", std::string(numpyName(surface.dtype))},
               {"shape", surface.shape}, {"row_stride", surface.rowStride},
               {"bytes", surface.bytes}, {"expand", surface.expand},
               {"perm", surface.perm}};
  if (!surface.holds.empty())
    json["holds"] = list(surface.holds, conditionJson);
  if (surface.mask.extent)
    json["mask"] = {{"extent", surface.mask.extent}, {"inner", surface.mask.inner}, {"least", surface.mask.least}};
  return json;
}

Json stepJson(const Step &step) {
  static constexpr const char *names[][2] = {{"host", "function"}, {"program", "program"}, {"update", "state"}};
  auto [kind, target] = names[static_cast<size_t>(step.kind)];
  Json json = {{"kind", kind}, {target, step.target}};
  if (step.kind == Step::Kind::Program)
    json["procedure"] = step.procedure;
  json.update({{"inputs", step.inputs}, {"outputs", step.outputs}});
  if (step.kind == Step::Kind::Update)
    json.update({{"axis", step.axis}, {"skip_outside", step.skipOutside}});
  return json;
}

Json portJson(const Port &port) {
  Json json = {{"name", port.name}, {"tensor", port.tensor}};
  if (!port.reader.empty())
    json["range"] = {{"min", port.min}, {"max", port.max}, {"reader", port.reader}};
  return json;
}

Json checkJson(const Check &check) {
  Json json = {{"subject", check.subject}, {"tensor", check.tensor}, {"min", check.min}, {"max", check.max}};
  if (check.total)
    json["total"] = *check.total;
  return json;
}

Json stateJson(const State &state) {
  Json json = {{"name", state.name}, {"dtype", std::string(numpyName(state.type.dtype))}, {"shape", state.type.shape}};
  if (!state.file.empty())
    json["initial"] = {{"file", state.file}, {"offset", state.offset}};
  return json;
}

Json functionJson(const Function &function) {
  Json json = {{"name", function.name},
               {"inputs", list(function.inputs, portJson)},
               {"outputs", list(function.outputs, portJson)}};
  if (!function.states.empty())
    json["states"] = list(function.states, [](const StateUse &use) {
      return Json{{"state", use.state}, {"read", use.read}, {"write", use.write}};
    });
  json["steps"] = list(function.steps, stepJson);
  if (!function.checks.empty())
    json["checks"] = list(function.checks, checkJson);
  return json;
}

Json languageModelJson(const LanguageModel &model) {
  Json json = {{"kind", model.kind},
               {"architecture", model.architecture},
               {"context", model.context},
               {"vocabulary", model.vocabulary},
               {"decode", model.decode},
               {"prefill", model.prefill},
               {"stop_tokens", model.stopTokens}};
  if (model.bos)
    json["bos"] = *model.bos;
  if (model.window)
    json["window"] = *model.window;
  if (model.together)
    json["together"] = *model.together;
  return json;
}

Json trainingJson(const Training &training) {
  Json json = {
      {"step", training.step},
      {"evaluate", training.evaluate},
      {"loss", training.loss},
      {"target", training.target},
      {"loss_scale", training.lossScale},
      {"ignore", training.ignore},
      {"parameters", list(training.parameters,
                          [](const TrainedParameter &parameter) {
                            Json json = {{"name", parameter.name}, {"decays", parameter.decays}};
                            if (parameter.isBaked)
                              json["baked"] = true;
                            if (parameter.isStatistic)
                              json["statistic"] = true;
                            return json;
                          })},
      {"weights", training.weights},
      {"sweep", training.sweep},
      {"optimizers", list(training.optimizers,
                          [](const Optimizer &optimizer) {
                            return Json{{"kind", optimizer.kind}, {"function", optimizer.function}};
                          })},
      {"squares", training.squares},
      {"add", training.add},
  };
  if (training.classes != 0)
    json["classes"] = training.classes;
  if (!training.graph.empty())
    json["graph"] = training.graph;
  return json;
}

Json adaptersJson(const Adapters &adapters) {
  return {{"rank", adapters.rank},
          {"alpha", adapters.alpha},
          {"targets", adapters.targets},
          {"pairs", list(adapters.pairs, [](const AdapterPair &pair) {
             return Json{{"layer", pair.layer}, {"weight", pair.weight},         {"a", pair.a},
                         {"b", pair.b},         {"transposed", pair.transposed}, {"heads", pair.heads}};
           })}};
}

Json bucketJson(const Bucket &bucket) {
  return {{"name", bucket.name},
          {"dimension", bucket.dimension},
          {"padding", kPaddingNames[static_cast<size_t>(bucket.padding)]},
          {"masks", bucket.masks},
          {"inputs", bucket.inputs},
          {"outputs", bucket.outputs},
          {"sizes", bucket.sizes},
          {"functions", bucket.functions}};
}

Json procedureJson(const Procedure &procedure) {
  return {{"name", procedure.name},
          {"twin", procedure.twin},
          {"inputs", list(procedure.inputs, surfaceJson)},
          {"outputs", list(procedure.outputs, surfaceJson)}};
}

Json programJson(const Program &program) {
  return {{"name", program.name},
          {"mil", program.mil},
          {"weights", program.weights},
          {"procedures", list(program.procedures, procedureJson)}};
}

Json hostFunctionJson(const HostFunction &function) {
  return {{"name", function.name},
          {"symbol", function.symbol},
          {"inputs", list(function.inputs, typeJson)},
          {"outputs", list(function.outputs, typeJson)},
          {"arena_bytes", function.arenaBytes}};
}

Json storedJson(const StoredWeight &stored) {
  Json json = {{"file", stored.file},   {"offset", stored.offset},     {"bytes", stored.bytes},
               {"xxh128", stored.hash}, {"programs", stored.programs}, {"host_functions", stored.hostFunctions}};
  if (!stored.fixed.empty()) {
    json["fixed"] = stored.fixed;
    return json;
  }
  json["dtype"] = std::string(numpyName(stored.dtype));
  json["base"] = stored.base;
  json["shape"] = stored.shape;
  json["strides"] = stored.strides;
  json["columns"] = stored.columns;
  return json;
}

Json weightJson(const Weight &weight) {
  Json json = {{"name", weight.name},
               {"dtype", std::string(numpyName(weight.type.dtype))},
               {"shape", weight.type.shape},
               {"encoding", weight.encoding}};
  if (weight.range)
    json["range"] = {weight.range->first, weight.range->second};
  if (weight.trainable)
    json["trainable"] = true;
  json["stored"] = list(weight.stored, storedJson);
  return json;
}

// Names come from models and need not be UTF-8; JSON text must be.
std::string scalarText(const Json &value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Lists of scalars go on one line, everything else one entry per line.
void printValue(const Json &value, size_t indent, std::string &out) {
  bool flat = !value.is_structured() || value.empty();
  if (value.is_array() && !flat) {
    flat = true;
    for (const Json &item : value)
      flat = flat && !item.is_structured();
  }
  if (flat) {
    out += scalarText(value);
    return;
  }
  bool object = value.is_object();
  out += object ? '{' : '[';
  const char *separator = "\n";
  for (auto it = value.begin(); it != value.end(); ++it) {
    out += separator;
    out.append(indent + 1, ' ');
    if (object) {
      out += scalarText(Json(it.key()));
      out += ": ";
    }
    printValue(*it, indent + 1, out);
    separator = ",\n";
  }
  out += '\n';
  out.append(indent, ' ');
  out += object ? '}' : ']';
}

} // namespace

std::string print(const Manifest &manifest) {
  const Target &target = manifest.target;
  Json json = {{"schema", manifest.schema},
               {"producer", manifest.producer},
               {"target",
                {{"chip", target.chip},
                 {"route", target.route},
                 {"os", target.os},
                 {"opset", target.opset},
                 {"strictness", target.strictness}}},
               {"tensors", list(manifest.tensors, [](const Tensor &tensor) {
                  return Json{{"name", tensor.name},
                              {"dtype", std::string(numpyName(tensor.type.dtype))},
                              {"shape", tensor.type.shape}};
                })}};
  // Only where there are some.
  if (!manifest.states.empty())
    json["states"] = list(manifest.states, stateJson);
  json["functions"] = list(manifest.functions, functionJson);
  if (!manifest.buckets.empty())
    json["buckets"] = list(manifest.buckets, bucketJson);
  if (manifest.languageModel)
    json["language_model"] = languageModelJson(*manifest.languageModel);
  if (manifest.training)
    json["training"] = trainingJson(*manifest.training);
  if (manifest.adapters)
    json["adapters"] = adaptersJson(*manifest.adapters);
  json.update({
      {"programs", list(manifest.programs, programJson)},
      {"host_functions", list(manifest.hostFunctions, hostFunctionJson)},
      {"host_libraries", list(manifest.hostLibraries,
                              [](const HostLibrary &library) {
                                Json json{{"triple", library.triple}, {"path", library.path}, {"cpu", library.cpu}};
                                if (!library.activations.empty())
                                  json["activations"] = library.activations;
                                return json;
                              })},
      {"host_weights", manifest.hostWeights},
      {"weights", list(manifest.weights, weightJson)},
      {"files",
       list(manifest.files,
            [](const File &file) { return Json{{"path", file.path}, {"bytes", file.bytes}, {"xxh128", file.hash}}; })},
  });
  if (manifest.weights.empty())
    json.erase("weights");
  std::string out;
  printValue(json, 0, out);
  out += '\n';
  return out;
}

} // namespace ane::rt::manifest
