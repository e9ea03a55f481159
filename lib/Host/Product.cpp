//===- Product.cpp - operands of matrix products and convolutions ---------===//

#include "Product.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Window.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

void Span::simplify(SmallVector<int64_t> *along) {
  SmallVector<SmallVector<int64_t>> lists{strides};
  if (along)
    lists.push_back(*along);
  collapse(shape, lists);
  strides = lists[0];
  if (along)
    *along = lists[1];
}

bool Product::isDirect(const TileTable &tiles, FloatType compute) const {
  return !weight && columns.shape.size() == 1 && ySteps.shape.size() == 1 && columns.strides[0] == 1 &&
         llvm::any_of(tiles.tiles, [&](const RegisterTile &candidate) {
           return n % TileTable::scaled(candidate.columns(), compute) == 0;
         });
}

RegisterTile Product::tileOf(const TileTable &tiles, FloatType compute, int64_t given) const {
  bool direct = isDirect(tiles, compute);
  RegisterTile tile;
  double best = 0;
  for (RegisterTile candidate : tiles.tiles) {
    candidate.lanes = TileTable::scaled(candidate.lanes, compute);
    int64_t width = candidate.columns();
    if ((direct && n % width != 0) || (given && width != given))
      continue;
    double work = llvm::divideCeil(n, width) * width * candidate.cost;
    if (best == 0 || work < best) {
      best = work;
      tile = candidate;
    }
  }
  return tile;
}

std::optional<WeightBlocks> Product::blocks(FloatType compute) const {
  return weight && compute.isF32() ? WeightBlocks::of(*weight) : std::nullopt;
}

bool Product::isPacked() const {
  constexpr int64_t fewestRows = 32;
  if (weight || masked != None || m < fewestRows || rows.shape.size() != 1 || xSteps.shape.size() != 1)
    return false;
  bool isNear = xSteps.strides[0] == 1 && isDirect(TileTable(), Float32Type::get(y.getContext()));
  return !isNear || k > blockLength;
}

bool Product::fits() const {
  if (weight)
    return x != y;
  if (isPacked())
    return true;
  TileTable tiles;
  FloatType compute = Float32Type::get(y.getContext());
  return isDirect(tiles, compute) || k * tileOf(tiles, compute).columns() * 4 <= tiles.stackBytes;
}

std::optional<KernelKind> host::productKind(Operation *op) {
  if (isDepthwiseConv(op))
    return KernelKind::Depthwise;
  if (isa<MatmulOp, LinearOp>(op) ? isa<FloatType>(elementOf(op->getResult(0)))
                                  : isDirectConv(op) || isDirectTransposed(op))
    return KernelKind::Product;
  return std::nullopt;
}

//===-- convolutions ------------------------------------------------------===//

/// A float convolution of computed data with constant weights, after rewriteForKernels has taken padding and bias away.
static bool isPlainConv(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv || conv.getBias() || !isa<FloatType>(conv.getType().getElementType()))
    return false;
  Window window = conv.getWindow();
  auto isZero = [](int64_t v) { return v == 0; };
  return hasConstantWeight(op) && llvm::all_of(window.padBegin, isZero) && llvm::all_of(window.padEnd, isZero);
}

bool host::hasConstantWeight(Operation *conv) {
  return isWeight(trace(conv->getOperand(1)).root.getDefiningOp()) &&
         !isWeight(trace(conv->getOperand(0)).root.getDefiningOp());
}

bool host::isDepthwiseConv(Operation *op) {
  if (!isPlainConv(op))
    return false;
  int64_t channels = shapeOf(op->getOperand(0))[1];
  return channels > 1 && cast<ConvOp>(op).getGroups() == channels && shapeOf(op->getResult(0))[1] == channels;
}

bool host::isDirectConv(Operation *op) { return isPlainConv(op) && !isDepthwiseConv(op); }

static Product describeConv(ConvOp conv) {
  Product p;
  Window window = conv.getWindow();
  Access x = trace(conv.getX()), w = trace(conv.getWeight());
  size_t axes = window.kernel.size();
  int64_t groups = conv.getGroups();
  p.x = x.root;
  p.y = w.root;
  p.xOffset = x.base;
  p.n = p.columnsPerBatch = w.shape[0] / groups;
  int64_t channels = w.shape[1];
  p.batch = {groups};
  p.batchRows = {0};
  p.xBatch = {channels * x.strides[1]};
  p.rows.append(x.shape[0], x.strides[0]);
  StridedView view{w.base, {groups}, {p.n * w.strides[0]}};
  for (size_t i = 0; i < axes; ++i) {
    p.rows.append(window.output[i], x.strides[2 + i] * window.strides[i]);
    p.xSteps.append(window.kernel[i], x.strides[2 + i] * window.dilations[i]);
    view.shape.push_back(w.shape[2 + i]);
    view.strides.push_back(w.strides[2 + i]);
  }
  p.xSteps.append(channels, x.strides[1]);
  view.shape.append({channels, p.n});
  view.strides.append({w.strides[1], w.strides[0]});
  p.weight = Access(w.root, view);
  p.m = p.rows.count();
  p.k = p.xSteps.count();
  p.resultRows = rowMajorStrides(p.rows.shape);
  p.rows.simplify(&p.resultRows);
  p.xSteps.simplify();
  return p;
}

/// The taps of a transposed convolution's weight as one dimension.
static std::optional<StridedView> tapsOf(const Access &weight) {
  StridedView taps{weight.base, {}, {}};
  taps.shape.assign(weight.shape.begin() + 2, weight.shape.end());
  taps.strides.assign(weight.strides.begin() + 2, weight.strides.end());
  return taps.reshape({taps.numElements()});
}

