//===- Shape.cpp - shape, order and whole of tensors ----------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Inference.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::ane;

static LogicalResult push(OptionalLoc loc, Types &types, ArrayRef<int64_t> shape, Value like) {
  return pushResult(loc, types, shape, tensorOf(like).getElementType());
}

//===-- reshape and its kin -----------------------------------------------===//

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX());
  ArrayRef<int64_t> given = adaptor.getShape();
  SmallVector<int64_t> shape(given);
  for (auto [i, size] : llvm::enumerate(shape))
    if (size == 0 && int64_t(shape.size()) == x.getRank())
      size = x.getDimSize(i);
  auto resolved = resolveReshape(shape, x.getNumElements());
  if (!resolved)
    return emitOptionalError(loc, "shape [", given, "] does not hold the ", x.getNumElements(), " elements of x [",
                             x.getShape(), "] (one entry may be -1)");
  return push(loc, types, *resolved, adaptor.getX());
}

/// The operand of an op that keeps the row-major order of the elements.
static Value sourceOfReshape(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_present<ReshapeOp, ReshapeLikeOp, ExpandDimsOp, SqueezeOp, Flatten2dOp>(op) ? op->getOperand(0)
                                                                                             : Value();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  if (Value source = sourceOfReshape(getX())) {
    // Entries 0 and -1 mean something else for another operand.
    setShape(getType().getShape());
    getXMutable().assign(source);
    return getResult();
  }
  if (getShape() == getType().getShape())
    return {};
  setShape(getType().getShape());
  return getResult();
}

LogicalResult ReshapeLikeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  ValueRange refs = adaptor.getRefTensors();
  auto begins = adaptor.getBegins(), ends = adaptor.getEnds();
  auto masks = adaptor.getEndMasks();
  if (begins.size() != refs.size() || ends.size() != refs.size() || masks.size() != refs.size())
    return emitOptionalError(loc, "begins, ends and end_masks have ", begins.size(), ", ", ends.size(), " and ",
                             masks.size(), " entries for ", refs.size(), " ref_tensors");
  SmallVector<int64_t> shape;
  for (auto [i, ref] : llvm::enumerate(refs)) {
    auto refShape = tensorOf(ref).getShape();
    int64_t rank = refShape.size();
    // One behind the last axis is an end, and a beginning of nothing.
    auto bound = [&](int64_t given) { return given == rank ? rank : axisFromFront(given, rank).value_or(-1); };
    int64_t begin = bound(begins[i]), end = masks[i] ? rank : bound(ends[i]);
    if (begin < 0 || begin > end)
      return emitOptionalError(loc, "axes ", begins[i], " to ", ends[i], " of ref_tensors[", i,
                               "] don't exist: its rank is ", rank);
    llvm::append_range(shape, refShape.slice(begin, end - begin));
  }
  if (numElements(shape) != tensorOf(adaptor.getX()).getNumElements())
    return emitOptionalError(loc, "shape [", ArrayRef(shape), "] does not hold the ",
                             tensorOf(adaptor.getX()).getNumElements(), " elements of x");
  return push(loc, types, shape, adaptor.getX());
}

LogicalResult ReshapeLikeOp::canonicalize(ReshapeLikeOp op, PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getX(), op.getType().getShape());
  return success();
}

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto x = tensorOf(adaptor.getX()).getShape();
  int64_t rank = x.size() + adaptor.getAxes().size();
  auto axes = normalizeAxes(loc, adaptor.getAxes(), rank);
  if (failed(axes))
    return failure();
  SmallVector<int64_t> shape(rank, 1);
  for (int64_t i = 0, next = 0; i < rank; ++i)
    if (!llvm::is_contained(*axes, i))
      shape[i] = x[next++];
  return push(loc, types, shape, adaptor.getX());
}

LogicalResult SqueezeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto x = tensorOf(adaptor.getX()).getShape();
  auto axes = normalizeAxes(loc, adaptor.getAxes(), x.size());
  if (failed(axes))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(x)) {
    bool named = llvm::is_contained(*axes, int64_t(i));
    // MIL ignores axes of other sizes without a word (coreml-mlprogram.md 3): an error here.
    if (named && adaptor.getAxes() && size != 1)
      return emitOptionalError(loc, "axis ", i, " of x [", x, "] has size ", size, ", only size 1 can be squeezed");
    if (!named || size != 1)
      shape.push_back(size);
  }
  return push(loc, types, shape, adaptor.getX());
}

