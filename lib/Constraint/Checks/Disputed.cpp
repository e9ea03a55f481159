//===- Disputed.cpp - checks of records that sources dispute --------------===//
//
// Each takes its record at its word, as widely as that can be read.
//
//===----------------------------------------------------------------------===//

#include "../ProgramView.h"
#include "ane/Constraint/WeightConstants.h"
#include "ane/IR/ConstantEval.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ane;

namespace mlir::ane {

std::optional<Finding> checkProductInputs(Operation *op, const TargetEnv &) {
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (Operation *producer = operand.getDefiningOp();
        producer && !isConstantExpr(operand) && !isa<ConvOp, ConvTransposeOp>(producer))
      return Finding{operandName(op, i), "the result of '" + producer->getName().getStringRef().str() + "'", ""};
  return std::nullopt;
}

std::optional<Finding> checkEarlyMatmul(Operation *op, const TargetEnv &) {
  if (llvm::any_of(op->getOperands(), [](Value operand) { return isConstantExpr(operand); }))
    return std::nullopt;
  return Finding{"", "a product of two computed values", ""};
}

std::optional<Finding> checkSoftmaxExtent(Operation *op, const TargetEnv &) {
  auto softmax = cast<SoftmaxOp>(op);
  int64_t extent = softmax.getType().getDimSize(softmax.getAxisFromFront());
  if (llvm::isPowerOf2_64(extent))
    return std::nullopt;
  return Finding{"axis of the softmax", std::to_string(extent), "a power of two"};
}

std::optional<Finding> checkPatchExtent(Operation *op, const TargetEnv &env) {
  ArrayRef<int64_t> kernel = windowOf(op).kernel;
  return kernel.empty() ? std::nullopt
                        : atMost(*llvm::max_element(kernel), env.limit(Limit::PatchExtent), "extent of the window");
}

std::optional<Finding> checkEarlyBlobs(Operation *op, const TargetEnv &env) {
  llvm::SmallSetVector<Value, 16> large;
  for (Operation &inner : ProgramView(op).body())
    if (!isConstantExpr(&inner))
      for (Value operand : inner.getOperands())
        if (isConstantExpr(operand) && tensorOf(operand).getNumElements() >= inlineElements)
          large.insert(operand);
  return atMost(large.size(), env.limit(Limit::WeightFiles), "large constants");
}

std::optional<Finding> checkWeightConstants(Operation *op, const TargetEnv &env) {
  return atMost(countWeightConstants(ProgramView(op).programBodies()), env.limit(Limit::WeightConstants),
                "weight constants");
}

} // namespace mlir::ane
