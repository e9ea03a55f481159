//===- model.cpp - models of Core ML, both ways ---------------------------===//

#include "runtime/format/coreml/model.h"
#include "Model.pb.h"
#include "absl/strings/str_cat.h"
#include "runtime/format/coreml/program.h"
#include "runtime/support/quote.h"

#include <algorithm>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
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
absl::Status unsupported(const std::string &what) { return absl::UnimplementedError(what); }

/// Bytes in pieces, until what has been made of them takes too much memory: messages of two bytes take a hundred times
/// as many, so that the size of a file is no bound.
class BoundedStream : public google::protobuf::io::ZeroCopyInputStream {
public:
  BoundedStream(std::string_view bytes, const google::protobuf::Arena &arena) : bytes(bytes), arena(arena) {}

  bool Next(const void **data, int *size) override {
    isTooMuch |= arena.SpaceAllocated() > kMostMemory;
    if (isTooMuch || at == bytes.size())
      return false;
    *data = bytes.data() + at;
    *size = static_cast<int>(std::min(bytes.size() - at, kPiece));
    at += *size;
    return true;
  }
  void BackUp(int count) override { at -= count; }
  bool Skip(int count) override {
    size_t left = bytes.size() - at;
    at += std::min<size_t>(count, left);
    return static_cast<size_t>(count) <= left;
  }
  int64_t ByteCount() const override { return static_cast<int64_t>(at); }

  static constexpr uint64_t kMostMemory = uint64_t(1) << 30;
  bool isTooMuch = false;

private:
  static constexpr size_t kPiece = size_t(1) << 16;
  std::string_view bytes;
  const google::protobuf::Arena &arena;
  size_t at = 0;
};

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
    return "a generalised linear model and no program; convert the model that it was made of to ONNX";
  case spec::Model::kSupportVectorRegressor:
  case spec::Model::kSupportVectorClassifier:
    return "a support vector machine and no program; convert the model that it was made of to ONNX";
  case spec::Model::kTreeEnsembleRegressor:
  case spec::Model::kTreeEnsembleClassifier:
    return "an ensemble of trees and no program; convert the model that it was made of to ONNX";
  default:
    return "neither a program nor a neural network; convert the model that it was made of to ONNX";
  }
}

//===-- features ----------------------------------------------------------===//

absl::Status rangesFrom(std::initializer_list<const spec::SizeRange *> from, Feature &feature) {
  for (const spec::SizeRange *range : from) {
    if (range->lowerbound() > uint64_t(INT64_MAX))
      return wrong(absl::StrCat("a size of at least ", range->lowerbound(), " is above 2^63-1"));
    feature.ranges.emplace_back(static_cast<int64_t>(range->lowerbound()), range->upperbound());
  }
  return absl::OkStatus();
}

void rangeTo(std::pair<int64_t, int64_t> range, spec::SizeRange &out) {
  out.set_lowerbound(static_cast<uint64_t>(range.first));
  out.set_upperbound(range.second);
}

bool hasIntegers(ElementType type) { return type == ElementType::Int32 || type == ElementType::Int8; }

absl::Status defaultFrom(const Array &from, Feature &feature) {
  switch (from.defaultOptionalValue_case()) {
  case Array::kIntDefaultValue:
    feature.defaultValue = from.intdefaultvalue();
    break;
  case Array::kFloatDefaultValue:
    feature.defaultValue = from.floatdefaultvalue();
    break;
  case Array::kDoubleDefaultValue:
    feature.defaultValue = from.doubledefaultvalue();
    break;
  case Array::DEFAULTOPTIONALVALUE_NOT_SET:
    return absl::OkStatus();
  }
  Array::DefaultOptionalValueCase wanted = hasIntegers(feature.dtype)              ? Array::kIntDefaultValue
                                           : feature.dtype == ElementType::Float64 ? Array::kDoubleDefaultValue
                                                                                   : Array::kFloatDefaultValue;
  return from.defaultOptionalValue_case() == wanted
             ? absl::OkStatus()
             : wrong(absl::StrCat("the default value is of another type than the array, ",
                                  std::string(milName(feature.dtype))));
}

