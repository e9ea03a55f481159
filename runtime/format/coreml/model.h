//===- model.h - Models of Core ML ------------------------------*- C++ -*-===//
//
// `model.mlmodel` of an .mlpackage: one protocol buffer with what a user sees
// (features, their types, metadata) and the program, which is a program of MIL
// as its text has it, in other bytes (coreml-mlprogram.md 1). Only models whose
// body is a program are read.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_COREML_MODEL_H
#define ANE_RUNTIME_FORMAT_COREML_MODEL_H

#include "absl/status/statusor.h"
#include "runtime/format/mil/ast.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::rt::coreml {

/// Specification versions, by what they are the first to have.
inline constexpr int32_t kPrograms = 6;    ///< programs: iOS 15, macOS 12
inline constexpr int32_t kHalfArrays = 7;  ///< arrays of fp16: iOS 16, macOS 13
inline constexpr int32_t kFunctions = 9;   ///< several functions and states: iOS 18, macOS 15
inline constexpr int32_t kByteArrays = 10; ///< arrays of int8: iOS 26, macOS 26

/// "ios15" for specification 6 and so on; the operations of iOS 26 are those of
/// iOS 18. Nothing for a version without programs.
std::optional<std::string> opsetOf(int32_t specification);
/// The least version whose operations are `opset`.
std::optional<int32_t> specificationOf(std::string_view opset);

/// One input, output or state as its user sees it.
struct Feature {
  enum class Kind : uint8_t { Array, Image, Dictionary, Int64, Double, String, State };
  enum class Colors : uint8_t { None, Gray, RGB, BGR, GrayHalf };

  std::string name, description;
  Kind kind = Kind::Array;
  /// Of an array or a state: Float16, Float32, Float64, Int8 or Int32.
  ElementType dtype = ElementType::Float32;
  /// Of an array or a state; the default where others are allowed. Outputs may
  /// have none, which says that it is not known.
  std::vector<int64_t> shape;
  /// What else is allowed, also of an image, whose axes are width and height: a
  /// list of shapes, or for each axis the least and the largest size (-1: no
  /// bound). At most one of them is there.
  std::vector<std::vector<int64_t>> shapes;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  /// Of an image.
  Colors colors = Colors::None;
  int64_t width = 0, height = 0;
  /// Of a dictionary: its keys are strings, or integers.
  bool hasIntegerKeys = false;
  bool isOptional = false;
  std::optional<double> defaultValue;
};

/// What one function of the program is to its users.
struct Interface {
  std::string name; ///< of the function
  std::vector<Feature> inputs, outputs, states;
  std::string predictedFeature, predictedProbabilities; ///< of a classifier
};

struct Model {
  int32_t specification = kPrograms;
  /// One, of function "main", unless the model has several functions.
  std::vector<Interface> interfaces;
  /// Of a model with several functions; else empty.
  std::string defaultFunction;
  std::string summary, version, author, license;          ///< metadata
  std::vector<std::pair<std::string, std::string>> notes; ///< by key
  /// In version 1.0 of the text. Weight files are "@model_path/weights/...".
  mil::Program program;
};

/// The bytes are taken as hostile. InvalidArgument for what is no model, damaged, or
/// against the rules of check(); Unimplemented for one that holds no program, or
/// what of it is not supported. The message ends with a remedy.
absl::StatusOr<Model> parse(std::string_view bytes);

/// The same bytes for the same model. InvalidArgument for one that the format can't
/// hold: a value that is neither typed nor refers to a name, a text that is no
/// UTF-8, or what parse() refuses.
absl::StatusOr<std::string> print(const Model &model);

/// InvalidArgument unless what users see agrees with itself, with the program and
/// with the specification (coreml-mlprogram.md 1.2, 1.5).
absl::Status check(const Model &model);

} // namespace ane::rt::coreml

#endif // ANE_RUNTIME_FORMAT_COREML_MODEL_H
