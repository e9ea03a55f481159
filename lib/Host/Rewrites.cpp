//===- Rewrites.cpp - ops written with ops that have kernels --------------===//

#include "Rewrites.h"
#include "Access.h"
#include "Kernel.h"
#include "OpView.h"
#include "RowOps.h"
#include "ane/IR/Window.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

Operation *host::createOp(OpBuilder &b, Location loc, StringRef name, ValueRange operands, Type type,
                          ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, name, operands, TypeRange(type), attributes);
  return b.create(state);
}

/// x W^T + bias as a product and an addition, which becomes the product's epilogue.
static bool splitBias(Operation *op) {
  if (OpView(op).name() != "linear" || op->getNumOperands() != 3)
    return false;
  OpBuilder b(op);
  Type type = op->getResult(0).getType();
  Operation *product = createOp(b, op->getLoc(), "ane.linear", {op->getOperand(0), op->getOperand(1)}, type);
  Operation *sum = createOp(b, op->getLoc(), "ane.add", {product->getResult(0), op->getOperand(2)}, type);
  op->getResult(0).replaceAllUsesWith(sum->getResult(0));
  op->erase();
  return true;
}

/// Axes that don't become one lane are moved to the end, and the tensor is copied so that they do: of a reduction, and
/// of a norm, whose result is moved back and whose scale and bias are copied where they are views.
static bool gatherReducedAxes(Operation *op) {
  bool isNorm = OpView(op).name() == "layer_norm" || OpView(op).name() == "rms_norm";
  if ((!isNorm && !OpView(op).name().starts_with("reduce_")) || !isRowReduction(op) || succeeded(buildRowProgram({op})))
    return false;
  OpBuilder b(op);
  Value x = op->getOperand(0);
  auto isViewed = [](Value value) { return value.getDefiningOp() && isView(value.getDefiningOp()); };
  if (isCopy(x.getDefiningOp()) && llvm::none_of(op->getOperands(), isViewed)) // made here, in vain
    return false;
  SmallVector<int64_t> axes = reductionAxes(op), perm, shape;
  for (bool last : {false, true})
    for (int64_t d = 0, rank = shapeOf(x).size(); d < rank; ++d)
      if (llvm::is_contained(axes, d) == last) {
        perm.push_back(d);
        shape.push_back(shapeOf(x)[d]);
      }
  auto transposed = [&](Value value, ArrayRef<int64_t> order, Type type) {
    return createOp(b, op->getLoc(), "ane.transpose", value, type,
                    b.getNamedAttr("perm", b.getDenseI64ArrayAttr(order)))
        ->getResult(0);
  };
  auto copied = [&](Value value) {
    return createOp(b, op->getLoc(), "ane.identity", value, value.getType(), b.getNamedAttr(copyMark, b.getUnitAttr()))
        ->getResult(0);
  };
  Type type = RankedTensorType::get(shape, elementOf(x)), resultType = op->getResult(0).getType();
  SmallVector<int64_t> last, kept(ArrayRef(shape).drop_back(axes.size()));
  for (size_t d = kept.size(); d < shape.size(); ++d)
    last.push_back(d);
  Operation *made = b.clone(*op);
  made->setOperand(0, copied(transposed(x, perm, type)));
  for (OpOperand &operand : llvm::drop_begin(made->getOpOperands()))
    if (isViewed(operand.get()))
      operand.set(copied(operand.get()));
  made->setAttr("axes", b.getDenseI64ArrayAttr(last));
  Value result = made->getResult(0);
  if (isNorm) {
    result.setType(type);
    SmallVector<int64_t> back(perm.size());
    for (auto [i, axis] : llvm::enumerate(perm))
      back[axis] = i;
    result = transposed(result, back, resultType);
  } else {
    made->setAttr("keep_dims", b.getBoolAttr(false));
    result.setType(RankedTensorType::get(kept, elementOf(x)));
    if (result.getType() != resultType)
      result = createOp(b, op->getLoc(), "ane.reshape", result, resultType,
                        b.getNamedAttr("shape", b.getDenseI64ArrayAttr(shapeOf(op->getResult(0)))))
                   ->getResult(0);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return true;
}

/// Block shuffles are a reshape, a transpose and a reshape: two views and at most one copy.
static bool rewriteShuffle(Operation *op) {
  StringRef name = OpView(op).name();
  OpView view(op);
  bool toSpace = name == "depth_to_space" || name == "pixel_shuffle";
  if (!toSpace && name != "space_to_depth" && name != "pixel_unshuffle")
    return false;
  int64_t f =
      view.integer(name.starts_with("pixel") ? (toSpace ? "upscale_factor" : "downscale_factor") : "block_size");
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
                    b.getNamedAttr("shape", b.getDenseI64ArrayAttr(shape)))
        ->getResult(0);
  };
  Value x = shaped(op->getOperand(0), split);
  x = createOp(b, op->getLoc(), "ane.transpose", x, RankedTensorType::get(moved, element),
               b.getNamedAttr("perm", b.getDenseI64ArrayAttr(perm)))
          ->getResult(0);
  op->getResult(0).replaceAllUsesWith(shaped(x, shapeOf(op->getResult(0))));
  op->erase();
  return true;
}

/// x padded for the windows of a convolution.
static Value padded(OpBuilder &b, Operation *op, const Window &window) {
  Value x = op->getOperand(0);
  SmallVector<int64_t> shape(shapeOf(x)), amounts;
  for (auto [i, before, after] : llvm::enumerate(window.padBegin, window.padEnd)) {
    amounts.append({before, after});
    shape[2 + i] += before + after;
  }
  if (llvm::all_of(amounts, [](int64_t v) { return v == 0; }))
    return x;
  return createOp(b, op->getLoc(), "ane.pad", x, RankedTensorType::get(shape, elementOf(x)),
                  b.getNamedAttr("pad", b.getDenseI64ArrayAttr(amounts)))
      ->getResult(0);
}

