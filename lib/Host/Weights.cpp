//===- Weights.cpp - constants in the layout of the kernels ---------------===//

#include "OpView.h"
#include "Plan.h"
#include "runtime/support/half.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

/// Raw elements of a constant, wherever they are: mapped, or in the attribute.
struct Elements {
  ArrayRef<char> bytes;
  std::vector<char> owned;
  Type type;
  unsigned size;
};

/// Streams converted elements to the sink in blocks.
class Writer {
public:
  Writer(HostWeightSink &sink, const Elements &in, Type out)
      : sink(sink), in(in), out(out), outSize(std::max(8u, out.getIntOrFloatBitWidth()) / 8) {
    block.reserve(blockBytes);
  }
  LogicalResult element(int64_t index) {
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
    return block.size() >= blockBytes ? flush() : success();
  }
  LogicalResult zero() {
    block.insert(block.end(), outSize, 0);
    return block.size() >= blockBytes ? flush() : success();
  }
  LogicalResult flush() {
    LogicalResult result = sink.write(block);
    block.clear();
    return result;
  }

private:
  static constexpr size_t blockBytes = 1 << 20;
  APFloat load(const char *source) {
    uint64_t bits = 0;
    std::memcpy(&bits, source, in.size);
    return APFloat(cast<FloatType>(in.type).getFloatSemantics(), APInt(in.size * 8, bits));
  }
  HostWeightSink &sink;
  const Elements &in;
  Type out;
  unsigned outSize;
  std::vector<char> block;
};

} // namespace

static FailureOr<Elements> elementsOf(Value constant) {
  auto op = constant.getDefiningOp<ConstOp>();
  Elements result;
  result.type = elementOf(constant);
  result.size = std::max(8u, result.type.getIntOrFloatBitWidth()) / 8;
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
  if (result.type.isInteger(1)) {
    for (bool bit : dense.getValues<bool>())
      result.owned.push_back(bit);
  } else if (dense.isSplat()) {
    for (int64_t i = 0; i < dense.getNumElements(); ++i)
      result.owned.insert(result.owned.end(), dense.getRawData().begin(), dense.getRawData().end());
  } else {
    result.bytes = dense.getRawData();
    return result;
  }
  return result;
}

/// What tells two constants apart: where the bytes are, or the attribute itself.
static std::string keyOf(Value constant, const WeightLayout &weight) {
  std::string key;
  llvm::raw_string_ostream s(key);
  auto op = constant.getDefiningOp<ConstOp>();
  if (auto ref = dyn_cast<WeightAttr>(op.getValue()))
    s << ref.getFile() << '@' << ref.getOffset() << '+' << ref.getBytes() << elementOf(constant);
  else
    s << op.getValue().getAsOpaquePointer();
  s << '|' << weight.kind << '|' << weight.columns << '|' << weight.storage << '|' << weight.view.offset;
  for (auto [dim, stride] : llvm::zip_equal(weight.view.shape, weight.view.strides))
    s << '|' << dim << ':' << stride;
  return key;
}

FailureOr<uint64_t> WeightPacker::pack(Value constant, const WeightLayout &weight) {
  auto [it, isNew] = byKey.try_emplace(keyOf(constant, weight), 0);
  if (!isNew)
    return it->second;
  FailureOr<Elements> elements = elementsOf(constant);
  if (failed(elements))
    return failure();
  if (elements->bytes.empty())
    elements->bytes = elements->owned;
  uint64_t needed = numElements(shapeOf(constant)) * elements->size;
  if (elements->bytes.size() < needed)
    return emitError(constant.getLoc()) << "constant of type " << constant.getType() << " needs " << needed
                                        << " bytes, has " << elements->bytes.size(),
           failure();
  const Access &view = weight.view;
  bool panels = weight.kind == WeightLayout::Panels;
  int64_t k = panels ? view.shape[0] : 0, n = panels ? view.shape[1] : 0;
  int64_t count = panels ? llvm::divideCeil(n, weight.columns) * weight.columns * k : view.numElements();
  uint64_t size = count * (weight.storage.getIntOrFloatBitWidth() / 8);
  FailureOr<uint64_t> offset = sink.begin(weight.storage, size);
  if (failed(offset))
    return failure();
  bytes += size;
  Writer writer(sink, *elements, elements->type.isInteger(1) ? elements->type : weight.storage);
  if (!panels) {
    // Dense layouts are whole constants.
    for (int64_t i = 0; i < count; ++i)
      if (failed(writer.element(i)))
        return failure();
  } else {
    for (int64_t first = 0; first < n; first += weight.columns)
      for (int64_t row = 0; row < k; ++row)
        for (int64_t j = first; j < first + weight.columns; ++j)
          if (failed(j < n ? writer.element(view.offset + row * view.strides[0] + j * view.strides[1])
                           : writer.zero()))
            return failure();
  }
  if (failed(writer.flush()))
    return failure();
  return byKey[keyOf(constant, weight)] = *offset;
}
