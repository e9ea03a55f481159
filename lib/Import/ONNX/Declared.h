//===- Declared.h - what a model's file says of training -------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_DECLARED_H
#define ANE_LIB_IMPORT_ONNX_DECLARED_H

#include "onnx.pb.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace mlir::ane::onnx_import {

/// Which initializers of a model are parameters, as far as its file says. PyTorch's exporter writes it of its own
/// (which of them are parameters and which buffers, but some are gone when constants are folded), and Anemone's Python
/// package all of it.
class Declared {
public:
  static llvm::Expected<Declared> read(const onnx::ModelProto &model);

  /// Whether the file names all parameters, and what it does not name is none.
  bool isWhole() const { return whole; }
  /// Whether it is a parameter; nothing where the file does not say.
  std::optional<bool> isParameter(llvm::StringRef name) const;
  /// Of a batch norm that is trained with the batch's statistics, by the name of its running mean: the share by which
  /// a step moves that.
  std::optional<double> statisticsOf(llvm::StringRef mean) const;
  /// The tensor that the node's input is in PyTorch's module, where exporters made one initializer of several of equal
  /// values; empty if the file does not say.
  std::string moduleName(const onnx::NodeProto &node, int input) const;
  /// Whether the node is PyTorch's detach.
  static bool isDetach(const onnx::NodeProto &node);

private:
  bool whole = false;
  llvm::StringSet<> parameters, buffers;
  llvm::StringMap<double> batchNorms;
};

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_DECLARED_H
