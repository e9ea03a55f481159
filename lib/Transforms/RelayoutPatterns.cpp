//===- RelayoutPatterns.cpp - how relayouts move --------------------------===//

#include "RelayoutPatterns.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Rebuild.h"

using namespace mlir;
using namespace mlir::ane;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

//===-- raising and lowering ----------------------------------------------===//

namespace {
template <typename Op>
struct RaiseReshape : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (isConstantExpr(op.getOperation()))
      return failure();
    auto type = cast<RankedTensorType>(op.getType());
    rewriter.replaceOp(op, RelayoutOp::create(rewriter, op.getLoc(), op.getX(),
                                              Relayout::reshape(type.getNumElements()), type.getShape()));
    return success();
  }
};

struct RaiseTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    if (isConstantExpr(op.getOperation()))
      return failure();
    rewriter.replaceOp(op, RelayoutOp::create(rewriter, op.getLoc(), op.getX(),
                                              Relayout::transpose(shapeOf(op.getX()), op.getPerm()), shapeOf(op)));
    return success();
  }
};

struct LowerRelayout : OpRewritePattern<RelayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RelayoutOp op, PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> values = op.decompose(rewriter);
    if (failed(values))
      return failure();
    rewriter.replaceOp(op, *values);
    return success();
  }
};

//===-- composing ---------------------------------------------------------===//

struct ComposeRelayouts : OpRewritePattern<RelayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RelayoutOp op, PatternRewriter &rewriter) const override {
    auto producer = op.getX().getDefiningOp<RelayoutOp>();
    if (!producer)
      return failure();
    std::optional<Relayout> both = producer.getRelayout().then(op.getRelayout());
    if (!both)
      return failure();
    rewriter.replaceOp(op, RelayoutOp::create(rewriter, op.getLoc(), producer.getX(), *both, shapeOf(op)));
    return success();
  }
};

//===-- sinking -----------------------------------------------------------===//

/// A relayout seen through the dimensions at its two ends.
struct Atoms {
  Relayout layout;             // refined by both shapes, no atom of size 1
  SmallVector<int64_t> source; // dimension of the source that contains each atom (source order)
  SmallVector<int64_t> result; // dimension of the result that contains each atom (source order)

  /// Nothing, too, where the source has more axes than ops of the engine may see (C21): nothing sinks then.
  static std::optional<Atoms> get(RelayoutOp op) {
    if (shapeOf(op.getX()).size() > 4)
      return std::nullopt;
    auto layout = op.getRelayout().refined(shapeOf(op.getX()), shapeOf(op));
    if (!layout)
      return std::nullopt;
    Atoms atoms{*layout, atomDims(layout->expand, shapeOf(op.getX())), {}};
    SmallVector<int64_t> byPosition = atomDims(layout->permuted(), shapeOf(op));
    atoms.result.resize(byPosition.size());
    for (auto [i, p] : llvm::enumerate(layout->perm))
      atoms.result[p] = byPosition[i];
    return atoms;
  }

  /// The source dimensions made of the atoms for which `in` holds; nothing if a dimension is only partly.
  std::optional<llvm::SmallBitVector> sourceDims(size_t rank, llvm::function_ref<bool(size_t)> in) const {
    llvm::SmallBitVector dims(rank), others(rank);
    for (size_t i = 0; i < source.size(); ++i)
      (in(i) ? dims : others).set(source[i]);
    if (dims.anyCommon(others))
      return std::nullopt;
    return dims;
  }

  /// The relayout restricted to the atoms for which `in` holds.
  Relayout restricted(llvm::function_ref<bool(size_t)> in) const {
    Relayout out;
    SmallVector<int64_t> index(source.size(), -1);
    for (size_t i = 0; i < source.size(); ++i)
      if (in(i)) {
        index[i] = out.expand.size();
        out.expand.push_back(layout.expand[i]);
      }
    for (int64_t p : layout.perm)
      if (index[p] >= 0)
        out.perm.push_back(index[p]);
    return out.expand.empty() ? Relayout::reshape(1) : out;
  }
};

