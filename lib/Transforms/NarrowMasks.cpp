//===- NarrowMasks.cpp - additive masks as fp16 can hold them -------------===//
//
// Exporters add -3.4e38, -inf or -10,000 to scores that shall have no weight. Programs take such a mask row by row less
// its largest element: a softmax does not see the difference, what is hidden may be any number far below it, and a row
// that is hidden as a whole by a moderate number keeps its scores. The CPU computes the mask, in the model's type:
// sums of masks would saturate in fp16.
//
//   a row whose mask is -inf everywhere   becomes NaN, as in the model: the CPU computes that run (C86)
//   a row that is hidden by a number in   gives all its elements one weight, as the sum has no bits left for scores:
//   which scores are lost                 programs multiply its scores by 0
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/ConstantSources.h"
#include "ane/Constraint/Constraints.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/WeightFacts.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::ane {
#define GEN_PASS_DEF_NARROWMASKS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// What is added to scores and stays within this is no mask: fp16 holds it to a hundredth.
static constexpr double smallAddend = 16;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// From this magnitude on a number that is added to scores leaves no bits for them: they are less than half of its last
/// one.
static double absorbing(Type element) {
  constexpr int scoreBits = 2;
  unsigned digits = APFloat::semanticsPrecision(cast<FloatType>(element).getFloatSemantics());
  return std::ldexp(1.0, int(digits) + scoreBits);
}

namespace {
/// Narrows the masks of one function.
class Narrower {
public:
  explicit Narrower(func::FuncOp function) : ranges(function), arithmetic(ranges.inputArithmetic()) {}

  void visit(ScaledDotProductAttentionOp op) {
    Value mask = op.getAttnMask();
    if (!mask || !isa<FloatType>(typeOf(op).getElementType()))
      return;
    if (typeOf(mask).getElementType().isInteger(1))
      mask = isKnown(mask) ? asAddend(op, mask, typeOf(op).getElementType()) : Value();
    if (!mask || !isMask(mask) || typeOf(mask).getRank() == 0)
      return;
    OpBuilder builder(op);
    if (Value rows = attendedRows(mask, typeOf(mask).getRank() - 1))
      op.getQueryMutable().assign(narrow(builder, op.getQuery(), rows, "masked_rows", std::nullopt));
    op.getAttnMaskMutable().assign(narrowed(mask, typeOf(mask).getRank() - 1));
  }

  void visit(SoftmaxOp op) {
    if (auto select = op.getX().getDefiningOp<SelectOp>())
      visitSelect(op, select);
    SmallVector<Operation *> around;
    SmallVector<Value> scores, masks;
    collect(sumWithin(op.getX(), around), scores, masks);
    if (scores.empty() || masks.empty())
      return;
    OpBuilder builder(op);
    Composer b(builder, op.getLoc());
    Value mask = masks.front();
    for (Value other : ArrayRef(masks).drop_front())
      mask = onHost<AddOp>(mask, other);
    int64_t axis = op.getAxisFromFront() - (typeOf(op).getRank() - typeOf(mask).getRank());
    if (axis < 0)
      return;
    Value sum = scores.front();
    for (Value score : ArrayRef(scores).drop_front())
      sum = b.add(sum, score);
    for (Operation *each : llvm::reverse(around)) {
      Value number = each->getOperand(1);
      if (isa<MaximumOp>(each)) {
        mask = onHost<MaximumOp>(mask, number);
        continue;
      }
      bool divides = isa<RealDivOp>(each);
      sum = divides ? b.div(sum, number) : b.mul(sum, number);
      mask = divides ? onHost<RealDivOp>(mask, number) : onHost<MulOp>(mask, number);
    }
    if (typeOf(sum) != typeOf(op))
      return;
    if (Value rows = attendedRows(mask, axis))
      sum = narrow(builder, sum, rows, "masked_rows", std::nullopt);
    op.getXMutable().assign(b.add(sum, narrowed(mask, axis)));
  }

  /// A program takes an input in one form: a mask that something else may take, too, gets a name of its own.
  void separate() {
    for (NarrowOp narrow : narrowings) {
      Value mask = narrow.getX();
      bool isShared = llvm::any_of(mask.getUsers(), [&](Operation *user) { return user != narrow && !isHost(user); });
      if (isConstantExpr(mask) || !isShared)
        continue;
      OpBuilder builder(narrow);
      narrow.getXMutable().assign(onHost(builder.create<IdentityOp>(mask.getLoc(), mask)));
    }
  }

private:
  static bool isHost(Operation *op) { return attrs::host.isOn(op); }

