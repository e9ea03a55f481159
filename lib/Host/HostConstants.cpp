//===- HostConstants.cpp - what is computed from constants alone ----------===//

#include "Access.h"
#include "Rewrites.h"
#include "ane/Constraint/ConstantSources.h"
#include "ane/Host/Passes.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"

namespace mlir::ane {
#define GEN_PASS_DEF_HOSTCONSTANTS
#include "ane/Host/HostPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// The value of constant expression `root` as a constant.
static FailureOr<Value> makeWeight(OpBuilder &builder, Value root) {
  // Fewer elements may stand in the code of kernels, as one that all are equal to does.
  constexpr int64_t fewestElements = 1024;
  auto type = cast<RankedTensorType>(root.getType());
  if (std::optional<double> splat = isa<FloatType>(type.getElementType()) ? getSplat(root) : std::nullopt)
    return createSplat(builder, root.getLoc(), type, *splat);
  BlobOp blob = outlineConstantExpr(builder, root);
  // What is made from weights of the model is known as such in the manifest.
  if (type.getNumElements() >= fewestElements || isUnrounded(blob.getResult()) ||
      !ConstantSources(blob.getBody()).weights.empty())
    return blob.getResult();
  FailureOr<DenseElementsAttr> value = evaluateToAttribute(blob.getResult());
  blob.erase();
  if (failed(value))
    return failure();
  return builder.create<ConstOp>(root.getLoc(), *value).getResult();
}

static LogicalResult outlineWeights(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.front()))
    if (op.hasTrait<ExpandsConstant>())
      rewriteForKernels(&op); // into arithmetic
  OpBuilder builder(function.getContext());
  // An expression of more levels than are walked at a time takes several rounds.
  llvm::SmallSetVector<Value, 16> roots;
  do {
    roots.clear();
    for (Operation &op : function.front())
      if (!isConstantExpr(&op))
        for (Value operand : op.getOperands())
          if (isConstantExpr(operand))
            if (Value root = trace(operand).root; !isWeight(root.getDefiningOp()))
              roots.insert(root);
    for (Value root : roots) {
      builder.setInsertionPointAfterValue(root);
      FailureOr<Value> weight = makeWeight(builder, root);
      if (failed(weight))
        return failure();
      root.replaceAllUsesWith(*weight);
    }
  } while (!roots.empty());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (op.use_empty() && isConstantExpr(&op))
      op.erase();
  return success();
}

namespace {
struct HostConstants : mlir::ane::impl::HostConstantsBase<HostConstants> {
  void runOnOperation() override {
    if (!getOperation().isExternal() && failed(outlineWeights(getOperation())))
      signalPassFailure();
  }
};
} // namespace
