//===- Prepare.cpp - make a function ready for clustering -----------------===//

#include "Generic.h"
#include "OpView.h"
#include "Plan.h"
#include "RowOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

static constexpr StringLiteral copyMark = "host.copy";

bool host::isCopy(Operation *op) { return op && op->hasAttr(copyMark); }

static Operation *createOp(OpBuilder &b, Location loc, StringRef name, ValueRange operands, Type type,
                           ArrayRef<NamedAttribute> attributes = {}) {
  OperationState state(loc, name, operands, TypeRange(type), attributes);
  return b.create(state);
}

/// x W^T + bias as a product and an addition, which becomes the product's epilogue.
static void splitBias(Operation *op) {
  OpBuilder b(op);
  Type type = op->getResult(0).getType();
  Operation *product = createOp(b, op->getLoc(), "ane.linear", {op->getOperand(0), op->getOperand(1)}, type);
  Operation *sum = createOp(b, op->getLoc(), "ane.add", {product->getResult(0), op->getOperand(2)}, type);
  op->getResult(0).replaceAllUsesWith(sum->getResult(0));
  op->erase();
}

/// Reduced axes that don't become one lane are moved to the end, and the tensor is copied so that they do.
static void gatherReducedAxes(Operation *op) {
  if (!OpView(op).name().starts_with("reduce_") || !isRowReduction(op) || succeeded(buildRowProgram({op})))
    return;
  OpBuilder b(op);
  Value x = op->getOperand(0);
  SmallVector<int64_t> axes = reductionAxes(op), perm, shape;
  for (bool last : {false, true})
    for (int64_t d = 0, rank = shapeOf(x).size(); d < rank; ++d)
      if (llvm::is_contained(axes, d) == last) {
        perm.push_back(d);
        shape.push_back(shapeOf(x)[d]);
      }
  Type type = RankedTensorType::get(shape, elementOf(x)), resultType = op->getResult(0).getType();
  Value moved = createOp(b, op->getLoc(), "ane.transpose", x, type,
                         b.getNamedAttr("perm", b.getDenseI64ArrayAttr(perm)))->getResult(0);
  moved = createOp(b, op->getLoc(), "ane.identity", moved, type, b.getNamedAttr(copyMark, b.getUnitAttr()))->getResult(0);
  SmallVector<int64_t> last, kept(ArrayRef(shape).drop_back(axes.size()));
  for (size_t d = kept.size(); d < shape.size(); ++d)
    last.push_back(d);
  Value result = createOp(b, op->getLoc(), op->getName().getStringRef(), moved, RankedTensorType::get(kept, elementOf(x)),
                          {b.getNamedAttr("axes", b.getDenseI64ArrayAttr(last)),
                           b.getNamedAttr("keep_dims", b.getBoolAttr(false))})->getResult(0);
  if (result.getType() != resultType)
    result = createOp(b, op->getLoc(), "ane.reshape", result, resultType,
                      b.getNamedAttr("shape", b.getDenseI64ArrayAttr(shapeOf(op->getResult(0)))))->getResult(0);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Block shuffles are a reshape, a transpose and a reshape: two views and at most one copy.
static bool rewriteShuffle(Operation *op) {
  StringRef name = OpView(op).name();
  OpView view(op);
  bool toSpace = name == "depth_to_space" || name == "pixel_shuffle";
  if (!toSpace && name != "space_to_depth" && name != "pixel_unshuffle")
    return false;
  int64_t f = view.integer(name.starts_with("pixel") ? (toSpace ? "upscale_factor" : "downscale_factor") : "block_size");
  ArrayRef<int64_t> s = shapeOf(op->getOperand(0));
  SmallVector<int64_t> split, perm;
  if (name == "depth_to_space")
    split = {s[0], f, f, s[1] / (f * f), s[2], s[3]}, perm = {0, 3, 4, 1, 5, 2};
  else if (name == "pixel_shuffle")
    split = {s[0], s[1] / (f * f), f, f, s[2], s[3]}, perm = {0, 1, 4, 2, 5, 3};
  else
    split = {s[0], s[1], s[2] / f, f, s[3] / f, f};
  if (name == "space_to_depth")
    perm = {0, 3, 5, 1, 2, 4};
  else if (name == "pixel_unshuffle")
    perm = {0, 1, 3, 5, 2, 4};
  OpBuilder b(op);
  Type element = elementOf(op->getOperand(0));
  SmallVector<int64_t> moved;
  for (int64_t d : perm)
    moved.push_back(split[d]);
  auto shaped = [&](Value x, ArrayRef<int64_t> shape) {
    return createOp(b, op->getLoc(), "ane.reshape", x, RankedTensorType::get(shape, element),
                    b.getNamedAttr("shape", b.getDenseI64ArrayAttr(shape)))->getResult(0);
  };
  Value x = shaped(op->getOperand(0), split);
  x = createOp(b, op->getLoc(), "ane.transpose", x, RankedTensorType::get(moved, element),
               b.getNamedAttr("perm", b.getDenseI64ArrayAttr(perm)))->getResult(0);
  op->getResult(0).replaceAllUsesWith(shaped(x, shapeOf(op->getResult(0))));
  op->erase();
  return true;
}

static bool hasKernel(Operation *op) {
  return isa<ConstOp>(op) || isView(op) || isRowOp(op) || isGemm(op) || isCopy(op) || hasGenericLowering(op);
}

static LogicalResult decomposeAll(func::FuncOp function) {
  // New ops are visited, too: a decomposition may use ops that decompose.
  SmallVector<Operation *> work;
  for (Operation &op : function.getBody().front().without_terminator())
    work.push_back(&op);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i];
    if (op->use_empty() && isMemoryEffectFree(op)) {
      op->erase();
      continue;
    }
    if (OpView(op).name() == "linear" && op->getNumOperands() == 3) {
      splitBias(op);
      continue;
    }
    if (rewriteShuffle(op))
      continue;
    if (hasKernel(op)) {
      gatherReducedAxes(op);
      continue;
    }
    auto decomposable = dyn_cast<DecomposableOpInterface>(op);
    if (!decomposable)
      return op->emitOpError() << "has no CPU lowering (operands " << op->getOperandTypes() << ", results "
                               << op->getResultTypes() << ")";
    Operation *before = op->getPrevNode();
    OpBuilder b(op);
    FailureOr<SmallVector<Value>> values = decomposable.decompose(b);
    if (failed(values))
      return op->emitOpError() << "has no CPU lowering and does not decompose (operands " << op->getOperandTypes()
                               << ", results " << op->getResultTypes() << ")";
    Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
    for (Operation *made = first; made != op; made = made->getNextNode())
      work.push_back(made);
    op->replaceAllUsesWith(*values);
    op->erase();
  }
  return success();
}

/// A returned value is written by its kernel directly where that is the only returned view of the kernel's result, and
/// shows it element for element.
static void insertCopies(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::SmallPtrSet<void *, 8> taken;
  OpBuilder b(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    Access access = trace(operand.get());
    Operation *producer = access.root.getDefiningOp();
    bool direct = producer && !isa<ConstOp>(producer) && access.isDense() &&
                  elementOf(access.root) == elementOf(operand.get());
    if (direct && taken.insert(access.root.getAsOpaquePointer()).second)
      continue;
    Operation *copy = createOp(b, operand.get().getLoc(), "ane.identity", operand.get(), operand.get().getType(),
                               b.getNamedAttr(copyMark, b.getUnitAttr()));
    operand.set(copy->getResult(0));
  }
}

LogicalResult host::prepareFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has control flow; CPU functions are straight-line");
  if (failed(decomposeAll(function)))
    return failure();
  insertCopies(function);
  return success();
}
