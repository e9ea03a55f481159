//===- Attention.cpp - attention ------------------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Inference.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

//===-- scaled_dot_product_attention --------------------------------------===//

LogicalResult ScaledDotProductAttentionOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor,
                                                            Types &types) {
  Value queryValue = adaptor.getQuery(), keyValue = adaptor.getKey(), valueValue = adaptor.getValue();
  if (failed(checkSameElementType(loc, "query", queryValue, "key", keyValue)) ||
      failed(checkSameElementType(loc, "query", queryValue, "value", valueValue)))
    return failure();
  auto query = tensorOf(queryValue).getShape(), key = tensorOf(keyValue).getShape(),
       value = tensorOf(valueValue).getShape();
  if (query.size() < 3 || key.size() != query.size() || value.size() != query.size())
    return emitOptionalError(loc, "query, key and value have ranks ", query.size(), ", ", key.size(), " and ",
                             value.size(), ", expected one rank of 3 or more");
  auto batch = query.drop_back(2), keyBatch = key.drop_back(2);
  if (value.drop_back(2) != keyBatch || keyBatch.drop_back() != batch.drop_back() || keyBatch.back() <= 0 ||
      batch.back() % keyBatch.back() != 0)
    return emitOptionalError(loc, "batch axes of query [", query, "], key [", key, "] and value [", value,
                             "] differ, and those of query are no groups of the others'");
  auto queryMatrix = query.take_back(2), keyMatrix = key.take_back(2), valueMatrix = value.take_back(2);
  if (queryMatrix[1] != keyMatrix[1])
    return emitOptionalError(loc, "query has ", queryMatrix[1], " features, key ", keyMatrix[1]);
  if (keyMatrix[0] != valueMatrix[0])
    return emitOptionalError(loc, "key has ", keyMatrix[0], " positions, value ", valueMatrix[0]);
  SmallVector<int64_t> scores(batch);
  scores.append({queryMatrix[0], keyMatrix[0]});
  // No operand or result, but what the op is made of has them.
  SmallVector<Type> scoresType;
  if (failed(pushResult(loc, scoresType, scores, tensorOf(queryValue).getElementType())))
    return failure();
  if (Value mask = adaptor.getAttnMask()) {
    auto shape = broadcastShapes(loc, tensorOf(mask).getShape(), scores);
    if (failed(shape))
      return failure();
    if (*shape != scores)
      return emitOptionalError(loc, "attn_mask [", tensorOf(mask).getShape(), "] does not broadcast to [",
                               ArrayRef(scores), "]");
    if (!tensorOf(mask).getElementType().isInteger(1) &&
        failed(checkSameElementType(loc, "query", queryValue, "attn_mask", mask)))
      return failure();
  }
  SmallVector<int64_t> shape(batch);
  shape.append({queryMatrix[0], valueMatrix[1]});
  return pushResult(loc, types, shape, tensorOf(queryValue).getElementType());
}

int64_t ScaledDotProductAttentionOp::getFlops() {
  auto query = getQuery().getType().getShape();
  int64_t positions = getKey().getType().getShape().take_back(2)[0];
  int64_t scores = getQuery().getType().getNumElements() / query.back() * positions;
  return scores * (2 * query.back() + 2 * getType().getShape().back() + 6);
}

/// A value without the positive factor that it is multiplied by, and the factor. The scale of a model that has another
/// one than attention's stands there, as a factor that would overflow: see RaiseAttention.
static std::pair<Value, double> unscaled(Value value) {
  if (auto mul = value.getDefiningOp<MulOp>())
    for (auto [x, factor] : {std::pair(mul.getX(), mul.getY()), std::pair(mul.getY(), mul.getX())})
      if (auto splat = getSplat(factor); splat && *splat > 0 && x.getType() == value.getType())
        return {x, *splat};
  return {value, 1.0};
}

