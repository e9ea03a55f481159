//===- ConstantEval.cpp - values of constant expressions ------------------===//

#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>

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

//===-- elements ----------------------------------------------------------===//

/// Reads element `i` as a double: exact for every type up to 53 bits.
static double load(const char *data, Type type, int64_t i) {
  unsigned width = type.getIntOrFloatBitWidth();
  auto raw = [&](auto value) {
    std::memcpy(&value, data + i * sizeof(value), sizeof(value));
    return value;
  };
  if (type.isF32())
    return raw(float());
  if (type.isF64())
    return raw(double());
  if (auto floating = dyn_cast<FloatType>(type)) {
    uint64_t bits = width == 8 ? raw(uint8_t()) : raw(uint16_t());
    APFloat value(floating.getFloatSemantics(), APInt(width, bits));
    return value.convertToDouble();
  }
  bool isUnsigned = type.isUnsignedInteger() || width == 1;
  switch (elementBytes(type)) {
  case 1:
    return isUnsigned ? double(raw(uint8_t())) : double(raw(int8_t()));
  case 2:
    return isUnsigned ? double(raw(uint16_t())) : double(raw(int16_t()));
  case 4:
    return isUnsigned ? double(raw(uint32_t())) : double(raw(int32_t()));
  default:
    return isUnsigned ? double(raw(uint64_t())) : double(raw(int64_t()));
  }
}

/// Nearest fp16, ties to even; what is too large becomes the largest finite value, as weights must stay finite.
static uint16_t halfBits(double value) {
  if (std::isfinite(value))
    value = std::min(std::max(value, -65504.0), 65504.0);
#if defined(__FLT16_MANT_DIG__)
  _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof(bits));
  return bits;
#else
  APFloat wide(value);
  bool lossy;
  wide.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lossy);
  return uint16_t(wide.bitcastToAPInt().getZExtValue());
#endif
}

static void store(char *data, Type type, int64_t i, double value) {
  auto put = [&](auto typed) { std::memcpy(data + i * sizeof(typed), &typed, sizeof(typed)); };
  if (type.isF32())
    return put(float(value));
  if (type.isF64())
    return put(value);
  if (type.isF16())
    return put(halfBits(value));
  if (auto floating = dyn_cast<FloatType>(type)) {
    APFloat converted(value);
    bool lossy;
    converted.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
    uint64_t bits = converted.bitcastToAPInt().getZExtValue();
    return floating.getWidth() == 8 ? put(uint8_t(bits)) : put(uint16_t(bits));
  }
  if (type.isInteger(1))
    return put(uint8_t(value != 0));
  switch (elementBytes(type)) {
  case 1:
    return put(uint8_t(int64_t(value)));
  case 2:
    return put(uint16_t(int64_t(value)));
  case 4:
    return put(uint32_t(int64_t(value)));
  default:
    return put(int64_t(value));
  }
}

//===-- movement ----------------------------------------------------------===//

