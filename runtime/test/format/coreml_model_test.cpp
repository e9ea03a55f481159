// Models of Core ML: what is written is what is read, and its bytes are those of the format (coreml-mlprogram.md 1).
#include "runtime/format/coreml/program.h"
#include "runtime/test/format/coreml_models.h"

#include <cmath>

using namespace ane::rt;
using namespace ane::rt::coreml;
using namespace ane::rt::coreml::test;
using mil::Type;
using mil::Value;

namespace {

/// Writes and reads; the bytes of what is read are the same.
Model again(const Model &model) {
  absl::StatusOr<std::string> bytes = print(model);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  absl::StatusOr<Model> read = parse(bytes.ok() ? *bytes : "");
  EXPECT_TRUE(read.ok()) << read.status();
  if (!read.ok())
    return {};
  EXPECT_EQ(*print(*read), *bytes);
  return *read;
}

proto::Value written(const Value &value) {
  proto::Value out;
  absl::Status status = toProto(value, out);
  EXPECT_TRUE(status.ok()) << status;
  Count count;
  absl::StatusOr<Value> read = fromProto(out, count);
  EXPECT_TRUE(read.ok() && *read == value) << read.status();
  return out;
}

Value integers(ElementType type, std::vector<int64_t> values) {
  const auto size = static_cast<int64_t>(values.size());
  return Value::integers(Type::tensor(type, {size}), std::move(values));
}

std::string bytesOf(const Value &value) {
  std::string bytes = written(value).immediatevalue().tensor().bytes().values(), text;
  for (char c : bytes)
    text += std::string(text.empty() ? "" : " ") + "0123456789abcdef"[static_cast<uint8_t>(c) >> 4] +
            "0123456789abcdef"[c & 15];
  return text;
}

TEST(CoreMLValue, SmallTypesArePackedFromTheLowestBits) {
  EXPECT_EQ(bytesOf(integers(ElementType::Int4, {-8, -1, 0, 1, 7})), "f8 10 07");
  EXPECT_EQ(bytesOf(integers(ElementType::UInt3, {1, 2, 3, 4, 5})), "d1 58");
  EXPECT_EQ(bytesOf(integers(ElementType::UInt6, {1, 2, 63})), "81 f0 03");
  EXPECT_EQ(bytesOf(integers(ElementType::UInt1, {1, 0, 0, 0, 0, 0, 0, 1, 1})), "81 01");
  EXPECT_EQ(bytesOf(integers(ElementType::UInt2, {0, 1, 2, 3, 1})), "e4 01");
  EXPECT_EQ(bytesOf(integers(ElementType::UInt4, {1, 2, 15})), "21 0f");
  EXPECT_EQ(bytesOf(integers(ElementType::Int8, {-128, 127})), "80 7f");
  EXPECT_EQ(bytesOf(integers(ElementType::UInt8, {0, 255})), "00 ff");
  EXPECT_EQ(bytesOf(integers(ElementType::UInt32, {1, 4294967295})), "01 00 00 00 ff ff ff ff");
  EXPECT_EQ(bytesOf(Value::reals(Type::tensor(ElementType::Float16, {4}), {1, -0.0, INFINITY, 0x1p-24})),
            "00 3c 00 80 00 7c 01 00");
}

TEST(CoreMLValue, EachTypeHasItsField) {
  using Tensor = proto::TensorValue;
  auto fieldOf = [](const Value &value) { return written(value).immediatevalue().tensor().value_case(); };
  for (bool isEmpty : {false, true}) {
    auto ints = [&](ElementType type, int64_t value) {
      return isEmpty ? integers(type, {}) : integers(type, {value, 0});
    };
    EXPECT_EQ(fieldOf(ints(ElementType::Int32, -7)), Tensor::kInts);
    EXPECT_EQ(fieldOf(ints(ElementType::Int16, -32768)), Tensor::kInts);
    EXPECT_EQ(fieldOf(ints(ElementType::UInt16, 65535)), Tensor::kInts);
    EXPECT_EQ(fieldOf(ints(ElementType::Int64, INT64_MIN)), Tensor::kLongInts);
    EXPECT_EQ(fieldOf(ints(ElementType::UInt64, -1)), Tensor::kLongInts);
    EXPECT_EQ(fieldOf(ints(ElementType::Bool, 1)), Tensor::kBools);
    EXPECT_EQ(fieldOf(ints(ElementType::Int8, -1)), Tensor::kBytes);
    const std::vector<double> reals = isEmpty ? std::vector<double>() : std::vector<double>{-0.0, 0.1f};
    const std::vector<int64_t> shape = {static_cast<int64_t>(reals.size())};
    EXPECT_EQ(fieldOf(Value::reals(Type::tensor(ElementType::Float32, shape), reals)), Tensor::kFloats);
    EXPECT_EQ(fieldOf(Value::reals(Type::tensor(ElementType::Float64, shape), reals)), Tensor::kDoubles);
  }
  EXPECT_EQ(fieldOf(Value::string("a \"b\"\n", Type::tensor(ElementType::String, {}))), Tensor::kStrings);
}

TEST(CoreMLValue, ScalarsHaveRankNull) {
  proto::Value value = written(Value::integers(Type::tensor(ElementType::Int32, {}), {5}));
  EXPECT_EQ(value.type().tensortype().rank(), 0);
  EXPECT_EQ(value.type().tensortype().dimensions_size(), 0);
  EXPECT_EQ(value.immediatevalue().tensor().ints().values(0), 5);
}

TEST(CoreMLValue, ListsTuplesDictionariesAndBlobs) {
  const Type text = Type::tensor(ElementType::String, {});
  Value list;
  list.kind = Value::Kind::Tuple;
  list.type = {Type::Kind::List, ElementType::Float16, {2}, {text}};
  list.items = {Value::string("cat", text), Value::string("dog", text)};
  EXPECT_EQ(written(list).immediatevalue().list().values_size(), 2);

  Value tuple;
  tuple.kind = Value::Kind::Tuple;
  tuple.type = {Type::Kind::Tuple, ElementType::Float16, {}, {text, Type::tensor(ElementType::Int32, {1})}};
  tuple.items = {Value::string("a", text), integers(ElementType::Int32, {3})};
  EXPECT_EQ(written(tuple).immediatevalue().tuple().values_size(), 2);

  Value dict;
  dict.kind = Value::Kind::Dict;
  dict.type = {Type::Kind::Dict, ElementType::Float16, {}, {text, text}};
  dict.items = {Value::string("k", text), Value::string("v", text)};
  EXPECT_EQ(written(dict).immediatevalue().dictionary().values_size(), 1);

  proto::Value blob =
      written(Value::blob(Type::tensor(ElementType::Int4, {3, 5}), "@model_path/weights/weight.bin", UINT64_MAX));
  EXPECT_EQ(blob.blobfilevalue().filename(), "@model_path/weights/weight.bin");
  EXPECT_EQ(blob.blobfilevalue().offset(), UINT64_MAX);
  EXPECT_EQ(blob.type().tensortype().datatype(), proto::INT4);
}

TEST(CoreMLProgram, IsTheSyntaxTreeOfItsText) {
  Model model = modelOf(R"(
    tensor<int32, []> axis = const()[name = tensor<string, []>("axis"), val = tensor<int32, []>(1)];
    tensor<fp32, [1, 4]> w = const()[name = tensor<string, []>("w"),
        val = tensor<fp32, [1, 4]>(BLOBFILE(path = tensor<string, []>("@model_path/weights/weight.bin"),
                                            offset = tensor<uint64, []>(64)))];
    tensor<fp32, [1, 8]> both = concat(axis = axis, interleave = tensor<bool, []>(false), values = (x, w))
        [name = tensor<string, []>("both")];
    tensor<fp32, [1, 4]> y, tensor<fp32, [1, 4]> rest = split(axis = axis, num_splits = tensor<int32, []>(2), x = both)
        [name = tensor<string, []>("split")];)");
  model.program.attributes =
      programOf(
          R"(program(1.0) [buildInfo = dict<tensor<string, []>, tensor<string, []>>({{tensor<string, []>("a"), tensor<string, []>("b")}})]
         { func f<ios15>() { } -> (a); })")
          .attributes;
  Model read = again(model);
  EXPECT_EQ(read.program, model.program);
  // Variadic arguments are several bindings, inline values are values.
  auto message = messageOf(model);
  const auto &inputs = blockOf(message).operations(2).inputs();
  EXPECT_EQ(inputs.at("values").arguments_size(), 2);
  EXPECT_TRUE(inputs.at("interleave").arguments(0).has_value());
}

TEST(CoreMLProgram, AListAsAnArgumentIsOneValue) {
  Model model = modelOf(kRelu);
  const Type text = Type::tensor(ElementType::String, {});
  Value labels;
  labels.kind = Value::Kind::Tuple;
  labels.type = {Type::Kind::List, ElementType::Float16, {2}, {text}};
  labels.items = {Value::string("a", text), Value::string("b", text)};
  model.program.functions[0].statements[0].arguments.push_back({"labels", labels, {}});
  auto message = messageOf(model);
  EXPECT_EQ(blockOf(message).operations(0).inputs().at("labels").arguments_size(), 1);
  EXPECT_EQ(again(model).program.functions[0].statements[0].argument("labels")->items.size(), 2u);
}

TEST(CoreMLProgram, SeveralFunctionsAndStates) {
  Model model;
  model.specification = kFunctions;
  model.program = programOf(R"(program(1.0) {
    func decode<ios18>(tensor<fp16, [1, 2]> x, state<tensor<fp16, [8, 2]>> cache) {
      tensor<fp16, [8, 2]> y = read_state(input = cache)[name = tensor<string, []>("read")];
      write_state(data = y, input = cache)[name = tensor<string, []>("write")];
    } -> (y);
    func prefill<ios18>(tensor<fp16, [4, 2]> x) { tensor<fp16, [4, 2]> y = relu(x = x)[name = tensor<string, []>("y")]; } -> (y);
  })");
  Feature state = array("cache", ElementType::Float16, {8, 2});
  state.kind = Feature::Kind::State;
  model.interfaces = {
      {"decode",
       {array("x", ElementType::Float16, {1, 2})},
       {array("y", ElementType::Float16, {8, 2})},
       {state},
       "",
       ""},
      {"prefill", {array("x", ElementType::Float16, {4, 2})}, {array("y", ElementType::Float16, {4, 2})}, {}, "", ""}};
  model.defaultFunction = "prefill";
  Model read = again(model);
  EXPECT_EQ(read.program, model.program);
  ASSERT_EQ(read.interfaces.size(), 2u);
  EXPECT_EQ(read.interfaces[0].states[0].shape, (std::vector<int64_t>{8, 2}));
  EXPECT_EQ(read.defaultFunction, "prefill");
  EXPECT_EQ(messageOf(model).description().input_size(), 0); // they are those of the functions
}

