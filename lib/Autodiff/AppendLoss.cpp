//===- AppendLoss.cpp - losses for models without one ---------------------===//

#include "Names.h"
#include "ane/Autodiff/Passes.h"
#include "ane/IR/Builders.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Inference.h"
#include "ane/IR/LanguageModel.h"
#include "ane/IR/Training.h"
#include <cmath>

namespace mlir::ane {
#define GEN_PASS_DEF_APPENDLOSS
#include "ane/Autodiff/AutodiffPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct AppendLoss : mlir::ane::impl::AppendLossBase<AppendLoss> {
  using AppendLossBase::AppendLossBase;

  /// The mean over all elements, a scalar.
  Value mean(Composer &c, OpBuilder &b, Value x) {
    return c.make<ReduceMeanOp>(x, DenseI64ArrayAttr(), b.getBoolAttr(false));
  }
  Value sum(Composer &c, OpBuilder &b, Value x) {
    return c.make<ReduceSumOp>(x, DenseI64ArrayAttr(), b.getBoolAttr(false));
  }

  /// A factor for each class, along its axis.
  Value perClass(Composer &c, OpBuilder &b, ArrayRef<double> factors, Value like, int64_t axis) {
    SmallVector<int64_t> along(tensorOf(like).getRank(), 1);
    along[axis] = factors.size();
    auto type = RankedTensorType::get(along, getElementTypeOrSelf(like));
    SmallVector<Attribute> elements;
    for (double factor : factors)
      elements.push_back(b.getFloatAttr(type.getElementType(), factor));
    return c.make<ConstOp>(DenseElementsAttr::get(type, elements));
  }

  /// As PyTorch has it: the mean is weighted by the factors of the targets' classes, also of what smoothing gives to
  /// all classes. `share` is what the mean's weights sum up to, of one for each target.
  Value crossEntropy(Composer &c, OpBuilder &b, Value logits, Value labels, int64_t axis, Value &share) {
    Value counts = c.make<NotEqualOp>(labels, c.scalar(labels, double(ignore)));
    SmallVector<int64_t> along(tensorOf(logits).getShape()), shape(tensorOf(labels).getShape());
    int64_t classes = std::exchange(along[axis], 1);
    Value indices = c.reshape(c.make<SelectOp>(counts, labels, c.scalar(labels, 0)), along);
    Value all = c.make<LogSoftmaxOp>(logits, axis);
    Value taken = c.reshape(c.make<GatherAlongAxisOp>(all, indices, axis), shape);
    Value factor = c.castLike(counts, taken);
    if (!classWeights.empty()) {
      SmallVector<int64_t> wide(tensorOf(logits).getShape());
      Value factors = c.make<TileOp>(perClass(c, b, llvm::to_vector(classWeights), logits, axis), along);
      factor = c.mul(factor, c.reshape(c.make<GatherAlongAxisOp>(factors, indices, axis), shape));
      all = c.mul(all, factors);
    }
    Value zero = c.scalar(taken, 0);
    Value total = sum(c, b, c.mul(c.make<SelectOp>(counts, taken, zero), factor));
    if (smoothing != 0) {
      Value spread = c.make<ReduceSumOp>(all, b.getDenseI64ArrayAttr({axis}), b.getBoolAttr(false));
      Value spreads = sum(c, b, c.make<SelectOp>(counts, spread, zero));
      total = c.add(c.mul(total, 1 - smoothing), c.mul(spreads, smoothing / double(classes)));
    }
    Value number = sum(c, b, factor);
    share = c.mul(number, 1.0 / double(std::max<int64_t>(tensorOf(labels).getNumElements(), 1)));
    // Without a target that counts, the sum is 0 as well.
    Value isSome = c.make<GreaterOp>(number, c.scalar(number, 0));
    return c.make<NegOp>(c.div(total, c.make<SelectOp>(isSome, number, c.scalar(number, 1))));
  }

  /// With `positiveWeight` p: (1 - y) x + (1 + (p - 1) y) log(1 + e^-x).
  Value binary(Composer &c, OpBuilder &b, Value x, Value wanted, int64_t axis) {
    if (positiveWeights.empty())
      return mean(c, b, c.sub(c.make<SoftplusOp>(x), c.mul(x, wanted)));
    auto less = llvm::map_to_vector(positiveWeights, [](double weight) { return weight - 1; });
    Value factor = less.size() == 1 ? c.mul(wanted, less.front()) : Value(c.mul(wanted, perClass(c, b, less, x, axis)));
    Value negative = c.make<SoftplusOp>(c.make<NegOp>(x));
    return mean(c, b, c.add(c.sub(x, c.mul(x, wanted)), c.mul(c.add(factor, 1.0), negative)));
  }

  /// From each of the rows to that of its number among the columns: the mean of -log_softmax there.
  Value between(Composer &c, OpBuilder &b, Value scores, int64_t axis) {
    Value own = c.make<BandPartOp>(c.make<LogSoftmaxOp>(scores, axis), 0, 0);
    return c.mul(sum(c, b, own), -1.0 / double(tensorOf(scores).getDimSize(0)));
  }

