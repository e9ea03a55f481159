//===- coreml_models.h - Models of Core ML for tests ------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEST_FORMAT_COREML_MODELS_H
#define ANE_RUNTIME_TEST_FORMAT_COREML_MODELS_H

#include "Model.pb.h"
#include "runtime/format/coreml/model.h"
#include "runtime/format/mil/parser.h"

#include <gtest/gtest.h>
#include <string>

namespace ane::rt::coreml::test {

inline mil::Program programOf(const std::string &text) {
  absl::StatusOr<mil::Program> program = mil::parse(text);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : mil::Program();
}

inline Feature array(const std::string &name, ElementType dtype, std::vector<int64_t> shape) {
  Feature feature;
  feature.name = name;
  feature.dtype = dtype;
  feature.shape = std::move(shape);
  return feature;
}

/// `statements` make y of x, both fp32 of shape [1, 4].
inline Model modelOf(const std::string &statements, const std::string &opset = "ios15") {
  Model model;
  model.specification = *specificationOf(opset);
  model.program =
      programOf("program(1.0) { func main<" + opset + ">(tensor<fp32, [1, 4]> x) { " + statements + " } -> (y); }");
  model.interfaces = {
      {"main", {array("x", ElementType::Float32, {1, 4})}, {array("y", ElementType::Float32, {1, 4})}, {}, "", ""}};
  return model;
}

inline const char *const kRelu = R"(tensor<fp32, [1, 4]> y = relu(x = x)[name = tensor<string, []>("y")];)";

/// The same model as messages, to be damaged.
inline ::CoreML::Specification::Model messageOf(const Model &model) {
  absl::StatusOr<std::string> bytes = print(model);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  ::CoreML::Specification::Model message;
  EXPECT_TRUE(bytes.ok() && message.ParseFromString(*bytes));
  return message;
}

inline ::CoreML::Specification::MILSpec::Block &blockOf(::CoreML::Specification::Model &message) {
  auto &function = (*message.mutable_mlprogram()->mutable_functions())["main"];
  return (*function.mutable_block_specializations())[function.opset()];
}

/// What parse() says of it; "" where it reads it.
inline std::string errorOf(const std::string &bytes) { return std::string(parse(bytes).status().message()); }
inline std::string errorOf(const ::CoreML::Specification::Model &message) {
  return errorOf(message.SerializeAsString());
}

} // namespace ane::rt::coreml::test

#endif // ANE_RUNTIME_TEST_FORMAT_COREML_MODELS_H
