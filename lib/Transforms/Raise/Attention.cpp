//===- Attention.cpp - scaled_dot_product_attention ----------------------===//

#include "Raise.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::raise;

static constexpr int64_t maxMask = 1 << 24; // elements of a constant mask that are looked at

//===-- guards ------------------------------------------------------------===//

/// Whether `value` is a product of matrices, perhaps scaled.
static bool isProduct(Value value);

/// Bounds of a mask's elements, none of which is NaN: nothing where they are not known. Masks are made of few constants
/// and of truth values, which integers from outside count as.
static std::optional<FloatRange> rangeOfMask(Value value, int levels = 32) {
  if (isConstantExpr(value)) {
    auto values = evaluateDoubles(value, maxMask);
    if (!values || llvm::any_of(*values, [](double element) { return std::isnan(element); }))
      return std::nullopt;
    return unite(llvm::map_to_vector(*values, FloatRange::of));
  }
  auto op = dyn_cast_or_null<ValueRangeOpInterface>(value.getDefiningOp());
  if (!op && isa<IntegerType>(typeOf(value).getElementType()))
    return FloatRange{0, 1};
  if (!op || levels == 0)
    return std::nullopt;
  SmallVector<FloatRange> ranges;
  for (Value operand : op->getOperands()) {
    std::optional<FloatRange> range = rangeOfMask(operand, levels - 1);
    if (!range)
      return std::nullopt;
    ranges.push_back(*range);
  }
  std::optional<FloatRange> result;
  op.inferResultRanges(ranges, [&](Value other, FloatRange range) {
    if (other == value)
      result = range;
  });
  return result;
}

/// Whether every row of a constant mask lets something through, and none raises a score to infinity.
static bool everyRowAttends(Value mask) {
  auto values = evaluateDoubles(mask, maxMask);
  if (!values || shapeOf(mask).empty() || !llvm::all_of(*values, [](double x) { return x < INFINITY; }))
    return false;
  int64_t width = shapeOf(mask).back();
  for (size_t row = 0; row < values->size(); row += width)
    if (llvm::none_of(ArrayRef(*values).slice(row, width), [](double element) { return std::isfinite(element); }))
      return false;
  return true;
}

/// Whether every row of a sum lets something through. Two masks that each do may hide a row together, also where both
/// are of the lowest finite numbers, whose sum is infinite. A product of matrices counts as finite, and small beside a
/// mask.
static bool everyRowOfSumAttends(Value sum) {
  FloatRange finite = FloatRange::of(0);
  bool isMasked = false;
  SmallVector<Value> addends{sum};
  while (!addends.empty()) {
    Value addend = addends.pop_back_val();
    auto inner = addend.getDefiningOp<AddOp>();
    if (inner && !isConstantExpr(addend)) {
      addends.append({inner.getX(), inner.getY()});
      continue;
    }
    std::optional<FloatRange> range = isProduct(addend) ? FloatRange::of(0) : rangeOfMask(addend);
    constexpr double largest = std::numeric_limits<float>::max();
    if (range && range->isWithin(largest))
      finite = finite + *range;
    else if (std::exchange(isMasked, true) || !everyRowAttends(addend))
      return false;
    if (!finite.isWithin(largest))
      return false;
  }
  return true;
}

namespace {
/// Exporters replace the NaN that softmax gives for rows that are masked as a whole by 0. Where there are none the
/// guard goes.
struct DropGuard : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto isNaN = op.getCond().getDefiningOp<NotEqualOp>();
    auto softmax = op.getB().getDefiningOp<SoftmaxOp>();
    if (!isNaN || !softmax || isNaN.getX() != op.getB() || isNaN.getY() != op.getB() ||
        op.getType() != softmax.getType())
      return failure();
    if (!everyRowOfSumAttends(softmax.getX()))
      return failure();
    rewriter.replaceOp(op, softmax);
    return success();
  }
};

//===-- attention ---------------------------------------------------------===//

/// A factor of a product of matrices, without its scale and the transposition of its last two axes.
struct Factor {
  Value value;
  double scale = 1;
  bool transposed = false;

  explicit Factor(Value value, bool transposed = false) : value(value), transposed(transposed) {
    while (strip()) {
    }
  }

  /// Of the factor as the product takes it.
  SmallVector<int64_t> shape() const {
    SmallVector<int64_t> dims(shapeOf(value));
    if (transposed && dims.size() > 1)
      std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    return dims;
  }

private:
  bool strip() {
    Operation *op = value.getDefiningOp();
    if (!op || isConstantExpr(op))
      return false;
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
      if (perm.size() < 2)
        return false;
      std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
      if (transpose.getPerm() != ArrayRef(perm))
        return false;
      transposed = !transposed;
      value = transpose.getX();
      return true;
    }
    if (auto mul = dyn_cast<MulOp>(op)) {
      for (auto [other, constant] : {std::pair(mul.getX(), mul.getY()), std::pair(mul.getY(), mul.getX())})
        if (auto splat = getSplat(constant); splat && other.getType() == value.getType()) {
          scale *= *splat;
          value = other;
          return true;
        }
      return false;
    }
    auto div = dyn_cast<RealDivOp>(op);
    std::optional<double> splat = div ? getSplat(div.getY()) : std::nullopt;
    if (!splat || *splat == 0 || div.getX().getType() != value.getType())
      return false;
    scale /= *splat;
    value = div.getX();
    return true;
  }
};

} // namespace

static bool isProduct(Value value) {
  Factor factor(value);
  return !factor.transposed && factor.value.getDefiningOp<MatmulOp>();
}

