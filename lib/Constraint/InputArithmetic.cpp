//===- InputArithmetic.cpp - what is computed from inputs alone -----------===//

#include "ane/Constraint/InputArithmetic.h"
#include "OpGroups.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/StateAccess.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::ane;

/// Terms that a product may sum and still be arithmetic: angles are products of positions and frequencies, with one
/// term.
static constexpr int64_t mostTerms = 8;

static bool isWideFloat(Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value));
  return type && type.getWidth() > 16;
}

/// Whether the CPU computes an op at the cost of reading its operands.
static bool isArithmetic(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmul.getDepth() <= mostTerms;
  if (auto linear = dyn_cast<LinearOp>(op))
    return linear.getDepth() <= mostTerms;
  if (auto conv = dyn_cast<ConvOp>(op))
    return conv.getWeight().getType().getNumElements() <= mostTerms * conv.getWeight().getType().getDimSize(0);
  return op->hasTrait<BroadcastElementwise>() || isa<StridedViewOpInterface>(op) || isIn(OpGroup::Reductions, op) ||
         isa<PadOp, CumsumOp, FillLikeOp, GatherOp, GatherNdOp, GatherAlongAxisOp, ScatterOp, ScatterNdOp,
             ScatterAlongAxisOp, OneHotOp, ResizeOp, ResizeBilinearOp, ResizeNearestNeighborOp, UpsampleBilinearOp,
             UpsampleNearestNeighborOp>(op);
}

bool mlir::ane::keepsElements(Operation *op) {
  return isa<StridedViewOpInterface, ConcatOp, StackOp, SplitOp, TileOp, AbsOp, NegOp, ReluOp, ReduceMaxOp,
             ReduceMinOp>(op);
}

InputArithmetic::InputArithmetic(Operation *root) {
  auto function = dyn_cast<func::FuncOp>(root);
  if (!function || !isa_and_nonnull<ModuleOp>(function->getParentOp()) || !function.getBody().hasOneBlock())
    return;
  for (BlockArgument argument : function.getArguments())
    found[argument] = Input;
  for (Operation &op : function.front())
    if (Kind kind = stateAccessOf(&op).onlyReads() ? Input : kindOf(&op); kind != None)
      for (Value result : op.getResults())
        found[result] = kind;
}

InputArithmetic::Kind InputArithmetic::kindOf(Operation *op) const {
  bool readsKnown = false;
  for (Value operand : op->getOperands()) {
    if (contains(operand))
      readsKnown = true;
    else if (!isConstantExpr(operand))
      return None;
  }
  if (!readsKnown || !(isArithmetic(op) || keepsElements(op)))
    return None;
  bool readsInputs = llvm::all_of(op->getOperands(), [&](Value operand) { return isInput(operand); });
  return keepsElements(op) && readsInputs ? Input : Computed;
}

bool mlir::ane::looksAtSigns(Operation *op) {
  return isa<SignOp>(op) ||
         (op->getNumOperands() == 2 && isa<GreaterOp, GreaterEqualOp, LessOp, LessEqualOp, EqualOp, NotEqualOp>(op) &&
          llvm::any_of(op->getOperands(), [](Value operand) { return getSplat(operand) == 0.0; }));
}

bool mlir::ane::isStep(Operation *op) {
  if (!llvm::any_of(op->getOperands(), isWideFloat))
    return false;
  return isIn(OpGroup::Roundings, op) || isa<ModOp, FloorDivOp, SignOp>(op) ||
         llvm::any_of(op->getResults(), [](Value result) { return !isa<FloatType>(getElementTypeOrSelf(result)); });
}
