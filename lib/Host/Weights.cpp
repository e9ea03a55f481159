//===- Weights.cpp - constants in the layout of the kernels ---------------===//

#include "Plan.h"
#include "ane/Constraint/ConstantSources.h"
#include "ane/IR/ConstantEval.h"
#include "runtime/support/half.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

/// Raw elements of a constant, which live as long as the context: mapped, or in the attribute.
struct Elements {
  ArrayRef<char> bytes;
  Type type;
  unsigned size;
  /// An attribute whose bytes are fewer than the elements, or no bytes: expanded when they are read.
  DenseElementsAttr packed;
  /// What computes them, when they are read.
  std::shared_ptr<OwningOpRef<BlobOp>> expression;

  std::vector<char> expand() const;
};

/// Hands converted elements on in blocks.
class Writer {
public:
  using Receive = function_ref<bool(ArrayRef<char>)>;
  Writer(Receive receive, const Elements &in, Type out)
      : receive(receive), in(in), out(out), outSize(std::max(8u, out.getIntOrFloatBitWidth()) / 8) {
    block.reserve(blockBytes);
  }
  bool element(int64_t index) {
    const char *source = in.bytes.data() + index * in.size;
    if (in.type == out) {
      block.insert(block.end(), source, source + in.size);
    } else if (in.type.isF32() && out.isF16()) {
      float value;
      std::memcpy(&value, source, sizeof(value));
      uint16_t half = ::ane::rt::floatToHalf(value);
      const char *data = reinterpret_cast<const char *>(&half);
      block.insert(block.end(), data, data + sizeof(half));
    } else {
      // Only floats change their type.
      APFloat value = load(source);
      bool lossy;
      value.convert(cast<FloatType>(out).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
      uint64_t bits = value.bitcastToAPInt().getZExtValue();
      const char *data = reinterpret_cast<const char *>(&bits);
      block.insert(block.end(), data, data + outSize);
    }
    return block.size() < blockBytes || flush();
  }
  /// `count` elements, `stride` apart.
  bool elements(int64_t index, int64_t count, int64_t stride) {
    // Most weights.
    if (in.type == out && in.size == 4)
      return copy<4>(index, count, stride);
    if (in.type == out && in.size == 2)
      return copy<2>(index, count, stride);
    for (int64_t i = 0; i < count; ++i)
      if (!element(index + i * stride))
        return false;
    return true;
  }
  bool zero() {
    block.insert(block.end(), outSize, 0);
    return block.size() < blockBytes || flush();
  }
  bool flush() {
    bool more = receive(block);
    block.clear();
    return more;
  }

private:
  static constexpr size_t blockBytes = 1 << 18;
  /// Elements of `size` bytes as they are. Long runs are cut, so that the block keeps its size.
  template <int64_t size>
  bool copy(int64_t index, int64_t count, int64_t stride) {
    constexpr int64_t longest = blockBytes / size;
    for (; count > 0; count -= longest, index += longest * stride) {
      size_t end = block.size();
      int64_t part = std::min(count, longest);
      block.resize(end + part * size);
      const char *source = in.bytes.data() + index * size;
      char *target = block.data() + end;
      if (stride == 1)
        std::memcpy(target, source, part * size);
      else
        for (int64_t i = 0; i < part; ++i)
          std::memcpy(target + size * i, source + size * i * stride, size);
      if (block.size() >= blockBytes && !flush())
        return false;
    }
    return true;
  }
  APFloat load(const char *source) {
    uint64_t bits = 0;
    std::memcpy(&bits, source, in.size);
    return APFloat(cast<FloatType>(in.type).getFloatSemantics(), APInt(in.size * 8, bits));
  }
  Receive receive;
  const Elements &in;
  Type out;
  unsigned outSize;
  std::vector<char> block;
};

} // namespace

static FailureOr<Elements> elementsOf(Value constant) {
  Elements result;
  result.type = elementOf(constant);
  result.size = std::max(8u, result.type.getIntOrFloatBitWidth()) / 8;
  if (auto blob = constant.getDefiningOp<BlobOp>()) {
    result.expression = std::make_shared<OwningOpRef<BlobOp>>(blob.clone());
    if (Value narrow = widenedBy(constant)) {
      result.type = elementOf(narrow);
      result.size = 2;
    }
    if (isUnrounded(constant)) {
      result.type = Float32Type::get(constant.getContext());
      result.size = 4;
    }
    return result;
  }
  auto op = constant.getDefiningOp<ConstOp>();
  if (auto weight = dyn_cast<WeightAttr>(op.getValue())) {
    WeightTable &table = cast<ANEDialect>(op->getDialect())->getWeights();
    FailureOr<ArrayRef<char>> bytes = table.lookup(weight, [&] { return op.emitError(); });
    if (failed(bytes))
      return failure();
    result.bytes = *bytes;
    return result;
  }
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return op.emitError() << "constant is neither dense nor #ane.weight", failure();
  if (result.type.isInteger(1) || dense.isSplat())
    result.packed = dense;
  else
    result.bytes = dense.getRawData();
  return result;
}

std::vector<char> Elements::expand() const {
  std::vector<char> bytes;
  if (type.isInteger(1))
    for (bool bit : packed.getValues<bool>())
      bytes.push_back(bit);
  else
    for (int64_t i = 0; i < packed.getNumElements(); ++i)
      bytes.insert(bytes.end(), packed.getRawData().begin(), packed.getRawData().end());
  return bytes;
}