FailureOr<SmallVector<Value>> ScaledDotProductAttentionOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  ArrayRef<int64_t> shape = getQuery().getType().getShape(), keyShape = getKey().getType().getShape();
  int64_t length = shape[shape.size() - 2], positions = keyShape[shape.size() - 2];
  // The queries that share a key are more rows of one product.
  SmallVector<int64_t> rows(keyShape), scoresShape(shape);
  rows[shape.size() - 2] = length * (shape[shape.size() - 3] / keyShape[shape.size() - 3]);
  scoresShape.back() = positions;
  bool grouped = ArrayRef(rows) != shape;
  auto reshaped = [&](Value value, ArrayRef<int64_t> to) { return grouped ? c.reshape(value, to) : value; };
  auto [query, scale] = unscaled(getQuery());
  scale /= std::sqrt(double(shape.back()));
  if (std::abs(scale - 1) < 1e-6) // the rounding of what the model wrote
    scale = 1;
  // Made smaller before the product and larger after it: unscaled scores are the largest values of a model, and fp16
  // ends at 65504.
  if (scale < 1)
    query = c.mul(query, scale);
  Value scores = c.make<MatmulOp>(reshaped(query, rows), getKey(), /*transpose_x=*/false, /*transpose_y=*/true);
  scores = reshaped(scores, scoresShape);
  if (scale > 1)
    scores = c.mul(scores, scale);
  if (Value mask = getAttnMask()) {
    if (tensorOf(mask).getElementType().isInteger(1))
      scores = c.make<SelectOp>(mask, scores, c.scalar(scores, -INFINITY));
    else
      scores = c.add(scores, mask);
  }
  rows.back() = positions;
  Value weights = reshaped(c.make<SoftmaxOp>(scores), rows);
  return SmallVector<Value>{reshaped(c.make<MatmulOp>(weights, getValue(), false, false), getType().getShape())};
}

//===-- rope --------------------------------------------------------------===//

LogicalResult RopeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, {adaptor.getX(), adaptor.getCos(), adaptor.getSin()})))
    return failure();
  RankedTensorType x = tensorOf(adaptor.getX());
  if (x.getRank() < 1 || x.getShape().back() % 2 != 0)
    return emitOptionalError(loc, "the last axis of x [", x.getShape(), "] must have an even size");
  SmallVector<int64_t> half(x.getShape());
  half.back() /= 2;
  for (auto [name, table] : {std::pair("cos", adaptor.getCos()), std::pair("sin", adaptor.getSin())}) {
    if (failed(checkSameElementType(loc, "x", adaptor.getX(), name, table)))
      return failure();
    auto shape = broadcastShapes(std::nullopt, tensorOf(table).getShape(), half);
    if (failed(shape) || *shape != half)
      return emitOptionalError(loc, name, " [", tensorOf(table).getShape(), "] does not broadcast to [", ArrayRef(half),
                               "], half of x");
  }
  return inferSameAs(adaptor.getX(), types);
}

LogicalResult RopeOp::verify() {
  if (getLayout() == "half" || getLayout() == "interleaved")
    return success();
  return emitOpError() << "layout is '" << getLayout() << "', expected half or interleaved";
}

FailureOr<SmallVector<Value>> RopeOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  bool interleaved = getLayout() == "interleaved";
  auto shape = getType().getShape();
  int64_t rank = shape.size(), half = shape.back() / 2;
  // Pairs along a new axis of size 2: the last one if interleaved, the one before if halves.
  SmallVector<int64_t> paired(shape.drop_back());
  paired.append({interleaved ? half : 2, interleaved ? 2 : half});
  int64_t pairAxis = interleaved ? rank : rank - 1;
  Value pairs = c.reshape(getX(), paired);
  SmallVector<int64_t> halfShape(shape);
  halfShape.back() = half;
  auto member = [&](int64_t index) {
    SmallVector<int64_t> begin(rank + 1, 0), size(paired);
    begin[pairAxis] = index;
    size[pairAxis] = 1;
    return c.reshape(c.make<SliceBySizeOp>(pairs, begin, size), halfShape);
  };
  Value a = member(0), b = member(1);
  Value first = c.sub(c.mul(a, getCos()), c.mul(b, getSin()));
  Value second = c.add(c.mul(b, getCos()), c.mul(a, getSin()));
  if (!interleaved)
    return SmallVector<Value>{c.make<ConcatOp>(ValueRange{first, second}, int64_t(rank - 1))};
  return SmallVector<Value>{c.reshape(c.make<StackOp>(ValueRange{first, second}, int64_t(rank)), shape)};
}

//===-- embedding ---------------------------------------------------------===//

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType table = tensorOf(adaptor.getTable());
  if (table.getRank() != 2)
    return emitOptionalError(loc, "table has shape [", table.getShape(), "], expected [V, D]");
  SmallVector<int64_t> shape(tensorOf(adaptor.getIndices()).getShape());
  shape.push_back(table.getDimSize(1));
  return pushResult(loc, types, shape, table.getElementType());
}

FailureOr<SmallVector<Value>> EmbeddingOp::decompose(OpBuilder &builder) {
  return SmallVector<Value>{Composer(builder, getLoc()).make<GatherOp>(getTable(), getIndices(), int64_t(0))};
}
