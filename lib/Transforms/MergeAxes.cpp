//===- MergeAxes.cpp - the same ops on fewer axes -------------------------===//

#include "MergeAxes.h"
#include "ane/Constraint/Declined.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Rebuild.h"

using namespace mlir;
using namespace mlir::ane;

using Shape = SmallVector<int64_t>;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The shape of `value` as an operand of an op whose result has `rank` axes.
static Shape alignedShape(Value value, int64_t rank) {
  Shape shape(rank - typeOf(value).getRank(), 1);
  llvm::append_range(shape, typeOf(value).getShape());
  return shape;
}

namespace {
/// Groups of neighbouring axes that an op sees as one.
class Groups {
public:
  /// `merges(i)`: whether axes i and i + 1 may be one. Merges the leading pairs first, and no more than needed.
  Groups(int64_t rank, int64_t limit, llvm::function_ref<bool(int64_t)> merges) {
    int64_t excess = rank - limit;
    for (int64_t axis = 0; axis < rank; ++axis) {
      bool joins = axis > 0 && excess > 0 && merges(axis - 1);
      if (!joins)
        sizes.push_back(0);
      else
        --excess;
      ++sizes.back();
    }
    enough = excess <= 0;
  }

  bool isEnough() const { return enough; }

  /// One value for each group: that of `combine` over its axes.
  Shape merge(ArrayRef<int64_t> values, llvm::function_ref<int64_t(ArrayRef<int64_t>)> combine) const {
    Shape merged;
    for (int64_t size : sizes) {
      merged.push_back(combine(values.take_front(size)));
      values = values.drop_front(size);
    }
    return merged;
  }
  Shape shape(ArrayRef<int64_t> values) const { return merge(values, numElements); }
  /// The group that holds an axis.
  int64_t groupOf(int64_t axis) const {
    int64_t group = 0;
    for (int64_t end = sizes[0]; axis >= end; end += sizes[group])
      ++group;
    return group;
  }

private:
  Shape sizes;
  bool enough;
};

class AxisMerger {
public:
  void run(Block &block, llvm::function_ref<int64_t(Operation *)> limitOf) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      limit = limitOf(&op);
      bool wide =
          llvm::any_of(llvm::concat<Value>(SmallVector<Value>(op.getOperands()), SmallVector<Value>(op.getResults())),
                       [&](Value value) { return typeOf(value).getRank() > limit; });
      if (!wide || isConstantExpr(&op))
        continue;
      if (auto split = dyn_cast<SplitOp>(op))
        sliceInstead(split);
      else if (op.getNumResults() != 1)
        continue;
      else if (op.hasTrait<BroadcastElementwise>())
        mergeElementwise(&op);
      else if (auto slice = dyn_cast<SliceBySizeOp>(op))
        mergeSlice(slice);
      else if (auto softmax = dyn_cast<SoftmaxOp>(op))
        mergeSoftmax(softmax);
      else if (auto matmul = dyn_cast<MatmulOp>(op))
        mergeMatmul(matmul);
      else if (auto linear = dyn_cast<LinearOp>(op))
        mergeLinear(linear);
      else if (auto reduction = dyn_cast<ReductionOpInterface>(op); reduction && op.hasAttr("keep_dims"))
        mergeReduction(reduction);
    }
  }