/// What tells two constants apart: where the bytes are, or the attribute itself.
static std::string keyOf(Value constant, const WeightLayout &weight) {
  std::string key;
  llvm::raw_string_ostream s(key);
  auto op = constant.getDefiningOp<ConstOp>();
  if (auto blob = constant.getDefiningOp<BlobOp>())
    for (Operation &part : blob.getBody().front())
      part.print(s, OpPrintingFlags().useLocalScope());
  else if (auto ref = dyn_cast<WeightAttr>(op.getValue()))
    s << ref.getFile() << '@' << ref.getOffset() << '+' << ref.getBytes() << elementOf(constant);
  else
    s << op.getValue().getAsOpaquePointer();
  s << '|' << weight.kind << '|' << weight.columns << '|' << weight.storage << '|' << weight.view.base;
  for (auto [dim, stride] : llvm::zip_equal(weight.view.shape, weight.view.strides))
    s << '|' << dim << ':' << stride;
  return key;
}

/// Dense layouts are whole constants.
static bool writeDense(Writer &writer, const WeightLayout &weight) {
  return writer.elements(0, weight.view.numElements(), 1);
}

static bool writePanels(Writer &writer, const WeightLayout &weight) {
  ArrayRef<int64_t> shape = weight.view.shape, strides = weight.view.strides;
  int64_t n = shape.back();
  // Where each row of a panel begins, in the constant.
  SmallVector<int64_t> rows{weight.view.base};
  for (size_t d = 1; d + 1 < shape.size(); ++d) {
    SmallVector<int64_t> outer = std::move(rows);
    rows.clear();
    for (int64_t row : outer)
      for (int64_t i = 0; i < shape[d]; ++i)
        rows.push_back(row + i * strides[d]);
  }
  for (int64_t batch = 0; batch < shape[0]; ++batch)
    for (int64_t first = 0; first < n; first += weight.columns)
      for (int64_t row : rows) {
        int64_t valid = std::min(weight.columns, n - first);
        if (!writer.elements(batch * strides[0] + row + first * strides.back(), valid, strides.back()))
          return false;
        for (int64_t j = valid; j < weight.columns; ++j)
          if (!writer.zero())
            return false;
      }
  return true;
}

/// What a constant of blocks expands.
static FailureOr<ConstantBuffer> blocksData(BlobOp expression) {
  return evaluateConstant(blocksOf(expression.getResult()).getData());
}

/// How a tensor in layout `weight` follows from weights of the model.
static HostWeight describe(Value constant, const Elements &elements, const WeightLayout &weight) {
  auto blob = constant.getDefiningOp<BlobOp>();
  ConstantSources sources = blob ? ConstantSources(blob.getBody()) : ConstantSources(constant.getDefiningOp<ConstOp>());
  HostWeight entry;
  entry.sources = sources.weights;
  Value narrow = widenedBy(constant);
  entry.fixed = sources.obstacle(/*known=*/!blob || (narrow && narrow.getDefiningOp<ConstOp>()));
  entry.elementType = elements.type.isInteger(1) ? elements.type : weight.storage;
  if (entry.fixed.empty() && entry.elementType != elements.type &&
      !(elements.type.isF32() && entry.elementType.isF16()))
    entry.fixed = "computed by cast";
  if (weight.kind == WeightLayout::Panels) {
    entry.base = weight.view.base;
    entry.shape = weight.view.shape;
    entry.strides = weight.view.strides;
    entry.columns = weight.columns;
  } else {
    entry.shape = {weight.count()};
    entry.strides = {1};
  }
  return entry;
}

FailureOr<uint64_t> WeightPacker::pack(Value constant, const WeightLayout &weight) {
  auto [it, isNew] = byKey.try_emplace(keyOf(constant, weight), entries.size());
  if (!isNew) {
    HostWeight &entry = entries[it->second];
    if (!llvm::is_contained(entry.readers, reader))
      entry.readers.push_back(reader);
    return entry.offset;
  }
  FailureOr<Elements> elements = elementsOf(constant);
  if (failed(elements))
    return failure();
  uint64_t needed = numElements(shapeOf(constant)) * elements->size;
  if (!elements->packed && !elements->expression && elements->bytes.size() < needed)
    return emitError(constant.getLoc()) << "constant of type " << constant.getType() << " needs " << needed
                                        << " bytes, has " << elements->bytes.size(),
           failure();
  uint64_t size = weight.count() * (weight.storage.getIntOrFloatBitWidth() / 8);
  bytes += size;
  // The constant may be gone when its bytes are made.
  uint64_t offset = sink.add(weight.storage, size, [elements = *elements, weight](auto receive) mutable {
    std::vector<char> expanded;
    FailureOr<ConstantBuffer> computed = ConstantBuffer();
    if (weight.blocks) {
      computed = blocksData(**elements.expression);
      if (succeeded(computed))
        weight.blocks->pack(computed->bytes(), weight.view, receive);
      return;
    }
    if (elements.expression) {
      Value narrow = widenedBy(**elements.expression);
      computed = evaluateUnrounded(narrow ? narrow : Value(**elements.expression));
      if (failed(computed))
        return; // A part is missing then, which the sink sees.
      elements.bytes = computed->bytes();
    } else if (elements.packed) {
      expanded = elements.expand();
      elements.bytes = expanded;
    }
    Writer writer(receive, elements, elements.type.isInteger(1) ? elements.type : weight.storage);
    if (weight.kind == WeightLayout::Panels ? writePanels(writer, weight) : writeDense(writer, weight))
      writer.flush();
  });
  HostWeight &entry = entries.emplace_back(describe(constant, *elements, weight));
  entry.offset = offset;
  entry.bytes = size;
  entry.readers.push_back(reader);
  return offset;
}
