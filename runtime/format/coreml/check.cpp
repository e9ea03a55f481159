//===- check.cpp - rules of what users see of a model ---------------------===//

#include "absl/strings/str_cat.h"
#include "runtime/format/coreml/model.h"
#include "runtime/support/quote.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace ane::rt;
using namespace ane::rt::coreml;

namespace {

/// Real models have some dozen functions, and caches of a hundred layers among their features.
constexpr size_t kMaxFunctions = 4096;
constexpr size_t kMaxFeatures = 16384;

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

absl::Status needs(const std::string &what, int32_t wanted, int32_t specification) {
  if (specification >= wanted)
    return absl::OkStatus();
  return wrong(what, " need specification version ", wanted, ", the model has ", specification);
}

std::string shown(const std::vector<int64_t> &shape) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(shape.size(), 16); ++i)
    absl::StrAppend(&text, i ? ", " : "", shape[i]);
  return "[" + text + (shape.size() > 16 ? ", ...]" : "]");
}

bool isPositive(const std::vector<int64_t> &shape) {
  return std::all_of(shape.begin(), shape.end(), [](int64_t size) { return size > 0; });
}

/// `shape` is the usual one; none is there where it is not known.
absl::Status checkShapes(const Feature &feature, const std::vector<int64_t> &shape) {
  if (!isPositive(shape))
    return wrong("has shape ", shown(shape), "; sizes are above 0");
  if (!feature.shapes.empty() && !feature.ranges.empty())
    return wrong("has a list of shapes and ranges of sizes; it can have one of them");
  for (const std::vector<int64_t> &each : feature.shapes)
    if (!isPositive(each) || (!shape.empty() && each.size() != shape.size()))
      return wrong("allows shape ", shown(each), " beside ", shown(shape));
  if (!feature.shapes.empty() && !shape.empty() &&
      std::find(feature.shapes.begin(), feature.shapes.end(), shape) == feature.shapes.end())
    return wrong("has shape ", shown(shape), ", which is none of the shapes that it allows");
  if (!feature.ranges.empty() && !shape.empty() && feature.ranges.size() != shape.size())
    return wrong("has ranges for ", feature.ranges.size(), " axes and shape ", shown(shape));
  for (size_t i = 0; i < feature.ranges.size(); ++i) {
    auto [least, largest] = feature.ranges[i];
    if (least < 0 || (largest != -1 && largest < least))
      return wrong("allows sizes from ", least, " to ", largest, " on axis ", i);
    if (!shape.empty() && (shape[i] < least || (largest != -1 && shape[i] > largest)))
      return wrong("has size ", shape[i], " on axis ", i, ", and allows ", least, " to ", largest);
  }
  return absl::OkStatus();
}

absl::Status checkDefault(const Feature &feature) {
  if (!feature.defaultValue)
    return absl::OkStatus();
  const double value = *feature.defaultValue;
  if ((feature.dtype == ElementType::Int32 || feature.dtype == ElementType::Int8) &&
      !(value == std::floor(value) && value >= INT32_MIN && value <= INT32_MAX))
    return wrong("has the default value ", value, ", which is none of its type");
  return absl::OkStatus();
}

absl::Status checkArray(const Feature &feature, int32_t specification) {
  absl::Status status = checkShapes(feature, feature.shape);
  if (status.ok())
    status = checkDefault(feature);
  if (status.ok() && feature.dtype == ElementType::Float16)
    status = needs("arrays of fp16", kHalfArrays, specification);
  if (status.ok() && feature.kind == Feature::Kind::Array && feature.dtype == ElementType::Int8)
    status = needs("arrays of int8", kByteArrays, specification);
  return status;
}

absl::Status checkState(const Feature &feature, int32_t specification) {
  if (absl::Status status = needs("states", kFunctions, specification); !status.ok())
    return status;
  if (feature.dtype != ElementType::Float16 && feature.dtype != ElementType::Int8)
    return wrong("is a state of ", std::string(milName(feature.dtype)), "; fp16 and int8 can be");
  if (feature.shape.empty() || !feature.shapes.empty() || !feature.ranges.empty())
    return wrong("is a state, and has no one shape");
  if (feature.isOptional || feature.defaultValue)
    return wrong("is a state; only inputs are optional and have default values");
  return checkArray(feature, specification);
}

absl::Status checkImage(const Feature &feature) {
  if (feature.colors == Feature::Colors::None)
    return wrong("is an image of an unknown space of colors");
  for (const std::vector<int64_t> &each : feature.shapes)
    if (each.size() != 2)
      return wrong("allows images of shape ", shown(each), "; an image has width and height");
  if (!feature.ranges.empty() && feature.ranges.size() != 2)
    return wrong("has ranges for ", feature.ranges.size(), " axes; an image has width and height");
  return checkShapes(feature, {feature.width, feature.height});
}

