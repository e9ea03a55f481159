//===- Values.h - inputs whose values are known ----------------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_VALUES_H
#define ANE_LIB_IMPORT_ONNX_VALUES_H

#include "Model.h"
#include "runtime/format/npy/npy.h"

namespace mlir::ane::onnx_import {

/// What --value gives an input: one number, which fills it, a list of numbers, or an array of a .npy file.
class GivenValue {
public:
  /// "16000", "1,2.5,3", "true" or "array.npy", whose contents are read.
  static llvm::Expected<GivenValue> parse(StringRef text);

  /// The shape that an input of `declared` shape (null: none is declared) has with this value; nothing if the model or
  /// the other flags must tell.
  std::optional<SmallVector<int64_t>> shapeFor(const onnx::TensorShapeProto *declared) const;
  llvm::Expected<TypedAttr> constant(RankedTensorType type, StringRef subject) const;

private:
  std::vector<std::string> numbers;
  std::optional<::ane::rt::npy::Array> array;
};

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_VALUES_H
