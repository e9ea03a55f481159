//===- ChannelRewrites.cpp - parameters per channel, blocks of images -----===//

#include "Rewrites.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// A parameter [C] in the shape that broadcasts along `axis` of a tensor of rank `rank`.
static Value along(Maker &m, Value parameter, int64_t axis, int64_t rank) {
  if (numElements(shapeOf(parameter)) == 1)
    return m.reshape(parameter, {});
  SmallVector<int64_t> shape(rank, 1);
  shape[axis < 0 ? axis + rank : axis] = shapeOf(parameter)[0];
  return m.reshape(parameter, shape);
}

static Value write(Maker &m, PreluOp op) {
  Value x = op.getX(), alpha = along(m, op.getAlpha(), 1, shapeOf(x).size());
  Value negative = m.make<MinimumOp>(x, m.scalar(x, 0));
  return m.add(m.make<ReluOp>(x), m.mul(negative, alpha));
}

static Value write(Maker &m, SoftplusParametricOp op) {
  Value x = op.getX();
  int64_t rank = shapeOf(x).size();
  Value inner = m.mul(x, along(m, op.getBeta(), 1, rank));
  return m.mul(m.make<SoftplusOp>(inner), along(m, op.getAlpha(), 1, rank));
}

static Value write(Maker &m, QuantizeOp op) {
  Value x = op.getInput();
  int64_t rank = shapeOf(x).size(), axis = op.getAxis().value_or(0);
  Value y = m.make<RoundOp>(m.div(x, along(m, op.getScale(), axis, rank)));
  if (Value zero = op.getZeroPoint())
    y = m.add(y, m.cast(along(m, zero, axis, rank), elementOf(x)));
  // The conversion saturates.
  return m.cast(y, op.getType().getElementType());
}

/// scale * (x - zero) in elements of type `element`; the parameters broadcast against x.
static Value dequantized(Maker &m, Value x, Value scale, Value zero, Type element) {
  x = m.cast(x, element);
  if (zero)
    x = m.sub(x, m.cast(zero, element));
  return m.mul(x, m.cast(scale, element));
}

static Value dequantizedAlong(Maker &m, Value x, Value scale, Value zero, int64_t axis, Type element) {
  int64_t rank = shapeOf(x).size();
  return dequantized(m, x, along(m, scale, axis, rank), zero ? along(m, zero, axis, rank) : zero, element);
}

static Value write(Maker &m, DequantizeOp op) {
  return dequantizedAlong(m, op.getInput(), op.getScale(), op.getZeroPoint(), op.getAxis().value_or(0),
                          op.getType().getElementType());
}

static Value write(Maker &m, ConstexprAffineDequantizeOp op) {
  return dequantizedAlong(m, op.getQuantizedData(), op.getScale(), op.getZeroPoint(), op.getAxis(),
                          op.getType().getElementType());
}

static Value write(Maker &m, ConstexprBlockwiseShiftScaleOp op) {
  Value x = op.getData(), scale = op.getScale(), offset = op.getOffset();
  // Every axis becomes [blocks, size of a block].
  SmallVector<int64_t> split, blocks;
  for (auto [size, count] : llvm::zip_equal(shapeOf(x), shapeOf(scale))) {
    split.append({count, size / count});
    blocks.append({count, 1});
  }
  Value y = dequantized(m, m.reshape(x, split), m.reshape(scale, blocks), offset ? m.reshape(offset, blocks) : offset,
                        op.getType().getElementType());
  return m.reshape(y, op.getType().getShape());
}

static Value write(Maker &m, ConstexprCastOp op) { return m.cast(op.getSourceVal(), op.getType().getElementType()); }

static Value write(Maker &m, FillLikeOp op) { return m.make<FillOp>(op.getValue(), op.getType().getShape()); }

static Value write(Maker &m, CropOp op) {
  SmallVector<int64_t> begin(op.getType().getRank(), 0);
  begin[begin.size() - 2] = op.getCropHeight()[0];
  begin[begin.size() - 1] = op.getCropWidth()[0];
  return m.slice(op.getX(), begin, op.getType().getShape());
}

static Value write(Maker &m, UpsampleNearestNeighborOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getX()), result = op.getType().getShape();
  size_t rank = shape.size();
  SmallVector<int64_t> split(shape.drop_back(2)), repeats(split.size(), 1);
  for (size_t d = rank - 2; d < rank; ++d) {
    split.append({shape[d], 1});
    repeats.append({1, result[d] / shape[d]});
  }
  return m.reshape(m.make<TileOp>(m.reshape(op.getX(), split), repeats), result);
}

static Value write(Maker &m, BatchToSpaceOp op) {
  ArrayRef<int64_t> s = shapeOf(op.getX()), block = op.getBlockShape(), crops = op.getCrops();
  int64_t batch = s[0] / (block[0] * block[1]);
  Value y = m.reshape(op.getX(), {block[0], block[1], batch, s[1], s[2], s[3]});
  y = m.transpose(y, {2, 3, 4, 0, 5, 1});
  y = m.reshape(y, {batch, s[1], s[2] * block[0], s[3] * block[1]});
  return m.slice(y, {0, 0, crops[0], crops[2]}, op.getType().getShape());
}

static Value write(Maker &m, SpaceToBatchOp op) {
  ArrayRef<int64_t> block = op.getBlockShape();
  Value y = m.pad(op.getX(), op.getPaddings());
  ArrayRef<int64_t> s = shapeOf(y);
  y = m.reshape(y, {s[0], s[1], s[2] / block[0], block[0], s[3] / block[1], block[1]});
  return m.reshape(m.transpose(y, {3, 5, 0, 1, 2, 4}), op.getType().getShape());
}

bool host::rewriteChannelOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<PreluOp, SoftplusParametricOp, QuantizeOp, DequantizeOp, ConstexprAffineDequantizeOp,
            ConstexprBlockwiseShiftScaleOp, ConstexprCastOp, FillLikeOp, CropOp, UpsampleNearestNeighborOp,
            BatchToSpaceOp, SpaceToBatchOp>([](auto typed) {
        Maker m(typed);
        m.replace(write(m, typed));
        return true;
      })
      .Default(false);
}
