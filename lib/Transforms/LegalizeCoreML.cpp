//===- LegalizeCoreML.cpp - the operations and types of Core ML -----------===//

#include "MergeAxes.h"
#include "RelayoutPatterns.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Dtype.h"
#include "ane/IR/StateAccess.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZECOREML
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Results of operations, as coremltools' converter and the runtime have it (coreml-mlprogram.md 1.4).
static constexpr int64_t maxRank = 5;

/// Forms of operations that MIL has, but not for this one: see the notes of coreml-mlprogram.md 3.
static bool hasForm(Operation *op) {
  if (isa<EinsumOp>(op))
    return false; // two equations only: a product says it as well
  if (auto linear = dyn_cast<LinearOp>(op))
    return typeOf(linear.getX()).getRank() <= 3 && isConstantExpr(linear.getWeight()) &&
           (!linear.getBias() || isConstantExpr(linear.getBias()));
  if (isa<BatchNormOp>(op))
    return typeOf(op->getOperand(0)).getRank() >= 3 && typeOf(op->getOperand(0)).getRank() <= maxRank;
  if (isa<InstanceNormOp>(op))
    return typeOf(op->getOperand(0)).getRank() >= 3 && typeOf(op->getOperand(0)).getRank() <= 4;
  return true;
}

/// Operations that take bools (coremltools' registry; coreml-mlprogram.md 3, `FIB` and `A`).
static bool takesBools(Operation *op) {
  return isa<ReshapeOp, ReshapeLikeOp, TransposeOp, ExpandDimsOp, SqueezeOp, Flatten2dOp, SliceByIndexOp, SliceBySizeOp,
             SplitOp, ConcatOp, StackOp, TileOp, BandPartOp, ReverseOp, ReverseSequenceOp, SlidingWindowsOp, SelectOp,
             CastOp, IdentityOp, ShapeOp, FillOp, FillLikeOp, LogicalNotOp, LogicalAndOp, LogicalOrOp, LogicalXorOp>(
      op);
}

/// Those that move elements, and take floats alone there.
static bool takesFloatsOnly(Operation *op) {
  return isa<PadOp, CropOp, DepthToSpaceOp, SpaceToDepthOp, PixelShuffleOp, PixelUnshuffleOp, BatchToSpaceOp,
             SpaceToBatchOp>(op);
}

namespace {
struct Decompose : OpInterfaceRewritePattern<DecomposableOpInterface> {
  Decompose(MLIRContext *context, Opset opset) : OpInterfaceRewritePattern(context), opset(opset) {}
  LogicalResult matchAndRewrite(DecomposableOpInterface op, PatternRewriter &rewriter) const override {
    auto mil = dyn_cast<MILSpellingOpInterface>(op.getOperation());
    if ((mil && mil.getMinOpset() <= opset && hasForm(op)) || isa<BlobOp>(op->getParentOp()))
      return failure();
    FailureOr<SmallVector<Value>> values = op.decompose(rewriter);
    if (failed(values))
      return rewriter.notifyMatchFailure(op, "can't be decomposed");
    rewriter.replaceOp(op, *values);
    return success();
  }
  Opset opset;
};

/// Core ML's select has the shape of what it selects from: a condition is not enough to widen it.
struct WidenSelect : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = op.getType().getShape();
    SmallVector<int64_t> selected;
    if (isConstantExpr(op.getOperation()) ||
        (OpTrait::util::getBroadcastedShape(typeOf(op.getA()).getShape(), typeOf(op.getB()).getShape(), selected) &&
         ArrayRef<int64_t>(selected) == shape))
      return failure();
    Value a = op.getA();
    SmallVector<int64_t> padded(shape.size() - typeOf(a).getRank(), 1), reps;
    llvm::append_range(padded, typeOf(a).getShape());
    for (auto [size, wanted] : llvm::zip_equal(padded, shape))
      reps.push_back(size == wanted ? 1 : wanted);
    Composer c(rewriter, op.getLoc());
    Value wide = c.make<TileOp>(c.reshape(a, padded), ArrayRef<int64_t>(reps));
    rewriter.modifyOpInPlace(op, [&] { op.getAMutable().assign(wide); });
    return success();
  }
};

/// A shape without axes is no tensor that the parameter of a reshape could be.
struct SqueezeToScalar : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    if (op.getType().getRank() != 0 || typeOf(op.getX()).getRank() == 0 || isConstantExpr(op.getOperation()))
      return failure();
    auto axes = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(op.getX()).getRank()));
    rewriter.replaceOpWithNewOp<SqueezeOp>(op, op.getX(), rewriter.getDenseI64ArrayAttr(axes));
    return success();
  }
};

