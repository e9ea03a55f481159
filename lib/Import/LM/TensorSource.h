//===- TensorSource.h - the tensors of a language model --------*- C++ -*-===//
//
// Which tensors a model's files hold, and where: #ane.weight names ranges of the files, and nothing is read here. What
// the model wants and the files lack, what has another shape, and what nobody wants, are problems.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_LM_TENSORSOURCE_H
#define ANE_LIB_IMPORT_LM_TENSORSOURCE_H

#include "ane/IR/ANE.h"
#include "llvm/Support/Error.h"
#include <map>
#include <set>

namespace mlir::ane::lm {

/// How a tensor is stored in blocks of quantised elements: GGUF's number of their type, elements and bytes of a block.
/// No elements: it is dense. Or how many int8 elements, in the order of the tensor, share a scale of another tensor,
/// [all / group, 1]; 0: it has no scales.
struct SourceBlocks {
  uint32_t type = 0;
  int64_t elements = 0, bytes = 0;
  int64_t group = 0;
};

struct SourceTensor {
  std::string file;
  uint64_t offset = 0, bytes = 0;
  SmallVector<int64_t> shape;
  Type element;
  SourceBlocks blocks = {};
};

class TensorSource {
public:
  /// The safetensors of a Hugging Face directory: one file, or several with an index.
  static llvm::Expected<TensorSource> openDirectory(StringRef path, MLIRContext *context);

  bool has(StringRef name) const { return tensors.count(name.str()); }
  /// Whether a tensor's name begins with `prefix`.
  bool hasPrefix(StringRef prefix) const;
  /// The weight, or nothing after a problem was noted; of a tensor in blocks, its bytes [..., bytes of a row].
  WeightAttr take(StringRef name, ArrayRef<int64_t> shape);
  /// The name of a tensor's scales, if it has some.
  static std::string scalesOf(StringRef name) { return (name + ".scales").str(); }
  /// Of a tensor that was taken.
  SourceBlocks blocksOf(StringRef name) const { return tensors.at(name.str()).blocks; }
  /// Notes a problem of a tensor.
  void fail(StringRef name, const Twine &problem) {
    problems.push_back((origin + ": tensor '" + name + "' " + problem).str());
  }
  /// Tensors that no forward pass reads, such as tables that are computed from the configuration. A `*` stands for any
  /// text.
  void ignore(StringRef pattern);
  /// Notes each tensor that nobody has taken, and returns everything that is wrong.
  const std::vector<std::string> &finish();
  /// Where a tensor is, for messages and weights.
  void add(StringRef name, SourceTensor tensor) { tensors[name.str()] = std::move(tensor); }
  /// What was taken, by names.
  DictionaryAttr names(MLIRContext *context) const;

  std::string origin; // of messages about tensors that are in no file

private:
  std::map<std::string, SourceTensor> tensors;
  std::map<std::string, WeightAttr> taken;
  std::vector<std::string> ignored, problems;
};

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_TENSORSOURCE_H
