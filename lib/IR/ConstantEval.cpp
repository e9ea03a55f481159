//===- ConstantEval.cpp - values of constant expressions ------------------===//

#include "ane/IR/ConstantEval.h"
#include "ConstantBlocks.h"
#include "ConstantMove.h"
#include "ConstantProduct.h"
#include "ConstantReduce.h"
#include "ConstantRows.h"
#include "ConstantSweep.h"
#include "ElementMeaning.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantFold.h"
#include "ane/IR/Dtype.h"
#include "mlir/IR/IRMapping.h"
#include "runtime/format/blob/blob.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace mlir::ane;
using ::ane::rt::ElementType;

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

static LogicalResult undefined(Operation *op) {
  return op->emitOpError("can't be evaluated on these constants; remedy: fold it in the model");
}

/// Applies `function` to rows of the broadcast operands, in double, rounded once to the type of the result.
static ConstantBuffer
computedByRows(ArrayRef<ConstantBuffer> in, RankedTensorType declared,
               function_ref<void(ArrayRef<std::vector<double>>, MutableArrayRef<double>)> function) {
  RankedTensorType type = unrounded(declared);
  ConstantBuffer out = ConstantBuffer::allocate(type);
  SmallVector<int64_t> shape(type.getShape());
  if (shape.empty())
    shape = {1};
  SmallVector<SmallVector<int64_t>> strides;
  for (const ConstantBuffer &operand : in)
    strides.push_back(StridedView::dense(operand.getType().getShape()).broadcast(shape)->strides);
  // Rows as long as they can be, and parts of them that stay in a cache.
  collapse(shape, strides);
  const int64_t inner = shape.back(), longest = std::min<int64_t>(inner, 4096);
  std::vector<std::vector<double>> rows(in.size(), std::vector<double>(longest));
  std::vector<double> results(longest);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t row = 0, n = type.getNumElements(); row < n; row += inner) {
    for (int64_t begin = 0; begin < inner; begin += longest) {
      const int64_t size = std::min(longest, inner - begin);
      index.back() = begin;
      for (auto [k, operand] : llvm::enumerate(in)) {
        int64_t first = std::inner_product(index.begin(), index.end(), strides[k].begin(), int64_t(0));
        loadRow(operand.bytes().data(), operand.getType().getElementType(), first, strides[k].back(),
                MutableArrayRef(rows[k]).take_front(size));
      }
      function(rows, MutableArrayRef(results).take_front(size));
      storeRow(out.mutableBytes().data(), type.getElementType(), row + begin, ArrayRef(results).take_front(size));
    }
    for (int64_t d = int64_t(shape.size()) - 2; d >= 0 && ++index[d] == shape[d]; --d)
      index[d] = 0;
  }
  return out;
}

/// The same, element by element.
template <typename Function>
static ConstantBuffer computed(ArrayRef<ConstantBuffer> in, RankedTensorType declared, const Function &function) {
  SmallVector<double> elements(in.size());
  return computedByRows(in, declared, [&](ArrayRef<std::vector<double>> rows, MutableArrayRef<double> results) {
    for (size_t i = 0; i < results.size(); ++i) {
      for (size_t k = 0; k < rows.size(); ++k)
        elements[k] = rows[k][i];
      results[i] = function(ArrayRef<double>(elements));
    }
  });
}

/// The same of integers of at most 32 bits, which doubles hold.
static ConstantBuffer computedIntegers(Operation *op, const ElementMeaning &meaning, ArrayRef<ConstantBuffer> in,
                                       RankedTensorType type) {
  Type element = type.getElementType();
  SmallVector<int64_t> integers(in.size());
  return computed(in, type, [&](ArrayRef<double> elements) {
    llvm::copy(elements, integers.begin());
    return double(integerOf(meaning.integers(op, integers), element));
  });
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
  return computed(operands, type, [=](ArrayRef<double> x) {
    double value = (x[0] - x[1]) / std::sqrt(x[2] + epsilon);
    return (gamma ? value * x[gamma] : value) + (beta ? x[beta] : 0);
  });
}

//===-- leaves ------------------------------------------------------------===//

static ConstantBuffer readDense(DenseElementsAttr dense) {
  auto type = cast<RankedTensorType>(dense.getType());
  bool isPacked = type.getElementType().isInteger(1);
  if (!dense.isSplat() && !isPacked)
    return ConstantBuffer(type, dense.getRawData());
  ConstantBuffer out = ConstantBuffer::allocate(type);
  MutableArrayRef<char> bytes = out.mutableBytes();
  if (isPacked) {
    llvm::copy(dense.getValues<bool>(), bytes.begin());
    return out;
  }
  // A splat is repeated: what is there, as often as it fits.
  ArrayRef<char> element = dense.getRawData().take_front(bytes.size());
  llvm::copy(element, bytes.begin());
  for (size_t done = element.size(); done < bytes.size(); done *= 2)
    std::memcpy(bytes.data() + done, bytes.data(), std::min(done, bytes.size() - done));
  return out;
}

