//===- Layout.cpp - relayouts and blobs -----------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;

//===-- relayout ----------------------------------------------------------===//

Relayout RelayoutOp::getRelayout() { return {llvm::to_vector(getExpand()), llvm::to_vector(getPerm())}; }

RelayoutOp RelayoutOp::create(OpBuilder &builder, Location loc, Value x, const Relayout &layout,
                              ArrayRef<int64_t> shape) {
  Relayout normal = layout.normalized();
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(x));
  return builder.create<RelayoutOp>(loc, type, x, normal.expand, normal.perm);
}

LogicalResult RelayoutOp::verify() {
  if (failed(LayoutAttr::verify([&] { return emitOpError(); }, getExpand(), getPerm())))
    return failure();
  auto x = cast<RankedTensorType>(getX().getType()), result = cast<RankedTensorType>(getType());
  if (x.getElementType() != result.getElementType())
    return emitOpError() << "changes the element type from " << x.getElementType() << " to " << result.getElementType();
  int64_t elements = getRelayout().numElements();
  if (x.getNumElements() != elements || result.getNumElements() != elements)
    return emitOpError() << "moves " << elements << " elements, but " << x << " has " << x.getNumElements() << " and "
                         << result << " has " << result.getNumElements();
  return success();
}

OpFoldResult RelayoutOp::fold(FoldAdaptor) {
  if (getX().getType() == getType() && getRelayout().isReshape())
    return getX();
  return {};
}

/// The permutation of `from`'s dimensions that realises `layout` without a reshape before it, if its atoms are just the
/// dimensions that are not 1. Dimensions of 1 are placed so that the outcome is `to` where that is possible.
static std::optional<SmallVector<int64_t>> directPermutation(const Relayout &layout, ArrayRef<int64_t> from,
                                                             ArrayRef<int64_t> to) {
  SmallVector<int64_t> atoms, ones;
  for (auto [i, dim] : llvm::enumerate(from))
    (dim == 1 ? ones : atoms).push_back(i);
  if (atoms.size() != layout.expand.size() || !llvm::all_of(llvm::zip_equal(atoms, layout.expand), [&](auto pair) {
        return from[std::get<0>(pair)] == std::get<1>(pair);
      }))
    return std::nullopt;
  SmallVector<int64_t> perm;
  size_t next = 0, one = 0;
  for (int64_t dim : to) {
    if (dim == 1 && one < ones.size())
      perm.push_back(ones[one++]);
    else if (dim != 1 && next < layout.perm.size())
      perm.push_back(atoms[layout.perm[next++]]);
  }
  while (one < ones.size())
    perm.push_back(ones[one++]);
  while (next < layout.perm.size())
    perm.push_back(atoms[layout.perm[next++]]);
  return perm;
}

static constexpr size_t maxAxes = 4; // of a transpose on the engine: C21

/// A transposition of the middle axes of [outer, a, b, inner].
struct BlockSwap {
  SmallVector<int64_t, 4> shape;
};

/// A permutation of many atoms as swaps of neighbouring blocks: the atom of each place in turn comes before those that
/// stand there still.
static SmallVector<BlockSwap> swapsOf(const Relayout &layout) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, layout.expand.size()));
  auto product = [&](size_t begin, size_t end) {
    int64_t size = 1;
    for (int64_t atom : ArrayRef(order).slice(begin, end - begin))
      size *= layout.expand[atom];
    return size;
  };
  SmallVector<BlockSwap> swaps;
  for (size_t place = 0; place < order.size();) {
    size_t from = llvm::find(order, layout.perm[place]) - order.begin(), end = from + 1;
    if (from == place) {
      ++place;
      continue;
    }
    // Atoms that follow each other in the result move together.
    while (end < order.size() && order[end] == layout.perm[place + end - from])
      ++end;
    swaps.push_back({{product(0, place), product(place, from), product(from, end), product(end, order.size())}});
    std::rotate(order.begin() + place, order.begin() + from, order.begin() + end);
  }
  return swaps;
}

FailureOr<SmallVector<Value>> RelayoutOp::decompose(OpBuilder &builder) {
  Relayout layout = getRelayout().normalized();
  ArrayRef<int64_t> from = cast<RankedTensorType>(getX().getType()).getShape();
  ArrayRef<int64_t> to = cast<RankedTensorType>(getType()).getShape();
  auto reshaped = [&](Value value, ArrayRef<int64_t> shape) -> Value {
    if (cast<RankedTensorType>(value.getType()).getShape() == shape)
      return value;
    return builder.create<ReshapeOp>(getLoc(), value, shape);
  };
  Value value = getX();
  std::optional<SmallVector<int64_t>> direct =
      from.size() <= maxAxes ? directPermutation(layout, from, to) : std::nullopt;
  if (layout.isReshape())
    return SmallVector<Value>{reshaped(value, to)};
  if (direct)
    value = builder.create<TransposeOp>(getLoc(), value, *direct);
  else if (layout.expand.size() <= maxAxes)
    value = builder.create<TransposeOp>(getLoc(), reshaped(value, layout.expand), layout.perm);
  else
    for (const BlockSwap &swap : swapsOf(layout))
      value = builder.create<TransposeOp>(getLoc(), reshaped(value, swap.shape), ArrayRef<int64_t>{0, 2, 1, 3});
  return SmallVector<Value>{reshaped(value, to)};
}

//===-- blob --------------------------------------------------------------===//

LogicalResult BlobOp::verify() {
  if (failed(verifyConstantRegion(*this, getBody(), getType())))
    return failure();
  if (getOffset() < 64 || getOffset() % 64 != 0)
    return emitOpError() << "offset " << getOffset()
                         << " is no record of a blob file: records start at multiples of 64, the first at 64 (C08)";
  return success();
}
