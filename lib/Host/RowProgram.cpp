//===- RowProgram.cpp - fused element-wise, gather and row ops ------------===//

#include "RowProgram.h"
#include "Elementwise.h"
#include "RowOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

SmallVector<Value> RowProgram::inputs() const {
  llvm::SetVector<Value> roots;
  for (const RowValue &v : values)
    if (v.kind == RowValue::Load || v.kind == RowValue::Gather)
      roots.insert(v.access.root);
  return roots.takeVector();
}

bool host::isRowOp(Operation *op) { return lookupElementwise(op) || isRowReduction(op) || isGather(op); }

/// Whether `value` is read by an op outside `ops`, looking through views.
static bool usedOutside(Value value, const llvm::SmallPtrSetImpl<Operation *> &ops) {
  for (Operation *user : value.getUsers()) {
    if (ops.contains(user))
      continue;
    if (!isView(user))
      return true;
    for (Value result : user->getResults())
      if (usedOutside(result, ops))
        return true;
  }
  return false;
}

/// Where row-major `result` is only transposed, and the transpose is needed as a dense tensor, it is stored transposed.
static Value storedTransposed(Value result) {
  if (!result.hasOneUse() || result.getDefiningOp()->hasAttr(orderMark))
    return {};
  auto transpose = dyn_cast<TransposeOp>(*result.getUsers().begin());
  if (!transpose)
    return {};
  for (Operation *user : transpose->getUsers())
    if (!isView(user) || trace(user->getResult(0)).root != transpose.getResult())
      return {};
  return transpose.getResult();
}

//===-- builder -----------------------------------------------------------===//

LogicalResult RowBuilder::setSpace(ArrayRef<Operation *> ops, Value accumulator) {
  Operation *reduction = nullptr;
  for (Operation *op : ops)
    if (isRowReduction(op)) {
      reduction = op;
      break;
    }
  if (accumulator && reduction)
    return failure();
  Value space = accumulator ? accumulator : reduction ? reduction->getOperand(0) : ops.back()->getResult(0);
  base = llvm::to_vector(shapeOf(space));
  reduced.assign(base.size(), false);
  if (reduction)
    for (int64_t axis : cast<ReductionOpInterface>(reduction).getReducedAxes())
      reduced[axis] = true;
  SmallVector<int64_t> order = memoryOrder(space);
  for (bool last : {false, true})
    for (int64_t d : order)
      if (reduced[d] == last)
        perm.push_back(d);
  rowShape = base;
  for (size_t d = 0; d < base.size(); ++d)
    if (reduced[d])
      rowShape[d] = 1;
  return success();
}

FailureOr<Access> RowBuilder::place(const Access &access, ArrayRef<int64_t> opShape) const {
  std::optional<StridedView> placed = access.broadcast(opShape);
  if (placed)
    placed = placed->reshape(numElements(opShape) == numElements(base) ? base : rowShape);
  if (!placed)
    return failure();
  return Access(access.root, placed->broadcast(base)->transpose(perm));
}

unsigned RowBuilder::add(RowValue value) {
  program.values.push_back(std::move(value));
  return program.values.size() - 1;
}

unsigned RowBuilder::constant(Type element, double v) {
  RowValue value;
  value.kind = RowValue::Constant;
  value.element = element;
  value.constant = v;
  value.perLane = false;
  return add(value);
}

unsigned RowBuilder::compute(Type element, ArrayRef<unsigned> operands, bool cheap, RowValue::Fn fn) {
  RowValue value;
  value.element = element;
  value.operands.assign(operands.begin(), operands.end());
  value.cheap = cheap;
  value.fn = std::move(fn);
  value.perLane = llvm::any_of(operands, [&](unsigned i) { return program.values[i].perLane; });
  return add(value);
}

unsigned RowBuilder::reduce(StringRef kind, unsigned operand) {
  RowValue value;
  value.kind = RowValue::Reduce;
  value.element = program.values[operand].element;
  value.operands = {operand};
  value.reduction = kind;
  value.perLane = false;
  return add(value);
}

