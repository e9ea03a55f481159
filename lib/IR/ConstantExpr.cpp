//===- ConstantExpr.cpp - values computed from constants alone ------------===//

#include "ane/IR/ConstantExpr.h"
#include "ConstantMove.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/Matchers.h"
#include "ane/Support/Saturate.h"

using namespace mlir;
using namespace mlir::ane;

/// The bound is what makes the question cheap: most values that are asked about hang on long chains of computed ones.
/// Expressions of more levels are cut by ane-seal-constants.
static constexpr int maxLevels = 2 * mostConstantLevels;

/// Whether one of the operands below `op`, followed from each op to the first that is computed, is no constant. This
/// answers most questions without looking at all operands, and at what the ops are.
static bool hangsOnChain(Operation *op) {
  for (int level = 0; level < maxLevels; ++level) {
    Operation *next = nullptr;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer)
        return true;
      if (!next && !isa<ConstOp, BlobOp>(producer))
        next = producer;
    }
    if (!next)
      return false;
    op = next;
  }
  return true;
}

/// The levels of ops above constants in an expression; nothing if `op` is no constant expression or has more than
/// `most`. `known` holds what was found before: without it, a chain of x + x would be walked 2^n times.
static std::optional<int> levelsOf(Operation *op, int most, llvm::SmallDenseMap<Operation *, int, 16> &known) {
  if (isa<ConstOp, BlobOp>(op))
    return 0;
  if (most == 0)
    return std::nullopt;
  if (auto found = known.find(op); found != known.end())
    return found->second <= most ? std::optional<int>(found->second) : std::nullopt;
  if (op->getNumOperands() == 0 || op->getNumRegions() != 0 || op->getNumResults() == 0 ||
      !isa_and_nonnull<ANEDialect>(op->getDialect()) || !canEvaluate(op))
    return std::nullopt;
  if (llvm::any_of(op->getOperands(), [](Value operand) { return !operand.getDefiningOp(); }))
    return std::nullopt;
  int levels = 1;
  for (Value operand : op->getOperands()) {
    std::optional<int> below = levelsOf(operand.getDefiningOp(), most - 1, known);
    if (!below)
      return std::nullopt;
    levels = std::max(levels, *below + 1);
  }
  known[op] = levels;
  return levels;
}

bool mlir::ane::isConstantExpr(Operation *op) {
  if (hangsOnChain(op))
    return false;
  llvm::SmallDenseMap<Operation *, int, 16> known;
  return levelsOf(op, maxLevels, known).has_value();
}

bool mlir::ane::isConstantExpr(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isConstantExpr(op);
}

LogicalResult mlir::ane::verifyConstantRegion(Operation *op, Region &region, Type type) {
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield || yield.getNumOperands() != 1 || yield.getOperand(0).getType() != type)
    return op->emitOpError() << "must yield one value of type " << type;
  if (!isConstantExpr(yield.getOperand(0)))
    return op->emitOpError("must yield a value computed from constants alone");
  return success();
}

Value mlir::ane::cloneConstantExpr(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneConstantExpr(builder, operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

BlobOp mlir::ane::outlineConstantExpr(OpBuilder &builder, Value value) {
  auto blob =
      builder.create<BlobOp>(value.getLoc(), cast<RankedTensorType>(value.getType()), /*file=*/"", /*offset=*/64);
  OpBuilder body(builder.getContext());
  body.setInsertionPointToEnd(&blob.getBody().emplaceBlock());
  IRMapping mapping;
  Value root = cloneConstantExpr(body, value, mapping);
  body.create<YieldOp>(value.getLoc(), root);
  return blob;
}

bool mlir::ane::movesWeight(Operation *op) {
  return isa<ConstOp, BlobOp, CastOp, ConstexprBlocksOp>(op) || movedOperand(op);
}

GroupBorder mlir::ane::borderOf(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 16> members(ops.begin(), ops.end());
  llvm::SmallSetVector<Value, 8> inputs, results;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!isConstantExpr(operand) && !members.contains(operand.getDefiningOp()))
        inputs.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !members.contains(user); }))
        results.insert(result);
  }
  return {inputs.takeVector(), results.takeVector()};
}

std::optional<double> mlir::ane::getSplat(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isa<CastOp, ReshapeOp, ExpandDimsOp, SqueezeOp, RelayoutOp, NarrowOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto constant = dyn_cast_or_null<ConstOp>(op);
  if (!constant)
    return std::nullopt;
  return getSplat(Attribute(constant.getValue()));
}

Value mlir::ane::createSplat(OpBuilder &builder, Location loc, RankedTensorType type, double splat) {
  Attribute element = isa<FloatType>(type.getElementType())
                          ? Attribute(builder.getFloatAttr(type.getElementType(), splat))
                          : Attribute(builder.getIntegerAttr(type.getElementType(), saturatingInt(splat)));
  return builder.create<ConstOp>(loc, DenseElementsAttr::get(type, element));
}