/// The source of a chain of reshapes, where it already has the result's type.
static OpFoldResult foldRoundTrip(Value x, Value result) {
  if (x.getType() == result.getType())
    return x;
  Value source = sourceOfReshape(x);
  return source && source.getType() == result.getType() ? OpFoldResult(source) : OpFoldResult();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor) { return foldRoundTrip(getX(), getResult()); }
OpFoldResult SqueezeOp::fold(FoldAdaptor) { return foldRoundTrip(getX(), getResult()); }

LogicalResult Flatten2dOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX());
  int64_t given = adaptor.getAxis(), rank = x.getRank();
  // The rank itself is allowed: all axes are rows.
  std::optional<int64_t> axis = given == rank ? rank : axisFromFront(given, rank);
  if (!axis)
    return emitOptionalError(loc, "axis ", given, " is out of range [", -rank, ", ", rank, "] for rank ", rank);
  return push(loc, types, flattenedAt(x.getShape(), *axis), adaptor.getX());
}

LogicalResult Flatten2dOp::canonicalize(Flatten2dOp op, PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getX(), op.getType().getShape());
  return success();
}

LogicalResult ShapeOp::inferReturnTypes(MLIRContext *context, OptionalLoc, Adaptor adaptor, Types &types) {
  types.push_back(RankedTensorType::get({tensorOf(adaptor.getX()).getRank()}, IntegerType::get(context, 32)));
  return success();
}

OpFoldResult ShapeOp::fold(FoldAdaptor) {
  SmallVector<int32_t> shape(getX().getType().getShape());
  return DenseElementsAttr::get(getType(), ArrayRef<int32_t>(shape));
}

//===-- order -------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto x = tensorOf(adaptor.getX()).getShape();
  auto perm = normalizeAxes(loc, adaptor.getPerm(), x.size(), "perm");
  if (failed(perm) || failed(checkCount(loc, "perm", perm->size(), x.size())))
    return failure();
  if (llvm::any_of(adaptor.getPerm(), [](int64_t axis) { return axis < 0; }))
    return emitOptionalError(loc, "perm [", adaptor.getPerm(), "] has a negative entry");
  return push(loc, types, permuted(x, *perm), adaptor.getX());
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (llvm::is_sorted(getPerm()))
    return getX();
  auto inner = getX().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> perm = permuted(inner.getPerm(), getPerm());
  if (llvm::is_sorted(perm))
    return inner.getX();
  setPerm(perm);
  getXMutable().assign(inner.getX());
  return getResult();
}

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, adaptor.getX())) ||
      failed(normalizeAxes(loc, adaptor.getAxes(), tensorOf(adaptor.getX()).getRank())))
    return failure();
  return inferSameAs(adaptor.getX(), types);
}

OpFoldResult ReverseOp::fold(FoldAdaptor) {
  bool trivial = llvm::all_of(getAxesFromFront(), [&](int64_t axis) { return getType().getDimSize(axis) <= 1; });
  return trivial ? OpFoldResult(getX()) : OpFoldResult();
}

LogicalResult ReverseSequenceOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType x = tensorOf(adaptor.getX());
  auto batch = normalizeAxis(loc, adaptor.getBatchAxis(), x.getRank(), "batch_axis");
  if (failed(batch) || failed(normalizeAxis(loc, adaptor.getSeqAxis(), x.getRank(), "seq_axis")) ||
      failed(checkChannels(loc, "lengths", adaptor.getLengths(), x.getDimSize(*batch))))
    return failure();
  return inferSameAs(adaptor.getX(), types);
}

//===-- whole -------------------------------------------------------------===//

