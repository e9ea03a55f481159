//===- Norm.cpp - normalisation -------------------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Builders.h"
#include "ane/IR/Inference.h"
#include "ane/IR/NormParameter.h"

using namespace mlir;
using namespace mlir::ane;

//===-- inference ---------------------------------------------------------===//

/// A norm over `axes`, whose parameters have the shape of x along them.
static LogicalResult inferAxesNorm(OptionalLoc loc, Value x, std::optional<ArrayRef<int64_t>> axes,
                                   ArrayRef<std::pair<StringRef, Value>> parameters, Types &types) {
  auto normal = normalizeAxes(loc, axes, tensorOf(x).getRank());
  if (failed(normal))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t axis : *normal)
    shape.push_back(tensorOf(x).getDimSize(axis));
  for (auto [name, parameter] : parameters)
    if (parameter && tensorOf(parameter).getShape() != ArrayRef(shape))
      return emitOptionalError(loc, name, " has shape [", tensorOf(parameter).getShape(), "], but x has shape [",
                               ArrayRef(shape), "] along axes [", ArrayRef(*normal), "]");
  return inferSameAs(x, types);
}

/// A norm of x [N, C, D...] with parameters [C].
static LogicalResult inferChannelNorm(OptionalLoc loc, Value x, ArrayRef<std::pair<StringRef, Value>> parameters,
                                      Types &types) {
  if (tensorOf(x).getRank() < 2)
    return emitOptionalError(loc, "x needs a channel axis 1, but has rank ", tensorOf(x).getRank());
  for (auto [name, parameter] : parameters)
    if (failed(checkChannels(loc, name, parameter, tensorOf(x).getDimSize(1))))
      return failure();
  return inferSameAs(x, types);
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferAxesNorm(loc, adaptor.getX(), adaptor.getAxes(),
                       {{"gamma", adaptor.getGamma()}, {"beta", adaptor.getBeta()}}, types);
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (tensorOf(adaptor.getX()).getRank() < 1)
    return emitOptionalError(loc, "x is a scalar");
  return inferAxesNorm(loc, adaptor.getX(), adaptor.getAxes().value_or(ArrayRef<int64_t>{-1}),
                       {{"gamma", adaptor.getGamma()}}, types);
}

LogicalResult BatchNormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferChannelNorm(loc, adaptor.getX(),
                          {{"mean", adaptor.getMean()},
                           {"variance", adaptor.getVariance()},
                           {"gamma", adaptor.getGamma()},
                           {"beta", adaptor.getBeta()}},
                          types);
}

LogicalResult InstanceNormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferChannelNorm(loc, adaptor.getX(), {{"gamma", adaptor.getGamma()}, {"beta", adaptor.getBeta()}}, types);
}

LogicalResult GroupNormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  Value x = adaptor.getX();
  if (failed(inferChannelNorm(loc, x, {{"gamma", adaptor.getGamma()}, {"beta", adaptor.getBeta()}}, types)))
    return failure();
  int64_t channels = tensorOf(x).getDimSize(1), groups = adaptor.getNumGroups();
  if (groups < 1 || channels % groups != 0)
    return emitOptionalError(loc, "num_groups ", groups, " does not divide ", channels, " channels");
  return success();
}

LogicalResult L2NormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, adaptor.getX())))
    return failure();
  if (int64_t rank = tensorOf(adaptor.getX()).getRank(); rank < 3)
    return emitOptionalError(loc, "x has rank ", rank, ", needs 3 or more");
  return inferSameAs(adaptor.getX(), types);
}

LogicalResult LocalResponseNormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, adaptor.getX())))
    return failure();
  if (int64_t rank = tensorOf(adaptor.getX()).getRank(); rank < 3)
    return emitOptionalError(loc, "x has rank ", rank, ", needs 3 or more: [N, C, D...]");
  return inferSameAs(adaptor.getX(), types);
}

LogicalResult LocalResponseNormOp::verify() {
  return getSize() > 0 ? success() : emitOpError() << "size is " << getSize() << ", must be positive";
}

//===-- decompositions ----------------------------------------------------===//

