//===- Rewrites.cpp - ops written with ops that have kernels --------------===//

#include "Rewrites.h"
#include "Access.h"
#include "Kernel.h"
#include "RowOps.h"
#include "ane/IR/ANE.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Window.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

Value host::createCopy(OpBuilder &b, Location loc, Value x) {
  auto copy = b.create<IdentityOp>(loc, x);
  copy->setAttr(copyMark, b.getUnitAttr());
  return copy;
}

/// x W^T + bias as a product and an addition, which becomes the product's epilogue.
static bool splitBias(Operation *op) {
  auto linear = dyn_cast<LinearOp>(op);
  if (!linear || !linear.getBias())
    return false;
  Maker m(op);
  Value product = m.make<LinearOp>(linear.getX(), linear.getWeight(), Value());
  m.replace(m.add(product, m.castLike(linear.getBias(), product)));
  return true;
}

/// Axes that don't become one lane are moved to the end, and the tensor is copied so that they do: of a reduction, and
/// of a norm, whose result is moved back and whose scale and bias are copied where they are views.
static bool gatherReducedAxes(Operation *op) {
  bool isNorm = isa<LayerNormOp, RmsNormOp>(op);
  if (!isRowReduction(op) || isa<SoftmaxOp>(op) || succeeded(buildRowProgram({op})))
    return false;
  Maker m(op);
  OpBuilder &b = m.b;
  Value x = op->getOperand(0);
  auto isViewed = [](Value value) { return value.getDefiningOp() && isView(value.getDefiningOp()); };
  if (isCopy(x.getDefiningOp()) && llvm::none_of(op->getOperands(), isViewed)) // made here, in vain
    return false;
  SmallVector<int64_t> axes = cast<ReductionOpInterface>(op).getReducedAxes(), perm, shape;
  for (bool last : {false, true})
    for (int64_t d = 0, rank = shapeOf(x).size(); d < rank; ++d)
      if (llvm::is_contained(axes, d) == last) {
        perm.push_back(d);
        shape.push_back(shapeOf(x)[d]);
      }
  Type type = RankedTensorType::get(shape, elementOf(x));
  SmallVector<int64_t> last, kept(ArrayRef(shape).drop_back(axes.size()));
  for (size_t d = kept.size(); d < shape.size(); ++d)
    last.push_back(d);
  SmallVector<Value> operands{m.copy(m.transpose(x, perm))};
  for (Value operand : llvm::drop_begin(op->getOperands()))
    operands.push_back(isViewed(operand) ? m.copy(operand) : operand);
  Operation *made = b.clone(*op);
  made->setOperands(operands);
  made->setAttr("axes", b.getDenseI64ArrayAttr(last));
  Value result = made->getResult(0);
  if (isNorm) {
    result.setType(type);
    SmallVector<int64_t> back(perm.size());
    for (auto [i, axis] : llvm::enumerate(perm))
      back[axis] = i;
    result = m.transpose(result, back);
  } else {
    made->setAttr("keep_dims", b.getBoolAttr(false));
    result.setType(RankedTensorType::get(kept, elementOf(x)));
    result = m.reshape(result, shapeOf(op->getResult(0)));
  }
  m.replace(result);
  return true;
}

