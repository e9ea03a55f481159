//===- LegalizeSlices.cpp - parts along axes that the engine cuts well ----===//
//
// Where a slice must not begin inside the last axis (C72, C73), another axis takes its place between two transposes,
// which move values without changing them. A single row is twice a product with a row that has one 1/2 (C74). A
// slice_by_index does not read an argument itself (C75).
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZESLICES
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

static SmallVector<SliceRange> rangesOf(Operation *op) {
  if (auto slice = dyn_cast<SliceBySizeOp>(op))
    return slice.getRanges();
  return cast<SliceByIndexOp>(op).getRanges();
}

namespace {
/// Spells slices anew, before the op that they stand for.
class Slicer {
public:
  explicit Slicer(Operation *op) : op(op), builder(op), b(builder, op->getLoc()) {}

  /// The part `ranges` of `x`, without a slice that begins inside the last axis.
  Value throughOtherAxis(Value x, ArrayRef<SliceRange> ranges, ArrayRef<int64_t> result) {
    SmallVector<int64_t> shape(shapeOf(x));
    SmallVector<SliceRange> parts(ranges);
    if (shape.size() == 1) {
      shape.insert(shape.begin(), 1);
      parts.insert(parts.begin(), {0, 1, 1, false});
      x = b.reshape(x, shape);
    }
    // The longest other axis becomes the last one: short rows waste most of their 64 bytes.
    int64_t last = shape.size() - 1;
    int64_t other = std::max_element(shape.begin(), shape.end() - 1) - shape.begin();
    SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, last + 1));
    std::swap(perm[last], perm[other]);
    x = b.transpose(x, perm);
    std::swap(parts[last], parts[other]);
    return b.reshape(b.transpose(slice(x, parts), perm), result);
  }

  Value oneRow(Value x, ArrayRef<SliceRange> ranges) {
    ArrayRef<int64_t> shape = shapeOf(x);
    int64_t rank = shape.size(), rows = shape[rank - 2];
    auto element = cast<FloatType>(getElementTypeOrSelf(x));
    SmallVector<Attribute> row(rows, builder.getFloatAttr(element, 0.0));
    row[ranges[rank - 2].begin] =
        builder.getFloatAttr(element, 0.5); // a whole one would reach the accumulator's end (C77)
    SmallVector<int64_t> type(rank, 1);
    type.back() = rows;
    Value pick = b.make<ConstOp>(DenseElementsAttr::get(RankedTensorType::get(type, element), row));
    return b.reshape(b.mul(b.make<MatmulOp>(pick, x), 2.0), shapeOf(op->getResult(0)));
  }

  /// The part of `x` that is one result of a split or a crop.
  Value part(Value x, ArrayRef<int64_t> begins, ArrayRef<int64_t> sizes) {
    SmallVector<SliceRange> ranges;
    for (auto [begin, size] : llvm::zip_equal(begins, sizes))
      ranges.push_back({begin, size, 1, false});
    return begins.back() == 0 ? slice(x, ranges) : throughOtherAxis(x, ranges, sizes);
  }

private:
  Value slice(Value x, ArrayRef<SliceRange> ranges) {
    SmallVector<int64_t> begins, sizes, ends, strides;
    for (const SliceRange &range : ranges) {
      begins.push_back(range.begin);
      sizes.push_back(range.size);
      ends.push_back(range.begin + (range.size - 1) * range.stride + 1);
      strides.push_back(range.stride);
    }
    if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; }))
      return b.make<SliceBySizeOp>(x, begins, sizes);
    return b.make<SliceByIndexOp>(RankedTensorType::get(sizes, getElementTypeOrSelf(x)), x,
                                  builder.getDenseI64ArrayAttr(begins), builder.getDenseI64ArrayAttr(ends),
                                  builder.getDenseI64ArrayAttr(strides), DenseBoolArrayAttr(), DenseBoolArrayAttr(),
                                  DenseBoolArrayAttr());
  }

  Operation *op;
  EngineBuilder builder;
  Composer b;
};

struct LegalizeSlices : mlir::ane::impl::LegalizeSlicesBase<LegalizeSlices> {
  using LegalizeSlicesBase::LegalizeSlicesBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    // Before anything changes. What values may be does not change with how they are spelled.
    ValueRanges ranges(getOperation());
    llvm::SmallPtrSet<Operation *, 16> wide;
    for (Operation &op : getOperation().getEngine().front())
      if (isa<SplitOp, CropOp, SliceBySizeOp, SliceByIndexOp>(op) && check(ConstraintID::WidthSlice, &op, env, &ranges))
        wide.insert(&op);
    for (Operation &op : llvm::make_early_inc_range(getOperation().getEngine().front())) {
      auto violates = [&](ConstraintID id) { return check(id, &op, env).has_value(); };
      if (isConstantExpr(&op))
        continue;
      if (isa<SplitOp, CropOp>(op) && wide.contains(&op)) {
        cut(op);
      } else if (isa<SliceBySizeOp, SliceByIndexOp>(op)) {
        bool joined = llvm::any_of(op.getUsers(), [&](Operation *user) {
          return isa<ConcatOp>(user) && check(ConstraintID::WidthSliceConcat, user, env);
        });
        if (wide.contains(&op) || (joined && rangesOf(&op).back().begin))
          replace(op, Slicer(&op).throughOtherAxis(op.getOperand(0), rangesOf(&op), shapeOf(op.getResult(0))));
        else if (violates(ConstraintID::RowSlice))
          replace(op, Slicer(&op).oneRow(op.getOperand(0), rangesOf(&op)));
        else if (isa<SliceByIndexOp>(op) && violates(ConstraintID::SliceOfInput))
          copyInput(op);
      }
    }
  }

private:
  static void replace(Operation &op, Value value) {
    op.getResult(0).replaceAllUsesWith(value);
    op.erase();
  }

  /// Makes the slice read a product of the argument with 1 instead of the argument itself.
  static void copyInput(Operation &op) {
    EngineBuilder builder(&op);
    op.setOperand(0, Composer(builder, op.getLoc()).mul(op.getOperand(0), 1.0));
  }

  static void cut(Operation &op) {
    Slicer slicer(&op);
    Value x = op.getOperand(0);
    SmallVector<int64_t> begins(shapeOf(x).size(), 0);
    if (auto crop = dyn_cast<CropOp>(op)) {
      begins[begins.size() - 2] = crop.getCropHeight().front();
      begins.back() = crop.getCropWidth().front();
    }
    for (Value result : op.getResults()) {
      if (!result.use_empty()) // a part without a reader would have a name (C14)
        result.replaceAllUsesWith(slicer.part(x, begins, shapeOf(result)));
      if (isa<SplitOp>(op))
        begins.back() += shapeOf(result).back();
    }
    op.erase();
  }
};
} // namespace