absl::Status arrayFrom(const Array &from, Feature &feature) {
  auto known = std::find_if(std::begin(kArrayTypes), std::end(kArrayTypes),
                            [&](auto &each) { return each.second == from.datatype(); });
  if (known == std::end(kArrayTypes))
    return wrong(absl::StrCat("arrays of type ", static_cast<int>(from.datatype()),
                              " are not known: float16, float32, double, int8 and int32 are"));
  feature.dtype = known->first;
  feature.shape.assign(from.shape().begin(), from.shape().end());
  for (const Array::Shape &shape : from.enumeratedshapes().shapes())
    feature.shapes.emplace_back(shape.shape().begin(), shape.shape().end());
  for (const spec::SizeRange &range : from.shaperange().sizeranges())
    if (absl::Status status = rangesFrom({&range}, feature); !status.ok())
      return status;
  return defaultFrom(from, feature);
}

void arrayTo(const Feature &feature, Array &out) {
  for (auto [type, number] : kArrayTypes)
    if (feature.dtype == type)
      out.set_datatype(number);
  out.mutable_shape()->Add(feature.shape.begin(), feature.shape.end());
  for (const std::vector<int64_t> &shape : feature.shapes)
    out.mutable_enumeratedshapes()->add_shapes()->mutable_shape()->Add(shape.begin(), shape.end());
  for (auto range : feature.ranges)
    rangeTo(range, *out.mutable_shaperange()->add_sizeranges());
  if (!feature.defaultValue)
    return;
  if (hasIntegers(feature.dtype))
    out.set_intdefaultvalue(static_cast<int32_t>(*feature.defaultValue));
  else if (feature.dtype == ElementType::Float64)
    out.set_doubledefaultvalue(*feature.defaultValue);
  else
    out.set_floatdefaultvalue(static_cast<float>(*feature.defaultValue));
}

absl::Status imageFrom(const Image &from, Feature &feature) {
  feature.kind = Feature::Kind::Image;
  feature.width = from.width();
  feature.height = from.height();
  for (auto [colors, number] : kColors)
    if (from.colorspace() == number)
      feature.colors = colors;
  for (const Image::ImageSize &size : from.enumeratedsizes().sizes())
    feature.shapes.push_back({static_cast<int64_t>(size.width()), static_cast<int64_t>(size.height())});
  if (!from.has_imagesizerange())
    return absl::OkStatus();
  return rangesFrom({&from.imagesizerange().widthrange(), &from.imagesizerange().heightrange()}, feature);
}

void imageTo(const Feature &feature, Image &out) {
  out.set_width(feature.width);
  out.set_height(feature.height);
  for (auto [colors, number] : kColors)
    if (feature.colors == colors)
      out.set_colorspace(number);
  for (const std::vector<int64_t> &shape : feature.shapes) {
    Image::ImageSize &size = *out.mutable_enumeratedsizes()->add_sizes();
    size.set_width(static_cast<uint64_t>(shape[0]));
    size.set_height(static_cast<uint64_t>(shape[1]));
  }
  if (feature.ranges.empty())
    return;
  rangeTo(feature.ranges[0], *out.mutable_imagesizerange()->mutable_widthrange());
  rangeTo(feature.ranges[1], *out.mutable_imagesizerange()->mutable_heightrange());
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
  case spec::FeatureType::kImageType:
    status = imageFrom(from.type().imagetype(), feature);
    break;
  case spec::FeatureType::kDictionaryType:
    feature.kind = Feature::Kind::Dictionary;
    feature.hasIntegerKeys = from.type().dictionarytype().has_int64keytype();
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
    status = unsupported("is a sequence, which programs do not have; convert the model that it was made of to ONNX");
    break;
  case spec::FeatureType::TYPE_NOT_SET:
    status = wrong("has no type");
  }
  if (!status.ok())
    return absl::Status(status.code(),
                        absl::StrCat("feature ", quote(feature.name), ": ", std::string(status.message())));
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
    return imageTo(feature, *type.mutable_imagetype());
  case Feature::Kind::Dictionary: // of a classifier with names
    feature.hasIntegerKeys ? type.mutable_dictionarytype()->set_int64keytype("")
                           : type.mutable_dictionarytype()->set_stringkeytype("");
    return;
  case Feature::Kind::Int64:
    return type.set_int64type("");
  case Feature::Kind::Double:
    return type.set_doubletype("");
  case Feature::Kind::String:
    return type.set_stringtype("");
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

