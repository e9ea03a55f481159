//===- RowEmitter.cpp - loops of a row program ----------------------------===//

#include "RowEmitter.h"
#include "BlockReader.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// A row buffer lives on the stack of its thread.
static constexpr int64_t maxKeptLanes = 8192;

//===-- addresses, loads, stores ------------------------------------------===//

static Value indexConstant(OpBuilder &b, Location loc, int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); }

/// The element `lane` steps of `stride` behind `offset`.
static Value laneIndex(OpBuilder &b, Location loc, Value offset, Value lane, int64_t stride) {
  if (stride == 0)
    return offset;
  Value step = stride == 1 ? lane : b.create<arith::MulIOp>(loc, lane, indexConstant(b, loc, stride)).getResult();
  return b.create<arith::AddIOp>(loc, offset, step);
}

Value RowEmitter::linear(OpBuilder &b, Location loc, ValueRange indices, ArrayRef<int64_t> strides, int64_t offset) {
  Value sum;
  for (auto [index, stride] : llvm::zip(indices, strides)) {
    if (stride == 0)
      continue;
    Value term = stride == 1 ? index : b.create<arith::MulIOp>(loc, index, indexConstant(b, loc, stride)).getResult();
    sum = sum ? b.create<arith::AddIOp>(loc, sum, term).getResult() : term;
  }
  if (!sum)
    return indexConstant(b, loc, offset);
  return offset ? b.create<arith::AddIOp>(loc, sum, indexConstant(b, loc, offset)).getResult() : sum;
}

Value RowEmitter::loadAt(OpBuilder &b, Location loc, Value buffer, Value index, int64_t width, Type element) {
  Value raw;
  if (width == 1)
    raw = b.create<memref::LoadOp>(loc, buffer, index);
  else
    raw = b.create<vector::LoadOp>(loc, VectorType::get(width, cast<MemRefType>(buffer.getType()).getElementType()),
                                   buffer, index);
  return Scalar(b, loc, compute).fromMemory(raw, element);
}

void RowEmitter::storeAt(OpBuilder &b, Location loc, Value value, Value buffer, Value index, int64_t width,
                         Type element) {
  Type memory = cast<MemRefType>(buffer.getType()).getElementType();
  Scalar s(b, loc, compute);
  value = s.toMemory(value, isa<FloatType>(memory) ? memory : element);
  if (width == 1) {
    b.create<memref::StoreOp>(loc, value, buffer, index);
    return;
  }
  if (!isa<VectorType>(value.getType()))
    value = b.create<vector::BroadcastOp>(loc, VectorType::get(width, value.getType()), value);
  b.create<vector::StoreOp>(loc, value, buffer, index);
}

/// Whether a gather's table is in blocks: its buffer has bytes.
bool RowEmitter::readsBlocks(const RowValue &v) const {
  Value buffer = inputs.lookup(v.access.root);
  return v.kind == RowValue::Gather && elementOf(v.access.root).isF32() &&
         cast<MemRefType>(buffer.getType()).getElementType().isInteger(8);
}

Value RowEmitter::loadGathered(OpBuilder &b, Location loc, const RowValue &v, Value index, int64_t width) {
  Value root = v.access.root, buffer = inputs.lookup(root);
  if (!readsBlocks(v))
    return loadAt(b, loc, buffer, index, width, elementOf(root));
  return BlockReader::tableElement(b, loc, *WeightBlocks::of(WeightBlocks::columnsOf(root)), buffer, shapeOf(root)[1],
                                   index);
}

bool RowEmitter::needsScalars() const {
  if (program.lanes() == 1)
    return true;
  for (const RowValue &v : program.values) {
    if (v.kind != RowValue::Load && v.kind != RowValue::Gather)
      continue;
    if (readsBlocks(v))
      return true;
    int64_t stride = v.access.strides.back();
    if (stride != 0 && stride != 1)
      return true;
    // An index per lane, or the same element for all lanes of a value that differs by lane.
    if (v.kind == RowValue::Gather &&
        (stride == 0 || llvm::any_of(v.operands, [&](unsigned i) { return program.values[i].perLane; })))
      return true;
  }
  return llvm::any_of(program.outputs,
                      [](const RowOutput &out) { return out.strides.back() != 0 && out.strides.back() != 1; });
}

