//===- ConstantEval.cpp - values of constant expressions ------------------===//

#include "ane/IR/ConstantEval.h"
#include "ConstantMove.h"
#include "ConstantProduct.h"
#include "ConstantReduce.h"
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
    SmallVector<int64_t> dense = StridedView::dense(own).strides, full(shape.size(), 0);
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

static ConstantBuffer normalized(BatchNormOp op, ArrayRef<ConstantBuffer> in) {
  RankedTensorType type = op.getType();
  SmallVector<int64_t> perChannel(type.getRank(), 1);
  perChannel[1] = type.getDimSize(1);
  SmallVector<ConstantBuffer> operands{in[0]};
  for (const ConstantBuffer &parameter : in.drop_front())
    operands.push_back(ConstantBuffer(parameter).withShape(perChannel));
  double epsilon = op.getEpsilon().convertToDouble();
  size_t gamma = op.getGamma() ? 3 : 0, beta = op.getBeta() ? operands.size() - 1 : 0;
  return computed(operands, type, [=](auto &rows, int64_t i) {
    double value = (rows[0][i] - rows[1][i]) / std::sqrt(rows[2][i] + epsilon);
    return (gamma ? value * rows[gamma][i] : value) + (beta ? rows[beta][i] : 0);
  });
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
  void add(Unary function) {
    unary[TypeID::get<OpTy>()] = function;
  }
  template <typename OpTy>
  void add(Binary function) {
    binary[TypeID::get<OpTy>()] = function;
  }

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
  FailureOr<ConstantStream> stream(Value value);

private:
  FailureOr<ConstantBuffer> compute(Value value);
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
  if (isa<ConstOp, CastOp, RsqrtOp, BatchNormOp>(op) || movedOperand(op) || canMultiply(op) || canReduce(op))
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
  if (isa<CastOp>(op) || movedOperand(op)) {
    FailureOr<ConstantStream> stream = this->stream(value);
    if (failed(stream))
      return failure();
    return stream->evaluate();
  }
  SmallVector<ConstantBuffer> in;
  for (Value operand : op->getOperands()) {
    FailureOr<ConstantBuffer> buffer = evaluate(operand);
    if (failed(buffer))
      return failure();
    in.push_back(std::move(*buffer));
  }
  return computeOp(op, in, cast<OpResult>(value).getResultNumber());
}

/// Follows movements and at most one cast, as far as strides can say them: the rest of the expression becomes a buffer.
FailureOr<ConstantStream> Evaluator::stream(Value value) {
  SmallVector<Operation *> chain; // from the value inwards
  bool converts = false;
  Value source = value;
  while (Operation *op = source.getDefiningOp()) {
    bool moves = movedOperand(op) != nullptr;
    if ((source != value && !source.hasOneUse()) || (!moves && (!isa<CastOp>(op) || std::exchange(converts, true))))
      break;
    chain.push_back(op);
    source = moves ? movedOperand(op) : op->getOperand(0);
  }
  auto whole = [](Value value) { return StridedView::dense(mlir::cast<RankedTensorType>(value.getType()).getShape()); };
  CastOp cast;
  StridedView view = whole(source);
  bool reorders = false;
  for (Operation *op : llvm::reverse(chain)) {
    Value operand = movedOperand(op);
    if (!operand) {
      cast = mlir::cast<CastOp>(op);
      continue;
    }
    std::optional<StridedView> next = viewThrough(op, view);
    if (!next) {
      source = operand;
      cast = nullptr;
      reorders = false;
      next = viewThrough(op, whole(operand));
    }
    view = *next;
    reorders |= !keepsOrder(op);
  }
  FailureOr<ConstantBuffer> buffer = evaluate(source);
  if (failed(buffer))
    return failure();
  // One element has one order.
  reorders &= buffer->getType().getNumElements() != 1;
  return ConstantStream(std::move(*buffer), value, reorders ? std::optional(view) : std::nullopt, cast);
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
  // Weights less their zero points. (The folder would keep them for the life of the context.)
  if (isa<SubOp>(op) && elementBytes(type.getElementType()) <= 4 && !type.getElementType().isUnsignedInteger()) {
    bool overflows = false;
    double most = std::ldexp(1.0, int(type.getElementTypeBitWidth()) - 1);
    ConstantBuffer difference = computed(in, type, [&](auto &rows, int64_t i) {
      double value = rows[0][i] - rows[1][i];
      overflows |= value < -most || value >= most;
      return value;
    });
    if (!overflows)
      return difference;
    return op->emitOpError("overflows on these constants; remedy: fold it in the model"), failure();
  }
  if (auto rsqrt = dyn_cast<RsqrtOp>(op)) {
    double epsilon = rsqrt.getEpsilon().convertToDouble();
    return computed(in, type, [=](auto &rows, int64_t i) { return 1 / std::sqrt(rows[0][i] + epsilon); });
  }
  if (auto norm = dyn_cast<BatchNormOp>(op))
    return normalized(norm, in);
  if (canReduce(op))
    return reduce(op, in[0]);
  return canMultiply(op) ? multiply(op, in) : fold(op, in, result);
}

FailureOr<ConstantBuffer> Evaluator::fold(Operation *op, ArrayRef<ConstantBuffer> in, unsigned result) {
  SmallVector<DenseElementsAttr> operands;
  for (const ConstantBuffer &buffer : in)
    operands.push_back(toAttribute(buffer));
  auto values = foldConstants(op, operands, std::numeric_limits<int64_t>::max());
  if (!values)
    return op->emitOpError(
               "has no defined result on these constants: an integer overflows, a number is divided by zero, "
               "or the types are not supported; remedy: fold it in the model"),
           failure();
  // The attribute lives as long as the context, so that its bytes may be viewed.
  return readDense((*values)[result]);
}

FailureOr<ConstantBuffer> mlir::ane::evaluateConstant(Value value) { return Evaluator().evaluate(value); }

FailureOr<ConstantStream> mlir::ane::streamConstant(Value value) { return Evaluator().stream(value); }

FailureOr<DenseElementsAttr> mlir::ane::evaluateToAttribute(Value value) {
  FailureOr<ConstantBuffer> buffer = evaluateConstant(value);
  if (failed(buffer))
    return failure();
  return toAttribute(*buffer);
}