/// coreml-mlprogram.md 3: coremltools 9.0 gives products of vectors a wrong shape.
struct WidenVectors : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    int64_t left = typeOf(op.getX()).getRank(), right = typeOf(op.getY()).getRank();
    if ((left > 1 && right > 1) || isConstantExpr(op.getOperation()))
      return failure();
    Composer c(rewriter, op.getLoc());
    Value x = op.getX(), y = op.getY();
    if (left == 1)
      x = c.reshape(x, {1, typeOf(x).getDimSize(0)});
    if (right == 1)
      y = c.reshape(y, {typeOf(y).getDimSize(0), 1});
    Value product = c.make<MatmulOp>(x, y, left > 1 && op.getTransposeX(), right > 1 && op.getTransposeY());
    rewriter.replaceOp(op, c.reshape(product, op.getType().getShape()));
    return success();
  }
};

/// What the CPU has in the place of a value that fp16 holds otherwise.
struct DropNarrow : OpRewritePattern<NarrowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NarrowOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getX());
    return success();
  }
};

struct LegalizeCoreML : mlir::ane::impl::LegalizeCoreMLBase<LegalizeCoreML> {
  using LegalizeCoreMLBase::LegalizeCoreMLBase;

  void runOnOperation() override {
    opset = lookupTargetEnv(getOperation()).getOpset();
    narrowed.clear(); // of the function before
    RewritePatternSet patterns(&getContext());
    patterns.add<Decompose>(&getContext(), opset);
    patterns.add<DropNarrow, SqueezeToScalar, WidenSelect, WidenVectors>(&getContext());
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns));
    if (failed(lowerRank()) || failed(retype()))
      return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(getOperation().front().without_terminator()))
      if (!isConstantExpr(&op) && !isStateAccess(&op))
        convert(&op);
    if (failed(check()))
      return signalPassFailure();
    makeBorder();
  }