/// All values must agree in element type, rank, and every axis but `axis` (none if negative).
static LogicalResult checkJoinable(OptionalLoc loc, ValueRange values, int64_t axis) {
  RankedTensorType first = tensorOf(values[0]);
  for (auto [i, value] : llvm::enumerate(values)) {
    RankedTensorType type = tensorOf(value);
    bool agree = type.getRank() == first.getRank() && type.getElementType() == first.getElementType();
    for (int64_t d = 0; agree && d < first.getRank(); ++d)
      agree = d == axis || type.getDimSize(d) == first.getDimSize(d);
    if (agree)
      continue;
    if (axis < 0)
      return emitOptionalError(loc, "values[", i, "] is ", type, " and differs from values[0], ", first);
    return emitOptionalError(loc, "values[", i, "] is ", type, " and differs from values[0], ", first,
                             ", in more than axis ", axis);
  }
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  ValueRange values = adaptor.getValues();
  if (values.empty())
    return emitOptionalError(loc, "values are empty");
  auto axis = normalizeAxis(loc, adaptor.getAxis(), tensorOf(values[0]).getRank());
  if (failed(axis) || failed(checkJoinable(loc, values, *axis)))
    return failure();
  SmallVector<int64_t> shape(tensorOf(values[0]).getShape());
  for (Value value : values.drop_front()) {
    int64_t size = tensorOf(value).getDimSize(*axis);
    if (adaptor.getInterleave() && size != tensorOf(values[0]).getDimSize(*axis))
      return emitOptionalError(loc, "interleave needs equal sizes along axis ", *axis, ", got ",
                               tensorOf(values[0]).getDimSize(*axis), " and ", size);
    shape[*axis] += size;
  }
  return push(loc, types, shape, values[0]);
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getValues().size() == 1 ? OpFoldResult(getValues()[0]) : OpFoldResult();
}

LogicalResult StackOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  ValueRange values = adaptor.getValues();
  if (values.empty())
    return emitOptionalError(loc, "values are empty");
  auto axis = normalizeAxis(loc, adaptor.getAxis(), tensorOf(values[0]).getRank() + 1);
  if (failed(axis) || failed(checkJoinable(loc, values, -1)))
    return failure();
  SmallVector<int64_t> shape(tensorOf(values[0]).getShape());
  shape.insert(shape.begin() + *axis, values.size());
  return push(loc, types, shape, values[0]);
}

LogicalResult TileOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  SmallVector<int64_t> shape(tensorOf(adaptor.getX()).getShape());
  if (failed(checkCount(loc, "reps", adaptor.getReps().size(), shape.size())))
    return failure();
  for (auto [size, count] : llvm::zip(shape, adaptor.getReps())) {
    if (count < 1)
      return emitOptionalError(loc, "reps [", adaptor.getReps(), "] must all be 1 or more");
    size = saturatingMul(size, count);
  }
  return push(loc, types, shape, adaptor.getX());
}

OpFoldResult TileOp::fold(FoldAdaptor) { return getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult(); }

LogicalResult PadOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  SmallVector<int64_t> shape(tensorOf(adaptor.getX()).getShape());
  ArrayRef<int64_t> pad = adaptor.getPad();
  StringRef mode = adaptor.getMode();
  if (!llvm::is_contained({"constant", "reflect", "replicate"}, mode))
    return emitOptionalError(loc, "mode is '", mode, "', expected constant, reflect or replicate");
  if (pad.size() % 2 != 0 || pad.size() / 2 > shape.size())
    return emitOptionalError(loc, "pad has ", pad.size(), " entries, expected two for each of at most ", shape.size(),
                             " axes");
  int64_t first = shape.size() - pad.size() / 2;
  for (auto [i, count] : llvm::enumerate(pad)) {
    int64_t size = tensorOf(adaptor.getX()).getDimSize(first + i / 2);
    int64_t limit = mode == "reflect" ? size - 1 : size;
    if (count < 0 || (mode == "reflect" && count > limit) || (mode == "replicate" && count > 0 && size == 0))
      return emitOptionalError(loc, "pad [", pad, "]: ", count, " on an axis of size ", size,
                               " is impossible in mode '", mode, "'");
    shape[first + i / 2] = saturatingAdd(shape[first + i / 2], count);
  }
  return push(loc, types, shape, adaptor.getX());
}

SmallVector<std::pair<int64_t, int64_t>> PadOp::getBorder() {
  ArrayRef<int64_t> pad = getPad();
  SmallVector<std::pair<int64_t, int64_t>> border(getType().getRank() - pad.size() / 2);
  for (; !pad.empty(); pad = pad.drop_front(2))
    border.push_back({pad[0], pad[1]});
  return border;
}

OpFoldResult PadOp::fold(FoldAdaptor) { return getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult(); }
