//===- model.cpp - models of Core ML, both ways ---------------------------===//

#include "runtime/format/coreml/model.h"
#include "Model.pb.h"
#include "absl/strings/str_cat.h"
#include "runtime/format/coreml/program.h"
#include "runtime/support/quote.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <map>

using namespace ane::rt;
using namespace ane::rt::coreml;
namespace spec = ::CoreML::Specification;
using Array = spec::ArrayFeatureType;
using Image = spec::ImageFeatureType;

namespace {

constexpr std::pair<ElementType, Array::ArrayDataType> kArrayTypes[] = {{ElementType::Float16, Array::FLOAT16},
                                                                        {ElementType::Float32, Array::FLOAT32},
                                                                        {ElementType::Float64, Array::DOUBLE},
                                                                        {ElementType::Int8, Array::INT8},
                                                                        {ElementType::Int32, Array::INT32}};
constexpr std::pair<Feature::Colors, Image::ColorSpace> kColors[] = {
    {Feature::Colors::Gray, Image::GRAYSCALE},
    {Feature::Colors::RGB, Image::RGB},
    {Feature::Colors::BGR, Image::BGR},
    {Feature::Colors::GrayHalf, Image::GRAYSCALE_FLOAT16}};

absl::Status wrong(const std::string &what) { return absl::InvalidArgumentError(what); }

/// What the model is, where it is no program.
const char *bodyOf(const spec::Model &model) {
  switch (model.Type_case()) {
  case spec::Model::kNeuralNetwork:
  case spec::Model::kNeuralNetworkClassifier:
  case spec::Model::kNeuralNetworkRegressor:
    return "a neural network, Core ML's format before programs (iOS 14 and older); convert the model that it was made "
           "of anew, with coremltools' convert_to=\"mlprogram\", or to ONNX";
  case spec::Model::kPipeline:
  case spec::Model::kPipelineClassifier:
  case spec::Model::kPipelineRegressor:
    return "a pipeline of several models; give its models one by one";
  case spec::Model::kGlmRegressor:
  case spec::Model::kGlmClassifier:
    return "a generalised linear model, no program";
  case spec::Model::kSupportVectorRegressor:
  case spec::Model::kSupportVectorClassifier:
    return "a support vector machine, no program";
  case spec::Model::kTreeEnsembleRegressor:
  case spec::Model::kTreeEnsembleClassifier:
    return "an ensemble of trees, no program";
  default:
    return "no program, and no neural network";
  }
}

//===-- features ----------------------------------------------------------===//

absl::Status arrayFrom(const Array &from, Feature &feature) {
  bool isKnown = false;
  for (auto [type, number] : kArrayTypes)
    if (from.datatype() == number) {
      feature.dtype = type;
      isKnown = true;
    }
  if (!isKnown)
    return wrong(absl::StrCat("arrays of type ", static_cast<int>(from.datatype()),
                              " are not known: float16, float32, double, int8 and int32 are"));
  feature.shape.assign(from.shape().begin(), from.shape().end());
  for (const Array::Shape &shape : from.enumeratedshapes().shapes())
    feature.shapes.emplace_back(shape.shape().begin(), shape.shape().end());
  for (const spec::SizeRange &range : from.shaperange().sizeranges()) {
    if (range.lowerbound() > uint64_t(INT64_MAX))
      return wrong(absl::StrCat("a size of at least ", range.lowerbound(), " is above 2^63-1"));
    feature.ranges.emplace_back(static_cast<int64_t>(range.lowerbound()), range.upperbound());
  }
  if (from.has_intdefaultvalue())
    feature.defaultValue = from.intdefaultvalue();
  if (from.has_floatdefaultvalue())
    feature.defaultValue = from.floatdefaultvalue();
  if (from.has_doubledefaultvalue())
    feature.defaultValue = from.doubledefaultvalue();
  return absl::OkStatus();
}

void arrayTo(const Feature &feature, Array &out) {
  for (auto [type, number] : kArrayTypes)
    if (feature.dtype == type)
      out.set_datatype(number);
  out.mutable_shape()->Add(feature.shape.begin(), feature.shape.end());
  for (const std::vector<int64_t> &shape : feature.shapes)
    out.mutable_enumeratedshapes()->add_shapes()->mutable_shape()->Add(shape.begin(), shape.end());
  for (auto [least, largest] : feature.ranges) {
    spec::SizeRange &range = *out.mutable_shaperange()->add_sizeranges();
    range.set_lowerbound(static_cast<uint64_t>(least));
    range.set_upperbound(largest);
  }
  if (!feature.defaultValue)
    return;
  if (feature.dtype == ElementType::Int32 || feature.dtype == ElementType::Int8)
    out.set_intdefaultvalue(static_cast<int32_t>(*feature.defaultValue));
  else if (feature.dtype == ElementType::Float64)
    out.set_doubledefaultvalue(*feature.defaultValue);
  else
    out.set_floatdefaultvalue(static_cast<float>(*feature.defaultValue));
}

absl::StatusOr<Feature> featureFrom(const spec::FeatureDescription &from) {
  Feature feature;
  feature.name = from.name();
  feature.description = from.shortdescription();
  feature.isOptional = from.type().isoptional();
  absl::Status status;
  switch (from.type().Type_case()) {
  case spec::FeatureType::kMultiArrayType:
    status = arrayFrom(from.type().multiarraytype(), feature);
    break;
  case spec::FeatureType::kStateType:
    feature.kind = Feature::Kind::State;
    status = arrayFrom(from.type().statetype().arraytype(), feature);
    break;
  case spec::FeatureType::kImageType: {
    const Image &image = from.type().imagetype();
    feature.kind = Feature::Kind::Image;
    feature.width = image.width();
    feature.height = image.height();
    for (auto [colors, number] : kColors)
      if (image.colorspace() == number)
        feature.colors = colors;
    break;
  }
  case spec::FeatureType::kDictionaryType:
    feature.kind = Feature::Kind::Dictionary;
    break;
  case spec::FeatureType::kInt64Type:
    feature.kind = Feature::Kind::Int64;
    break;
  case spec::FeatureType::kDoubleType:
    feature.kind = Feature::Kind::Double;
    break;
  case spec::FeatureType::kStringType:
    feature.kind = Feature::Kind::String;
    break;
  case spec::FeatureType::kSequenceType:
    feature.kind = Feature::Kind::Sequence;
    break;
  case spec::FeatureType::TYPE_NOT_SET:
    status = wrong("has no type");
  }
  if (!status.ok())
    return wrong(absl::StrCat("feature ", quote(feature.name), ": ", std::string(status.message())));
  return feature;
}

void featureTo(const Feature &feature, spec::FeatureDescription &out) {
  out.set_name(feature.name);
  out.set_shortdescription(feature.description);
  spec::FeatureType &type = *out.mutable_type();
  type.set_isoptional(feature.isOptional);
  switch (feature.kind) {
  case Feature::Kind::Array:
    return arrayTo(feature, *type.mutable_multiarraytype());
  case Feature::Kind::State:
    return arrayTo(feature, *type.mutable_statetype()->mutable_arraytype());
  case Feature::Kind::Image:
    type.mutable_imagetype()->set_width(feature.width);
    type.mutable_imagetype()->set_height(feature.height);
    for (auto [colors, number] : kColors)
      if (feature.colors == colors)
        type.mutable_imagetype()->set_colorspace(number);
    return;
  case Feature::Kind::Dictionary: // of a classifier with names
    type.mutable_dictionarytype()->set_stringkeytype("");
    return;
  case Feature::Kind::Int64:
    return type.set_int64type("");
  case Feature::Kind::Double:
    return type.set_doubletype("");
  case Feature::Kind::String:
    return type.set_stringtype("");
  case Feature::Kind::Sequence:
    return type.set_sequencetype("");
  }
}

template <typename Features>
absl::Status featuresFrom(const Features &from, std::vector<Feature> &out) {
  for (const spec::FeatureDescription &each : from) {
    absl::StatusOr<Feature> feature = featureFrom(each);
    if (!feature.ok())
      return feature.status();
    out.push_back(std::move(*feature));
  }
  return absl::OkStatus();
}

/// The description of a whole model, and that of one function, have the same fields.
template <typename Description>
absl::Status interfaceFrom(const Description &from, Interface &out) {
  out.predictedFeature = from.predictedfeaturename();
  out.predictedProbabilities = from.predictedprobabilitiesname();
  absl::Status status = featuresFrom(from.input(), out.inputs);
  if (status.ok())
    status = featuresFrom(from.output(), out.outputs);
  return status.ok() ? featuresFrom(from.state(), out.states) : status;
}

template <typename Description>
void interfaceTo(const Interface &from, Description &out) {
  out.set_predictedfeaturename(from.predictedFeature);
  out.set_predictedprobabilitiesname(from.predictedProbabilities);
  for (const Feature &feature : from.inputs)
    featureTo(feature, *out.add_input());
  for (const Feature &feature : from.outputs)
    featureTo(feature, *out.add_output());
  for (const Feature &feature : from.states)
    featureTo(feature, *out.add_state());
}

} // namespace