  /// Scores where `cond` holds, a large negative number elsewhere.
  void visitSelect(SoftmaxOp op, SelectOp select) {
    std::optional<double> hidden = getSplat(select.getB());
    Value scores = select.getA();
    if (!hidden || !isBeyond(*hidden) || isConstantExpr(scores) || typeOf(scores) != typeOf(op))
      return;
    OpBuilder builder(select);
    // A row without scores has one weight for all, whatever the number is.
    if (std::isfinite(*hidden)) {
      select.getBMutable().assign(narrow(builder, select.getB(), Value(), "mask", std::nullopt));
      return;
    }
    if (!isKnown(select.getCond()))
      return;
    Composer b(builder, select.getLoc());
    Value mask = asAddend(select, select.getCond(), typeOf(op).getElementType());
    op.getXMutable().assign(b.add(scores, mask));
  }

  static bool isBeyond(double number) { return number <= -halfOverflow; }

  bool isKnown(Value value) const {
    return isConstantExpr(value) || arithmetic.contains(value) || made.contains(value);
  }

  /// Whether a value is an addend that fp16 holds too coarsely, and the CPU knows.
  bool isMask(Value value) {
    if (made.contains(value))
      return true;
    if (isConstantExpr(value)) {
      std::optional<WeightFacts> facts = factsOfConstant(value);
      return facts && !facts->hasNaN && facts->range.low < -smallAddend;
    }
    return arithmetic.contains(value) && !ranges.of(value).isWithin(smallAddend);
  }

  /// The sum that softmax's operand is made of by factors above 0, and by bounds that no score reaches: softmax(max(f *
  /// (score + mask), bound)) is softmax(f * score + max(f * mask, bound)). `around` has these ops, the last one first.
  static Value sumWithin(Value value, SmallVector<Operation *> &around) {
    double least = -absorbing(typeOf(value).getElementType());
    while (Operation *op = value.hasOneUse() ? value.getDefiningOp() : nullptr) {
      std::optional<double> number = op->getNumOperands() == 2 ? getSplat(op->getOperand(1)) : std::nullopt;
      bool isBound = isa<MaximumOp>(op) && number && *number <= least;
      bool isFactor = isa<MulOp, RealDivOp>(op) && number && *number > 0 && std::isfinite(*number);
      if (!isBound && !isFactor)
        break;
      around.push_back(op);
      value = op->getOperand(0);
    }
    return value;
  }

  void collect(Value value, SmallVector<Value> &scores, SmallVector<Value> &masks) {
    if (isMask(value))
      return masks.push_back(value);
    auto sum = value.getDefiningOp<AddOp>();
    if (!sum || !value.hasOneUse() || arithmetic.contains(value))
      return scores.push_back(value);
    collect(sum.getX(), scores, masks);
    collect(sum.getY(), scores, masks);
  }

  /// 0 where `attends` is true, -inf elsewhere.
  Value asAddend(Operation *reader, Value attends, Type element) {
    Value &known = addends[{attends, element}];
    if (known)
      return known;
    OpBuilder builder(reader);
    builder.setInsertionPointAfterValue(attends);
    Composer b(builder, reader->getLoc());
    auto scalar = [&](double number) { return createScalar(builder, reader->getLoc(), element, number); };
    Value mask = b.make<SelectOp>(attends, scalar(0), scalar(-std::numeric_limits<double>::infinity()));
    choices.insert(mask);
    return known = onHost(mask);
  }

  /// What the CPU makes of two masks, or of a mask and a number; layers share it.
  template <typename Op>
  Value onHost(Value x, Value y) {
    Value &known = combined[{Op::getOperationName(), {x, y}}];
    if (known)
      return known;
    OpBuilder builder(x.getContext());
    setBehind(builder, {x, y});
    return known = onHost(builder.create<Op>(x.getLoc(), x, y));
  }

  static void setBehind(OpBuilder &builder, std::pair<Value, Value> values) {
    builder.setInsertionPointAfterValue(values.first);
    Operation *second = values.second.getDefiningOp();
    if (second && (!values.first.getDefiningOp() || values.first.getDefiningOp()->isBeforeInBlock(second)))
      builder.setInsertionPointAfter(second);
  }

