//===- RowOps.cpp - gathers and reductions of row programs ----------------===//

#include "RowOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

std::optional<double> host::splatConstant(Value value) {
  auto constant = value.getDefiningOp<ConstOp>();
  if (!constant)
    return std::nullopt;
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense || !dense.isSplat())
    return std::nullopt;
  Type element = dense.getElementType();
  if (isa<FloatType>(element))
    return dense.getSplatValue<APFloat>().convertToDouble();
  APInt bits = dense.getSplatValue<APInt>();
  // An integer that a double can't hold is read from memory.
  constexpr unsigned digits = 53;
  if (element.isUnsignedInteger() || element.isInteger(1))
    return bits.getActiveBits() <= digits ? std::optional<double>(bits.getZExtValue()) : std::nullopt;
  return bits.abs().getActiveBits() <= digits ? std::optional<double>(bits.getSExtValue()) : std::nullopt;
}

//===-- gathers -----------------------------------------------------------===//

bool host::isGather(Operation *op) { return isa<GatherOp, GatherAlongAxisOp, GatherNdOp, EmbeddingOp>(op); }

FailureOr<unsigned> host::buildGather(RowBuilder &b, Operation *op) {
  bool embedding = isa<EmbeddingOp>(op);
  Access x = trace(op->getOperand(embedding ? 1 : 0)), indices = trace(op->getOperand(embedding ? 0 : 1));
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  RowValue value;
  value.kind = RowValue::Gather;
  value.element = elementOf(op->getResult(0));
  Access access(x.root, {x.base, {}, {}});
  // Strides of the indices along the dimensions of the result; one list per index of a tuple.
  SmallVector<int64_t> indexStrides;
  int64_t tuple = 1, tupleStride = 0;
  if (auto along = dyn_cast<GatherAlongAxisOp>(op)) {
    int64_t axis = along.getAxisFromFront();
    access.strides = x.strides;
    value.gatherStrides = {x.strides[axis]};
    value.gatherSizes = {x.shape[axis]};
    access.strides[axis] = 0;
    indexStrides = indices.strides;
  } else if (auto tuples = dyn_cast<GatherNdOp>(op)) {
    size_t batch = tuples.getBatchDims();
    tuple = indices.shape.back();
    tupleStride = indices.strides.back();
    for (size_t d = 0; d + 1 < indices.shape.size(); ++d) {
      access.strides.push_back(d < batch ? x.strides[d] : 0);
      indexStrides.push_back(indices.strides[d]);
    }
    for (size_t d = batch; d < x.shape.size(); ++d) {
      if (d < batch + tuple) {
        value.gatherStrides.push_back(x.strides[d]);
        value.gatherSizes.push_back(x.shape[d]);
        continue;
      }
      access.strides.push_back(x.strides[d]);
      indexStrides.push_back(0);
    }
  } else {
    auto gather = dyn_cast<GatherOp>(op);
    int64_t axis = gather ? gather.getAxisFromFront() : 0, batch = gather ? gather.getBatchDims() : 0;
    for (int64_t d = 0; d < axis; ++d) {
      access.strides.push_back(x.strides[d]);
      indexStrides.push_back(d < batch ? indices.strides[d] : 0);
    }
    for (size_t d = batch; d < indices.shape.size(); ++d) {
      access.strides.push_back(0);
      indexStrides.push_back(indices.strides[d]);
    }
    for (size_t d = axis + 1; d < x.shape.size(); ++d) {
      access.strides.push_back(x.strides[d]);
      indexStrides.push_back(0);
    }
    value.gatherStrides = {x.strides[axis]};
    value.gatherSizes = {x.shape[axis]};
  }
  access.shape = llvm::to_vector(shape);
  FailureOr<Access> placed = b.place(access, shape);
  if (failed(placed) || b.members.count(access.root))
    return failure();
  value.access = *placed;
  for (int64_t i = 0; i < tuple; ++i) {
    FailureOr<unsigned> id =
        b.load({indices.root, {indices.base + i * tupleStride, llvm::to_vector(shape), indexStrides}}, shape);
    if (failed(id))
      return failure();
    value.operands.push_back(*id);
  }
  return b.add(value);
}

//===-- reductions --------------------------------------------------------===//

static Value mulOf(Scalar &s, ValueRange x) { return s.mul(x[0], x[1]); }
static Value divOf(Scalar &s, ValueRange x) { return s.div(x[0], x[1]); }

/// gamma or beta: a tensor of the shape of x along the reduced axes.
static FailureOr<unsigned> loadParameter(RowBuilder &b, Value parameter, ArrayRef<int64_t> axes,
                                         ArrayRef<int64_t> shape) {
  Access access = trace(parameter);
  if (std::optional<double> splat = splatConstant(access.root))
    return b.constant(elementOf(parameter), *splat);
  if (access.shape.size() != axes.size())
    return failure();
  Access wide(access.root, {access.base, llvm::to_vector(shape), SmallVector<int64_t>(shape.size(), 0)});
  for (auto [i, axis] : llvm::enumerate(axes))
    wide.strides[axis] = access.strides[i];
  return b.load(wide, shape);
}

