//===- Autodiff.h - gradients of functions of ane ops ----------*- C++ -*-===//
//
// Reverse mode on straight-line functions of the dialect (phases input and canonical). Each op has a rule
// (DifferentiableOpInterface), which is attached to the dialect by `registerGradients`; the pass `ane-autodiff` walks a
// function backwards and calls them. What rules build are ordinary ops, which compile like any others.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_AUTODIFF_AUTODIFF_H
#define ANE_AUTODIFF_AUTODIFF_H

#include "ane/IR/ANE.h"
#include "ane/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::ane {

/// What the gradient of an op is made by.
enum class GradientKind {
  Rule,     // a rule of its own
  Constant, // nothing flows back: the results are constant where the operands change a little, or no floats
  Refused,  // nothing can flow back, and the op says why
};

/// Whether a value lies between what is differentiated for and the loss.
using IsActive = llvm::function_ref<bool(Value)>;

/// The gradient of the loss by each value, as far as it is known: the sum of what the users of the value have added.
class Gradients {
public:
  /// Backward ops are built at the insertion point of `builder`. `active` are the values between what is differentiated
  /// for and the loss.
  Gradients(OpBuilder &builder, DenseSet<Value> active) : builder(builder), active(std::move(active)) {}

  /// Null while nothing has been added.
  Value of(Value value) const { return sums.lookup(value); }
  bool isActive(Value value) const { return active.contains(value); }
  /// Adds `gradient`, of the type of `value`.
  void add(Value value, Value gradient);
  /// Takes `gradient`, of the type of `value`, for all that has been added.
  void replace(Value value, Value gradient) { sums[value] = gradient; }
  /// Has the rules of `ops`, the last one first, add to the gradients of operands. All have rules that don't refuse.
  void walkBack(ArrayRef<Operation *> ops);

private:
  friend class GradientBuilder;
  OpBuilder &builder;
  DenseSet<Value> active;
  DenseMap<Value, Value> sums;
};

/// The values among results of `ops` that change with those of `active`, which they join.
void spreadActivity(ArrayRef<Operation *> ops, DenseSet<Value> &active);

/// Builds the gradients of one op's operands, at the end of what is built so far.
class GradientBuilder : public Composer {
public:
  GradientBuilder(Gradients &gradients, Operation *op)
      : Composer(gradients.builder, op->getLoc()), op(op), gradients(gradients), builder(gradients.builder) {}

  //===-- what comes in and goes out ----------------------------------------===//

  /// The gradient of the loss by result `number`: zeros if the loss does not depend on it.
  Value gradient(unsigned number = 0);
  /// Whether the gradient by `operand` is asked for, where finding that out saves building.
  bool wants(Value operand) const { return operand && gradients.isActive(operand); }
  /// Adds to the gradient of `operand`. `gradient` may have more axes or sizes, along which the operand was broadcast
  /// and which are summed, fewer, along which it is repeated, and elements of another float type. Does nothing where
  /// `operand` is null or not active.
  void accumulate(Value operand, Value gradient);
  /// Replaces the gradient of `operand`, if it is asked for, by what `build` makes of it, which adds to a part of it:
  /// to zeros, if nothing is known yet. So large gradients are not summed whole for the sake of a few elements.
  void accumulateInto(Value operand, llvm::function_ref<Value(Value before)> build);
  /// The same as accumulate(), of the gradient of the only result times `slope`, the op's derivative.
  void chain(Value operand, Value slope) { accumulate(operand, mul(gradient(), slope)); }
  /// Computes the op's results anew by what `build` makes of its operands, and has the gradients flow through that.
  void through(llvm::function_ref<SmallVector<Value>()> build);

  //===-- ops ---------------------------------------------------------------===//

  // Names of the base class that take numbers, too.
  using Composer::add;
  using Composer::div;
  using Composer::mul;
  using Composer::sub;
  Value div(Value x, double y) { return mul(x, 1 / y); }
  Value div(double x, Value y) { return div(scalar(y, x), y); }
  Value sub(double x, Value y) { return sub(scalar(y, x), y); }
  Value neg(Value x) { return make<NegOp>(x); }
  Value square(Value x) { return mul(x, x); }
  Value maximum(Value x, double y) { return make<MaximumOp>(x, scalar(x, y)); }
  /// x^y, elementwise.
  Value pow(Value x, double y) { return make<PowOp>(x, scalar(x, y)); }
  template <typename CompareOp>
  Value compare(Value x, double y) {
    return make<CompareOp>(x, scalar(x, y));
  }
  /// `x` where `condition` holds, `otherwise` elsewhere.
  Value where(Value condition, Value x, double otherwise = 0) {
    return make<SelectOp>(condition, x, scalar(x, otherwise));
  }

  //===-- shapes ------------------------------------------------------------===//

  /// Sums over `axes`, which stay with size 1.
  Value sum(Value x, ArrayRef<int64_t> axes) { return reduce<ReduceSumOp>(x, axes); }
  Value max(Value x, ArrayRef<int64_t> axes) { return reduce<ReduceMaxOp>(x, axes); }
  /// The sum of `x` over what NumPy broadcasting of `shape` repeats, in that shape.
  Value sumTo(Value x, ArrayRef<int64_t> shape);
  /// NumPy broadcasting to `shape`.
  Value broadcastTo(Value x, ArrayRef<int64_t> shape);
  Value constant(RankedTensorType type, ArrayRef<double> elements);
  /// `value` everywhere, of `type`; takes no memory.
  Value fill(RankedTensorType type, double value = 0);
  /// 0, 1, ..., size - 1.
  Value count(int64_t size, Type element) {
    return createIndices(builder, op->getLoc(), llvm::to_vector(llvm::seq(size)), element);
  }
  Value zerosLike(Value x) { return fill(cast<RankedTensorType>(x.getType())); }
  Value slice(Value x, ArrayRef<int64_t> begin, ArrayRef<int64_t> size) { return make<SliceBySizeOp>(x, begin, size); }
  /// `x` with borders of zeros: elements before and after, for each axis.
  Value pad(Value x, ArrayRef<std::pair<int64_t, int64_t>> border);
  /// The part of `x` that `ranges` take, of positive strides and no dropped axes.
  Value take(Value x, ArrayRef<SliceRange> ranges);
  /// A tensor of `shape` that is `x` in the part that `ranges` take of it, and 0 elsewhere.
  Value place(Value x, ArrayRef<SliceRange> ranges, ArrayRef<int64_t> shape);
  /// A per-channel gradient [C]: the sum of `x` [N, C, D...] over all other axes.
  Value sumPerChannel(Value x);
  /// y[.., j, ..] = sum over i of matrix[i][j] x[.., i, ..] along `axis`. `matrix` is row-major, with the axis' size as
  /// rows.
  Value multiplyAlong(Value x, int64_t axis, ArrayRef<double> matrix, int64_t columns);

  Operation *const op;

private:
  template <typename ReduceOp>
  Value reduce(Value x, ArrayRef<int64_t> axes) {
    return axes.empty() ? x : make<ReduceOp>(x, builder.getDenseI64ArrayAttr(axes), builder.getBoolAttr(true));
  }

  Gradients &gradients;
  OpBuilder &builder;
};

/// Attaches the rules to the ops of the dialect, when it is loaded.
void registerGradients(DialectRegistry &registry);

} // namespace mlir::ane

#include "ane/Autodiff/AutodiffInterfaces.h.inc"

#endif // ANE_AUTODIFF_AUTODIFF_H