Value RowEmitter::gatherOffset(Scalar &s, const RowValue &v, Value base, ArrayRef<Value> indices) {
  OpBuilder &b = s.b;
  Value sum = base;
  for (auto [indexValue, stride, size, operand] :
       llvm::zip_equal(indices, v.gatherStrides, v.gatherSizes, v.operands)) {
    Value index = indexValue;
    // Computed in i64: the size may not fit the type of the index.
    index = s.convert(index, program.values[operand].element, b.getI64Type());
    Value count = s.constantInt(b.getI64Type(), size), zero = s.constantInt(b.getI64Type(), 0);
    Value negative = b.create<arith::CmpIOp>(s.loc, arith::CmpIPredicate::slt, index, zero);
    index = s.select(negative, b.create<arith::AddIOp>(s.loc, index, count), index);
    // Memory safety before speed: an index beyond the table reads its border.
    index = b.create<arith::MaxSIOp>(s.loc, index, zero);
    index = b.create<arith::MinSIOp>(s.loc, index, s.constantInt(b.getI64Type(), size - 1));
    Value position = b.create<arith::IndexCastOp>(s.loc, b.getIndexType(), index);
    sum = b.create<arith::AddIOp>(
        s.loc, sum, b.create<arith::MulIOp>(s.loc, position, indexConstant(b, s.loc, stride)).getResult());
  }
  return sum;
}

//===-- values ------------------------------------------------------------===//

void RowEmitter::computeLevels() {
  levels.assign(program.values.size(), 0);
  for (auto [i, v] : llvm::enumerate(program.values)) {
    for (unsigned operand : v.operands)
      levels[i] = std::max(levels[i], levels[operand]);
    if (v.kind == RowValue::Reduce)
      ++levels[i];
  }
}

/// The scalar of a value that is the same for all lanes of the row.
Value RowEmitter::rowValue(OpBuilder &b, Location loc, unsigned id) {
  if (rowValues[id])
    return rowValues[id];
  const RowValue &v = program.values[id];
  Scalar s(b, loc, compute);
  SmallVector<Value> operands;
  for (unsigned operand : v.operands)
    operands.push_back(rowValue(b, loc, operand));
  switch (v.kind) {
  case RowValue::Constant:
    return rowValues[id] = s.constantOf(s.computeType(v.element), v.constant);
  case RowValue::Load:
    return rowValues[id] = loadAt(b, loc, inputs.lookup(v.access.root), rowOffsets[id], 1, elementOf(v.access.root));
  case RowValue::Gather:
    return rowValues[id] = loadGathered(b, loc, v, gatherOffset(s, v, rowOffsets[id], operands), 1);
  default:
    return rowValues[id] = v.fn(s, operands);
  }
}

Value RowEmitter::laneValue(OpBuilder &b, Location loc, unsigned id, Value lane, int64_t width, int pass,
                            SmallVectorImpl<Value> &memo, Value accumulator) {
  const RowValue &v = program.values[id];
  Scalar s(b, loc, compute);
  auto widen = [&](Value scalar) -> Value {
    if (width == 1)
      return scalar;
    return b.create<vector::BroadcastOp>(loc, VectorType::get(width, scalar.getType()), scalar);
  };
  if (memo[id])
    return memo[id];
  if (v.kind == RowValue::Accumulator)
    return memo[id] = accumulator;
  if (!v.perLane)
    return memo[id] = widen(rowValue(b, loc, id));
  if (kept[id] && levels[id] < pass)
    return memo[id] = loadAt(b, loc, kept[id], lane, width, v.element);
  if (v.kind == RowValue::Load)
    return memo[id] = loadAt(b, loc, inputs.lookup(v.access.root),
                             laneIndex(b, loc, rowOffsets[id], lane, v.access.strides.back()), width,
                             elementOf(v.access.root));
  if (v.kind == RowValue::Gather) {
    // Indices are scalars: of the row, or of the single lane.
    SmallVector<Value> indices;
    for (unsigned operand : v.operands)
      indices.push_back(program.values[operand].perLane
                            ? laneValue(b, loc, operand, lane, width, pass, memo, accumulator)
                            : rowValue(b, loc, operand));
    Value offset = gatherOffset(s, v, laneIndex(b, loc, rowOffsets[id], lane, v.access.strides.back()), indices);
    return memo[id] = loadGathered(b, loc, v, offset, width);
  }
  SmallVector<Value> operands;
  for (unsigned operand : v.operands)
    operands.push_back(laneValue(b, loc, operand, lane, width, pass, memo, accumulator));
  return memo[id] = v.fn(s, operands);
}

//===-- reductions --------------------------------------------------------===//

static bool isFloatValue(Value x) { return isa<FloatType>(Scalar::elementOf(x)); }