namespace {
/// What layer_norm and rms_norm say.
struct Norm {
  explicit Norm(LayerNormOp op)
      : gamma(op.getGamma()), beta(op.getBeta()), epsilon(op.getEpsilon().convertToDouble()), centred(true) {}
  explicit Norm(RmsNormOp op)
      : gamma(op.getGamma()), epsilon(op.getEpsilon().convertToDouble()), zeroCentred(op.getZeroCentered()) {}

  Value gamma, beta;
  double epsilon;
  /// Whether the mean is subtracted; whether gamma is a difference from 1.
  bool centred = false, zeroCentred = false;
};
} // namespace

static FailureOr<unsigned> buildNorm(RowBuilder &b, Value value, const Norm &norm, unsigned x, ArrayRef<int64_t> axes,
                                     int64_t count) {
  ArrayRef<int64_t> shape = shapeOf(value);
  Type type = elementOf(value);
  double epsilon = norm.epsilon;
  unsigned number = b.constant(type, count);
  unsigned difference = x;
  if (norm.centred) {
    unsigned mean = b.compute(type, {b.reduce("add", x), number}, true, divOf);
    difference = b.compute(type, {x, mean}, true, [](Scalar &s, ValueRange v) { return s.sub(v[0], v[1]); });
  }
  unsigned square = b.compute(type, {difference}, true, [](Scalar &s, ValueRange v) { return s.mul(v[0], v[0]); });
  unsigned factor = b.compute(type, {b.reduce("add", square), number}, true, [epsilon](Scalar &s, ValueRange v) {
    return s.div(s.constant(v[0], 1), s.sqrt(s.add(s.div(v[0], v[1]), epsilon)));
  });
  unsigned y = b.compute(type, {difference, factor}, true, mulOf);
  if (norm.gamma) {
    FailureOr<unsigned> id = loadParameter(b, norm.gamma, axes, shape);
    if (failed(id))
      return failure();
    if (norm.zeroCentred)
      id = b.compute(type, {*id}, true, [](Scalar &s, ValueRange v) { return s.add(v[0], 1.0); });
    y = b.compute(type, {y, *id}, true, mulOf);
  }
  if (norm.beta) {
    FailureOr<unsigned> id = loadParameter(b, norm.beta, axes, shape);
    if (failed(id))
      return failure();
    y = b.compute(type, {y, *id}, true, [](Scalar &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  return y;
}

/// The quotient of sum and count. That of integers is cut off, and no sum overflows: 64 bits hold those of narrower
/// ones, and wide ones are divided first and their remainders added up apart.
static unsigned buildMean(RowBuilder &b, Type type, unsigned x, int64_t count) {
  if (isa<FloatType>(type))
    return b.compute(type, {b.reduce("add", x), b.constant(type, count)}, true, divOf);
  bool isUnsigned = type.isUnsignedInteger();
  auto quotient = [isUnsigned, count](Scalar &s, Value v) -> Value {
    Value n = s.constantInt(v.getType(), count);
    return isUnsigned ? s.b.create<arith::DivUIOp>(s.loc, v, n).getResult() : s.b.create<arith::DivSIOp>(s.loc, v, n);
  };
  auto remainder = [isUnsigned, count](Scalar &s, Value v) -> Value {
    Value n = s.constantInt(v.getType(), count);
    return isUnsigned ? s.b.create<arith::RemUIOp>(s.loc, v, n).getResult() : s.b.create<arith::RemSIOp>(s.loc, v, n);
  };
  Type wide = IntegerType::get(type.getContext(), 64, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  if (type != wide) {
    unsigned widened = b.compute(wide, {x}, true, [=](Scalar &s, ValueRange v) { return s.convert(v[0], type, wide); });
    return b.compute(type, {b.reduce("add", widened)}, true,
                     [=](Scalar &s, ValueRange v) { return s.convert(quotient(s, v[0]), wide, type); });
  }
  unsigned whole = b.compute(type, {x}, true, [=](Scalar &s, ValueRange v) { return quotient(s, v[0]); });
  unsigned rest = b.compute(type, {x}, true, [=](Scalar &s, ValueRange v) { return remainder(s, v[0]); });
  auto join = [=](Scalar &s, ValueRange v) -> Value {
    Value mean = s.b.create<arith::AddIOp>(s.loc, v[0], quotient(s, v[1])), left = remainder(s, v[1]);
    if (isUnsigned)
      return mean;
    // Towards zero: where the rest has the other sign it is one less.
    Value zero = s.constantInt(mean.getType(), 0), one = s.constantInt(mean.getType(), 1);
    auto is = [&](arith::CmpIPredicate p, Value value) -> Value {
      return s.b.create<arith::CmpIOp>(s.loc, p, value, zero);
    };
    using P = arith::CmpIPredicate;
    Value less = s.b.create<arith::AndIOp>(s.loc, is(P::sgt, mean), is(P::slt, left));
    Value more = s.b.create<arith::AndIOp>(s.loc, is(P::slt, mean), is(P::sgt, left));
    Value down = s.b.create<arith::SubIOp>(s.loc, mean, one), up = s.b.create<arith::AddIOp>(s.loc, mean, one);
    return s.select(less, down, s.select(more, up, mean));
  };
  return b.compute(type, {b.reduce("add", whole), b.reduce("add", rest)}, true, join);
}

FailureOr<unsigned> host::buildRowReduction(RowBuilder &b, Operation *op) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  SmallVector<int64_t> axes = cast<ReductionOpInterface>(op).getReducedAxes();
  // All reductions of a program run along the same lane.
  if (numElements(shape) != numElements(b.base) || shape != ArrayRef<int64_t>(b.base))
    return failure();
  for (size_t d = 0; d < shape.size(); ++d)
    if (b.reduced[d] != llvm::is_contained(axes, d))
      return failure();
  FailureOr<unsigned> operand = b.operand(op->getOperand(0), shape);
  if (failed(operand))
    return failure();
  unsigned x = *operand;
  Type type = elementOf(op->getOperand(0));
  int64_t count = numElements(b.base) / numElements(b.rowShape);
  if (auto norm = dyn_cast<LayerNormOp>(op))
    return buildNorm(b, norm.getX(), Norm(norm), x, axes, count);
  if (auto norm = dyn_cast<RmsNormOp>(op))
    return buildNorm(b, norm.getX(), Norm(norm), x, axes, count);
  auto squared = [](Scalar &s, ValueRange v) -> Value {
    if (isa<FloatType>(Scalar::elementOf(v[0])))
      return s.mul(v[0], v[0]);
    return s.b.create<arith::MulIOp>(s.loc, v[0], v[0]);
  };
  auto sumOf = [&](unsigned id) { return b.reduce("add", id); };
  auto sumOfSquares = [&] { return sumOf(b.compute(type, {x}, true, squared)); };
  // e^x over its maximum, so that nothing overflows.
  auto exponentials = [&](unsigned top) {
    return b.compute(type, {x, top}, false, [](Scalar &s, ValueRange v) { return s.exp(s.sub(v[0], v[1])); });
  };
  // The largest of a row passes over NaN, which a sum of its own keeps: a maximum that keeps NaN would make each step
  // wait longer for the one before.
  auto orNaN = [&](unsigned extreme) {
    if (!isa<FloatType>(type))
      return extreme;
    using arith::CmpFPredicate;
    unsigned mark = b.compute(type, {x}, true, [](Scalar &s, ValueRange v) {
      return s.select(s.compare(CmpFPredicate::UNO, v[0], v[0]), v[0], s.constant(v[0], 0));
    });
    return b.compute(type, {extreme, sumOf(mark)}, true, [](Scalar &s, ValueRange v) {
      return s.select(s.compare(CmpFPredicate::UNO, v[1], v[1]), v[1], v[0]);
    });
  };
  unsigned result =
      llvm::TypeSwitch<Operation *, unsigned>(op)
          .Case([&](SoftmaxOp) {
            unsigned e = exponentials(b.reduce("max", x));
            unsigned factor = b.compute(type, {sumOf(e)}, true,
                                        [](Scalar &s, ValueRange v) { return s.div(s.constant(v[0], 1), v[0]); });
            return b.compute(type, {e, factor}, true, mulOf);
          })
          .Case([&](ReduceMaxOp) { return orNaN(b.reduce("max", x)); })
          .Case([&](ReduceMinOp) { return orNaN(b.reduce("min", x)); })
          .Case([&](ReduceSumOp) { return sumOf(x); })
          .Case([&](ReduceProdOp) { return b.reduce("mul", x); })
          .Case([&](ReduceSumSquareOp) { return sumOfSquares(); })
          .Case([&](ReduceMeanOp) { return buildMean(b, type, x, count); })
          .Case([&](ReduceL1NormOp) {
            return sumOf(b.compute(type, {x}, true, [](Scalar &s, ValueRange v) { return s.abs(v[0]); }));
          })
          .Case([&](ReduceL2NormOp) {
            return b.compute(type, {sumOfSquares()}, true, [](Scalar &s, ValueRange v) { return s.sqrt(v[0]); });
          })
          .Case([&](ReduceLogSumOp) {
            return b.compute(type, {sumOf(x)}, true, [](Scalar &s, ValueRange v) { return s.log(v[0]); });
          })
          .Case([&](ReduceLogSumExpOp) {
            // Of infinities nothing is subtracted: they are the result.
            unsigned top = b.compute(type, {b.reduce("max", x)}, true, [](Scalar &s, ValueRange v) {
              Value isFinite = s.compare(arith::CmpFPredicate::OLT, s.abs(v[0]), INFINITY);
              return s.select(isFinite, v[0], s.constant(v[0], 0));
            });
            return b.compute(type, {sumOf(exponentials(top)), top}, true,
                             [](Scalar &s, ValueRange v) { return s.add(s.log(v[0]), v[1]); });
          });
  return result;
}
