//===- ConstantEval.cpp - values of constant expressions ------------------===//

#include "ane/IR/ConstantEval.h"
#include "ConstantRows.h"
#include "ane/IR/ConstantFold.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace mlir::ane;

unsigned mlir::ane::elementBytes(Type type) { return (type.getIntOrFloatBitWidth() + 7) / 8; }

ConstantBuffer ConstantBuffer::allocate(RankedTensorType type) {
  ConstantBuffer buffer;
  buffer.type = type;
  buffer.size = type.getNumElements() * elementBytes(type.getElementType());
  buffer.owned = std::shared_ptr<char[]>(new char[buffer.size]);
  return buffer;
}

ConstantBuffer ConstantBuffer::withShape(ArrayRef<int64_t> shape) && {
  ConstantBuffer buffer = std::move(*this);
  buffer.type = buffer.type.clone(shape);
  return buffer;
}

//===-- movement ----------------------------------------------------------===//

static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// to[row][i] = from[i * step + row], in squares that fit the cache: each line of memory is read and written once.
template <typename T>
static void transposeMatrix(const T *from, int64_t step, T *to, int64_t rows, int64_t columns) {
  constexpr int64_t side = 64 / sizeof(T);
  T square[side][side];
  for (int64_t row = 0; row < rows; row += side)
    for (int64_t column = 0; column < columns; column += side) {
      int64_t height = std::min(side, rows - row), width = std::min(side, columns - column);
      if (height == side)
        for (int64_t i = 0; i < width; ++i)
          for (int64_t r = 0; r < side; ++r)
            square[r][i] = from[(column + i) * step + row + r];
      else
        for (int64_t i = 0; i < width; ++i)
          for (int64_t r = 0; r < height; ++r)
            square[r][i] = from[(column + i) * step + row + r];
      for (int64_t r = 0; r < height; ++r)
        std::memcpy(to + (row + r) * columns + column, square[r], width * sizeof(T));
    }
}