Value RowEmitter::combine(Scalar &s, const RowValue &v, Value x, Value y) {
  OpBuilder &b = s.b;
  bool isFloat = isFloatValue(x), isUnsigned = v.element.isUnsignedInteger() || v.element.isInteger(1);
  if (v.reduction == "add")
    return isFloat ? s.add(x, y) : b.create<arith::AddIOp>(s.loc, x, y).getResult();
  if (v.reduction == "mul")
    return isFloat ? s.mul(x, y) : b.create<arith::MulIOp>(s.loc, x, y).getResult();
  if (v.reduction == "max") {
    if (isFloat)
      return s.max(y, x);
    return isUnsigned ? b.create<arith::MaxUIOp>(s.loc, x, y).getResult()
                      : b.create<arith::MaxSIOp>(s.loc, x, y).getResult();
  }
  if (isFloat)
    return s.min(y, x);
  return isUnsigned ? b.create<arith::MinUIOp>(s.loc, x, y).getResult()
                    : b.create<arith::MinSIOp>(s.loc, x, y).getResult();
}

Value RowEmitter::neutral(Scalar &s, const RowValue &v, int64_t width) {
  Type element = s.computeType(v.element);
  Type type = width == 1 ? element : VectorType::get(width, element);
  if (v.reduction == "add" || v.reduction == "mul")
    return s.constantOf(type, v.reduction == "add" ? 0 : 1);
  bool isMax = v.reduction == "max";
  if (isa<FloatType>(element))
    return s.constantOf(type, isMax ? -INFINITY : INFINITY);
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isUnsigned = v.element.isUnsignedInteger() || v.element.isInteger(1);
  APInt limit = isUnsigned ? (isMax ? APInt::getZero(bits) : APInt::getAllOnes(bits))
                           : (isMax ? APInt::getSignedMinValue(bits) : APInt::getSignedMaxValue(bits));
  return s.constantInt(type, limit.getSExtValue());
}

/// Halves the vector until one lane is left.
Value RowEmitter::horizontal(Scalar &s, const RowValue &v, Value x) {
  OpBuilder &b = s.b;
  int64_t width = cast<VectorType>(x.getType()).getNumElements();
  while (width > 1) {
    width /= 2;
    Value low = b.create<vector::ExtractStridedSliceOp>(s.loc, x, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{width},
                                                        ArrayRef<int64_t>{1});
    Value high = b.create<vector::ExtractStridedSliceOp>(s.loc, x, ArrayRef<int64_t>{width}, ArrayRef<int64_t>{width},
                                                         ArrayRef<int64_t>{1});
    x = combine(s, v, low, high);
  }
  return b.create<vector::ExtractOp>(s.loc, x, ArrayRef<int64_t>{0});
}

//===-- rows --------------------------------------------------------------===//

void RowEmitter::beginRow(OpBuilder &b, Location loc, ValueRange rowIndices) {
  computeLevels();
  rowValues.assign(program.values.size(), Value());
  rowOffsets.assign(program.values.size(), Value());
  kept.assign(program.values.size(), Value());
  outputOffsets.clear();
  for (auto [i, v] : llvm::enumerate(program.values))
    if (v.kind == RowValue::Load || v.kind == RowValue::Gather)
      rowOffsets[i] = linear(b, loc, rowIndices, ArrayRef(v.access.strides).drop_back(), v.access.base);
  for (const RowOutput &out : program.outputs)
    outputOffsets.push_back(linear(b, loc, rowIndices, ArrayRef(out.strides).drop_back(), 0));
  // Row values that need no reduction; the others follow the pass that computes their reduction.
  for (auto [i, v] : llvm::enumerate(program.values))
    if (!v.perLane && levels[i] == 0)
      rowValue(b, loc, i);
}

void RowEmitter::emitLane(OpBuilder &b, Location loc, Value lane, int64_t width, Value accumulator) {
  SmallVector<Value> memo(program.values.size());
  for (auto [i, out] : llvm::enumerate(program.outputs)) {
    Value value = laneValue(b, loc, out.value, lane, width, 0, memo, accumulator);
    storeAt(b, loc, value, outputs[i], laneIndex(b, loc, outputOffsets[i], lane, out.strides.back()), width,
            elementOf(out.result));
  }
}