/// Block shuffles are a reshape, a transpose and a reshape: two views and at most one copy.
static bool rewriteShuffle(Operation *op) {
  if (!isa<DepthToSpaceOp, PixelShuffleOp, SpaceToDepthOp, PixelUnshuffleOp>(op))
    return false;
  ArrayRef<int64_t> s = shapeOf(op->getOperand(0));
  using Order = std::pair<SmallVector<int64_t>, SmallVector<int64_t>>;
  Order order = TypeSwitch<Operation *, Order>(op)
                    .Case([&](DepthToSpaceOp op) -> Order {
                      int64_t f = op.getBlockSize();
                      return {{s[0], f, f, s[1] / (f * f), s[2], s[3]}, {0, 3, 4, 1, 5, 2}};
                    })
                    .Case([&](PixelShuffleOp op) -> Order {
                      int64_t f = op.getUpscaleFactor();
                      return {{s[0], s[1] / (f * f), f, f, s[2], s[3]}, {0, 1, 4, 2, 5, 3}};
                    })
                    .Case([&](SpaceToDepthOp op) -> Order {
                      int64_t f = op.getBlockSize();
                      return {{s[0], s[1], s[2] / f, f, s[3] / f, f}, {0, 3, 5, 1, 2, 4}};
                    })
                    .Case([&](PixelUnshuffleOp op) -> Order {
                      int64_t f = op.getDownscaleFactor();
                      return {{s[0], s[1], s[2] / f, f, s[3] / f, f}, {0, 1, 3, 5, 2, 4}};
                    });
  Maker m(op);
  m.replace(m.reshape(m.transpose(m.reshape(op->getOperand(0), order.first), order.second), shapeOf(op->getResult(0))));
  return true;
}

/// x padded for the windows of a convolution.
static Value padded(Maker &m, const Window &window) {
  SmallVector<int64_t> amounts;
  for (auto [before, after] : llvm::zip_equal(window.padBegin, window.padEnd))
    amounts.append({before, after});
  Value x = m.op->getOperand(0);
  return llvm::all_of(amounts, [](int64_t v) { return v == 0; }) ? x : m.pad(x, amounts);
}

/// Replaces the op by `result` plus the bias, one number per channel.
static void replaceWithBias(Maker &m, Value result, Value bias) {
  if (bias) {
    SmallVector<int64_t> wide(shapeOf(result).size(), 1);
    wide[1] = shapeOf(bias)[0];
    result = m.add(result, m.castLike(m.reshape(bias, wide), result));
  }
  m.replace(result);
}

/// A convolution with constant weights has kernels of its own, once padding and bias are ops of their own: the bias
/// joins the epilogue.
static bool splitConv(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv || isDirectConv(op) || isDepthwiseConv(op) || !hasConstantWeight(op) ||
      !isa<FloatType>(conv.getType().getElementType()))
    return false;
  Maker m(op);
  Value result = m.make<ConvOp>(padded(m, conv.getWindow()), conv.getWeight(), Value(), conv.getStridesAttr(), "valid",
                                DenseI64ArrayAttr(), conv.getDilationsAttr(), conv.getGroups());
  replaceWithBias(m, result, conv.getBias());
  return true;
}

/// The same for transposed convolutions; those that have no kernel of their own stay whole.
static bool splitTransposed(Operation *op) {
  auto conv = dyn_cast<ConvTransposeOp>(op);
  if (!conv || !conv.getBias())
    return false;
  Maker m(op);
  auto bare = cast<ConvTransposeOp>(m.b.clone(*op));
  bare.getBiasMutable().clear();
  if (!isDirectTransposed(bare)) {
    bare->erase();
    return false;
  }
  replaceWithBias(m, bare.getResult(), conv.getBias());
  return true;
}

