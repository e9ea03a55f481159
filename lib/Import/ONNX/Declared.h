//===- Declared.h - what a model's file says of training -------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_DECLARED_H
#define ANE_LIB_IMPORT_ONNX_DECLARED_H

#include "onnx.pb.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

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
  /// The parameter or buffer that the node's input is in PyTorch's module, where exporters made one initializer of
  /// several of equal values, or gave it a name of their own; empty if the file does not say.
  std::string moduleName(const onnx::NodeProto &node, int input) const;
  /// Whether the initializer is read by several parameters of the module, which are not tied.
  bool isShared(llvm::StringRef initializer) const { return shared.contains(initializer); }
  /// Whether the node's input is a number of the exporter's or of the model's text there, and no parameter.
  bool isLiteral(const onnx::NodeProto &node, int input) const;
  /// Initializers that the exporter computed, perhaps of parameters, and parameters that are lost by that: the file
  /// lists them, and nothing in it has their names. Of these a tied one that goes by another name can't be told, so
  /// that there are none where nothing was computed.
  llvm::SmallVector<llvm::StringRef> foldedInitializers() const;
  llvm::SmallVector<llvm::StringRef> lostParameters() const;
  /// Parameters that the exporter has left out, as a bias of zeros.
  const llvm::StringSet<> &droppedParameters() const { return dropped; }
  /// Whether the node is PyTorch's detach.
  static bool isDetach(const onnx::NodeProto &node);

private:
  /// What of PyTorch's graph a node was made of.
  struct Origin {
    llvm::StringRef result;
    llvm::StringRef target;                    // torch.ops.aten.linear.default
    llvm::SmallVector<llvm::StringRef> values; // the values among its arguments, without '%'
  };
  static std::optional<Origin> originOf(const onnx::NodeProto &node);
  /// Of a node that is several of PyTorch's, the last one's.
  static std::optional<Origin> lastOriginOf(const onnx::NodeProto &node);
  void readSignature(llvm::StringRef signature);
  /// Finds the initializers that are literals wherever they are read, and those that stand for several parameters.
  void readGraph(const onnx::GraphProto &graph);
  bool isParameterOf(const Origin &origin, const onnx::NodeProto &node, int input) const;
  bool isOfParameter(llvm::StringRef folded) const;
  /// Of the values, those that are parameters or buffers, by the module's names.
  llvm::SmallVector<llvm::StringRef> namesOf(const Origin &origin, const llvm::StringSet<> &kind) const;
  /// Whether the value is of a run, or of the signature: any other was computed by the exporter.
  bool isKnown(llvm::StringRef value) const { return computed.contains(value) || placeholders.contains(value); }

  bool whole = false;
  llvm::StringSet<> parameters, buffers;
  /// Of the signature, the module's names by those of the graph; empty for inputs and constants.
  llvm::StringMap<std::string> placeholders;
  llvm::StringSet<> computed;                 // values that nodes of the file compute
  llvm::StringSet<> lost;                     // parameters that no node and no initializer is called by
  llvm::StringSet<> dropped;                  // parameters whose layers are there without them
  llvm::StringSet<> literals, shared, folded; // initializers
  struct Size {
    int64_t elements;
    int rank;
  };
  llvm::StringMap<Size> sizes; // of initializers
  bool hasTexts = false;       // tensors that the module's text has, of which the graph has clones
  llvm::StringMap<double> batchNorms;
};

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_DECLARED_H
