//===- Functions.h - functions that a model defines ------------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_FUNCTIONS_H
#define ANE_LIB_IMPORT_ONNX_FUNCTIONS_H

#include "mlir/Support/LLVM.h"
#include "onnx.pb.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace mlir::ane::onnx_import {

using Opsets = google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>;

/// The version that `opsets` import of `domain` ("ai.onnx" is ""). 0: not imported.
int64_t opsetOf(const Opsets &opsets, StringRef domain);

/// What importing `graph` costs, in nodes, those of its inner graphs among them.
uint64_t weightOf(const onnx::GraphProto &graph);

/// A function that a model defines (FunctionProto). It stands for any op, those that have a handler among them.
struct Function {
  std::string name;
  onnx::GraphProto body;
  Opsets opsets;
  std::vector<std::string> attributes;
  llvm::StringMap<onnx::AttributeProto> defaults;
  uint64_t weight = 0;
  /// The model has two functions of this name.
  bool ambiguous = false;

  /// The body for one call: attribute references are replaced by the call's attributes or their defaults, inputs that
  /// the call leaves out are left out inside.
  llvm::Expected<onnx::GraphProto> instantiate(const onnx::NodeProto &call) const;
};

class FunctionLibrary {
public:
  explicit FunctionLibrary(const onnx::ModelProto &model);
  /// The function that `node` calls; null if its op is none.
  const Function *lookup(const onnx::NodeProto &node) const;

private:
  llvm::StringMap<Function> functions;
};

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_FUNCTIONS_H
