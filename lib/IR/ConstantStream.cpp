//===- ConstantStream.cpp - constants part by part ------------------------===//

#include "ConstantBlocks.h"
#include "ConstantMove.h"
#include "ConstantRows.h"
#include "ane/IR/DialectAttrs.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

/// Elements of a part: source and result fit a processor's own cache.
static constexpr int64_t partElements = 1 << 15;

/// Converts `n` elements.
static void convert(Type from, const char *source, Type to, std::optional<float> overflow, char *target, int64_t n) {
  if (overflow && from.isF32())
    return narrowRow(source, *overflow, {reinterpret_cast<uint16_t *>(target), size_t(n)});
  if (isa<IntegerType>(from) && (isa<IntegerType>(to) || from.getIntOrFloatBitWidth() == 64))
    return castIntegers(source, from, target, to, n);
  constexpr int64_t chunk = 4096;
  std::vector<double> values(std::min(n, chunk));
  for (int64_t i = 0; i < n; i += chunk) {
    MutableArrayRef<double> row(values.data(), std::min(chunk, n - i));
    loadRow(source, from, i, 1, row);
    if (overflow)
      for (double &value : row)
        if (std::abs(value) >= halfOverflow)
          value = std::copysign(double(*overflow), value);
    storeRow(target, to, i, row);
  }
}

/// Calls `visit` with views that see the elements of `view` in order, a part each.
static bool forEachPart(const StridedView &view, function_ref<bool(const StridedView &)> visit) {
  // A part is a run along dimension `dim`, whole in the dimensions inside of it. Few rows of a transposition would read
  // a line of memory for an element or two.
  int64_t rank = int64_t(view.shape.size()), dim = rank - 1, inside = 1;
  bool matrix = transposes(view);
  constexpr int64_t fewestRows = 128;
  while (dim > 0 && (inside * view.shape[dim] < partElements || (matrix && dim == rank - 1)))
    inside *= view.shape[dim--];
  int64_t run = std::max<int64_t>(partElements / std::max<int64_t>(inside, 1), 1);
  if (matrix && dim == rank - 2)
    run = std::max(run / fewestRows, int64_t(1)) * fewestRows;
  StridedView outer = view;
  outer.shape.truncate(dim);
  for (int64_t i = 0, n = outer.numElements(); i < n; ++i) {
    StridedView part = view;
    part.base = outer.at(i);
    std::fill_n(part.shape.begin(), dim, 1);
    for (int64_t first = 0; first < view.shape[dim]; first += run, part.base += run * view.strides[dim]) {
      part.shape[dim] = std::min(run, view.shape[dim] - first);
      if (!visit(part))
        return false;
    }
  }
  return true;
}

/// The elements of `view` are between these, both included.
static std::pair<int64_t, int64_t> endsOf(const StridedView &view) {
  int64_t first = view.base, last = view.base;
  for (auto [size, stride] : llvm::zip_equal(view.shape, view.strides))
    (stride < 0 ? first : last) += (size - 1) * stride;
  return {first, last};
}

/// Whether the elements of a part lie far apart, as those of a transposition do.
static bool isScattered(const StridedView &view) {
  bool result = false;
  forEachPart(view, [&](const StridedView &part) {
    auto [first, last] = endsOf(part);
    result = last - first > 8 * std::max(part.numElements(), partElements);
    return false;
  });
  return result;
}

ConstantStream::ConstantStream(ConstantBuffer buffer, RankedTensorType type, std::optional<StridedView> order,
                               CastOp cast)
    : source(std::move(buffer)), type(type), view(std::move(order)),
      converts(source.getType().getElementType() != type.getElementType()) {
  if (view)
    view = view->collapsed();
  if (converts && type.getElementType().isF16()) {
    auto given = cast ? attrs::overflow.get(cast) : FloatAttr();
    overflow = given ? float(given.getValueAsDouble()) : std::numeric_limits<float>::infinity();
  }
  // All blocks are expanded once, not those around each part.
  if (formatOf(source) && view && type.getNumElements() != 0 && isScattered(*view))
    source = expandedBlocks(source);
}

bool ConstantStream::read(function_ref<bool(ArrayRef<char>)> sink) const {
  Type from = source.getType().getElementType(), to = type.getElementType();
  bool isBlocks = formatOf(source).has_value();
  unsigned fromBytes = elementBytes(from);
  StridedView seen = view ? *view : StridedView::dense({type.getNumElements()});
  std::vector<float> expanded;
  std::vector<char> gathered, converted;
  return forEachPart(seen, [&](StridedView part) {
    int64_t n = part.numElements();
    if (n == 0)
      return true;
    const char *bytes = source.bytes().data();
    if (isBlocks) {
      auto [first, last] = endsOf(part);
      expanded = expandBlocks(source, first, last);
      bytes = reinterpret_cast<const char *>(expanded.data());
      part.base -= first;
    }
    if (view) {
      gathered.resize(n * fromBytes);
      gather(part, fromBytes, bytes, gathered.data());
      bytes = gathered.data();
    } else {
      bytes += part.base * fromBytes;
    }
    if (!converts)
      return sink({bytes, size_t(n * fromBytes)});
    converted.resize(n * elementBytes(to));
    convert(from, bytes, to, overflow, converted.data(), n);
    return sink(converted);
  });
}

ConstantBuffer ConstantStream::evaluate() const {
  if (!view && !converts && !formatOf(source))
    return ConstantBuffer(source).withShape(type.getShape());
  ConstantBuffer out = ConstantBuffer::allocate(type);
  char *to = out.mutableBytes().data();
  read([&](ArrayRef<char> part) {
    to = std::copy(part.begin(), part.end(), to);
    return true;
  });
  return out;
}