private:
  void leave(Operation *op) {
    decline(op, isa<MatmulOp, LinearOp>(op) ? ConstraintID::ProductRank : ConstraintID::C21,
            "its axes can't be merged to " + Twine(limit) + ", as it does not treat enough neighbours alike");
  }

  /// Replaces `op` by a copy on reshaped operands, reshaped back.
  void replace(Operation *op, ArrayRef<Shape> shapes, ArrayRef<NamedAttribute> changed = {}) {
    EngineBuilder builder(op);
    Composer b(builder, op->getLoc());
    SmallVector<Value> operands;
    for (auto [operand, shape] : llvm::zip_equal(op->getOperands(), shapes))
      operands.push_back(typeOf(operand).getShape() == ArrayRef(shape) ? operand : b.reshape(operand, shape));
    Operation *copy = rebuild(builder, op, operands, changed);
    if (!copy)
      return;
    op->getResult(0).replaceAllUsesWith(b.reshape(copy->getResult(0), typeOf(op->getResult(0)).getShape()));
    op->erase();
  }

  /// Axes merge where every operand has both in full, or neither.
  void mergeElementwise(Operation *op) {
    ArrayRef<int64_t> result = typeOf(op->getResult(0)).getShape();
    int64_t rank = result.size();
    SmallVector<Shape> shapes;
    for (Value operand : op->getOperands())
      shapes.push_back(alignedShape(operand, rank));
    Groups groups(rank, limit, [&](int64_t axis) {
      int64_t last = axis; // that is not 1 in the result
      while (last > 0 && result[last] == 1)
        --last;
      return result[axis + 1] == 1 || llvm::all_of(shapes, [&](const Shape &shape) {
               return (shape[last] == result[last]) == (shape[axis + 1] == result[axis + 1]);
             });
    });
    if (!groups.isEnough())
      return leave(op);
    for (auto [shape, operand] : llvm::zip_equal(shapes, op->getOperands()))
      shape = typeOf(operand).getRank() == 0 ? Shape() : groups.shape(shape);
    replace(op, shapes);
  }

  /// Axes merge where the inner one is whole, or the outer ones have a single index.
  void mergeSlice(SliceBySizeOp op) {
    ArrayRef<int64_t> shape = typeOf(op.getX()).getShape();
    int64_t rank = shape.size();
    Shape begin, size;
    for (const SliceRange &range : op.getRanges()) {
      begin.push_back(range.begin);
      size.push_back(range.size);
    }
    Groups groups(rank, limit, [&](int64_t axis) {
      return size[axis + 1] == shape[axis + 1] ||
             llvm::all_of(ArrayRef(size).take_front(axis + 1), [](int64_t extent) { return extent == 1; });
    });
    if (!groups.isEnough())
      return leave(op);
    // Begins are indices in the merged axis.
    ArrayRef<int64_t> dims = shape;
    Shape begins = groups.merge(begin, [&](ArrayRef<int64_t> first) {
      int64_t index = 0;
      for (auto [value, dim] : llvm::zip_equal(first, dims.take_front(first.size())))
        index = index * dim + value;
      dims = dims.drop_front(first.size());
      return index;
    });
    Builder builder(op.getContext());
    replace(op, groups.shape(shape),
            {builder.getNamedAttr("begin", builder.getDenseI64ArrayAttr(begins)),
             builder.getNamedAttr("size", builder.getDenseI64ArrayAttr(groups.shape(size)))});
  }

  /// The parts of a split, one after the other.
  void sliceInstead(SplitOp op) {
    EngineBuilder builder(op);
    Composer b(builder, op.getLoc());
    for (OpResult part : op.getResults()) {
      Shape begin;
      for (const SliceRange &range : op.getRanges(part.getResultNumber()))
        begin.push_back(range.begin);
      Value slice = b.make<SliceBySizeOp>(op.getX(), ArrayRef<int64_t>(begin), typeOf(part).getShape());
      part.replaceAllUsesWith(slice);
      mergeSlice(slice.getDefiningOp<SliceBySizeOp>());
    }
    op.erase();
  }

  void mergeSoftmax(SoftmaxOp op) {
    ArrayRef<int64_t> shape = typeOf(op.getX()).getShape();
    int64_t rank = shape.size(), softmax = op.getAxisFromFront();
    Groups groups(rank, limit, [&](int64_t axis) { return axis != softmax && axis + 1 != softmax; });
    if (!groups.isEnough())
      return leave(op);
    Builder builder(op.getContext());
    replace(op, groups.shape(shape), builder.getNamedAttr("axis", builder.getI64IntegerAttr(groups.groupOf(softmax))));
  }

  /// Batch axes merge where both factors have them.
  void mergeMatmul(MatmulOp op) {
    int64_t rank = typeOf(op).getRank();
    Shape x = alignedShape(op.getX(), rank), y = alignedShape(op.getY(), rank);
    Groups groups(rank, limit, [&](int64_t axis) {
      return axis + 1 < rank - 2 && (x[axis] == 1) == (x[axis + 1] == 1) && (y[axis] == 1) == (y[axis + 1] == 1);
    });
    if (!groups.isEnough())
      return leave(op);
    replace(op, {groups.shape(x), groups.shape(y)});
  }

  /// All axes but the one that is summed are rows.
  void mergeLinear(LinearOp op) {
    ArrayRef<int64_t> shape = typeOf(op.getX()).getShape();
    int64_t rank = shape.size();
    Groups groups(rank, limit, [&](int64_t axis) { return axis + 1 < rank - 1; });
    if (!groups.isEnough())
      return leave(op);
    SmallVector<Shape> shapes{groups.shape(shape)};
    for (Value constant : llvm::drop_begin(op->getOperands()))
      shapes.push_back(llvm::to_vector(typeOf(constant).getShape()));
    replace(op, shapes);
  }

  void mergeReduction(ReductionOpInterface op) {
    ArrayRef<int64_t> shape = typeOf(op->getOperand(0)).getShape();
    int64_t rank = shape.size();
    llvm::SmallBitVector reduced(rank);
    for (int64_t axis : op.getReducedAxes())
      reduced.set(axis);
    Groups groups(rank, limit, [&](int64_t axis) { return reduced[axis] == reduced[axis + 1]; });
    if (!groups.isEnough())
      return leave(op);
    llvm::SmallSetVector<int64_t, 4> axes;
    for (unsigned axis : reduced.set_bits())
      axes.insert(groups.groupOf(axis));
    Builder builder(op->getContext());
    replace(op, groups.shape(shape),
            {builder.getNamedAttr("axes", builder.getDenseI64ArrayAttr(axes.getArrayRef())),
             builder.getNamedAttr("keep_dims", builder.getBoolAttr(true))});
  }

  int64_t limit = 0; // of the op at hand
};
} // namespace

void mlir::ane::mergeAxes(Block &block, llvm::function_ref<int64_t(Operation *)> limitOf) {
  AxisMerger().run(block, limitOf);
}