FailureOr<unsigned> RowBuilder::load(const Access &access, ArrayRef<int64_t> opShape) {
  FailureOr<Access> placed = place(access, opShape);
  if (failed(placed))
    return failure();
  auto member = members.find(access.root);
  if (member != members.end()) {
    // A value of the program itself: it must be read where it is computed.
    const auto &[id, strides] = member->second;
    if (placed->base != 0)
      return failure();
    for (auto [dim, stride, own] : llvm::zip_equal(placed->shape, placed->strides, strides))
      if (dim != 1 && stride != own)
        return failure();
    return id;
  }
  // A materialised view of a member can't be had within the program.
  for (Operation *op = access.root.getDefiningOp(); op && isView(op); op = op->getOperand(0).getDefiningOp())
    if (members.count(op->getOperand(0)))
      return failure();
  for (auto [i, v] : llvm::enumerate(program.values))
    if (v.kind == RowValue::Load && v.access.root == placed->root && v.access.base == placed->base &&
        v.access.strides == placed->strides)
      return i;
  RowValue value;
  value.kind = RowValue::Load;
  value.element = elementOf(access.root);
  value.access = *placed;
  return add(value);
}

FailureOr<unsigned> RowBuilder::operand(Value v, ArrayRef<int64_t> opShape) {
  Access access = trace(v);
  if (std::optional<double> splat = splatConstant(access.root))
    return constant(elementOf(v), *splat);
  return load(access, opShape);
}

LogicalResult RowBuilder::define(Value result, unsigned id) {
  // It has as many elements as the space or its rows, but its dimensions may lie in another order.
  FailureOr<Access> placed = place(Access::dense(result), shapeOf(result));
  if (failed(placed))
    return failure();
  members[result] = {id, placed->strides};
  return success();
}

FailureOr<RowOutput> RowBuilder::output(Value written) const {
  if (auto member = members.find(written); member != members.end())
    return RowOutput{member->second.first, written, member->second.second};
  auto transpose = cast<TransposeOp>(written.getDefiningOp());
  Value result = transpose.getX();
  ArrayRef<int64_t> perm = transpose.getPerm();
  SmallVector<int64_t> inverse(perm.size());
  for (auto [i, axis] : llvm::enumerate(perm))
    inverse[axis] = i;
  FailureOr<Access> placed = place({written, Access::dense(written).transpose(inverse)}, shapeOf(result));
  if (failed(placed))
    return failure();
  return RowOutput{members.find(result)->second.first, written, placed->strides};
}

static FailureOr<unsigned> buildElementwise(RowBuilder &b, Operation *op) {
  const ElementwiseInfo *info = lookupElementwise(op);
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  SmallVector<unsigned> operands;
  for (Value v : op->getOperands()) {
    FailureOr<unsigned> id = b.operand(v, shape);
    if (failed(id))
      return failure();
    operands.push_back(*id);
  }
  ElementwiseFn emit = info->emit;
  return b.compute(elementOf(op->getResult(0)), operands, info->cheap,
                   [emit, op](Scalar &s, ValueRange x) { return emit(s, op, x); });
}

/// What of `results`, the members, must be written for the ops outside of `ops`, transposed where that saves a copy and
/// `transposed` allows it.
static void addOutputs(RowBuilder &b, ArrayRef<Value> results, const llvm::SmallPtrSetImpl<Operation *> &ops,
                       bool transposed) {
  for (Value result : results) {
    if (!usedOutside(result, ops))
      continue;
    FailureOr<RowOutput> output = failure();
    if (Value moved = transposed ? storedTransposed(result) : Value())
      output = b.output(moved);
    if (failed(output))
      output = b.output(result);
    b.program.outputs.push_back(*output);
  }
}

static FailureOr<RowProgram> buildProgram(ArrayRef<Operation *> ops, Value accumulator,
                                          std::optional<ValueRange> written, bool transposed) {
  RowBuilder b;
  if (failed(b.setSpace(ops, accumulator)))
    return failure();
  llvm::SmallPtrSet<Operation *, 8> set(ops.begin(), ops.end());
  SmallVector<Value> results;
  if (accumulator) {
    RowValue leaf;
    leaf.kind = RowValue::Accumulator;
    leaf.element = elementOf(accumulator);
    if (failed(b.define(accumulator, b.add(leaf))))
      return failure();
    set.insert(accumulator.getDefiningOp());
    results.push_back(accumulator);
  }
  for (Operation *op : ops) {
    Value result = op->getResult(0);
    int64_t elements = numElements(shapeOf(result));
    if (elements != numElements(b.base) && elements != numElements(b.rowShape))
      return failure();
    FailureOr<unsigned> id = failure();
    if (isRowReduction(op))
      id = buildRowReduction(b, op);
    else if (isGather(op))
      id = buildGather(b, op);
    else if (lookupElementwise(op))
      id = buildElementwise(b, op);
    if (failed(id) || failed(b.define(result, *id)))
      return failure();
    results.push_back(result);
  }
  if (!written)
    addOutputs(b, results, set, transposed);
  for (Value value : written.value_or(ValueRange())) {
    FailureOr<RowOutput> output = b.output(value);
    if (failed(output))
      return failure();
    b.program.outputs.push_back(*output);
  }
  for (int64_t d : b.perm)
    b.program.shape.push_back(b.base[d]);
  if (b.program.shape.empty()) {
    // Scalars: one row of one lane.
    b.program.shape.push_back(1);
    for (RowValue &v : b.program.values)
      if (v.kind == RowValue::Load || v.kind == RowValue::Gather)
        v.access = Access(v.access.root, {v.access.base, {1}, {0}});
    for (RowOutput &out : b.program.outputs)
      out.strides = {1};
  }
  // The columns of a matrix product stay the lane.
  if (failed(b.program.simplify(accumulator ? 1 : llvm::count(b.reduced, true))))
    return failure();
  return std::move(b.program);
}