namespace {
/// x [B..., G, L, D] if `value` is x with each of the G heads repeated `count` times: [B..., G count, L, D].
static Value matchRepeatedHeads(Value value) {
  auto merge = value.getDefiningOp<ReshapeOp>();
  auto tile = merge ? merge.getX().getDefiningOp<TileOp>() : TileOp();
  Operation *expand = tile ? tile.getX().getDefiningOp() : nullptr;
  if (!expand || !isa<ExpandDimsOp, ReshapeOp>(expand))
    return nullptr;
  Value x = expand->getOperand(0);
  ArrayRef<int64_t> shape = shapeOf(x), tiled = shapeOf(tile.getX()), result = shapeOf(value);
  int64_t rank = shape.size(), axis = rank - 3; // of the heads
  if (rank < 3 || tiled.size() != shape.size() + 1 || result.size() != shape.size() || tiled[axis + 1] != 1)
    return nullptr;
  for (int64_t i = 0; i <= rank; ++i) {
    bool inserted = i == axis + 1;
    if (!inserted && (tiled[i] != shape[i > axis ? i - 1 : i] || tile.getReps()[i] != 1))
      return nullptr;
  }
  for (int64_t i = 0; i < rank; ++i)
    if (result[i] != (i == axis ? shape[i] * tile.getReps()[axis + 1] : shape[i]))
      return nullptr;
  return x;
}

/// `value` with its last two axes swapped.
static Value swapped(PatternRewriter &rewriter, Value value) {
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return rewriter.create<TransposeOp>(value.getLoc(), value, perm);
}

/// softmax(query key^T scale + mask) value.
struct RaiseAttention : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    auto softmax = op.getX().getDefiningOp<SoftmaxOp>();
    int64_t rank = typeOf(op).getRank();
    if (!softmax || op.getTransposeX() || rank < 3 || softmax.getAxisFromFront() != rank - 1 || !softmax->hasOneUse())
      return failure();
    Value scores = softmax.getX(), mask;
    if (auto sum = scores.getDefiningOp<AddOp>()) {
      bool first = isProduct(sum.getX());
      scores = first ? sum.getX() : sum.getY();
      mask = first ? sum.getY() : sum.getX();
      if (scores.getType() != softmax.getType())
        return failure();
    }
    Factor product(scores);
    auto matmul = product.value.getDefiningOp<MatmulOp>();
    if (!matmul || product.transposed)
      return failure();
    Factor query(matmul.getX(), matmul.getTransposeX()), key(matmul.getY(), !matmul.getTransposeY());
    Factor value(op.getY(), op.getTransposeY());
    if (value.scale != 1)
      return failure();
    // Heads that are repeated in a product are not transposed.
    if (!key.transposed && !value.transposed)
      if (Value heads = matchRepeatedHeads(key.value), values = matchRepeatedHeads(value.value);
          heads && values && shapeOf(heads).drop_back(2) == shapeOf(values).drop_back(2)) {
        key.value = heads;
        value.value = values;
      }
    SmallVector<int64_t> queryShape = query.shape(), keyShape = key.shape(), valueShape = value.shape();
    if (int64_t(queryShape.size()) != rank || int64_t(keyShape.size()) != rank || int64_t(valueShape.size()) != rank)
      return failure();
    auto batch = shapeOf(op).drop_back(2), keyBatch = ArrayRef(keyShape).drop_back(2);
    if (ArrayRef(queryShape).drop_back(2) != batch || keyBatch != ArrayRef(valueShape).drop_back(2) ||
        keyBatch.drop_back() != batch.drop_back() || batch.back() % keyBatch.back())
      return failure(); // matmul broadcasts, attention does not
    double scale = product.scale * query.scale * key.scale * std::sqrt(double(queryShape.back()));
    auto built = [&](const Factor &factor) {
      return factor.transposed ? swapped(rewriter, factor.value) : factor.value;
    };
    Value q = built(query), k = built(key), v = built(value);
    if (!isClose(scale, 1))
      q = Composer(rewriter, query.value.getLoc()).mul(q, scale);
    if (mask && getSplat(mask) == 0.0)
      mask = nullptr;
    Location loc = FusedLoc::get(op.getContext(), {matmul.getLoc(), softmax.getLoc(), op.getLoc()});
    rewriter.replaceOp(op, rewriter.create<ScaledDotProductAttentionOp>(loc, q, k, v, mask));
    return success();
  }
};

/// Products over repeated heads: the queries of a head's group are more rows of one product.
struct GroupQueries : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    Value heads = matchRepeatedHeads(op.getY());
    ArrayRef<int64_t> x = shapeOf(op.getX());
    if (!heads || op.getTransposeX() || x.size() != shapeOf(heads).size() ||
        x.drop_back(2) != shapeOf(op.getY()).drop_back(2))
      return failure();
    Composer b(rewriter, op.getLoc());
    SmallVector<int64_t> rows(shapeOf(heads).drop_back(2));
    rows.append({x[x.size() - 3] / rows.back() * x[x.size() - 2], x.back()});
    Value product = b.make<MatmulOp>(b.reshape(op.getX(), rows), heads, false, op.getTransposeY());
    rewriter.replaceOp(op, b.reshape(product, shapeOf(op)));
    return success();
  }
};
} // namespace

void raise::populateAttention(RewritePatternSet &patterns) {
  patterns.add<DropGuard, RaiseAttention>(patterns.getContext());
}

void raise::populateGroupedProducts(RewritePatternSet &patterns) { patterns.add<GroupQueries>(patterns.getContext()); }
