// Models of Core ML that are damaged, against the rules, or not supported: each error says what is wrong, with the
// number that is and the one that could be, and what to do.
#include "runtime/test/format/coreml_models.h"
#include "runtime/test/matchers.h"

#include <functional>

using namespace ane::rt;
using namespace ane::rt::coreml;
using namespace ane::rt::coreml::test;
namespace spec = ::CoreML::Specification;
namespace milspec = ::CoreML::Specification::MILSpec;

namespace {

constexpr const char *kConst =
    R"(tensor<int32, [2]> c = const()[name = tensor<string, []>("c"), val = tensor<int32, [2]>([1, 2])];)";
constexpr const char *kRemedy = "; get the model again, or have its author write it anew";

/// The error of a model after `damage`; it has to be one.
std::string damaged(const std::function<void(spec::Model &)> &damage, const std::string &opset = "ios15") {
  auto message = messageOf(modelOf(std::string(kConst) + kRelu, opset));
  damage(message);
  std::string error = errorOf(message);
  EXPECT_NE(error, "");
  return error;
}

milspec::Value &constant(spec::Model &message) {
  return (*blockOf(message).mutable_operations(0)->mutable_attributes())["val"];
}
milspec::TensorType &typeOf(milspec::Value &value) { return *value.mutable_type()->mutable_tensortype(); }
spec::ArrayFeatureType &input(spec::Model &message) {
  return *message.mutable_description()->mutable_input(0)->mutable_type()->mutable_multiarraytype();
}

#define EXPECT_TEXT(text, part) EXPECT_PRED_FORMAT2(hasText, text, std::string(part))

TEST(CoreMLErrors, WhatIsNoModel) {
  EXPECT_EQ(errorOf(""), std::string("is no model of Core ML: it has no specification version") + kRemedy);
  EXPECT_EQ(errorOf("\x08\x06\x12"),
            std::string("is no model of Core ML, or a damaged one: its bytes are no protocol buffer") + kRemedy);
  auto other = [](int field) {
    spec::Model message;
    message.set_specificationversion(4);
    field == 500   ? message.set_neuralnetwork("")
    : field == 202 ? message.set_pipeline("")
                   : message.set_glmclassifier("");
    return errorOf(message);
  };
  EXPECT_TEXT(other(500), "is a neural network, Core ML's format before programs");
  EXPECT_TEXT(other(500), "convert_to=\"mlprogram\"");
  EXPECT_TEXT(other(202), "is a pipeline of several models; give its models one by one");
  EXPECT_TEXT(other(400), "is a generalised linear model and no program; convert");
  EXPECT_TEXT(errorOf("\x08\x06"), "is neither a program nor a neural network; convert");
}

TEST(CoreMLErrors, Versions) {
  for (int version : {5, 11, -1, INT32_MAX})
    EXPECT_TEXT(damaged([&](auto &m) { m.set_specificationversion(version); }),
                "has specification version " + std::to_string(version) +
                    "; 6 (iOS 15) to 10 (iOS 26) are known; convert");
  EXPECT_TEXT(damaged([](auto &m) { m.mutable_mlprogram()->set_version(2); }),
              "the program has version 2, 1 is known; ");
  EXPECT_TEXT(damaged([](auto &m) { m.set_specificationversion(7); }, "ios17"),
              "function \"main\": operations of ios17 need specification version 8, the model has 7; ");
  EXPECT_TEXT(damaged([](auto &m) { (*m.mutable_mlprogram()->mutable_functions())["main"].set_opset("CoreML4"); }),
              "the opset \"CoreML4\" is not known: CoreML5 (iOS 15) to CoreML9 (iOS 26) are; convert");
  EXPECT_TEXT(damaged([](auto &m) { (*m.mutable_mlprogram()->mutable_functions())["main"].set_opset("CoreML6"); }),
              "has no block for its opset \"CoreML6\"");
}

TEST(CoreMLErrors, ControlFlowIsNamed) {
  std::string error = damaged([](auto &m) {
    auto &operation = *blockOf(m).add_operations();
    operation.set_type("while_loop");
    operation.add_blocks();
    milspec::NamedValueType &output = *operation.add_outputs();
    output = blockOf(m).operations(1).outputs(0);
    output.set_name("z");
  });
  EXPECT_EQ(error,
            "function \"main\": operation \"while_loop\" of \"z\": control flow is not supported: it has blocks of "
            "its own. Trace the model for fixed shapes, or unroll the loop, before it is converted");
}

TEST(CoreMLErrors, Types) {
  auto ofType = [](const std::function<void(milspec::TensorType &)> &damage) {
    return damaged([&](auto &m) { damage(typeOf(constant(m))); });
  };
  EXPECT_EQ(
      ofType([](auto &t) { t.set_rank(3); }),
      std::string("function \"main\": operation \"const\" of \"c\": attribute \"val\": a tensor says rank 3 and has 1 "
                  "dimensions; both are the same, 0 to 16") +
          kRemedy);
  EXPECT_TEXT(ofType([](auto &t) { t.set_rank(-1); }), "a tensor says rank -1");
  EXPECT_TEXT(ofType([](auto &t) { t.mutable_dimensions(0)->Clear(); }), "a dimension is neither a size nor unknown");
  EXPECT_TEXT(ofType([](auto &t) { t.mutable_dimensions(0)->mutable_constant()->set_size(UINT64_MAX); }),
              "a dimension is 18446744073709551615, above 2^63-1");
  EXPECT_TEXT(ofType([](auto &t) { t.mutable_dimensions(0)->mutable_unknown()->set_variadic(true); }),
              "a tensor's number of axes may vary, which is not supported; convert");
  EXPECT_TEXT(ofType([](auto &t) { t.set_datatype(milspec::FLOAT8E5M2); }),
              "a float of 8 bits, which is not supported; ");
  EXPECT_TEXT(ofType([](auto &t) { t.set_datatype(static_cast<milspec::DataType>(77)); }),
              "the data type has number 77, which is no type that is known");
  EXPECT_TEXT(ofType([](auto &t) { (*t.mutable_attributes())["a"]; }), "a tensor's type has the attribute \"a\"");
  EXPECT_TEXT(damaged([](auto &m) { constant(m).mutable_type()->Clear(); }), "a type is missing");
  EXPECT_TEXT(damaged([](auto &m) {
                auto *type = constant(m).mutable_type();
                for (int depth = 0; depth < 20; ++depth)
                  type = type->mutable_listtype()->mutable_type(),
                  type->mutable_listtype()->mutable_length()->mutable_unknown();
              }),
              "nor unknown");
}

TEST(CoreMLErrors, Values) {
  auto ofValue = [](const std::function<void(milspec::Value &)> &damage) {
    return damaged([&](auto &m) { damage(constant(m)); });
  };
  auto tensor = [](milspec::Value &v) { return v.mutable_immediatevalue()->mutable_tensor(); };
  EXPECT_TEXT(ofValue([&](auto &v) { tensor(v)->mutable_ints()->add_values(3); }),
              "a value of type tensor<int32, [2]> has 3 elements");
  EXPECT_TEXT(ofValue([&](auto &v) { tensor(v)->mutable_floats()->add_values(3); }),
              "a value of type tensor<int32, [2]> has 1 elements of another type");
  EXPECT_TEXT(ofValue([&](auto &v) { tensor(v)->Clear(); }), "a value of type tensor<int32, [2]> is missing");
  EXPECT_TEXT(ofValue([&](auto &v) { v.clear_value(); }), "a value of type tensor<int32, [2]> is missing");
  EXPECT_TEXT(ofValue([&](auto &v) { tensor(v)->mutable_bytes()->set_values("1234567"); }),
              "a value of type tensor<int32, [2]> has 7 bytes for 2 elements of 32 bits");
  EXPECT_TEXT(ofValue([&](auto &v) { typeOf(v).mutable_dimensions(0)->mutable_unknown(); }),
              "a value of type tensor<int32, [?]> has no number of elements");
  // 2^62 elements of few bytes: no size of theirs overflows, and nothing is allocated.
  EXPECT_TEXT(ofValue([&](auto &v) {
                typeOf(v).set_datatype(milspec::UINT1);
                typeOf(v).mutable_dimensions(0)->mutable_constant()->set_size(uint64_t(1) << 62);
                tensor(v)->mutable_bytes()->set_values("12");
              }),
              "has 2 bytes for 4611686018427387904 elements of 1 bits");
  EXPECT_TEXT(ofValue([&](auto &v) {
                for (int i = 0; i < 2; ++i)
                  *typeOf(v).add_dimensions() = typeOf(v).dimensions(0);
                typeOf(v).set_rank(3);
                for (auto &each : *typeOf(v).mutable_dimensions())
                  each.mutable_constant()->set_size(uint64_t(1) << 40);
              }),
              "has no number of elements");
  EXPECT_TEXT(ofValue([&](auto &v) {
                typeOf(v).set_datatype(milspec::UINT16);
                tensor(v)->mutable_ints()->set_values(1, 65536);
              }),
              "an element of type uint16 is 65536");
  EXPECT_TEXT(ofValue([&](auto &v) {
                typeOf(v).set_datatype(milspec::INT8);
                tensor(v)->mutable_ints()->set_values(1, -129);
              }),
              "an element of type int8 is -129");
  EXPECT_TEXT(ofValue([&](auto &v) {
                typeOf(v).set_datatype(milspec::BOOL);
                tensor(v)->mutable_bytes()->set_values("\x01\x02");
              }),
              "a bool is 2; 0 and 1 are bools");
  EXPECT_TEXT(ofValue([&](auto &v) {
                typeOf(v).set_datatype(milspec::FLOAT32);
                tensor(v)->mutable_bytes()->set_values("12345678");
              }),
              "a value of type tensor<fp32, [2]> is written as bytes");
  EXPECT_TEXT(ofValue([&](auto &v) { v.mutable_immediatevalue()->mutable_list(); }),
              "a value of type tensor<int32, [2]> is a list of 0");
  EXPECT_TEXT(ofValue([&](auto &v) {
                milspec::Value item = v;
                auto &list = *v.mutable_type()->mutable_listtype();
                typeOf(item).Swap(list.mutable_type()->mutable_tensortype());
                list.mutable_length()->mutable_constant()->set_size(1);
                typeOf(item).set_datatype(milspec::INT32);
                tensor(item)->mutable_ints()->clear_values();
                tensor(item)->mutable_ints()->add_values(1);
                *v.mutable_immediatevalue()->mutable_list()->add_values() = item;
              }),
              "a value of type list<tensor<int32, [2]>, 1> holds one of type tensor<int32, []>");
  EXPECT_TEXT(ofValue([&](auto &v) {
                v.mutable_type()->mutable_tupletype();
                v.mutable_blobfilevalue()->set_offset(64);
              }),
              "a value in a weight file is a tensor, found tuple<>");
}

TEST(CoreMLErrors, Operations) {
  auto relu = [](spec::Model &m) { return blockOf(m).mutable_operations(1); };
  EXPECT_TEXT(damaged([&](auto &m) { (*relu(m)->mutable_inputs())["x"].clear_arguments(); }),
              "operation \"relu\" of \"y\": argument \"x\": is bound to nothing");
  EXPECT_TEXT(damaged([&](auto &m) { (*relu(m)->mutable_inputs())["x"].mutable_arguments(0)->Clear(); }),
              "argument \"x\": is bound to nothing");
  EXPECT_TEXT(damaged([&](auto &m) { relu(m)->mutable_outputs(0)->clear_name(); }), "output: has no name");
  EXPECT_TEXT(damaged([&](auto &m) { *blockOf(m).add_inputs() = relu(m)->outputs(0); }),
              "its block has inputs or attributes");
}

TEST(CoreMLErrors, DescriptionAndProgramAgree) {
  auto with = [](const std::function<void(spec::ModelDescription &)> &damage) {
    return damaged([&](auto &m) { damage(*m.mutable_description()); });
  };
  EXPECT_TEXT(with([](auto &d) { d.mutable_input(0)->set_name("z"); }),
              "function \"main\": the program has input \"x\", and the model's description does not");
  EXPECT_TEXT(with([](auto &d) { d.mutable_output(0)->set_name("z"); }),
              "the model's description has output \"z\", and the program does not");
  EXPECT_TEXT(with([](auto &d) { d.mutable_input(0)->clear_name(); }), "feature \"\": has no name");
  EXPECT_TEXT(with([](auto &d) { *d.add_input() = d.input(0); }), "feature \"x\": is there twice");
  EXPECT_TEXT(with([](auto &d) { d.mutable_input(0)->mutable_type()->clear_Type(); }), "feature \"x\": has no type");
  EXPECT_TEXT(with([](auto &d) { d.mutable_input(0)->mutable_type()->set_sequencetype(""); }), "is a sequence, which");
  EXPECT_TEXT(with([](auto &d) { d.mutable_input(0)->mutable_type()->set_isoptional(true); }),
              "all inputs are optional; one at least is not");
  EXPECT_TEXT(with([](auto &d) { d.set_predictedfeaturename("z"); }), "what is predicted is \"z\", which is no output");
  EXPECT_TEXT(with([](auto &d) { d.add_functions()->set_name("main"); }),
              "its description has functions, and inputs, outputs or states beside them");
  EXPECT_TEXT(with([](auto &d) { d.set_defaultfunctionname("main"); }),
              "several functions need specification version 9, the model has 6");
  auto functions = [](const std::string &name, const std::string &other) {
    return damaged(
        [&](auto &m) {
          auto &description = *m.mutable_description();
          auto &function = *description.add_functions();
          function.set_name(name);
          *function.add_input() = description.input(0);
          *function.add_output() = description.output(0);
          description.clear_input();
          description.clear_output();
          description.set_defaultfunctionname(other);
        },
        "ios18");
  };
  EXPECT_TEXT(functions("main", "other"), "the default function is \"other\", which the program does not have");
  EXPECT_TEXT(functions("other", "other"), "the program has no function \"other\"");
}

TEST(CoreMLErrors, Features) {
  auto with = [](const std::function<void(spec::ArrayFeatureType &)> &damage) {
    return damaged([&](auto &m) { damage(input(m)); });
  };
  using Array = spec::ArrayFeatureType;
  EXPECT_TEXT(with([](auto &a) { a.set_datatype(Array::FLOAT16); }),
              "feature \"x\": arrays of fp16 need specification version 7, the model has 6");
  EXPECT_TEXT(with([](auto &a) { a.set_datatype(Array::INT8); }), "arrays of int8 need specification version 10");
  EXPECT_TEXT(with([](auto &a) { a.clear_datatype(); }), "arrays of type 0 are not known: float16,");
  EXPECT_TEXT(with([](auto &a) { a.set_shape(0, -4); }), "has shape [-4, 4]; sizes are above 0");
  EXPECT_TEXT(with([](auto &a) { a.mutable_enumeratedshapes()->add_shapes()->add_shape(3); }),
              "allows shape [3] beside [1, 4]");
  EXPECT_TEXT(with([](auto &a) {
                auto &shape = *a.mutable_enumeratedshapes()->add_shapes();
                shape.add_shape(2);
                shape.add_shape(4);
              }),
              "has shape [1, 4], which is none of the shapes that it allows");
  EXPECT_TEXT(with([](auto &a) { a.mutable_shaperange()->add_sizeranges(); }),
              "has ranges for 1 axes and shape [1, 4]");
  auto range = [&](uint64_t least, int64_t largest) {
    return with([&](auto &a) {
      for (int axis = 0; axis < 2; ++axis) {
        auto &range = *a.mutable_shaperange()->add_sizeranges();
        range.set_lowerbound(least);
        range.set_upperbound(largest);
      }
    });
  };
  EXPECT_TEXT(range(3, 2), "allows sizes from 3 to 2 on axis 0");
  EXPECT_TEXT(range(1, 3), "has size 4 on axis 1, and allows 1 to 3");
  EXPECT_TEXT(range(UINT64_MAX, -1), "a size of at least 18446744073709551615 is above 2^63-1");
  EXPECT_TEXT(with([](auto &a) { a.set_intdefaultvalue(1); }),
              "the default value is of another type than the array, fp32");

  auto state = [](const std::function<void(spec::FeatureDescription &)> &damage, const char *opset) {
    return damaged(
        [&](auto &m) {
          auto &feature = *m.mutable_description()->add_state();
          feature.set_name("s");
          auto &array = *feature.mutable_type()->mutable_statetype()->mutable_arraytype();
          array.add_shape(4);
          array.set_datatype(Array::FLOAT16);
          damage(feature);
        },
        opset);
  };
  auto arrayOf = [](auto &f) { return f.mutable_type()->mutable_statetype()->mutable_arraytype(); };
  EXPECT_TEXT(state([](auto &) {}, "ios17"), "states need specification version 9, the model has 8");
  EXPECT_TEXT(state([&](auto &f) { arrayOf(f)->set_datatype(Array::FLOAT32); }, "ios18"),
              "is a state of fp32; fp16 and int8 can be");
  EXPECT_TEXT(state([&](auto &f) { arrayOf(f)->clear_shape(); }, "ios18"), "is a state, and has no one shape");
  EXPECT_TEXT(state([&](auto &f) { f.mutable_type()->set_isoptional(true); }, "ios18"), "is a state; only inputs are");
  EXPECT_TEXT(state([&](auto &f) { f.set_name("x"); }, "ios18"), "feature \"x\": is there twice");
  EXPECT_TEXT(state([&](auto &f) { f.mutable_type()->set_stringtype(""); }, "ios18"), "is no state, and stands among");

  auto image = [](const std::function<void(spec::ImageFeatureType &)> &damage) {
    return damaged([&](auto &m) {
      auto &image = *m.mutable_description()->mutable_input(0)->mutable_type()->mutable_imagetype();
      image.set_width(4);
      image.set_height(4);
      image.set_colorspace(spec::ImageFeatureType::RGB);
      damage(image);
    });
  };
  EXPECT_TEXT(image([](auto &i) { i.clear_colorspace(); }), "is an image of an unknown space of colors");
  EXPECT_TEXT(image([](auto &i) { i.set_width(-1); }), "has shape [-1, 4]; sizes are above 0");
  EXPECT_TEXT(image([](auto &i) { i.mutable_enumeratedsizes()->add_sizes()->set_width(UINT64_MAX); }),
              "allows shape [-1, 0] beside [4, 4]");
}

/// A field of protocol buffers whose value is `content`.
std::string field(int number, const std::string &content) {
  std::string bytes;
  auto add = [&](uint64_t value) {
    for (; value > 127; value >>= 7)
      bytes += static_cast<char>(value | 128);
    bytes += static_cast<char>(value);
  };
  add(static_cast<uint64_t>(number) << 3 | 2);
  add(content.size());
  return bytes + content;
}

std::string repeated(size_t times, const std::string &text) {
  std::string bytes;
  bytes.reserve(times * text.size());
  for (size_t i = 0; i < times; ++i)
    bytes += text;
  return bytes;
}

/// A model whose only block has these bytes.
std::string modelOfBlock(const std::string &block) {
  std::string function = field(2, "CoreML5") + field(3, field(1, "CoreML5") + field(2, block));
  return "\x08\x06" + field(502, "\x08\x01" + field(2, field(1, "main") + field(2, function)));
}

TEST(CoreMLHostile, MemoryIsBounded) {
  // An operation is two bytes, and more than a hundred in memory.
  EXPECT_EQ(errorOf(modelOfBlock(repeated(20'000'000, field(3, "")))),
            "takes more than 1073741824 bytes of memory; convert the model with a weight file for its constants");
  // As an argument of one operation is.
  EXPECT_TEXT(errorOf(modelOfBlock(
                  field(3, field(1, "f") + field(2, field(1, "x") + field(2, repeated(5'000'000, field(1, ""))))))),
              "the program has more than 4194304 types, values and texts");
  // A byte holds eight elements of one bit, which are 64 bytes in memory.
  std::string dimension = field(3, field(1, "\x08\x80\x80\x80\x40"));
  std::string type = field(1, "\x08\x25\x10\x01" + dimension);
  std::string value = field(2, type) + field(3, field(1, field(7, field(1, std::string(size_t(1) << 24, 'x')))));
  EXPECT_TEXT(errorOf(modelOfBlock(field(3, field(1, "const") + field(5, field(1, "val") + field(2, value))))),
              "the program itself has more than 67108864 elements of constants; convert");
}

TEST(CoreMLHostile, NestingIsBounded) {
  auto nested = [](int depth) {
    std::string type = field(1, "\x08\x01");
    for (int i = 0; i < depth; ++i)
      type = field(3, field(1, type));
    return modelOfBlock(field(3, field(1, "f") + field(3, field(1, "y") + field(2, type))));
  };
  EXPECT_TEXT(errorOf(nested(20)), "a type nests more than 16 deep");
  EXPECT_TEXT(errorOf(nested(10'000)), "its bytes are no protocol buffer");
}

TEST(CoreMLHostile, EveryPrefixIsRefused) {
  std::string bytes = *print(modelOf(kRelu));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(errorOf(bytes.substr(0, size)), "") << size;
}

TEST(CoreMLHostile, NamesInMessagesAreShort) {
  auto message = messageOf(modelOf(kRelu));
  message.mutable_description()->mutable_input(0)->set_name(std::string(1 << 20, '\n'));
  EXPECT_LT(errorOf(message).size(), 500u);
}

TEST(CoreMLWriter, RefusesWhatTheFormatCannotHold) {
  auto error = [](const std::function<void(Model &)> &damage) {
    Model model = modelOf(std::string(kConst) + kRelu);
    damage(model);
    return std::string(print(model).status().message());
  };
  auto statement = [](Model &m) -> mil::Statement & { return m.program.functions[0].statements[0]; };
  EXPECT_TEXT(error([&](auto &m) { statement(m).attributes[1].value.typed = false; }),
              "operation \"const\" \"c\": attribute \"val\": a value has no type of its own");
  EXPECT_TEXT(error([&](auto &m) { statement(m).attributes[1].value = mil::Value::reference("x"); }),
              "the name \"x\" stands where a value does");
  EXPECT_TEXT(error([&](auto &m) { statement(m).attributes[1].value.ints.push_back(3); }),
              "a value of type tensor<int32, [2]> has 3 elements");
  EXPECT_TEXT(error([&](auto &m) {
                statement(m).attributes[1].value =
                    mil::Value::reals(mil::Type::tensor(ElementType::BFloat16, {1}), {1});
              }),
              "bf16 has no immediate value");
  EXPECT_TEXT(error([&](auto &m) { m.program.functions[0].opset = "ios14"; }),
              "has the opset \"ios14\", which is none");
  EXPECT_TEXT(error([&](auto &m) { m.interfaces[0].inputs[0].name = "z"; }), "the program has input \"x\"");
  EXPECT_TEXT(error([&](auto &m) {
                m.interfaces[0].inputs[0].defaultValue = 0;
                m.interfaces[0].inputs[0].dtype = ElementType::Int32;
                m.interfaces[0].inputs[0].defaultValue = 0.5;
              }),
              "has the default value 0.5, which is none of its type");
  EXPECT_TEXT(error([&](auto &m) { m.author = "\xff"; }), "the model can't be written: ");
}

} // namespace