/// True if `layout` on `value` costs nothing at run time.
bool isFree(Value value, const Relayout &layout) {
  if (isConstantExpr(value) || layout.isReshape())
    return true;
  auto producer = value.getDefiningOp<RelayoutOp>();
  if (!producer)
    return false;
  std::optional<Relayout> both = producer.getRelayout().then(layout);
  return both && both->isReshape();
}

/// What an operand must become to broadcast to the source of a relayout that sinks.
struct PulledOperand {
  Relayout layout;
  SmallVector<int64_t> shape;

  Value build(PatternRewriter &rewriter, Value operand) const {
    if (shapeOf(operand).empty())
      return operand;
    return RelayoutOp::create(rewriter, operand.getLoc(), operand, layout, shape);
  }
};

/// `operand`, which broadcasts to the result of `relayout`, as it must look to broadcast to the source of `relayout`.
/// Nothing if it can't be had for free.
std::optional<PulledOperand> pullBack(RelayoutOp relayout, const Atoms &atoms, Value operand) {
  ArrayRef<int64_t> full = shapeOf(relayout), shape = shapeOf(operand), source = shapeOf(relayout.getX());
  if (shape.size() > full.size())
    return std::nullopt;
  size_t missing = full.size() - shape.size();
  auto has = [&](size_t atom) {
    int64_t dim = atoms.result[atom];
    return dim >= int64_t(missing) && shape[dim - missing] == full[dim];
  };
  auto dims = atoms.sourceDims(source.size(), has);
  if (!dims)
    return std::nullopt;
  PulledOperand pulled{atoms.restricted(has).inverse(), {}};
  if (!isFree(operand, pulled.layout))
    return std::nullopt;
  for (auto [i, dim] : llvm::enumerate(source))
    pulled.shape.push_back(dims->test(i) ? dim : 1);
  return pulled;
}

struct SinkBelowElementwise : OpTraitRewritePattern<BroadcastElementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || isConstantExpr(op))
      return failure();
    ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
    for (Value candidate : op->getOperands()) {
      auto relayout = candidate.getDefiningOp<RelayoutOp>();
      if (!relayout || shapeOf(relayout) != shape || relayout.getRelayout().isReshape() != onlyReshapes(op))
        continue;
      std::optional<Atoms> atoms = Atoms::get(relayout);
      if (!atoms || (relayout.getRelayout().isReshape() && !allReshapedFrom(op, shapeOf(relayout.getX()))))
        continue;
      SmallVector<PulledOperand> plans;
      for (Value operand : op->getOperands()) {
        std::optional<PulledOperand> plan = pullBack(relayout, *atoms, operand);
        if (!plan)
          break;
        plans.push_back(std::move(*plan));
      }
      if (plans.size() != op->getNumOperands())
        continue;
      SmallVector<Value> operands;
      for (auto [operand, plan] : llvm::zip_equal(op->getOperands(), plans))
        operands.push_back(operand == candidate ? relayout.getX() : plan.build(rewriter, operand));
      Operation *sunk = rebuild(rewriter, op, operands);
      rewriter.replaceOp(op,
                         RelayoutOp::create(rewriter, op->getLoc(), sunk->getResult(0), relayout.getRelayout(), shape));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is a relayout that every other operand can follow for free");
  }

  /// A reshape sinks only where it meets no value of the result's shape that would have to be reshaped instead: the two
  /// would take turns for ever.
  static bool allReshapedFrom(Operation *op, ArrayRef<int64_t> source) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      if (isConstantExpr(operand) || shapeOf(operand) != shapeOf(op->getResult(0)))
        return true;
      auto relayout = operand.getDefiningOp<RelayoutOp>();
      return relayout && shapeOf(relayout.getX()) == source;
    });
  }

  /// True transposes sink first; a reshape only where no operand is one.
  static bool onlyReshapes(Operation *op) {
    return llvm::none_of(op->getOperands(), [](Value operand) {
      auto relayout = operand.getDefiningOp<RelayoutOp>();
      return relayout && !relayout.getRelayout().isReshape();
    });
  }
};