TEST(CoreMLFeature, EveryKindIsReadAsItWasWritten) {
  Model model = modelOf(R"(tensor<fp32, [1, 4]> y = relu(x = x)[name = tensor<string, []>("y")];)", "ios18");
  auto &own = model.interfaces[0];
  own.inputs[0].description = "what is seen";
  own.inputs[0].shapes = {{1, 4}, {2, 4}};
  Feature optional = array("optional", ElementType::Float16, {2});
  optional.isOptional = true;
  optional.defaultValue = 0.5;
  Feature number = array("number", ElementType::Int32, {1});
  number.ranges = {{1, -1}};
  number.defaultValue = -3;
  Feature image;
  image.name = "image";
  image.kind = Feature::Kind::Image;
  image.colors = Feature::Colors::BGR;
  image.width = 8;
  image.height = 6;
  image.ranges = {{1, 64}, {6, 6}};
  Feature gray = image;
  gray.name = "gray";
  gray.colors = Feature::Colors::GrayHalf;
  gray.ranges.clear();
  gray.shapes = {{8, 6}, {16, 12}};
  own.inputs.insert(own.inputs.end(), {optional, number, image, gray});
  Feature label, odds;
  label.name = "label";
  label.kind = Feature::Kind::Int64;
  odds.name = "odds";
  odds.kind = Feature::Kind::Dictionary;
  odds.hasIntegerKeys = true;
  own.outputs.insert(own.outputs.end(), {label, odds});
  own.predictedFeature = "label";
  own.predictedProbabilities = "odds";
  model.program.functions[0].outputs = {"y", "label", "odds"};
  model.summary = "a summary";
  model.version = "2";
  model.author = "someone";
  model.license = "free";
  model.notes = {{"a", "1"}, {"b", "\xc3\xa4"}};

  Model read = again(model);
  const Interface &seen = read.interfaces[0];
  EXPECT_EQ(seen.inputs[0].description, "what is seen");
  EXPECT_EQ(seen.inputs[0].shapes, own.inputs[0].shapes);
  EXPECT_TRUE(seen.inputs[1].isOptional);
  EXPECT_EQ(seen.inputs[1].defaultValue, 0.5);
  EXPECT_EQ(seen.inputs[2].defaultValue, -3);
  EXPECT_EQ(seen.inputs[2].ranges, number.ranges);
  EXPECT_EQ(seen.inputs[3].colors, Feature::Colors::BGR);
  EXPECT_EQ(seen.inputs[3].ranges, image.ranges);
  EXPECT_EQ(seen.inputs[4].shapes, gray.shapes);
  EXPECT_EQ(seen.outputs[1].kind, Feature::Kind::Int64);
  EXPECT_TRUE(seen.outputs[2].hasIntegerKeys);
  EXPECT_EQ(seen.predictedFeature, "label");
  EXPECT_EQ(read.notes, model.notes);
  EXPECT_EQ(read.license, "free");
}

TEST(CoreMLModel, FieldNumbersAreThoseOfTheFormat) {
  // specificationVersion 6; description: input "x" of type multiArrayType, shape [4], FLOAT32.
  auto message = messageOf(modelOf(kRelu));
  EXPECT_EQ(message.SerializeAsString().substr(0, 2), "\x08\x06");
  std::string type = message.description().input(0).type().SerializeAsString();
  EXPECT_EQ(type, std::string("\x2a\x08\x0a\x02\x01\x04\x10\xa0\x80\x04", 10));
  EXPECT_FALSE(message.description().has_metadata());
}

TEST(CoreMLModel, VersionsAndOpsets) {
  EXPECT_EQ(opsetOf(5), std::nullopt);
  EXPECT_EQ(opsetOf(6), "ios15");
  EXPECT_EQ(opsetOf(9), "ios18");
  EXPECT_EQ(opsetOf(10), "ios18");
  EXPECT_EQ(specificationOf("ios17"), 8);
  EXPECT_EQ(specificationOf("ios14"), std::nullopt);
  for (const char *opset : {"ios15", "ios16", "ios17", "ios18", "ios26"})
    EXPECT_EQ(again(modelOf(kRelu, opset)).program.functions[0].opset, opset);
}

} // namespace