/// Copies the elements of `in` at `base + sum index_i * strides_i`, in row-major order of `shape`.
template <typename T>
static void gatherStrided(const char *in, char *out, int64_t base, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  const T *from = reinterpret_cast<const T *>(in);
  T *to = reinterpret_cast<T *>(out);
  int64_t inner = shape.back(), step = strides.back(), last = int64_t(shape.size()) - 2;
  bool transposes = step != 1 && last >= 0 && strides[last] == 1;
  int64_t rows = transposes ? shape[last] : 1;
  last -= transposes ? 1 : 0;
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t offset = base;
  while (true) {
    if (transposes)
      transposeMatrix(from + offset, step, to, rows, inner);
    else
      for (int64_t i = 0; i < inner; ++i)
        to[i] = from[offset + i * step];
    to += rows * inner;
    int64_t dim = last;
    for (; dim >= 0; --dim) {
      offset += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

/// `in` seen through `strides` (in elements, over the dimensions of `type`) from element `base`.
static ConstantBuffer moved(const ConstantBuffer &in, RankedTensorType type, int64_t base, SmallVector<int64_t> strides) {
  ConstantBuffer out = ConstantBuffer::allocate(type);
  SmallVector<int64_t> shape(type.getShape());
  if (shape.empty()) {
    shape = {1};
    strides = {1};
  }
  if (type.getNumElements() == 0)
    return out;
  const char *from = in.bytes().data();
  char *to = out.mutableBytes().data();
  switch (elementBytes(type.getElementType())) {
  case 1:
    gatherStrided<uint8_t>(from, to, base, shape, strides);
    break;
  case 2:
    gatherStrided<uint16_t>(from, to, base, shape, strides);
    break;
  case 4:
    gatherStrided<uint32_t>(from, to, base, shape, strides);
    break;
  default:
    gatherStrided<uint64_t>(from, to, base, shape, strides);
  }
  return out;
}

static ConstantBuffer transposed(const ConstantBuffer &in, RankedTensorType type, ArrayRef<int64_t> perm) {
  SmallVector<int64_t> all = stridesOf(in.getType().getShape()), strides;
  for (int64_t p : perm)
    strides.push_back(all[p]);
  return moved(in, type, 0, strides);
}

static ConstantBuffer sliced(const ConstantBuffer &in, RankedTensorType type, ArrayRef<SliceRange> ranges) {
  SmallVector<int64_t> all = stridesOf(in.getType().getShape()), kept;
  int64_t base = 0;
  SmallVector<int64_t> sizes;
  for (auto [i, range] : llvm::enumerate(ranges)) {
    base += range.begin * all[i];
    kept.push_back(all[i] * range.stride);
    sizes.push_back(range.size);
  }
  return moved(in, type.clone(sizes), base, kept).withShape(type.getShape());
}

/// How many elements are converted or computed at a time.
static constexpr int64_t chunk = 4096;

static ConstantBuffer converted(const ConstantBuffer &in, CastOp op, RankedTensorType type) {
  ConstantBuffer out = ConstantBuffer::allocate(type);
  Type from = in.getType().getElementType(), to = type.getElementType();
  const char *source = in.bytes().data();
  char *target = out.mutableBytes().data();
  int64_t n = type.getNumElements();
  auto overflow = to.isF16() ? op->getAttrOfType<FloatAttr>(overflowAttrName) : FloatAttr();
  if (overflow && from.isF32()) {
    narrowRow({reinterpret_cast<const float *>(source), size_t(n)}, overflow.getValueAsDouble(),
              {reinterpret_cast<uint16_t *>(target), size_t(n)});
    return out;
  }
  std::vector<double> values(std::min(n, chunk));
  for (int64_t i = 0; i < n; i += chunk) {
    MutableArrayRef<double> row(values.data(), std::min(chunk, n - i));
    loadRow(source, from, i, 1, row);
    if (overflow)
      for (double &value : row)
        if (std::abs(value) >= 65520)
          value = std::copysign(overflow.getValueAsDouble(), value);
    storeRow(target, to, i, row);
  }
  return out;
}

/// Applies `function` to broadcast operands, in double, rounded once to the type of the result.
template <typename Function>
static ConstantBuffer computed(ArrayRef<ConstantBuffer> in, RankedTensorType type, Function function) {
  ConstantBuffer out = ConstantBuffer::allocate(type);
  SmallVector<int64_t> shape(type.getShape());
  if (shape.empty())
    shape = {1};
  SmallVector<SmallVector<int64_t>> strides;
  for (const ConstantBuffer &operand : in) {
    ArrayRef<int64_t> own = operand.getType().getShape();
    SmallVector<int64_t> dense = stridesOf(own), full(shape.size(), 0);
    for (size_t i = 0; i < own.size(); ++i)
      if (own[i] != 1)
        full[shape.size() - own.size() + i] = dense[i];
    strides.push_back(full);
  }
  int64_t inner = shape.back();
  std::vector<std::vector<double>> rows(in.size(), std::vector<double>(inner));
  std::vector<double> results(inner);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t row = 0, n = type.getNumElements(); row < n; row += inner) {
    for (auto [k, operand] : llvm::enumerate(in)) {
      int64_t first = std::inner_product(index.begin(), index.end(), strides[k].begin(), int64_t(0));
      loadRow(operand.bytes().data(), operand.getType().getElementType(), first, strides[k].back(), rows[k]);
    }
    for (int64_t i = 0; i < inner; ++i)
      results[i] = function(rows, i);
    storeRow(out.mutableBytes().data(), type.getElementType(), row, results);
    for (int64_t d = int64_t(shape.size()) - 2; d >= 0 && ++index[d] == shape[d]; --d)
      index[d] = 0;
  }
  return out;
}

//===-- leaves ------------------------------------------------------------===//

static ConstantBuffer readDense(DenseElementsAttr dense) {
  auto type = cast<RankedTensorType>(dense.getType());
  // Splats and packed booleans are expanded.
  if (!dense.isSplat() && !type.getElementType().isInteger(1))
    return ConstantBuffer(type, dense.getRawData());
  ConstantBuffer out = ConstantBuffer::allocate(type);
  int64_t i = 0, bytes = elementBytes(type.getElementType());
  auto append = [&](const APInt &value) {
    uint64_t bits = value.getZExtValue();
    std::memcpy(out.mutableBytes().data() + i++ * bytes, &bits, bytes);
  };
  if (isa<FloatType>(type.getElementType()))
    for (const APFloat &value : dense.getValues<APFloat>())
      append(value.bitcastToAPInt());
  else
    for (const APInt &value : dense.getValues<APInt>())
      append(value);
  return out;
}

static FailureOr<ConstantBuffer> evaluateLeaf(ConstOp op) {
  if (auto weight = dyn_cast<WeightAttr>(op.getValue())) {
    auto &table = cast<ANEDialect>(op->getDialect())->getWeights();
    FailureOr<ArrayRef<char>> bytes = table.lookup(weight, [&] { return op.emitError(); });
    if (failed(bytes))
      return failure();
    return ConstantBuffer(cast<RankedTensorType>(op.getType()), *bytes);
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()))
    return readDense(dense);
  return op.emitOpError("holds a value that can't be read: neither dense data nor #ane.weight"), failure();
}

//===-- evaluation --------------------------------------------------------===//

static DenseElementsAttr toAttribute(const ConstantBuffer &buffer) {
  RankedTensorType type = buffer.getType();
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, buffer.bytes());
  SmallVector<bool> bits;
  for (char byte : buffer.bytes())
    bits.push_back(byte != 0);
  return DenseElementsAttr::get(type, bits);
}