absl::Status modelFrom(const spec::Model &from, Model &model) {
  model.specification = from.specificationversion();
  const spec::ModelDescription &description = from.description();
  model.defaultFunction = description.defaultfunctionname();
  const bool hasFunctions = description.functions_size() != 0;
  if (hasFunctions && description.input_size() + description.output_size() + description.state_size() != 0)
    return wrong("its description has functions, and inputs, outputs or states beside them");
  for (const spec::FunctionDescription &function : description.functions()) {
    Interface &own = model.interfaces.emplace_back();
    own.name = function.name();
    if (absl::Status status = interfaceFrom(function, own); !status.ok())
      return status;
  }
  if (!hasFunctions) {
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
  return check(model);
}

void metadataTo(const Model &model, spec::ModelDescription &description) {
  if (model.summary.empty() && model.version.empty() && model.author.empty() && model.license.empty() &&
      model.notes.empty())
    return;
  spec::Metadata &metadata = *description.mutable_metadata();
  metadata.set_shortdescription(model.summary);
  metadata.set_versionstring(model.version);
  metadata.set_author(model.author);
  metadata.set_license(model.license);
  for (const auto &[key, note] : model.notes)
    (*metadata.mutable_userdefined())[key] = note;
}

/// Fills `model`, whose messages are in `arena`.
absl::Status parseMessage(std::string_view bytes, const google::protobuf::Arena &arena, spec::Model &model) {
  // Of a text that is no UTF-8 the library tells standard error.
  google::protobuf::LogSilencer silencer;
  BoundedStream stream(bytes, arena);
  const bool isWhole = model.ParseFromZeroCopyStream(&stream);
  if (stream.isTooMuch)
    return unsupported(absl::StrCat("takes more than ", BoundedStream::kMostMemory,
                                    " bytes of memory; convert the model with a weight file for its constants"));
  return isWhole ? absl::OkStatus()
                 : wrong("is no model of Core ML, or a damaged one: its bytes are no protocol buffer");
}

} // namespace

absl::StatusOr<Model> coreml::parse(std::string_view bytes) {
  auto damaged = [](const absl::Status &status) {
    return status.code() == absl::StatusCode::kInvalidArgument
               ? wrong(absl::StrCat(std::string(status.message()),
                                    "; get the model again, or have its author write it anew"))
               : status;
  };
  if (bytes.size() > size_t(INT32_MAX))
    return wrong(absl::StrCat("a model of ", bytes.size(), " bytes is above 2 GiB, the limit of its format"));
  google::protobuf::Arena arena;
  auto &from = *google::protobuf::Arena::CreateMessage<spec::Model>(&arena);
  if (absl::Status status = parseMessage(bytes, arena, from); !status.ok())
    return damaged(status);
  if (!from.has_mlprogram())
    return from.specificationversion() == 0 ? damaged(wrong("is no model of Core ML: it has no specification version"))
                                            : unsupported(absl::StrCat("is ", bodyOf(from)));
  if (from.specificationversion() < kPrograms || from.specificationversion() > kByteArrays)
    return unsupported(absl::StrCat("has specification version ", from.specificationversion(), "; ", kPrograms,
                                    " (iOS 15) to ", kByteArrays,
                                    " (iOS 26) are known; convert the model for one of them"));
  Model model;
  if (absl::Status status = modelFrom(from, model); !status.ok())
    return damaged(status);
  return model;
}

absl::StatusOr<std::string> coreml::print(const Model &model) {
  if (absl::Status status = check(model); !status.ok())
    return status;
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
  metadataTo(model, description);
  absl::StatusOr<proto::Program> program = toProto(model.program);
  if (!program.ok())
    return program.status();
  *out.mutable_mlprogram() = std::move(*program);
  if (out.ByteSizeLong() > size_t(INT32_MAX))
    return wrong("the model is above 2 GiB, the limit of its format");
  // Maps have no order of their own: without this the same model has other bytes in each run.
  std::string bytes;
  google::protobuf::LogSilencer silencer;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    out.SerializeToCodedStream(&coded);
  }
  out.Clear();
  // The library writes texts that are no UTF-8, and messages in more levels than it reads.
  if (absl::StatusOr<Model> again = parse(bytes); !again.ok())
    return wrong(
        absl::StrCat("the model can't be written: it is read as one that ", std::string(again.status().message())));
  return bytes;
}