FailureOr<RowProgram> host::buildRowProgram(ArrayRef<Operation *> ops, Value accumulator,
                                            std::optional<ValueRange> written) {
  FailureOr<RowProgram> program = buildProgram(ops, accumulator, written, /*transposed=*/true);
  // Where reduced axes become one lane, what is stored transposed must lie along it, too. Else it is copied.
  bool triedTransposed =
      !written && llvm::any_of(ops, [](Operation *op) { return storedTransposed(op->getResult(0)); });
  if (failed(program) && triedTransposed)
    program = buildProgram(ops, accumulator, written, /*transposed=*/false);
  return program;
}

FailureOr<RowProgram> host::buildCopyProgram(Value view) {
  RowProgram program;
  RowValue load;
  load.kind = RowValue::Load;
  load.element = elementOf(view);
  load.access = trace(view);
  if (std::optional<double> splat = splatConstant(load.access.root)) {
    load.kind = RowValue::Constant;
    load.constant = *splat;
    load.perLane = false;
  }
  program.shape = llvm::to_vector(shapeOf(view));
  program.outputs.push_back({0, view, rowMajorStrides(shapeOf(view))});
  if (program.shape.empty()) {
    program.shape = load.access.shape = {1};
    load.access.strides = program.outputs[0].strides = {1};
  }
  program.values.push_back(std::move(load));
  if (failed(program.simplify(0)))
    return failure();
  return program;
}

//===-- dimensions --------------------------------------------------------===//

void RowProgram::updateLanes() {
  for (RowValue &v : values) {
    auto anyLane = [&] { return llvm::any_of(v.operands, [&](unsigned i) { return values[i].perLane; }); };
    bool strided = shape.back() != 1 && !v.access.strides.empty() && v.access.strides.back() != 0;
    if (v.kind == RowValue::Load)
      v.perLane = strided;
    else if (v.kind == RowValue::Gather)
      v.perLane = strided || anyLane();
    else if (v.kind == RowValue::Compute)
      v.perLane = anyLane();
  }
}

LogicalResult RowProgram::simplify(size_t reducedDims) {
  // All stride lists, so that dimensions are merged only where every one of them allows it.
  SmallVector<SmallVector<int64_t> *> lists;
  for (RowValue &v : values)
    if (v.kind == RowValue::Load || v.kind == RowValue::Gather)
      lists.push_back(&v.access.strides);
  for (RowOutput &out : outputs)
    lists.push_back(&out.strides);

  auto collapsePart = [&](size_t first, size_t count, SmallVector<int64_t> &dims) {
    dims.assign(shape.begin() + first, shape.begin() + first + count);
    SmallVector<SmallVector<int64_t>> parts;
    for (auto *list : lists)
      parts.emplace_back(list->begin() + first, list->begin() + first + count);
    collapse(dims, parts);
    return parts;
  };
  SmallVector<int64_t> rowDims, laneDims;
  size_t rowCount = shape.size() - reducedDims;
  auto rowParts = collapsePart(0, rowCount, rowDims);
  auto laneParts = collapsePart(rowCount, reducedDims, laneDims);
  if (reducedDims && laneDims.size() != 1)
    return failure();
  shape = rowDims;
  shape.append(laneDims);
  for (auto [i, list] : llvm::enumerate(lists)) {
    *list = rowParts[i];
    list->append(laneParts[i]);
  }
  // One long row is cut into even pieces for the threads.
  constexpr int64_t longest = 8192;
  if (!reducedDims && shape.size() == 1 && shape[0] > longest) {
    int64_t piece = longest;
    while (shape[0] % piece)
      --piece;
    if (piece >= 64) {
      for (auto *list : lists)
        list->insert(list->begin(), list->front() * piece);
      shape = {shape[0] / piece, piece};
    }
  }
  for (RowValue &v : values)
    v.access.shape = shape;
  updateLanes();
  return success();
}