private:
  Opset opset = Opset::ios16;
  llvm::DenseMap<Value, Value> narrowed; // constants

  LogicalResult lowerRank() {
    Block &body = getOperation().front();
    bool isHigh = llvm::any_of(body, [](Operation &op) {
      return llvm::any_of(op.getResults(), [](Value result) { return typeOf(result).getRank() > maxRank; });
    });
    if (!isHigh)
      return success();
    mergeAxes(body, [](Operation *) { return maxRank; });
    // Chains of reshapes and transposes have fewer axes as one.
    for (auto *populate :
         {populateRaiseRelayoutPatterns, populateSinkRelayoutPatterns, populateLowerRelayoutPatterns}) {
      RewritePatternSet patterns(&getContext());
      populate(patterns);
      GreedyRewriteConfig config;
      config.useTopDownTraversal = true;
      config.maxIterations = 64;
      if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns), config)))
        return failure();
    }
    return success();
  }

  /// The type that a value has inside a package.
  Type elementFor(Type element) {
    if (isa<IntegerType>(element) && !element.isInteger(1))
      return IntegerType::get(&getContext(), 32);
    if (element.isF64() || element.isBF16())
      return Float32Type::get(&getContext());
    return element;
  }

  /// Whether ops that pack values read or make it: their types are their meaning.
  static bool isPacked(Value value) {
    return isa_and_nonnull<QuantizeOp>(value.getDefiningOp()) ||
           (!value.use_empty() && llvm::all_of(value.getUsers(), [](Operation *user) {
             auto mil = dyn_cast<MILSpellingOpInterface>(user);
             return isa<DequantizeOp>(user) || (mil && mil.hasArgumentsInBrackets());
           }));
  }

  FailureOr<Value> narrowConstant(Value constant, Type element) {
    Value &known = narrowed[constant];
    if (known)
      return known;
    if (element.isInteger(32)) {
      FailureOr<DenseElementsAttr> integers = evaluateToAttribute(constant);
      if (failed(integers))
        return failure();
      bool isUnsigned = typeOf(constant).getElementType().isUnsignedInteger();
      for (const APInt &value : integers->getValues<APInt>())
        if (isUnsigned ? !value.isIntN(31) : !value.isSignedIntN(32))
          return LogicalResult(
              emitError(constant.getLoc())
              << "the constant " << llvm::toString(value, 10, !isUnsigned)
              << " is beyond the integers of Core ML, which have 32 bits; remedy: compute with smaller numbers");
    }
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfterValue(constant);
    return known = builder.create<CastOp>(constant.getLoc(), constant, element);
  }

  LogicalResult retype() {
    func::FuncOp function = getOperation();
    auto narrow = [&](Value value) {
      RankedTensorType type = typeOf(value);
      if (Type element = elementFor(type.getElementType()); element != type.getElementType() && !isPacked(value))
        value.setType(type.clone(element));
    };
    llvm::for_each(function.getArguments(), narrow);
    SmallVector<Operation *> computed;
    for (Operation &op : function.front())
      if (!isConstantExpr(&op))
        computed.push_back(&op);
    for (Operation *op : computed) {
      for (OpOperand &operand : op->getOpOperands()) {
        Type element = typeOf(operand.get()).getElementType(), wanted = elementFor(element);
        if (!isConstantExpr(operand.get()) || wanted == element || isPacked(operand.get()))
          continue;
        FailureOr<Value> constant = narrowConstant(operand.get(), wanted);
        if (failed(constant))
          return failure();
        operand.set(*constant);
      }
      if (auto cast = dyn_cast<CastOp>(op)) {
        // What a cast to few bits cuts off stays cut off.
        Type element = typeOf(cast).getElementType();
        bool cuts = element.isInteger(8) || element.isInteger(16);
        if (cuts && opset >= Opset::ios17) {
          OpBuilder builder(&getContext());
          builder.setInsertionPointAfter(cast);
          auto wide = builder.create<CastOp>(cast.getLoc(), cast, builder.getI32Type());
          cast.getResult().replaceAllUsesExcept(wide, wide);
          continue;
        }
        cast.setDtype(getDtypeName(elementFor(element)));
      }
      // Indices are int32 without a word.
      if (isa<TopkOp>(op))
        op->removeAttr("output_indices_dtype");
      if (isa<ReduceArgmaxOp, ReduceArgminOp>(op))
        op->removeAttr("output_dtype");
      llvm::for_each(op->getResults(), narrow);
    }
    return success();
  }

  /// Writes down what coremltools' reader expects to be there although it has a default.
  void spellOut(ConvTransposeOp op) {
    Builder builder(&getContext());
    size_t spatial = typeOf(op).getRank() - 2;
    if (!op.getPad())
      op.setPadAttr(builder.getDenseI64ArrayAttr(SmallVector<int64_t>(2 * spatial, 0)));
    if (!op.getOutputShape())
      op.setOutputShapeAttr(builder.getDenseI64ArrayAttr(typeOf(op).getShape()));
  }

  /// Lets an op compute in a type that Core ML has for it, where the values are the same.
  void convert(Operation *op) {
    bool hasBools =
        llvm::any_of(op->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isInteger(1); });
    bool hasInts =
        llvm::any_of(op->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isInteger(32); });
    OpBuilder builder(op);
    Composer c(builder, op->getLoc());
    if (auto conv = dyn_cast<ConvTransposeOp>(op))
      spellOut(conv);
    if (auto pad = dyn_cast<PadOp>(op); pad && (hasBools || hasInts) && pad.getMode() == "constant")
      return padByConcat(pad, c);
    if (!hasBools || takesBools(op))
      return;
    Type i32 = builder.getI32Type();
    for (OpOperand &operand : op->getOpOperands())
      if (getElementTypeOrSelf(operand.get()).isInteger(1))
        operand.set(c.make<CastOp>(operand.get(), i32));
    if (isa<EqualOp, NotEqualOp, GreaterOp, GreaterEqualOp, LessOp, LessEqualOp>(op))
      return;
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      RankedTensorType type = typeOf(result);
      if (!type.getElementType().isInteger(1))
        continue;
      result.setType(type.clone(i32));
      Value back = c.make<CastOp>(result, type.getElementType());
      result.replaceAllUsesExcept(back, back.getDefiningOp());
    }
  }

  static void padByConcat(PadOp pad, Composer &c) {
    Value value = pad.getX();
    ArrayRef<int64_t> border = pad.getPad();
    int64_t first = typeOf(value).getRank() - int64_t(border.size()) / 2;
    for (size_t i = 0; i + 1 < border.size(); i += 2) {
      SmallVector<Value> parts;
      auto fill = [&](int64_t size) {
        SmallVector<int64_t> shape(typeOf(value).getShape());
        shape[first + i / 2] = size;
        if (size > 0)
          parts.push_back(c.make<TileOp>(
              c.reshape(c.scalar(value, pad.getConstantVal().convertToDouble()), SmallVector<int64_t>(shape.size(), 1)),
              ArrayRef<int64_t>(shape)));
      };
      fill(border[i]);
      parts.push_back(value);
      fill(border[i + 1]);
      if (parts.size() > 1)
        value = c.make<ConcatOp>(parts, first + int64_t(i) / 2);
    }
    pad.replaceAllUsesWith(value);
    pad.erase();
  }

  LogicalResult check() {
    bool isWrong = false;
    for (Operation &op : getOperation().front().without_terminator()) {
      if (isConstantExpr(&op))
        continue;
      auto error = [&] {
        isWrong = true;
        return op.emitOpError();
      };
      if (auto mil = dyn_cast<MILSpellingOpInterface>(op); !mil)
        error() << "has no operation in Core ML, and none that it can be made of; remedy: leave it out of the model";
      else if (mil.getMinOpset() > opset)
        error() << "is in Core ML from opset " << stringifyOpset(mil.getMinOpset()) << " on, and the package is for "
                << stringifyOpset(opset) << "; remedy: a later --minimum-os";
      if (auto gru = dyn_cast<GruOp>(op); gru && (gru.getInputBias() || gru.getResetAfter()) && opset < Opset::ios18)
        error()
            << "has two biases, or resets after the product, which Core ML has from opset ios18 on, and the package "
               "is for "
            << stringifyOpset(opset) << "; remedy: --minimum-os=iOS18";
      if (isa<NonMaximumSuppressionOp>(op) && opset >= Opset::ios17)
        error() << "has a least score, which Core ML's operation has no more from opset ios17 on; remedy: "
                   "--minimum-os=iOS16, or end the model before it";
      if (takesFloatsOnly(&op) && !isa<FloatType>(getElementTypeOrSelf(op.getOperand(0))))
        error() << "takes floats alone in Core ML, and operand 0 is " << op.getOperand(0).getType()
                << "; remedy: cast it in the model";
      for (Value result : op.getResults())
        if (typeOf(result).getRank() > maxRank)
          error() << "has a result of rank " << typeOf(result).getRank() << ", Core ML's operations have at most "
                  << maxRank << " axes; remedy: merge axes in the model";
    }
    return failure(isWrong);
  }

  //===-- the border --------------------------------------------------------===//

  /// What a user gives and gets: fp32 and int32 always, fp16 from iOS 16 on; at least one axis
  /// (coreml-mlprogram.md 1.5).
  RankedTensorType featureType(RankedTensorType type) {
    Type element = type.getElementType();
    if (element.isInteger(1) || (element.isF16() && opset < Opset::ios16))
      element = Float32Type::get(&getContext());
    else if (isa<IntegerType>(element))
      element = IntegerType::get(&getContext(), 32);
    return RankedTensorType::get(type.getRank() ? type.getShape() : ArrayRef<int64_t>{1}, element);
  }

  void makeBorder() {
    func::FuncOp function = getOperation();
    Block &body = function.front();
    OpBuilder builder(&body, body.begin());
    Composer c(builder, function.getLoc());
    for (BlockArgument argument : body.getArguments()) {
      RankedTensorType inner = typeOf(argument), outer = featureType(inner);
      if (inner == outer && !argument.use_empty())
        continue;
      argument.setType(outer);
      Operation *last = nullptr;
      llvm::SmallPtrSet<Operation *, 2> own;
      Value value = argument;
      auto step = [&](Value next) {
        last = next.getDefiningOp();
        own.insert(last);
        value = next;
      };
      if (outer.getShape() != inner.getShape())
        step(c.make<SqueezeOp>(value, builder.getDenseI64ArrayAttr({0})));
      if (outer.getElementType() != inner.getElementType())
        step(c.make<CastOp>(value, inner.getElementType()));
      if (argument.use_empty())
        c.make<IdentityOp>(argument);
      argument.replaceAllUsesExcept(value, own);
    }
    Operation *terminator = body.getTerminator();
    builder.setInsertionPoint(terminator);
    llvm::SmallPtrSet<Value, 4> returned;
    for (OpOperand &operand : terminator->getOpOperands()) {
      Value value = operand.get();
      RankedTensorType inner = typeOf(value), outer = featureType(inner);
      if (outer.getElementType() != inner.getElementType())
        value = c.make<CastOp>(value, outer.getElementType());
      if (outer.getShape() != inner.getShape())
        value = c.make<ReshapeOp>(value, outer.getShape());
      // An output is the result of an op, and of one that has no other name.
      if (value == operand.get() && (!value.getDefiningOp() || isConstantExpr(value) || !returned.insert(value).second))
        value = c.make<IdentityOp>(value);
      operand.set(value);
    }
    function.setType(FunctionType::get(&getContext(), body.getArgumentTypes(), terminator->getOperandTypes()));
  }
};
} // namespace