bool host::isDirectTransposed(Operation *op) {
  auto conv = dyn_cast<ConvTransposeOp>(op);
  if (!conv || conv.getBias() || !isa<FloatType>(conv.getType().getElementType()) || !hasConstantWeight(op) ||
      conv.getGroups() != 1)
    return false;
  Window window = conv.getWindow();
  for (size_t i = 0; i < window.kernel.size(); ++i)
    if (window.kernel[i] != window.strides[i] || window.dilations[i] != 1 || window.padBegin[i] != 0 ||
        window.output[i] != shapeOf(conv.getX())[2 + i] * window.strides[i])
      return false;
  return tapsOf(trace(conv.getWeight())).has_value();
}

static Product describeTransposed(ConvTransposeOp conv) {
  Product p;
  Window window = conv.getWindow();
  Access x = trace(conv.getX()), w = trace(conv.getWeight());
  size_t axes = window.kernel.size();
  p.x = x.root;
  p.y = w.root;
  p.xOffset = x.base;
  p.n = w.shape[1];
  p.batch = window.kernel;
  p.xBatch.assign(axes, 0);
  // Rows of the result are [batch, output..].
  SmallVector<int64_t> lines{x.shape[0]};
  llvm::append_range(lines, window.output);
  lines = rowMajorStrides(lines);
  p.rows.append(x.shape[0], x.strides[0]);
  p.resultRows.push_back(lines[0]);
  for (size_t i = 0; i < axes; ++i) {
    p.rows.append(x.shape[2 + i], x.strides[2 + i]);
    p.resultRows.push_back(lines[1 + i] * window.strides[i]);
    p.batchRows.push_back(lines[1 + i]);
  }
  p.xSteps.append(x.shape[1], x.strides[1]);
  // The weight has one batch dimension: isDirectTransposed has seen that the taps are one.
  int64_t step = tapsOf(w)->strides[0];
  p.weight = Access(w.root, {w.base, {p.batches(), w.shape[0], p.n}, {step, w.strides[0], w.strides[1]}});
  p.m = p.rows.count();
  p.k = p.xSteps.count();
  p.rows.simplify(&p.resultRows);
  p.xSteps.simplify();
  return p;
}

//===-- matrix products ---------------------------------------------------===//

/// Swaps the last two dimensions.
static Access swapped(const Access &access) {
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, access.shape.size()));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return {access.root, access.transpose(perm)};
}

FailureOr<Product> host::describeProduct(Operation *op) {
  if (auto conv = dyn_cast<ConvOp>(op))
    return describeConv(conv);
  if (auto conv = dyn_cast<ConvTransposeOp>(op))
    return describeTransposed(conv);
  auto matmul = dyn_cast<MatmulOp>(op);
  bool transposeX = matmul && matmul.getTransposeX(), transposeY = !matmul || matmul.getTransposeY();
  Product p;
  Access x = trace(op->getOperand(0)), y = trace(op->getOperand(1));
  if (transposeX)
    x = swapped(x);
  if (transposeY)
    y = swapped(y);
  if (x.shape.size() == 1)
    x = Access(x.root, *x.reshape({1, x.shape[0]}));
  p.m = x.shape[x.shape.size() - 2];
  p.k = x.shape.back();
  p.n = y.shape.back();
  p.batch = llvm::to_vector(shapeOf(op->getResult(0)));
  p.batch.resize(std::max<int64_t>(0, static_cast<int64_t>(p.batch.size()) - 2));
  auto withBatch = [&](const Access &access) {
    SmallVector<int64_t> full(p.batch);
    full.append({access.shape[access.shape.size() - 2], access.shape.back()});
    return Access(access.root, *access.broadcast(full));
  };
  x = withBatch(x);
  bool sharedY = y.shape.size() == 2 || numElements(ArrayRef(y.shape).drop_back(2)) == 1;
  if (sharedY) {
    y = Access(y.root, {y.base, {p.k, p.n}, {y.strides[y.strides.size() - 2], y.strides.back()}});
    // All batch rows meet the same matrix: one tall product, if the rows of x are evenly spaced.
    int64_t rows = numElements(p.batch) * p.m;
    if (std::optional<StridedView> tall = x.reshape({rows, p.k})) {
      x = Access(x.root, *tall);
      p.batch.clear();
      p.m = rows;
    }
    if (isWeight(y.root.getDefiningOp()))
      p.weight = Access(y.root, {y.base, {1, p.k, p.n}, {0, y.strides[0], y.strides[1]}});
  }
  p.x = x.root;
  p.xOffset = x.base;
  p.xBatch.assign(x.strides.begin(), x.strides.end() - 2);
  p.rows.append(p.m, x.strides[x.strides.size() - 2]);
  p.xSteps.append(p.k, x.strides.back());
  y = withBatch(y);
  p.y = y.root;
  p.yOffset = y.base;
  p.yBatch.assign(y.strides.begin(), y.strides.end() - 2);
  p.ySteps.append(p.k, y.strides[y.strides.size() - 2]);
  p.columns.append(p.n, y.strides.back());
  p.resultRows = {1};
  p.batchRows = rowMajorStrides(p.batch);
  for (int64_t &stride : p.batchRows)
    stride *= p.m;
  if (StringAttr masked = attrs::masked.get(op))
    p.masked = masked == "scores" ? Product::Scores : Product::Values;
  return p;
}