/// Of elements that files pack into less than a byte; nothing for others.
static std::optional<ElementType> packedTypeOf(RankedTensorType type) {
  std::optional<ElementType> element = elementTypeOf(type.getElementType());
  return element && ::ane::rt::bitWidth(*element) < 8 ? element : std::nullopt;
}

static ConstantBuffer unpacked(RankedTensorType type, ElementType element, ArrayRef<char> bytes) {
  ConstantBuffer out = ConstantBuffer::allocate(type);
  auto *source = reinterpret_cast<const uint8_t *>(bytes.data());
  int mask = (1 << type.getElementTypeBitWidth()) - 1;
  llvm::transform(::ane::rt::blob::unpack(element, source, type.getNumElements()), out.mutableBytes().begin(),
                  [=](int8_t value) { return char(value & mask); });
  return out;
}

static FailureOr<ConstantBuffer> evaluateLeaf(ConstOp op) {
  if (auto weight = dyn_cast<WeightAttr>(op.getValue())) {
    auto &table = cast<ANEDialect>(op->getDialect())->getWeights();
    FailureOr<ArrayRef<char>> bytes = table.lookup(weight, [&] { return op.emitError(); });
    if (failed(bytes))
      return failure();
    auto type = cast<RankedTensorType>(op.getType());
    if (std::optional<ElementType> element = packedTypeOf(type))
      return unpacked(type, *element, *bytes);
    if (int64_t(bytes->size()) != type.getNumElements() * elementBytes(type.getElementType()))
      return op.emitOpError() << "holds packed elements of type " << type.getElementType() << ", which nothing reads",
             failure();
    return ConstantBuffer(type, *bytes);
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
  /// `declared`: rounded to the elements that the value says it has.
  FailureOr<ConstantStream> stream(Value value, bool declared);

private:
  FailureOr<ConstantBuffer> blocks(ConstexprBlocksOp op);
  FailureOr<ConstantBuffer> compute(Value value);
  FailureOr<ConstantBuffer> computeOp(Operation *op, ArrayRef<ConstantBuffer> in, unsigned result);
  FailureOr<ConstantBuffer> fold(Operation *op, ArrayRef<ConstantBuffer> in, unsigned result);
  FailureOr<ConstantBuffer> composite(Operation *op, ArrayRef<ConstantBuffer> in);

  llvm::DenseMap<Value, ConstantBuffer> shared;
};
} // namespace

/// Ops that are evaluated as the simpler ones that they are made of.
static bool isComposite(Operation *op) {
  if (auto attention = dyn_cast<ScaledDotProductAttentionOp>(op))
    return attention.getFlops() <= 2 * maxProducts;
  return isa<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp, GroupNormOp, InstanceNormOp, L2NormOp, RopeOp>(op);
}

static bool isIntegral(Value value) { return isa<IntegerType>(getElementTypeOrSelf(value)); }

bool mlir::ane::canEvaluate(Operation *op) {
  if (isa<ConstOp, CastOp, BatchNormOp, ConstexprBlocksOp>(op) || movedOperand(op) || canMultiply(op) ||
      canReduce(op) || canSweep(op) || isComposite(op))
    return true;
  if (op->getNumResults() == 0)
    return false;
  if (const ElementMeaning *meaning = meaningOf(op))
    return isIntegral(op->getOperand(0)) ? meaning->integers != nullptr : meaning->floats != nullptr;
  if (isIntegral(op->getResult(0)))
    return hasFoldRule(op);
  // The folder reduces integers only.
  return hasFoldRule(op) && !isa<ReduceSumOp, ReduceProdOp, ReduceMaxOp, ReduceMinOp, CumsumOp>(op);
}