/// A convolution with computed weights is a product of the weights with the windows of the padded input; the windows
/// are a view, which the product packs panel by panel.
static bool rewriteConv(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv || isDirectConv(op) || isDepthwiseConv(op))
    return false;
  Maker m(op);
  Value weight = conv.getWeight();
  Window window = conv.getWindow();
  size_t axes = window.kernel.size();
  Value x = padded(m, window);
  // [N, C, O0, K0, O1, K1, ..]; windows of a dilated convolution take every so many elements.
  for (size_t i = 0; i < axes; ++i) {
    int64_t axis = 2 + 2 * i, dilation = window.dilations[i];
    x = m.make<SlidingWindowsOp>(x, axis, windowExtent(window.kernel[i], dilation), window.strides[i]);
    if (dilation == 1)
      continue;
    SmallVector<int64_t> begin(shapeOf(x).size(), 0), end(shapeOf(x)), stride(shapeOf(x).size(), 1);
    stride[axis + 1] = dilation;
    x = m.make<SliceByIndexOp>(x, begin, end, m.b.getDenseI64ArrayAttr(stride), DenseBoolArrayAttr(),
                               DenseBoolArrayAttr(), DenseBoolArrayAttr());
  }
  // [N, G, C/G, K0, K1, .., O0, O1, ..]
  int64_t groups = conv.getGroups(), batch = shapeOf(x)[0], channels = shapeOf(weight)[0];
  SmallVector<int64_t> shape(shapeOf(x));
  shape[1] /= groups;
  shape.insert(shape.begin() + 1, groups);
  SmallVector<int64_t> perm{0, 1, 2};
  for (size_t i = 0; i < axes; ++i)
    perm.push_back(3 + 2 * i + 1);
  for (size_t i = 0; i < axes; ++i)
    perm.push_back(3 + 2 * i);
  x = m.transpose(m.reshape(x, shape), perm);
  int64_t k = numElements(shapeOf(x).slice(2, 1 + axes)), n = numElements(shapeOf(x).take_back(axes));
  x = m.reshape(x, {batch, groups, k, n});
  Value w = m.castLike(m.reshape(weight, {1, groups, channels / groups, k}), x);
  Value result = m.reshape(m.make<MatmulOp>(w, x), shapeOf(op->getResult(0)));
  replaceWithBias(m, result, conv.getBias());
  return true;
}

/// Zeros with one update along an axis, such as the gradient of what the cross-entropy has picked: element by element,
/// so that what reads them computes them where it needs them.
static bool rewriteScatterOfOne(Operation *op) {
  auto scatter = dyn_cast<ScatterAlongAxisOp>(op);
  if (!scatter || !isa<FloatType>(scatter.getType().getElementType()) ||
      !llvm::is_contained({"add", "update"}, scatter.getMode()) ||
      splatConstant(trace(scatter.getData()).root).value_or(1) != 0)
    return false;
  int64_t axis = scatter.getAxisFromFront(), size = shapeOf(op->getResult(0))[axis];
  SmallVector<int64_t> one(shapeOf(op->getResult(0))), places(one.size(), 1);
  one[axis] = 1;
  places[axis] = size;
  Value index = scatter.getIndices();
  auto type = cast<IntegerType>(elementOf(index));
  if (shapeOf(index) != ArrayRef(one) || size > std::numeric_limits<int32_t>::max() || type.isUnsigned())
    return false;
  Maker m(op);
  Type narrow = m.b.getI32Type();
  if (type.getWidth() < 32)
    index = m.cast(index, narrow); // the axis may be longer than its type counts
  // Negative indices count from the end, and none is beyond.
  Value isNegative = m.make<LessOp>(index, m.scalar(index, 0));
  index = m.make<SelectOp>(isNegative, m.add(index, m.scalar(index, size)), index);
  index = m.make<MaximumOp>(m.make<MinimumOp>(index, m.scalar(index, size - 1)), m.scalar(index, 0));
  Value place = m.reshape(createIndices(m.b, op->getLoc(), llvm::to_vector(llvm::seq(size)), narrow), places);
  Value isHere = m.make<EqualOp>(m.cast(index, narrow), place);
  m.replace(m.make<SelectOp>(isHere, scatter.getUpdates(), m.scalar(scatter.getUpdates(), 0)));
  return true;
}

/// Blocks of a model file, which no kernel expands into memory, are a constant of the weight file.
static bool evaluateBlocks(Operation *op) {
  if (!isa<ConstexprBlocksOp>(op) || !isConstantExpr(op))
    return false;
  Maker m(op);
  m.replace(outlineConstantExpr(m.b, op->getResult(0)));
  return true;
}

bool host::rewriteForKernels(Operation *op) {
  return evaluateBlocks(op) || splitBias(op) || gatherReducedAxes(op) || rewriteShuffle(op) || splitConv(op) ||
         splitTransposed(op) || rewriteConv(op) || rewriteChannelOp(op) || rewriteResize(op) || rewriteRecurrent(op) ||
         rewriteScatterOfOne(op);
}