namespace {
using Unary = double (*)(double);
using Binary = double (*)(double, double);

/// Element-wise functions of floats. Integers are folded (ConstantFold.h), which is exact for 64 bits.
struct ElementFunctions {
  llvm::DenseMap<TypeID, Unary> unary;
  llvm::DenseMap<TypeID, Binary> binary;

  template <typename OpTy>
  void add(Unary function) { unary[TypeID::get<OpTy>()] = function; }
  template <typename OpTy>
  void add(Binary function) { binary[TypeID::get<OpTy>()] = function; }

  ElementFunctions() {
    add<AbsOp>(+[](double x) { return std::abs(x); });
    add<AcosOp>(+[](double x) { return std::acos(x); });
    add<AsinOp>(+[](double x) { return std::asin(x); });
    add<AtanOp>(+[](double x) { return std::atan(x); });
    add<AtanhOp>(+[](double x) { return std::atanh(x); });
    add<CeilOp>(+[](double x) { return std::ceil(x); });
    add<CosOp>(+[](double x) { return std::cos(x); });
    add<CoshOp>(+[](double x) { return std::cosh(x); });
    add<ErfOp>(+[](double x) { return std::erf(x); });
    add<Exp2Op>(+[](double x) { return std::exp2(x); });
    add<ExpOp>(+[](double x) { return std::exp(x); });
    add<FloorOp>(+[](double x) { return std::floor(x); });
    add<NegOp>(+[](double x) { return -x; });
    add<ReciprocalOp>(+[](double x) { return 1 / x; });
    add<ReluOp>(+[](double x) { return std::max(x, 0.0); });
    add<RoundOp>(+[](double x) { return std::nearbyint(x); });
    add<SigmoidOp>(+[](double x) { return 1 / (1 + std::exp(-x)); });
    add<SignOp>(+[](double x) { return double((x > 0) - (x < 0)); });
    add<SiluOp>(+[](double x) { return x / (1 + std::exp(-x)); });
    add<SinOp>(+[](double x) { return std::sin(x); });
    add<SinhOp>(+[](double x) { return std::sinh(x); });
    add<SoftplusOp>(+[](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); });
    add<SqrtOp>(+[](double x) { return std::sqrt(x); });
    add<SquareOp>(+[](double x) { return x * x; });
    add<TanOp>(+[](double x) { return std::tan(x); });
    add<TanhOp>(+[](double x) { return std::tanh(x); });