FailureOr<ConstantBuffer> Evaluator::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return emitError(value.getLoc(), "a block argument is no constant"), failure();
  if (auto leaf = dyn_cast<ConstOp>(op))
    return evaluateLeaf(leaf);
  if (isa<CastOp, ConstexprBlocksOp>(op) || movedOperand(op)) {
    FailureOr<ConstantStream> stream = this->stream(value, /*declared=*/false);
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

/// Elements in fp32, as the bytes of their blocks (ConstantBlocks.h) where somebody else keeps these alive.
FailureOr<ConstantBuffer> Evaluator::blocks(ConstexprBlocksOp op) {
  FailureOr<ConstantBuffer> data = evaluate(op.getData());
  if (failed(data))
    return failure();
  RankedTensorType elements = op.getType().clone(Float32Type::get(op.getContext()));
  ConstantBuffer stored(typeOfBlocks(elements, op.getFormat()), data->bytes());
  bool isOwned = data->mutableBytes().data() != nullptr;
  return isOwned ? expandedBlocks(stored) : stored;
}

/// Follows movements and at most one cast, as far as strides can say them: the rest of the expression becomes a buffer.
FailureOr<ConstantStream> Evaluator::stream(Value value, bool declared) {
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
  // One element has one order.
  reorders &= mlir::cast<RankedTensorType>(source.getType()).getNumElements() != 1;
  FailureOr<ConstantBuffer> buffer = failure();
  if (auto op = source.getDefiningOp<ConstexprBlocksOp>(); op && (!cast || op.getType().getElementType().isF32()))
    buffer = blocks(op);
  else
    buffer = evaluate(source);
  if (failed(buffer))
    return failure();
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (!declared && isUnrounded(value))
    type = type.clone(buffer->getType().getElementType());
  return ConstantStream(std::move(*buffer), type, reorders ? std::optional(view) : std::nullopt, cast);
}

FailureOr<ConstantBuffer> Evaluator::computeOp(Operation *op, ArrayRef<ConstantBuffer> in, unsigned result) {
  auto type = cast<RankedTensorType>(op->getResult(result).getType());
  if (const ElementMeaning *meaning = meaningOf(op)) {
    if (!isIntegral(op->getResult(result)))
      return computedByRows(in, type, [&](ArrayRef<std::vector<double>> rows, MutableArrayRef<double> results) {
        meaning->rowOfFloats(op, rows, results);
      });
    // The folder, which is exact for 64 bits, would keep the result for the life of the context.
    if (isIntegral(op->getOperand(0)) && elementBytes(type.getElementType()) <= 4 &&
        !type.getElementType().isInteger(1))
      return computedIntegers(op, *meaning, in, type);
  }
  if (auto norm = dyn_cast<BatchNormOp>(op))
    return normalized(norm, in);
  if (canReduce(op))
    return reduce(op, in[0]);
  if (canSweep(op))
    return sweep(op, in[0]);
  if (isComposite(op))
    return composite(op, in);
  return canMultiply(op) ? multiply(op, in) : fold(op, in, result);
}

static FailureOr<Value> writeOut(OpBuilder &builder, Operation *op) {
  if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    Composer c(builder, op->getLoc());
    auto axis = builder.getDenseI64ArrayAttr({softmax.getAxisFromFront()});
    Value most = c.make<ReduceMaxOp>(softmax.getX(), axis, builder.getBoolAttr(true));
    Value powers = c.make<ExpOp>(c.sub(softmax.getX(), most));
    return c.div(powers, c.make<ReduceSumOp>(powers, axis, builder.getBoolAttr(true)));
  }
  auto values = cast<DecomposableOpInterface>(op).decompose(builder);
  return failed(values) ? FailureOr<Value>() : values->front();
}

/// The ops are made in a block of their own: whoever evaluates changes no function. Halves are numbers of fp32 there,
/// as kernels have them: an epsilon of 1e-12 is none of fp16.
FailureOr<ConstantBuffer> Evaluator::composite(Operation *op, ArrayRef<ConstantBuffer> in) {
  Block block;
  Evaluator parts;
  IRMapping mapping;
  for (auto [operand, buffer] : llvm::zip_equal(op->getOperands(), in)) {
    Value argument = block.addArgument(unrounded(cast<RankedTensorType>(operand.getType())), operand.getLoc());
    parts.shared[argument] = buffer;
    mapping.map(operand, argument);
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block);
  Operation *copy = builder.clone(*op, mapping);
  copy->getResult(0).setType(unrounded(cast<RankedTensorType>(op->getResult(0).getType())));
  builder.setInsertionPoint(copy);
  FailureOr<Value> value = writeOut(builder, copy);
  if (failed(value))
    return undefined(op);
  return parts.evaluate(*value);
}

FailureOr<ConstantBuffer> Evaluator::fold(Operation *op, ArrayRef<ConstantBuffer> in, unsigned result) {
  SmallVector<DenseElementsAttr> operands;
  for (const ConstantBuffer &buffer : in)
    operands.push_back(toAttribute(buffer));
  auto values = foldConstants(op, operands, std::numeric_limits<int64_t>::max());
  if (!values)
    return undefined(op);
  // The attribute lives as long as the context, so that its bytes may be viewed.
  return readDense((*values)[result]);
}

FailureOr<ConstantBuffer> mlir::ane::evaluateConstant(Value value) {
  FailureOr<ConstantBuffer> buffer = evaluateUnrounded(value);
  auto type = cast<RankedTensorType>(value.getType());
  if (failed(buffer) || buffer->getType().getElementType() == type.getElementType())
    return buffer;
  return ConstantStream(std::move(*buffer), type, std::nullopt, nullptr).evaluate();
}

FailureOr<ConstantBuffer> mlir::ane::evaluateUnrounded(Value value) { return Evaluator().evaluate(value); }

bool mlir::ane::isUnrounded(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (unrounded(type) == type || !op || isa<ConstOp, CastOp, ConstexprBlocksOp>(op))
    return false;
  if (Value moved = movedOperand(op))
    return isUnrounded(moved);
  if (meaningOf(op) || isa<BatchNormOp>(op) || canReduce(op) || canSweep(op) || canMultiply(op) || isComposite(op))
    return true;
  return llvm::any_of(op->getOperands(), isUnrounded);
}

FailureOr<ConstantStream> mlir::ane::streamConstant(Value value) { return Evaluator().stream(value, true); }

FailureOr<DenseElementsAttr> mlir::ane::evaluateToAttribute(Value value) {
  FailureOr<ConstantBuffer> buffer = evaluateConstant(value);
  if (failed(buffer))
    return failure();
  return toAttribute(*buffer);
}