/// Reductions: an op with `axes` and `keep_dims`.
struct SinkBelowReduction : OpInterfaceRewritePattern<ReductionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ReductionOpInterface op, PatternRewriter &rewriter) const override {
    if (!op->hasAttr("keep_dims"))
      return failure();
    auto relayout = op->getOperand(0).getDefiningOp<RelayoutOp>();
    if (!relayout)
      return failure();
    std::optional<Atoms> atoms = Atoms::get(relayout);
    if (!atoms)
      return failure();
    int64_t rank = shapeOf(relayout).size();
    llvm::SmallBitVector reduced(rank);
    for (int64_t axis : op.getReducedAxes())
      reduced.set(axis);
    auto in = [&](size_t atom) { return reduced.test(atoms->result[atom]); };
    ArrayRef<int64_t> source = shapeOf(relayout.getX());
    auto dims = atoms->sourceDims(source.size(), in);
    if (!dims || dims->none())
      return failure();
    SmallVector<int64_t> newAxes;
    for (unsigned dim : dims->set_bits())
      newAxes.push_back(dim);
    Operation *sunk = rebuild(rewriter, op, relayout.getX(),
                              {rewriter.getNamedAttr("axes", rewriter.getDenseI64ArrayAttr(newAxes)),
                               rewriter.getNamedAttr("keep_dims", rewriter.getBoolAttr(true))});
    if (!sunk)
      return failure();
    Relayout layout = atoms->restricted([&](size_t atom) { return !in(atom); });
    rewriter.replaceOp(
        op, RelayoutOp::create(rewriter, op->getLoc(), sunk->getResult(0), layout, shapeOf(op->getResult(0))));
    return success();
  }
};

struct SinkBelowSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SoftmaxOp op, PatternRewriter &rewriter) const override {
    auto relayout = op.getX().getDefiningOp<RelayoutOp>();
    std::optional<Atoms> atoms = relayout ? Atoms::get(relayout) : std::nullopt;
    if (!atoms)
      return failure();
    int64_t axis = op.getAxisFromFront();
    auto dims =
        atoms->sourceDims(shapeOf(relayout.getX()).size(), [&](size_t atom) { return atoms->result[atom] == axis; });
    if (!dims || dims->count() != 1)
      return failure();
    Operation *sunk = rebuild(rewriter, op, relayout.getX(),
                              rewriter.getNamedAttr("axis", rewriter.getI64IntegerAttr(dims->find_first())));
    if (!sunk)
      return failure();
    rewriter.replaceOp(
        op, RelayoutOp::create(rewriter, op.getLoc(), sunk->getResult(0), relayout.getRelayout(), shapeOf(op)));
    return success();
  }
};