  Value onHost(Value value) {
    if (!isConstantExpr(value))
      attrs::host.set(value.getDefiningOp(), hostMark(value));
    made.insert(value);
    return value;
  }

  static HostAttr hostMark(Value value) {
    return HostAttr::get(value.getContext(), info(ConstraintID::FiniteConstants).code,
                         "computes a mask, of which programs take the differences in a row");
  }

  /// The ops that compute a mask run on the CPU.
  void keepOnHost(Value mask) {
    SmallVector<Value> open{mask};
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || isConstantExpr(op) || !seen.insert(op).second)
        continue;
      if (!attrs::host.isOn(op))
        attrs::host.set(op, hostMark(op->getResult(0)));
      llvm::append_range(open, op->getOperands());
    }
  }

  static Value narrow(OpBuilder &builder, Value x, Value factor, StringRef because, std::optional<int64_t> axis) {
    return builder.create<NarrowOp>(x.getLoc(), x, factor, builder.getStringAttr(because),
                                    axis ? builder.getI64IntegerAttr(*axis) : IntegerAttr());
  }

  Value narrowed(Value mask, int64_t axis) {
    Value &known = narrowedMasks[{mask, axis}];
    if (known)
      return known;
    if (isConstantExpr(mask))
      markDecisive(mask);
    keepOnHost(mask);
    OpBuilder builder(mask.getContext());
    builder.setInsertionPointAfterValue(mask);
    known = narrow(builder, mask, Value(), "mask", axis);
    narrowings.push_back(known.getDefiningOp<NarrowOp>());
    return known;
  }

  /// 1 for each row of a mask in which scores count, 0 where the sum has no bits left for them; null where they count
  /// in all rows.
  Value attendedRows(Value mask, int64_t axis) {
    double least = -absorbing(typeOf(mask).getElementType());
    bool isChoice = choices.contains(mask), isConstant = isConstantExpr(mask);
    if (isChoice || (!isConstant && ranges.of(mask).low > least))
      return {};
    Value &known = rowsOf[{mask, axis}];
    if (known)
      return known;
    OpBuilder builder(mask.getContext());
    builder.setInsertionPointAfterValue(mask);
    Composer b(builder, mask.getLoc());
    Value top = b.make<ReduceMaxOp>(mask, builder.getDenseI64ArrayAttr({axis}), true);
    Value attends = b.make<GreaterOp>(top, b.scalar(top, least));
    Value rows = b.make<CastOp>(attends, typeOf(mask).getElementType());
    if (isConstant) {
      FailureOr<DenseElementsAttr> elements = evaluateToAttribute(rows);
      bool allCount = failed(elements) || llvm::all_of(elements->getValues<APFloat>(), [](const APFloat &element) {
                        return element.isExactlyValue(1);
                      });
      return allCount ? Value() : known = rows;
    }
    for (Value value : {top, attends, rows})
      onHost(value);
    return known = rows;
  }

  ValueRanges ranges;
  const InputArithmetic &arithmetic;
  llvm::DenseSet<Value> made;    // masks, and what was made of them
  llvm::DenseSet<Value> choices; // masks of 0 and -inf
  llvm::SmallPtrSet<Operation *, 16> seen;
  // Layers share what is made of one mask.
  llvm::DenseMap<std::pair<Value, int64_t>, Value> narrowedMasks, rowsOf;
  llvm::DenseMap<std::pair<Value, Type>, Value> addends;
  llvm::DenseMap<std::pair<StringRef, std::pair<Value, Value>>, Value> combined;
  SmallVector<NarrowOp> narrowings;
};

struct NarrowMasks : mlir::ane::impl::NarrowMasksBase<NarrowMasks> {
  using NarrowMasksBase::NarrowMasksBase;
  void runOnOperation() override {
    if (!getOperation().getBody().hasOneBlock())
      return;
    Narrower narrower(getOperation());
    for (Operation &op : llvm::make_early_inc_range(getOperation().front())) {
      if (isConstantExpr(&op) || attrs::host.isOn(&op))
        continue;
      if (auto attention = dyn_cast<ScaledDotProductAttentionOp>(op))
        narrower.visit(attention);
      else if (auto softmax = dyn_cast<SoftmaxOp>(op))
        narrower.visit(softmax);
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(getOperation().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    narrower.separate();
  }
};
} // namespace