  /// Both [pairs, width].
  Value contrastive(Composer &c, OpBuilder &b, Value anchors, Value positives) {
    auto unit = [&](Value x) {
      Value square = c.make<ReduceSumOp>(c.mul(x, x), b.getDenseI64ArrayAttr({-1}), b.getBoolAttr(true));
      return c.div(x, c.make<SqrtOp>(c.make<MaximumOp>(square, c.scalar(square, 1e-24))));
    };
    Value scores = c.mul(c.make<MatmulOp>(unit(anchors), unit(positives), false, true), 1 / temperature);
    Value loss = between(c, b, scores, 1);
    return symmetric ? c.mul(c.add(loss, between(c, b, scores, 0)), 0.5) : loss;
  }

  /// Has inputs of `rows` rows taken as half as many examples of two rows each.
  LogicalResult pairInputs(func::FuncOp target, int64_t rows) {
    for (unsigned i = 0; i < target.getNumArguments(); ++i) {
      auto type = tensorOf(target.getArgument(i));
      if (type.getRank() == 0 || type.getDimSize(0) != rows)
        return target.emitError() << "kind=contrastive: input '" << inputName(target, i) << "' is " << type
                                  << ", expected the output's " << rows << " rows, which are taken in pairs";
    }
    OpBuilder builder = OpBuilder::atBlockBegin(&target.front());
    for (BlockArgument argument : target.getArguments()) {
      auto type = tensorOf(argument);
      SmallVector<int64_t> paired(type.getShape());
      paired.front() = 2;
      paired.insert(paired.begin(), rows / 2);
      argument.setType(type.clone(paired));
      Value flat = Composer(builder, argument.getLoc()).reshape(argument, type.getShape());
      argument.replaceAllUsesExcept(flat, flat.getDefiningOp());
    }
    target.setType(builder.getFunctionType(target.front().getArgumentTypes(), target.getResultTypes()));
    return success();
  }

  /// The outputs of embeddings: of anchors and of positives, or one for both.
  FailureOr<SmallVector<unsigned>> findEmbeddings(func::FuncOp target) {
    auto isFit = [](RankedTensorType type) { return isa<FloatType>(type.getElementType()) && type.getRank() == 2; };
    constexpr StringRef wanted = "a matrix of floats";
    SmallVector<unsigned> found;
    auto [first, second] = StringRef(output).split(',');
    for (unsigned i = 0; output.empty() && i < target.getNumResults(); ++i)
      if (isFit(cast<RankedTensorType>(target.getResultTypes()[i])))
        found.push_back(i);
    if (found.size() == 2)
      return found;
    found.clear();
    for (StringRef name : second.empty() ? SmallVector<StringRef>{first} : SmallVector<StringRef>{first, second}) {
      FailureOr<unsigned> index = findOutput(target, name, isFit, wanted);
      if (failed(index))
        return failure();
      found.push_back(*index);
    }
    return found;
  }

  LogicalResult addContrastive(func::FuncOp target) {
    if (!(temperature > 0) || !std::isfinite(temperature))
      return target.emitError() << "temperature=" << double(temperature) << ": expected a number above 0";
    FailureOr<SmallVector<unsigned>> outputs = findEmbeddings(target);
    if (failed(outputs))
      return failure();
    Operation *end = target.front().getTerminator();
    OpBuilder b(end);
    Composer c(b, end->getLoc());
    SmallVector<Value> parts;
    for (unsigned index : *outputs)
      parts.push_back(widened(c, b, end->getOperand(index)));
    auto shape = tensorOf(parts.front()).getShape();
    if (parts.size() == 2 && tensorOf(parts.back()).getShape() != shape)
      return target.emitError() << "kind=contrastive: embeddings are " << tensorOf(parts.front()) << " and "
                                << tensorOf(parts.back()) << ", expected two of one shape";
    int64_t pairs = parts.size() == 2 ? shape[0] : shape[0] / 2;
    if (pairs < 2 || (parts.size() == 1 && shape[0] % 2 != 0))
      return target.emitError() << "kind=contrastive: embeddings are " << tensorOf(parts.front())
                                << ", expected a row for each text of 2 pairs or more; without others in the batch a "
                                   "positive has nothing to be told apart from";
    if (parts.size() == 1) {
      if (failed(pairInputs(target, shape[0])))
        return failure();
      Value both = c.reshape(parts.pop_back_val(), {pairs, 2 * shape[1]});
      for (int64_t at : {int64_t(0), shape[1]})
        parts.push_back(c.make<SliceBySizeOp>(both, ArrayRef<int64_t>{0, at}, ArrayRef<int64_t>{pairs, shape[1]}));
    }
    addOutputs(target, contrastive(c, b, parts[0], parts[1]), {"loss"});
    return success();
  }

  /// In fp32, or fp64 if it is.
  Value widened(Composer &c, OpBuilder &b, Value x) {
    Type element = getElementTypeOrSelf(x);
    return element.isF64() || element.isF32() ? x : c.make<CastOp>(x, b.getF32Type());
  }