absl::StatusOr<Model> coreml::parse(std::string_view bytes) {
  spec::Model from;
  if (bytes.size() > size_t(INT32_MAX))
    return wrong(absl::StrCat("a model of ", bytes.size(), " bytes is above 2 GiB, the limit of its format"));
  if (!from.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return wrong("is no model of Core ML, or a damaged one: its bytes are no protocol buffer");
  if (!from.has_mlprogram())
    return wrong(from.specificationversion() == 0 ? "is no model of Core ML: it has no specification version"
                                                  : absl::StrCat("is ", bodyOf(from)));
  if (from.specificationversion() < kPrograms || from.specificationversion() > kByteArrays)
    return wrong(absl::StrCat("has specification version ", from.specificationversion(), "; ", kPrograms,
                              " (iOS 15) to ", kByteArrays, " (iOS 26) are known"));
  Model model;
  model.specification = from.specificationversion();
  const spec::ModelDescription &description = from.description();
  model.defaultFunction = description.defaultfunctionname();
  for (const spec::FunctionDescription &function : description.functions()) {
    Interface &own = model.interfaces.emplace_back();
    own.name = function.name();
    if (absl::Status status = interfaceFrom(function, own); !status.ok())
      return status;
  }
  if (model.interfaces.empty()) {
    Interface &own = model.interfaces.emplace_back();
    own.name = "main";
    if (absl::Status status = interfaceFrom(description, own); !status.ok())
      return status;
  }
  const spec::Metadata &metadata = description.metadata();
  model.summary = metadata.shortdescription();
  model.version = metadata.versionstring();
  model.author = metadata.author();
  model.license = metadata.license();
  std::map<std::string, std::string> notes(metadata.userdefined().begin(), metadata.userdefined().end());
  model.notes.assign(notes.begin(), notes.end());
  absl::StatusOr<mil::Program> program = fromProto(from.mlprogram());
  if (!program.ok())
    return program.status();
  model.program = std::move(*program);
  return model;
}

absl::StatusOr<std::string> coreml::print(const Model &model) {
  spec::Model out;
  out.set_specificationversion(model.specification);
  spec::ModelDescription &description = *out.mutable_description();
  const bool hasFunctions = !model.defaultFunction.empty();
  description.set_defaultfunctionname(model.defaultFunction);
  for (const Interface &each : model.interfaces) {
    if (!hasFunctions) {
      interfaceTo(each, description);
      continue;
    }
    spec::FunctionDescription &function = *description.add_functions();
    function.set_name(each.name);
    interfaceTo(each, function);
  }
  spec::Metadata &metadata = *description.mutable_metadata();
  metadata.set_shortdescription(model.summary);
  metadata.set_versionstring(model.version);
  metadata.set_author(model.author);
  metadata.set_license(model.license);
  for (const auto &[key, note] : model.notes)
    (*metadata.mutable_userdefined())[key] = note;
  absl::StatusOr<proto::Program> program = toProto(model.program);
  if (!program.ok())
    return program.status();
  *out.mutable_mlprogram() = std::move(*program);
  if (out.ByteSizeLong() > size_t(INT32_MAX))
    return wrong("the model is above 2 GiB, the limit of its format");
  // Maps have no order of their own: without this the same model has other bytes in each run.
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    if (!out.SerializeToCodedStream(&coded))
      return wrong("a name or text of the model is no UTF-8");
  }
  return bytes;
}