    add<AddOp>(+[](double x, double y) { return x + y; });
    add<FloorDivOp>(+[](double x, double y) { return std::floor(x / y); });
    add<MaximumOp>(+[](double x, double y) { return std::max(x, y); });
    add<MinimumOp>(+[](double x, double y) { return std::min(x, y); });
    add<ModOp>(+[](double x, double y) { return x - y * std::floor(x / y); });
    add<MulOp>(+[](double x, double y) { return x * y; });
    add<PowOp>(+[](double x, double y) { return std::pow(x, y); });
    add<RealDivOp>(+[](double x, double y) { return x / y; });
    add<SubOp>(+[](double x, double y) { return x - y; });
  }
};

/// What an op that only rearranges elements makes of `in`; nothing for other ops. `type`: shape of the result, element type
/// of `in`.
std::optional<ConstantBuffer> rearranged(Operation *op, const ConstantBuffer &in, RankedTensorType type) {
  auto reshaped = [](ConstantBuffer buffer, ArrayRef<int64_t> shape) { return std::move(buffer).withShape(shape); };
  return llvm::TypeSwitch<Operation *, std::optional<ConstantBuffer>>(op)
      .Case<ReshapeOp, ExpandDimsOp, SqueezeOp>([&](auto) { return reshaped(in, type.getShape()); })
      .Case([&](TransposeOp op) { return transposed(in, type, op.getPerm()); })
      .Case([&](RelayoutOp op) {
        Relayout layout = op.getRelayout();
        ConstantBuffer expanded = reshaped(in, layout.expand);
        return transposed(expanded, type.clone(layout.permuted()), layout.perm).withShape(type.getShape());
      })
      .Case<SliceBySizeOp, SliceByIndexOp>([&](auto op) { return sliced(in, type, op.getRanges()); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Evaluates an expression; what several ops read is computed once.
class Evaluator {
public:
  FailureOr<ConstantBuffer> evaluate(Value value) {
    if (auto known = shared.find(value); known != shared.end())
      return known->second;
    FailureOr<ConstantBuffer> buffer = compute(value);
    if (succeeded(buffer) && !value.hasOneUse())
      shared[value] = *buffer;
    return buffer;
  }

private:
  FailureOr<ConstantBuffer> compute(Value value);
  FailureOr<ConstantBuffer> computeCast(CastOp op);
  FailureOr<ConstantBuffer> computeOp(Operation *op, ArrayRef<ConstantBuffer> in, unsigned result);
  FailureOr<ConstantBuffer> fold(Operation *op, ArrayRef<ConstantBuffer> in, unsigned result);

  llvm::DenseMap<Value, ConstantBuffer> shared;
};
} // namespace

static const ElementFunctions &elementFunctions() {
  static const ElementFunctions functions;
  return functions;
}

static bool isIntegral(Value value) { return isa<IntegerType>(getElementTypeOrSelf(value)); }

bool mlir::ane::canEvaluate(Operation *op) {
  if (isa<ConstOp, BlobOp, ReshapeOp, ExpandDimsOp, SqueezeOp, TransposeOp, RelayoutOp, SliceBySizeOp, SliceByIndexOp,
          CastOp, RsqrtOp>(op))
    return true;
  if (op->getNumResults() == 0 || isIntegral(op->getResult(0)))
    return hasFoldRule(op);
  TypeID id = op->getName().getTypeID();
  const ElementFunctions &functions = elementFunctions();
  if (functions.unary.count(id) || functions.binary.count(id))
    return true;
  // The folder reduces integers only.
  return hasFoldRule(op) && !isa<ReduceSumOp, ReduceProdOp, ReduceMaxOp, ReduceMinOp, CumsumOp>(op);
}

FailureOr<ConstantBuffer> Evaluator::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return emitError(value.getLoc(), "a block argument is no constant"), failure();
  if (auto leaf = dyn_cast<ConstOp>(op))
    return evaluateLeaf(leaf);
  if (auto blob = dyn_cast<BlobOp>(op))
    return evaluate(blob.getBody().front().getTerminator()->getOperand(0));
  if (auto cast = dyn_cast<CastOp>(op))
    return computeCast(cast);
  SmallVector<ConstantBuffer> in;
  for (Value operand : op->getOperands()) {
    FailureOr<ConstantBuffer> buffer = evaluate(operand);
    if (failed(buffer))
      return failure();
    in.push_back(std::move(*buffer));
  }
  return computeOp(op, in, cast<OpResult>(value).getResultNumber());
}

/// What is rearranged and then narrowed is narrowed first: fewer bytes move.
FailureOr<ConstantBuffer> Evaluator::computeCast(CastOp op) {
  Type to = op.getType().getElementType();
  SmallVector<Operation *> moves;
  Value source = op.getX();
  while (isa_and_nonnull<TransposeOp, ReshapeOp, ExpandDimsOp, SqueezeOp, RelayoutOp>(source.getDefiningOp()) &&
         source.hasOneUse() && elementBytes(to) < elementBytes(getElementTypeOrSelf(source))) {
    moves.push_back(source.getDefiningOp());
    source = moves.back()->getOperand(0);
  }
  FailureOr<ConstantBuffer> buffer = evaluate(source);
  if (failed(buffer))
    return failure();
  buffer = converted(*buffer, op, buffer->getType().clone(to));
  for (Operation *move : llvm::reverse(moves))
    buffer = *rearranged(move, *buffer, cast<RankedTensorType>(move->getResult(0).getType()).clone(to));
  return buffer;
}

FailureOr<ConstantBuffer> Evaluator::computeOp(Operation *op, ArrayRef<ConstantBuffer> in, unsigned result) {
  auto type = cast<RankedTensorType>(op->getResult(result).getType());
  TypeID id = op->getName().getTypeID();
  if (!isIntegral(op->getResult(result))) {
    if (Unary function = elementFunctions().unary.lookup(id))
      return computed(in, type, [=](auto &rows, int64_t i) { return function(rows[0][i]); });
    if (Binary function = elementFunctions().binary.lookup(id))
      return computed(in, type, [=](auto &rows, int64_t i) { return function(rows[0][i], rows[1][i]); });
  }
  if (auto moved = in.empty() ? std::nullopt : rearranged(op, in[0], type))
    return *moved;
  if (auto rsqrt = dyn_cast<RsqrtOp>(op)) {
    double epsilon = rsqrt.getEpsilon().convertToDouble();
    return computed(in, type, [=](auto &rows, int64_t i) { return 1 / std::sqrt(rows[0][i] + epsilon); });
  }
  return fold(op, in, result);
}

FailureOr<ConstantBuffer> Evaluator::fold(Operation *op, ArrayRef<ConstantBuffer> in, unsigned result) {
  SmallVector<DenseElementsAttr> operands;
  for (const ConstantBuffer &buffer : in)
    operands.push_back(toAttribute(buffer));
  auto values = foldConstants(op, operands, std::numeric_limits<int64_t>::max());
  if (!values)
    return op->emitOpError("has no defined result on these constants: an integer overflows, a number is divided by zero, "
                           "or the types are not supported; remedy: fold it in the model"),
           failure();
  // The attribute lives as long as the context, so that its bytes may be viewed.
  return readDense((*values)[result]);
}

FailureOr<ConstantBuffer> mlir::ane::evaluateConstant(Value value) { return Evaluator().evaluate(value); }

FailureOr<DenseElementsAttr> mlir::ane::evaluateToAttribute(Value value) {
  FailureOr<ConstantBuffer> buffer = evaluateConstant(value);
  if (failed(buffer))
    return failure();
  return toAttribute(*buffer);
}