/// x - mean(x), and 1 / sqrt(mean((x - mean)^2) + epsilon) multiplied to it.
static Value normalize(Composer &c, Value x, ArrayRef<int64_t> axes, double epsilon) {
  Value centered = c.sub(x, c.mean(x, axes));
  Value variance = c.mean(c.mul(centered, centered), axes);
  return c.div(centered, c.make<SqrtOp>(c.add(variance, epsilon)));
}

Value mlir::ane::alongAxes(Composer &c, Value parameter, Value x, ArrayRef<int64_t> axes) {
  // Axes in descending order have their parameter's axes in that order, too.
  auto order = llvm::to_vector(llvm::seq<int64_t>(axes.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return axes[a] < axes[b]; });
  parameter = c.transpose(parameter, order);
  SmallVector<int64_t> shape(tensorOf(x).getRank(), 1);
  for (int64_t axis : axes)
    shape[axis] = tensorOf(x).getDimSize(axis);
  return c.reshape(parameter, shape);
}

FailureOr<SmallVector<Value>> LayerNormOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  auto axes = *normalizeAxes(std::nullopt, getAxes(), getType().getRank());
  Value result = normalize(c, getX(), axes, getEpsilon().convertToDouble());
  if (getGamma())
    result = c.mul(result, alongAxes(c, c.castLike(getGamma(), getX()), getX(), axes));
  if (getBeta())
    result = c.add(result, alongAxes(c, c.castLike(getBeta(), getX()), getX(), axes));
  return SmallVector<Value>{result};
}

SmallVector<int64_t> RmsNormOp::getReducedAxes() {
  auto axes = *normalizeAxes(std::nullopt, getAxes().value_or(ArrayRef<int64_t>{-1}), getType().getRank());
  llvm::sort(axes);
  return axes;
}

FailureOr<SmallVector<Value>> RmsNormOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  SmallVector<int64_t> axes = getReducedAxes();
  Value square = c.mean(c.mul(getX(), getX()), axes);
  Value result = c.div(getX(), c.make<SqrtOp>(c.add(square, getEpsilon().convertToDouble())));
  if (Value gamma = getGamma()) {
    gamma = c.castLike(gamma, getX());
    if (getZeroCentered())
      gamma = c.add(gamma, 1.0);
    result = c.mul(result, alongAxes(c, gamma, getX(), axes));
  }
  return SmallVector<Value>{result};
}

/// result * gamma + beta, per channel, where they are given.
static Value scaleAndShift(Composer &c, Value result, Value gamma, Value beta) {
  if (gamma)
    result = c.mul(result, c.perChannel(c.castLike(gamma, result), result));
  if (beta)
    result = c.add(result, c.perChannel(c.castLike(beta, result), result));
  return result;
}

FailureOr<SmallVector<Value>> BatchNormOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  Value x = getX();
  Value deviation = c.make<SqrtOp>(c.add(c.castLike(getVariance(), x), getEpsilon().convertToDouble()));
  Value result = c.sub(x, c.perChannel(c.castLike(getMean(), x), x));
  result = c.div(result, c.perChannel(deviation, x));
  return SmallVector<Value>{scaleAndShift(c, result, getGamma(), getBeta())};
}

FailureOr<SmallVector<Value>> InstanceNormOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  auto axes = llvm::to_vector(llvm::seq<int64_t>(2, getType().getRank()));
  Value result = normalize(c, getX(), axes, getEpsilon().convertToDouble());
  return SmallVector<Value>{scaleAndShift(c, result, getGamma(), getBeta())};
}

FailureOr<SmallVector<Value>> GroupNormOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  auto shape = getType().getShape();
  int64_t groups = getNumGroups();
  Value grouped = c.reshape(getX(), {shape[0], groups, getType().getNumElements() / (shape[0] * groups)});
  Value result = c.reshape(normalize(c, grouped, {2}, getEpsilon().convertToDouble()), shape);
  return SmallVector<Value>{scaleAndShift(c, result, getGamma(), getBeta())};
}

FailureOr<SmallVector<Value>> L2NormOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  Value sum =
      c.make<ReduceSumOp>(c.mul(getX(), getX()), builder.getDenseI64ArrayAttr({-3, -2, -1}), builder.getBoolAttr(true));
  return SmallVector<Value>{c.div(getX(), c.make<SqrtOp>(c.add(sum, getEpsilon().convertToDouble())))};
}