/// Replaces `op` by `result` plus the bias, one number per channel.
static void replaceWithBias(OpBuilder &b, Operation *op, Value result) {
  if (op->getNumOperands() == 3) {
    Value bias = op->getOperand(2);
    SmallVector<int64_t> wide(shapeOf(result).size(), 1);
    wide[1] = shapeOf(bias)[0];
    bias = createOp(b, op->getLoc(), "ane.reshape", bias, RankedTensorType::get(wide, elementOf(bias)),
                    b.getNamedAttr("shape", b.getDenseI64ArrayAttr(wide)))
               ->getResult(0);
    result = createOp(b, op->getLoc(), "ane.add", {result, bias}, result.getType())->getResult(0);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// A convolution with constant weights has kernels of its own, once padding and bias are ops of their own: the bias
/// joins the epilogue.
static bool splitConv(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv || isDirectConv(op) || isDepthwiseConv(op) || !hasConstantWeight(op) ||
      !isa<FloatType>(conv.getType().getElementType()))
    return false;
  OpBuilder b(op);
  Value x = padded(b, op, conv.getWindow());
  SmallVector<NamedAttribute> attributes{b.getNamedAttr("pad_type", b.getStringAttr("valid"))};
  for (StringRef name : {"strides", "dilations", "groups"})
    if (Attribute value = op->getAttr(name))
      attributes.push_back(b.getNamedAttr(name, value));
  Value result =
      createOp(b, op->getLoc(), "ane.conv", {x, op->getOperand(1)}, conv.getType(), attributes)->getResult(0);
  replaceWithBias(b, conv, result);
  return true;
}

/// The same for transposed convolutions; those that have no kernel of their own stay whole.
static bool splitTransposed(Operation *op) {
  if (!isa<ConvTransposeOp>(op) || op->getNumOperands() != 3)
    return false;
  OpBuilder b(op);
  Operation *bare = b.clone(*op);
  bare->eraseOperand(2);
  if (!isDirectTransposed(bare)) {
    bare->erase();
    return false;
  }
  replaceWithBias(b, op, bare->getResult(0));
  return true;
}

/// A convolution with computed weights is a product of the weights with the windows of the padded input; the windows
/// are a view, which the product packs panel by panel.
static bool rewriteConv(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv || isDirectConv(op) || isDepthwiseConv(op))
    return false;
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value weight = op->getOperand(1);
  Type element = elementOf(weight);
  Window window = conv.getWindow();
  size_t axes = window.kernel.size();
  auto make = [&](StringRef name, Value in, ArrayRef<int64_t> shape, ArrayRef<NamedAttribute> attributes) {
    return createOp(b, loc, name, in, RankedTensorType::get(shape, elementOf(in)), attributes)->getResult(0);
  };
  auto reshape = [&](Value in, ArrayRef<int64_t> shape) {
    return make("ane.reshape", in, shape, b.getNamedAttr("shape", b.getDenseI64ArrayAttr(shape)));
  };
  Value x = padded(b, op, window);
  SmallVector<int64_t> shape(shapeOf(x));
  // [N, C, O0, K0, O1, K1, ..]
  for (size_t i = 0; i < axes; ++i) {
    int64_t axis = 2 + 2 * i;
    shape[axis] = window.output[i];
    shape.insert(shape.begin() + axis + 1, window.kernel[i]);
    x = make("ane.sliding_windows", x, shape,
             {b.getNamedAttr("axis", b.getI64IntegerAttr(axis)),
              b.getNamedAttr("size", b.getI64IntegerAttr(window.kernel[i])),
              b.getNamedAttr("stride", b.getI64IntegerAttr(window.strides[i])),
              b.getNamedAttr(dilationMark, b.getI64IntegerAttr(window.dilations[i]))});
  }
  // [N, G, C/G, K0, K1, .., O0, O1, ..]
  int64_t groups = OpView(op).integer("groups", 1), batch = shape[0], channels = shapeOf(weight)[0];
  shape[1] /= groups;
  shape.insert(shape.begin() + 1, groups);
  x = reshape(x, shape);
  SmallVector<int64_t> perm{0, 1, 2}, moved;
  for (size_t i = 0; i < axes; ++i)
    perm.push_back(3 + 2 * i + 1);
  for (size_t i = 0; i < axes; ++i)
    perm.push_back(3 + 2 * i);
  for (int64_t d : perm)
    moved.push_back(shape[d]);
  x = make("ane.transpose", x, moved, b.getNamedAttr("perm", b.getDenseI64ArrayAttr(perm)));
  int64_t k = numElements(ArrayRef(moved).slice(2, 1 + axes)), n = numElements(ArrayRef(moved).take_back(axes));
  x = reshape(x, {batch, groups, k, n});
  Value w = reshape(weight, {1, groups, channels / groups, k});
  Type productType = RankedTensorType::get({batch, groups, channels / groups, n}, element);
  Value result = createOp(b, loc, "ane.matmul", {w, x}, productType)->getResult(0);
  result = reshape(result, shapeOf(op->getResult(0)));
  replaceWithBias(b, conv, result);
  return true;
}

bool host::rewriteForKernels(Operation *op) {
  return splitBias(op) || gatherReducedAxes(op) || rewriteShuffle(op) || splitConv(op) || splitTransposed(op) ||
         rewriteConv(op) || rewriteChannelOp(op) || rewriteResize(op) || rewriteRecurrent(op);
}