void RowEmitter::emitPass(OpBuilder &b, Location loc, int pass, ArrayRef<unsigned> reductions,
                          ArrayRef<unsigned> keep) {
  SmallVector<unsigned> stores;
  for (auto [i, out] : llvm::enumerate(program.outputs))
    if (levels[out.value] == pass && (program.values[out.value].perLane || out.strides.back() != 0))
      stores.push_back(i);
  if (reductions.empty() && keep.empty() && stores.empty())
    return;

  auto body = [&](OpBuilder &b, Value lane, int64_t width, ValueRange sums) {
    SmallVector<Value> memo(program.values.size()), next;
    Scalar s(b, loc, compute);
    for (auto [r, id] : llvm::enumerate(reductions)) {
      const RowValue &v = program.values[id];
      Value x = laneValue(b, loc, v.operands[0], lane, width, pass, memo, {});
      next.push_back(combine(s, v, sums[r], x));
    }
    for (unsigned id : keep)
      storeAt(b, loc, laneValue(b, loc, id, lane, width, pass, memo, {}), kept[id], lane, width,
              program.values[id].element);
    for (unsigned i : stores) {
      const RowOutput &out = program.outputs[i];
      Value value = laneValue(b, loc, out.value, lane, width, pass, memo, {});
      storeAt(b, loc, value, outputs[i], laneIndex(b, loc, outputOffsets[i], lane, out.strides.back()), width,
              elementOf(out.result));
    }
    return next;
  };

  Scalar s(b, loc, compute);
  SmallVector<Value> totals;
  int64_t done = 0, lanes = program.lanes();
  SmallVector<int64_t> widths{vectorLanes, 4, 1};
  if (needsScalars())
    widths = {1};
  for (int64_t width : widths) {
    int64_t end = done + (lanes - done) / width * width;
    if (end == done)
      continue;
    SmallVector<Value> sums;
    for (unsigned id : reductions)
      sums.push_back(neutral(s, program.values[id], width));
    if (end - done == width) {
      sums = body(b, indexConstant(b, loc, done), width, sums);
    } else {
      auto loop = b.create<scf::ForOp>(loc, indexConstant(b, loc, done), indexConstant(b, loc, end),
                                       indexConstant(b, loc, width), sums,
                                       [&](OpBuilder &inner, Location, Value lane, ValueRange carried) {
                                         inner.create<scf::YieldOp>(loc, body(inner, lane, width, carried));
                                       });
      sums.assign(loop.getResults().begin(), loop.getResults().end());
    }
    for (auto [r, id] : llvm::enumerate(reductions)) {
      Value part = width == 1 ? sums[r] : horizontal(s, program.values[id], sums[r]);
      if (r < totals.size())
        totals[r] = combine(s, program.values[id], totals[r], part);
      else
        totals.push_back(part);
    }
    done = end;
  }
  for (auto [r, id] : llvm::enumerate(reductions))
    rowValues[id] = totals[r];
}

void RowEmitter::emitRow(OpBuilder &b, Location loc, ValueRange rowIndices) {
  beginRow(b, loc, rowIndices);
  int last = 0;
  for (int level : levels)
    last = std::max(last, level);

  // From the last pass to the first: what a pass needs of an earlier one is kept if it is expensive.
  SmallVector<SmallVector<unsigned>> reductions(last + 1), keep(last + 1);
  for (auto [i, v] : llvm::enumerate(program.values))
    if (v.kind == RowValue::Reduce)
      reductions[levels[i] - 1].push_back(i);
  for (int pass = last; pass >= 0; --pass) {
    llvm::SetVector<unsigned> needed;
    for (unsigned id : reductions[pass])
      needed.insert(program.values[id].operands[0]);
    for (const RowOutput &out : program.outputs)
      if (levels[out.value] == pass)
        needed.insert(out.value);
    for (unsigned id : keep[pass])
      needed.insert(id);
    for (size_t i = 0; i < needed.size(); ++i) {
      unsigned id = needed[i];
      const RowValue &v = program.values[id];
      if (!v.perLane || (kept[id] && levels[id] < pass))
        continue;
      bool expensive = v.kind == RowValue::Compute && !v.cheap;
      if (levels[id] < pass && expensive && program.lanes() <= maxKeptLanes) {
        Type memory = Scalar::memoryType(Scalar(b, loc, compute).computeType(v.element));
        kept[id] = b.create<memref::AllocaOp>(loc, MemRefType::get({program.lanes()}, memory), b.getI64IntegerAttr(64));
        keep[levels[id]].push_back(id);
        continue;
      }
      for (unsigned operand : v.operands)
        needed.insert(operand);
    }
  }
  for (int pass = 0; pass <= last; ++pass) {
    emitPass(b, loc, pass, reductions[pass], keep[pass]);
    // Scalars that became computable.
    for (auto [i, v] : llvm::enumerate(program.values))
      if (!v.perLane && v.kind == RowValue::Compute && levels[i] == pass + 1)
        rowValue(b, loc, i);
  }
  // Results per row.
  for (auto [i, out] : llvm::enumerate(program.outputs))
    if (!program.values[out.value].perLane && out.strides.back() == 0)
      storeAt(b, loc, rowValue(b, loc, out.value), outputs[i], outputOffsets[i], 1, elementOf(out.result));
}