/// slice(relayout(x)) = relayout(slice(x)) where each sliced dimension is a range of one dimension of x.
struct SinkBelowSlice : OpRewritePattern<SliceBySizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceBySizeOp op, PatternRewriter &rewriter) const override {
    auto relayout = op.getX().getDefiningOp<RelayoutOp>();
    std::optional<Atoms> atoms = relayout ? Atoms::get(relayout) : std::nullopt;
    if (!atoms)
      return failure();
    ArrayRef<int64_t> source = shapeOf(relayout.getX()), result = shapeOf(relayout);
    SmallVector<int64_t> begins(source.size(), 0), sizes(source);
    Relayout layout = atoms->layout;
    for (auto [dim, range] : llvm::enumerate(op.getRanges())) {
      if (range.size == result[dim])
        continue;
      // The outermost atom of the dimension is cut, the others stay whole.
      auto place =
          llvm::find_if(layout.perm, [&, dim = int64_t(dim)](int64_t atom) { return atoms->result[atom] == dim; });
      int64_t cut = *place, extent = atoms->layout.expand[cut], inner = result[dim] / extent;
      if (range.begin % inner || range.size % inner)
        return failure();
      // It must be the outermost of its source dimension, too.
      int64_t from = atoms->source[cut];
      if (cut > 0 && atoms->source[cut - 1] == from)
        return failure();
      int64_t step = source[from] / extent;
      begins[from] = range.begin / inner * step;
      sizes[from] = range.size / inner * step;
      layout.expand[cut] = range.size / inner;
    }
    Value slice = rewriter.create<SliceBySizeOp>(op.getLoc(), relayout.getX(), begins, sizes);
    rewriter.replaceOp(op, RelayoutOp::create(rewriter, relayout.getLoc(), slice, layout, shapeOf(op)));
    return success();
  }
};

//===-- matmul ------------------------------------------------------------===//

SmallVector<int64_t> swapLastTwo(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> swapped(shape);
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  return swapped;
}

/// The transpose of the last two dimensions of `shape`.
Relayout swapOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  return Relayout::transpose(shape, swapLastTwo(perm));
}

/// matmul(transposed x) = matmul(x) with the flag turned, where that makes the operand a mere reshape.
struct AbsorbIntoMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    for (unsigned i = 0; i < 2; ++i) {
      auto relayout = op->getOperand(i).getDefiningOp<RelayoutOp>();
      if (!relayout || shapeOf(relayout).size() < 2 || relayout.getRelayout().isReshape())
        continue;
      auto turned = relayout.getRelayout().then(swapOf(shapeOf(relayout)));
      if (!turned || !turned->isReshape())
        continue;
      Value operand =
          RelayoutOp::create(rewriter, relayout.getLoc(), relayout.getX(), *turned, swapLastTwo(shapeOf(relayout)));
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(i, operand);
        if (i == 0)
          op.setTransposeX(!op.getTransposeX());
        else
          op.setTransposeY(!op.getTransposeY());
      });
      return success();
    }
    return failure();
  }
};

/// A transposed product is the product of the transposed factors in the other order.
struct TransposeProduct : OpRewritePattern<RelayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RelayoutOp op, PatternRewriter &rewriter) const override {
    auto matmul = op.getX().getDefiningOp<MatmulOp>();
    if (!matmul || !matmul->hasOneUse() || op.getRelayout().isReshape())
      return failure();
    auto type = cast<RankedTensorType>(matmul.getType());
    SmallVector<int64_t> swapped = swapLastTwo(type.getShape());
    auto layout = swapOf(swapped).then(op.getRelayout());
    if (!layout || !layout->isReshape())
      return failure();
    auto product = rewriter.create<MatmulOp>(matmul.getLoc(), type.clone(swapped), matmul.getY(), matmul.getX(),
                                             !matmul.getTransposeY(), !matmul.getTransposeX());
    setOrigin(product, originOf(matmul));
    rewriter.replaceOp(op, RelayoutOp::create(rewriter, op.getLoc(), product, *layout, shapeOf(op)));
    return success();
  }
};
} // namespace

void mlir::ane::populateRaiseRelayoutPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseReshape<ReshapeOp>, RaiseReshape<ExpandDimsOp>, RaiseReshape<SqueezeOp>, RaiseTranspose>(
      patterns.getContext());
}

void mlir::ane::populateSinkRelayoutPatterns(RewritePatternSet &patterns) {
  patterns.add<ComposeRelayouts, SinkBelowElementwise, SinkBelowReduction, SinkBelowSoftmax, SinkBelowSlice,
               AbsorbIntoMatmul, TransposeProduct>(patterns.getContext());
}

void mlir::ane::populateLowerRelayoutPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerRelayout>(patterns.getContext());
}