  LogicalResult checkOutputs(func::FuncOp target) {
    for (unsigned i = 0; i < target.getNumResults(); ++i)
      if (outputName(target, i) == "loss")
        return target.emitError() << "an output is called 'loss' already: differentiate that one";
    return success();
  }

  LogicalResult run() {
    func::FuncOp target = findFunction(getOperation(), function);
    if (!target)
      return failure();
    if (kind == "contrastive")
      return failed(checkOutputs(target)) ? failure() : addContrastive(target);
    if (kind == "model")
      return takeOwn(target);
    auto isFloat = [](RankedTensorType type) { return isa<FloatType>(type.getElementType()); };
    FailureOr<unsigned> index = findOutput(target, output, isFloat, "a tensor of floats");
    if (failed(index))
      return failure();
    if (!llvm::is_contained({"cross-entropy", "mse", "bce"}, StringRef(kind)))
      return target.emitError() << "kind=" << kind << ": expected cross-entropy, mse, bce, contrastive or model";
    Operation *end = target.getBody().front().getTerminator();
    OpBuilder b(end);
    Composer c(b, end->getLoc());
    Value x = end->getOperand(*index);
    auto type = tensorOf(x);
    RankedTensorType expected = type.clone(type.getElementType().isF64() ? type.getElementType() : b.getF32Type());
    FailureOr<int64_t> along = int64_t(0);
    bool hasClasses = kind == "cross-entropy" || positiveWeights.size() > 1;
    if (hasClasses && failed(along = classAxis(target, type)))
      return failure();
    if (kind == "cross-entropy") {
      SmallVector<int64_t> shape(type.getShape());
      shape.erase(shape.begin() + *along);
      expected = RankedTensorType::get(shape, b.getI64Type());
    }
    if (failed(checkWeights(target, hasClasses ? type.getDimSize(*along) : 0)))
      return failure();
    for (unsigned i = 0; i < target.getNumArguments(); ++i)
      if (inputName(target, i) == this->target)
        return target.emitError() << "target=" << this->target << ": the function has an input of that name";
    if (failed(checkOutputs(target)))
      return failure();
    Value wanted = addInputs(target, {{this->target, expected}}).front(), loss, share;
    if (kind == "cross-entropy")
      target.setArgAttr(target.getNumArguments() - 1, attrs::range,
                        b.getDictionaryAttr({b.getNamedAttr("max", b.getI64IntegerAttr(type.getDimSize(*along) - 1)),
                                             b.getNamedAttr("min", b.getI64IntegerAttr(0)),
                                             b.getNamedAttr("reader", b.getStringAttr("the loss"))}));
    x = widened(c, b, x);
    if (kind == "cross-entropy")
      loss = crossEntropy(c, b, x, wanted, *along, share);
    else if (kind == "mse")
      loss = mean(c, b, c.make<SquareOp>(c.sub(x, wanted)));
    else
      loss = binary(c, b, x, wanted, *along);
    addOutputs(target, loss, {"loss"});
    if (share)
      addOutputs(target, share, {lossShareName.str()});
    return success();
  }

  /// Axis 1 as ONNX and PyTorch have it, but for what has none behind it, and for a language model's logits.
  FailureOr<int64_t> classAxis(func::FuncOp target, RankedTensorType type) {
    int64_t wanted = type.getRank() >= 3 && !getOperation()->hasAttr(languageModelName) ? 1 : -1;
    if (axis != "auto" && StringRef(axis).getAsInteger(10, wanted))
      return target.emitError() << "axis=" << axis << ": expected a number, or auto";
    return normalizeAxis(target.getLoc(), wanted, type.getRank());
  }

  LogicalResult checkWeights(func::FuncOp target, int64_t classes) {
    auto check = [&](ArrayRef<double> weights, StringRef option, bool mayBeOne) -> LogicalResult {
      if (weights.empty() || (mayBeOne && weights.size() == 1) || int64_t(weights.size()) == classes)
        return success();
      return target.emitError() << option << ": has " << weights.size() << " numbers, and there are " << classes
                                << " classes along the output's axis of classes; axis names another one";
    };
    return success(succeeded(check(llvm::to_vector(classWeights), "class-weights", false)) &&
                   succeeded(check(llvm::to_vector(positiveWeights), "positive-weights", true)));
  }

  /// The output that is the loss is called so, and nothing else is given.
  LogicalResult takeOwn(func::FuncOp target) {
    auto isScalar = [](RankedTensorType type) {
      return isa<FloatType>(type.getElementType()) && type.getNumElements() == 1;
    };
    FailureOr<unsigned> index = findOutput(target, output, isScalar, "a scalar of floats");
    if (failed(index))
      return failure();
    Operation *end = target.front().getTerminator();
    OpBuilder b(end);
    Composer c(b, end->getLoc());
    Value own = end->getOperand(*index);
    Value loss = getElementTypeOrSelf(own).isF32() ? own : c.make<CastOp>(own, b.getF32Type());
    end->setOperands({});
    target.eraseResults(llvm::BitVector(target.getNumResults(), true));
    addOutputs(target, loss, {"loss"});
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