static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// Copies the elements of `in` at `base + sum index_i * strides_i`, in row-major order of `shape`.
template <typename T>
static void gatherStrided(const char *in, char *out, int64_t base, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  const T *from = reinterpret_cast<const T *>(in);
  T *to = reinterpret_cast<T *>(out);
  int64_t inner = shape.back(), step = strides.back();
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t offset = base;
  while (true) {
    for (int64_t i = 0; i < inner; ++i)
      *to++ = from[offset + i * step];
    int64_t dim = int64_t(shape.size()) - 2;
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

static ConstantBuffer converted(const ConstantBuffer &in, RankedTensorType type) {
  ConstantBuffer out = ConstantBuffer::allocate(type);
  Type from = in.getType().getElementType(), to = type.getElementType();
  const char *source = in.bytes().data();
  char *target = out.mutableBytes().data();
  for (int64_t i = 0, n = type.getNumElements(); i < n; ++i) {
    double value = load(source, from, i);
    store(target, to, i, isa<IntegerType>(to) && !to.isInteger(1) ? std::trunc(value) : value);
  }
  return out;
}

/// Applies `function` to broadcast operands, in double, rounded once to the type of the result.
static ConstantBuffer computed(ArrayRef<ConstantBuffer> in, RankedTensorType type,
                               function_ref<double(ArrayRef<double>)> function) {
  ConstantBuffer out = ConstantBuffer::allocate(type);
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<SmallVector<int64_t>> strides;
  for (const ConstantBuffer &operand : in) {
    ArrayRef<int64_t> own = operand.getType().getShape();
    SmallVector<int64_t> dense = stridesOf(own), full(shape.size(), 0);
    for (size_t i = 0; i < own.size(); ++i)
      if (own[i] != 1)
        full[shape.size() - own.size() + i] = dense[i];
    strides.push_back(full);
  }
  SmallVector<int64_t> index(shape.size(), 0);
  SmallVector<double> values(in.size());
  for (int64_t i = 0, n = type.getNumElements(); i < n; ++i) {
    for (auto [k, operand] : llvm::enumerate(in)) {
      int64_t offset = 0;
      for (size_t d = 0; d < shape.size(); ++d)
        offset += index[d] * strides[k][d];
      values[k] = load(operand.bytes().data(), operand.getType().getElementType(), offset);
    }
    store(out.mutableBytes().data(), type.getElementType(), i, function(values));
    for (int64_t d = int64_t(shape.size()) - 1; d >= 0 && ++index[d] == shape[d]; --d)
      index[d] = 0;
  }
  return out;
}

//===-- evaluation --------------------------------------------------------===//

static FailureOr<ConstantBuffer> evaluateLeaf(ConstOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  if (auto weight = dyn_cast<WeightAttr>(op.getValue())) {
    auto &table = cast<ANEDialect>(op->getDialect())->getWeights();
    FailureOr<ArrayRef<char>> bytes = table.lookup(weight, [&] { return op.emitError(); });
    if (failed(bytes))
      return failure();
    return ConstantBuffer(type, *bytes);
  }
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return op.emitOpError("holds a value that can't be read: neither dense data nor #ane.weight"), failure();
  // Splats and packed booleans are expanded.
  if (!dense.isSplat() && !type.getElementType().isInteger(1))
    return ConstantBuffer(type, dense.getRawData());
  ConstantBuffer out = ConstantBuffer::allocate(type);
  int64_t i = 0;
  if (isa<FloatType>(type.getElementType()))
    for (const APFloat &value : dense.getValues<APFloat>())
      store(out.mutableBytes().data(), type.getElementType(), i++, value.convertToDouble());
  else
    for (const APInt &value : dense.getValues<APInt>()) {
      uint64_t bits = value.getZExtValue();
      std::memcpy(out.mutableBytes().data() + i++ * elementBytes(type.getElementType()), &bits,
                  elementBytes(type.getElementType()));
    }
  return out;
}

FailureOr<ConstantBuffer> mlir::ane::evaluateConstant(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return emitError(value.getLoc(), "a block argument is no constant"), failure();
  if (auto leaf = dyn_cast<ConstOp>(op))
    return evaluateLeaf(leaf);
  if (auto blob = dyn_cast<BlobOp>(op))
    return evaluateConstant(blob.getBody().front().getTerminator()->getOperand(0));
  SmallVector<ConstantBuffer> in;
  for (Value operand : op->getOperands()) {
    FailureOr<ConstantBuffer> buffer = evaluateConstant(operand);
    if (failed(buffer))
      return failure();
    in.push_back(std::move(*buffer));
  }
  auto type = cast<RankedTensorType>(value.getType());
  auto binary = [&](auto function) -> FailureOr<ConstantBuffer> {
    return computed(in, type, [&](ArrayRef<double> v) { return function(v[0], v[1]); });
  };
  auto unary = [&](auto function) -> FailureOr<ConstantBuffer> {
    return computed(in, type, [&](ArrayRef<double> v) { return function(v[0]); });
  };
  return llvm::TypeSwitch<Operation *, FailureOr<ConstantBuffer>>(op)
      .Case<ReshapeOp, ExpandDimsOp, SqueezeOp>([&](auto) { return std::move(in[0]).withShape(type.getShape()); })
      .Case([&](TransposeOp op) { return transposed(in[0], type, op.getPerm()); })
      .Case([&](RelayoutOp op) {
        Relayout layout = op.getRelayout();
        ConstantBuffer expanded = std::move(in[0]).withShape(layout.expand);
        return transposed(expanded, type.clone(layout.permuted()), layout.perm).withShape(type.getShape());
      })
      .Case<SliceBySizeOp, SliceByIndexOp>([&](auto op) { return sliced(in[0], type, op.getRanges()); })
      .Case([&](CastOp) { return converted(in[0], type); })
      .Case([&](AddOp) { return binary([](double x, double y) { return x + y; }); })
      .Case([&](SubOp) { return binary([](double x, double y) { return x - y; }); })
      .Case([&](MulOp) { return binary([](double x, double y) { return x * y; }); })
      .Case([&](RealDivOp) { return binary([](double x, double y) { return x / y; }); })
      .Case([&](MaximumOp) { return binary([](double x, double y) { return std::max(x, y); }); })
      .Case([&](MinimumOp) { return binary([](double x, double y) { return std::min(x, y); }); })
      .Case([&](PowOp) { return binary([](double x, double y) { return std::pow(x, y); }); })
      .Case([&](SqrtOp) { return unary([](double x) { return std::sqrt(x); }); })
      .Case([&](RsqrtOp op) {
        double epsilon = op.getEpsilon().convertToDouble();
        return unary([=](double x) { return 1 / std::sqrt(x + epsilon); });
      })
      .Case([&](ExpOp) { return unary([](double x) { return std::exp(x); }); })
      .Case([&](NegOp) { return unary([](double x) { return -x; }); })
      .Case([&](AbsOp) { return unary([](double x) { return std::abs(x); }); })
      .Default([&](Operation *op) -> FailureOr<ConstantBuffer> {
        return op->emitOpError("on constants can't be evaluated when the bundle is written; remedy: fold it in the "
                               "model, or compute it at run time"),
               failure();
      });
}

FailureOr<DenseElementsAttr> mlir::ane::evaluateToAttribute(Value value) {
  FailureOr<ConstantBuffer> buffer = evaluateConstant(value);
  if (failed(buffer))
    return failure();
  RankedTensorType type = buffer->getType();
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, buffer->bytes());
  SmallVector<bool> bits;
  for (char byte : buffer->bytes())
    bits.push_back(byte != 0);
  return DenseElementsAttr::get(type, bits);
}
