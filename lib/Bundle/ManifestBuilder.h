//===- ManifestBuilder.h - a module's manifest -----------------*- C++ -*-===//
#ifndef ANE_LIB_BUNDLE_MANIFESTBUILDER_H
#define ANE_LIB_BUNDLE_MANIFESTBUILDER_H

#include "ane/Host/WeightIndex.h"
#include "ane/IR/ANE.h"
#include "runtime/format/manifest/manifest.h"
#include <map>

namespace mlir::ane {

/// Collects what the writer of a bundle produces and describes the module's plans.
class ManifestBuilder {
public:
  explicit ManifestBuilder(ModuleOp module);

  LogicalResult addProgram(ProgramOp program, const std::vector<std::string> &weights);
  /// `weights` and `hashes` are of the tensors of file `path`.
  void addHost(const HostBuild &build, ArrayRef<HostWeight> weights, StringRef path, ArrayRef<std::string> hashes,
               const std::map<std::string, std::string> &paths);
  /// The functions of a bundle without native code.
  void addSignatures(ArrayRef<func::FuncOp> functions);
  /// A part of a file that is made from `sources`, #ane.weight of the model.
  void addStored(ArrayRef<Attribute> sources, const ::ane::rt::manifest::StoredWeight &stored);
  void addFile(const ::ane::rt::manifest::File &file) { manifest.files.push_back(file); }

  /// Enters the file that has what parameters begin with.
  void addInitialParameters(StringRef path) { initialParameters = path.str(); }

  /// Enters where state `symbol` finds its initial value.
  void addInitialValue(StringAttr symbol, StringRef file, int64_t offset) {
    initialValues[symbol] = {file.str(), offset};
  }

  /// Adds states, plans, weights, tensors and target. The builder is done then.
  FailureOr<::ane::rt::manifest::Manifest> finish();

private:
  void noteEncodings();
  void addState(StateOp state);
  void addLanguageModel();
  void addTraining();
  void addAdapters();
  LogicalResult addWeights();
  void addPlan(func::FuncOp plan);
  /// Enters the last function, if it is one, among the buckets of its name.
  void addBucket(func::FuncOp plan);
  /// Takes back that inputs are filled up where nothing keeps what they are filled up with out of a state.
  void checkPadding();
  std::vector<::ane::rt::manifest::StateUse> statesOf(func::FuncOp plan, const Twine &scope,
                                                      llvm::DenseMap<Value, int64_t> &tensors);
  int64_t addTensor(Value value, const Twine &name);

  ModuleOp module;
  /// Of each procedure: the CPU function that stands in for it, and manifest::nameOf().
  llvm::DenseMap<Attribute, StringRef> twins;
  llvm::DenseMap<Attribute, std::string> procedureNames;
  llvm::DenseMap<StringAttr, int64_t> stateIndex;
  llvm::DenseMap<StringAttr, std::pair<std::string, int64_t>> initialValues;
  std::string initialParameters;
  /// How the model's file holds a weight, and the type that its elements have then; of those that are not just their
  /// elements.
  struct Encoding {
    std::string name;
    RankedTensorType type;
  };
  Encoding encodingOf(Attribute weight) const;
  llvm::DenseMap<Attribute, Encoding> encodings;
  /// The forms of each #ane.weight that files of the bundle hold.
  llvm::DenseMap<Attribute, std::vector<::ane::rt::manifest::StoredWeight>> stored;
  ::ane::rt::manifest::Manifest manifest;
};

} // namespace mlir::ane

#endif // ANE_LIB_BUNDLE_MANIFESTBUILDER_H
