//===- WeightsAsInputs.cpp - inputs in place of weights -------------------===//

#include "Names.h"
#include "ane/Autodiff/Passes.h"
#include "ane/IR/Inference.h"

namespace mlir::ane {
#define GEN_PASS_DEF_WEIGHTSASINPUTS
#include "ane/Autodiff/AutodiffPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct WeightsAsInputs : mlir::ane::impl::WeightsAsInputsBase<WeightsAsInputs> {
  using WeightsAsInputsBase::WeightsAsInputsBase;
  LogicalResult run() {
    func::FuncOp target = findFunction(getOperation(), function);
    if (!target)
      return failure();
    auto patterns = parsePatterns(target, "weights", llvm::to_vector(weights));
    if (failed(patterns))
      return failure();
    std::vector<std::string> known;
    SmallVector<std::pair<std::string, Type>> inputs;
    SmallVector<ArrayRef<Value>> uses;
    auto named = namedWeights(getOperation(), target);
    DenseSet<Value> taken;
    for (auto &[name, constants] : named) {
      known.push_back(name);
      if ((!weights.empty() && !patterns->match(name)) || !taken.insert(constants.front()).second)
        continue;
      inputs.emplace_back(name, constants.front().getType());
      uses.push_back(constants);
    }
    if (failed(checkUsed(target, "weights", *patterns, known)))
      return failure();
    for (auto [input, constants] : llvm::zip_equal(addInputs(target, inputs), uses))
      for (Value constant : constants) {
        constant.replaceAllUsesWith(input);
        constant.getDefiningOp()->erase();
      }
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
