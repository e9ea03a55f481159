//===- Model.h - a loaded ONNX model and its tensors -----------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_MODEL_H
#define ANE_LIB_IMPORT_ONNX_MODEL_H

#include "Declared.h"
#include "WireScan.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "onnx.pb.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::ane::onnx_import {

/// A model file: mapped, scanned, parsed. Tensors of less than `inlineBytes` become `DenseElementsAttr`, the others
/// `#ane.weight`.
class Model {
public:
  static llvm::Expected<std::unique_ptr<Model>> load(StringRef path);

  const onnx::ModelProto &proto() const { return modelProto; }
  StringRef path() const { return modelPath; }
  /// Has initializers of floats of the model's own graph whose names match be ranges of their files, whatever their
  /// size. Fails if a pattern names none, and `eachMatches`.
  llvm::Error keepTrainable(ArrayRef<std::string> patterns, bool eachMatches);
  /// The same, of a model that is trained: whatever may be a parameter or a statistic by what `declared` says, by a
  /// pattern, or by its size and what reads it.
  llvm::Error keepParameters(const Declared &declared, ArrayRef<std::string> patterns);
  /// Whether this is such an initializer.
  bool isTrainable(const void *tensor) const { return trainable.contains(tensor); }
  /// The constant that `tensor` holds. `subject` names it in errors: "initializer 'w'".
  llvm::Expected<TypedAttr> constant(const onnx::TensorProto &tensor, StringRef subject, MLIRContext *context);
  /// The same, dense.
  llvm::Expected<TypedAttr> constant(const onnx::SparseTensorProto &tensor, StringRef subject, MLIRContext *context);

private:
  llvm::Expected<TypedAttr> rawConstant(const onnx::TensorProto &tensor, RankedTensorType type, StringRef file,
                                        ArrayRef<char> contents, ByteRange range, StringRef subject);
  llvm::Expected<TypedAttr> externalConstant(const onnx::TensorProto &tensor, RankedTensorType type, StringRef subject);
  llvm::Expected<ArrayRef<char>> mapExternal(StringRef location, StringRef subject, std::string &path);

  std::string modelPath;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> externalFiles;
  ScannedModel scanned;
  onnx::ModelProto modelProto;
  llvm::DenseSet<const void *> trainable;
};

/// Data below this size stand in the IR.
constexpr uint64_t inlineBytes = 1024;

/// The element type of TensorProto.DataType `type`; null if the dialect has none (string, complex, 4-bit floats).
Type elementType(int32_t type, MLIRContext *context);
/// The TensorProto.DataType whose element type is `type`.
int32_t dataTypeOf(Type type);
/// "float16" for 10, "77" for a number that no ONNX release uses.
std::string dataTypeName(int32_t type);
/// The type of a tensor of `dataType` and `dims`. An error names the element type or the bad dimension.
llvm::Expected<RankedTensorType> tensorType(int32_t dataType, ArrayRef<int64_t> dims, StringRef subject,
                                            MLIRContext *context);
/// Tensors of a model that have more elements are refused: what passes make of them, with rows padded and windows
/// spelled out, still has fewer than the dialect's `maxElements`.
constexpr int64_t maxModelElements = int64_t(1) << 32;
/// The bytes of a row-major, densely packed tensor of `type`; i1 takes a byte.
uint64_t tensorBytes(RankedTensorType type);
/// An error made of `message`.
llvm::Error makeError(const Twine &message);

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_MODEL_H