absl::Status checkFeature(const Feature &feature, int32_t specification) {
  switch (feature.kind) {
  case Feature::Kind::Array:
    return checkArray(feature, specification);
  case Feature::Kind::State:
    return checkState(feature, specification);
  case Feature::Kind::Image:
    return checkImage(feature);
  default:
    return absl::OkStatus();
  }
}

using Names = std::set<std::string_view>;

absl::Status checkFeatures(const std::vector<Feature> &features, bool areStates, int32_t specification, Names &names) {
  for (const Feature &feature : features) {
    absl::Status status = checkFeature(feature, specification);
    if (status.ok() && feature.name.empty())
      status = wrong("has no name");
    if (status.ok() && !names.insert(feature.name).second)
      status = wrong("is there twice");
    if (status.ok() && (feature.kind == Feature::Kind::State) != areStates)
      status =
          wrong(areStates ? "is no state, and stands among the states" : "is a state, and stands among the others");
    if (!status.ok())
      return wrong("feature ", quote(feature.name), ": ", std::string(status.message()));
  }
  return absl::OkStatus();
}

/// Core ML finds each input of the program in the description by its name, and each output of the description in the
/// program.
absl::Status checkProgram(const mil::Function &function, const Interface &own, const Names &inputs) {
  for (const mil::Variable &param : function.params)
    if (!inputs.count(param.name))
      return wrong("the program has input ", quote(param.name), ", and the model's description does not");
  const Names outputs(function.outputs.begin(), function.outputs.end());
  for (const Feature &feature : own.outputs)
    if (!outputs.count(feature.name))
      return wrong("the model's description has output ", quote(feature.name), ", and the program does not");
  return absl::OkStatus();
}

absl::Status checkInterface(const Interface &own, const mil::Function &function, int32_t specification) {
  if (std::max({own.inputs.size(), own.outputs.size(), own.states.size(), function.params.size()}) > kMaxFeatures)
    return wrong("has more than ", kMaxFeatures, " inputs, outputs or states");
  std::optional<int32_t> least = specificationOf(function.opset);
  if (!least)
    return wrong("has the opset ", quote(function.opset), ", which is none");
  if (absl::Status status = needs("operations of " + function.opset, *least, specification); !status.ok())
    return status;
  Names inputs, outputs;
  absl::Status status = checkFeatures(own.inputs, false, specification, inputs);
  if (status.ok())
    status = checkFeatures(own.states, true, specification, inputs);
  if (status.ok())
    status = checkFeatures(own.outputs, false, specification, outputs);
  if (!status.ok())
    return status;
  if (!own.inputs.empty() &&
      std::all_of(own.inputs.begin(), own.inputs.end(), [](auto &each) { return each.isOptional; }))
    return wrong("all inputs are optional; one at least is not");
  for (const std::string &predicted : {own.predictedFeature, own.predictedProbabilities})
    if (!predicted.empty() && !outputs.count(predicted))
      return wrong("what is predicted is ", quote(predicted), ", which is no output");
  return checkProgram(function, own, inputs);
}

} // namespace

absl::Status coreml::check(const Model &model) {
  if (model.interfaces.size() > kMaxFunctions || model.interfaces.size() != model.program.functions.size())
    return wrong("the model's description is of ", model.interfaces.size(), " functions, and the program has ",
                 model.program.functions.size(), "; both are the same, at most ", kMaxFunctions);
  if (model.interfaces.size() > 1 && model.defaultFunction.empty())
    return wrong("none of ", model.interfaces.size(), " functions is the default");
  if (!model.defaultFunction.empty())
    if (absl::Status status = needs("several functions", kFunctions, model.specification); !status.ok())
      return status;
  Names names;
  for (const Interface &own : model.interfaces) {
    const mil::Function *function = model.program.function(own.name);
    if (!function)
      return wrong("the program has no function ", quote(own.name));
    if (!names.insert(own.name).second)
      return wrong("function ", quote(own.name), " is described twice");
    if (absl::Status status = checkInterface(own, *function, model.specification); !status.ok())
      return wrong("function ", quote(own.name), ": ", std::string(status.message()));
  }
  if (!model.defaultFunction.empty() && !names.count(model.defaultFunction))
    return wrong("the default function is ", quote(model.defaultFunction), ", which the program does not have");
  return absl::OkStatus();
}
