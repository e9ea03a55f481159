//===- ChannelRewrites.cpp - parameters per channel, blocks of images -----===//

#include "Access.h"
#include "OpView.h"
#include "Rewrites.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

/// Builds ops by name before `op`, with types that follow from the operands.
struct Maker {
  Operation *op;
  OpBuilder b;
  OpView view;
  explicit Maker(Operation *op) : op(op), b(op), view(op) {}

  Value typed(StringRef name, ValueRange in, ArrayRef<int64_t> shape, Type element,
              ArrayRef<NamedAttribute> attributes = {}) {
    return createOp(b, op->getLoc(), name, in, RankedTensorType::get(shape, element), attributes)->getResult(0);
  }
  /// Shape and element type of the first operand.
  Value like(StringRef name, ValueRange in, ArrayRef<NamedAttribute> attributes = {}) {
    return typed(name, in, shapeOf(in[0]), elementOf(in[0]), attributes);
  }
  Value reshape(Value in, ArrayRef<int64_t> shape) {
    return typed("ane.reshape", in, shape, elementOf(in), ints("shape", shape));
  }
  Value transpose(Value in, ArrayRef<int64_t> perm) {
    SmallVector<int64_t> shape;
    for (int64_t d : perm)
      shape.push_back(shapeOf(in)[d]);
    return typed("ane.transpose", in, shape, elementOf(in), ints("perm", perm));
  }
  Value cast(Value in, Type element) {
    return elementOf(in) == element ? in : typed("ane.cast", in, shapeOf(in), element);
  }
  Value scalar(Type element, double value) {
    auto type = RankedTensorType::get({}, element);
    return b.create<ConstOp>(op->getLoc(), DenseElementsAttr::get(type, b.getFloatAttr(element, value)));
  }
  /// A parameter [C] in the shape that broadcasts along `axis` of a tensor of rank `rank`.
  Value along(Value parameter, int64_t axis, int64_t rank) {
    if (numElements(shapeOf(parameter)) == 1)
      return reshape(parameter, {});
    SmallVector<int64_t> shape(rank, 1);
    shape[axis] = shapeOf(parameter)[0];
    return reshape(parameter, shape);
  }
  NamedAttribute ints(StringRef name, ArrayRef<int64_t> values) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(values));
  }
};

} // namespace

static Value prelu(Maker &m) {
  Value x = m.op->getOperand(0), alpha = m.along(m.op->getOperand(1), 1, shapeOf(x).size());
  Value negative = m.like("ane.minimum", {x, m.scalar(elementOf(x), 0)});
  return m.like("ane.add", {m.like("ane.relu", x), m.like("ane.mul", {negative, alpha})});
}

static Value softplusParametric(Maker &m) {
  Value x = m.op->getOperand(0);
  int64_t rank = shapeOf(x).size();
  Value inner = m.like("ane.mul", {x, m.along(m.op->getOperand(2), 1, rank)});
  return m.like("ane.mul", {m.like("ane.softplus", inner), m.along(m.op->getOperand(1), 1, rank)});
}

static Value quantize(Maker &m) {
  Value x = m.op->getOperand(0);
  int64_t rank = shapeOf(x).size(), axis = m.view.axis("axis", rank);
  Value y = m.like("ane.real_div", {x, m.along(m.op->getOperand(1), axis, rank)});
  y = m.like("ane.round", y);
  if (Value zero = m.view.optional(2))
    y = m.like("ane.add", {y, m.cast(m.along(zero, axis, rank), elementOf(x))});
  // The conversion saturates.
  return m.cast(y, elementOf(m.op->getResult(0)));
}

/// scale * (x - zero); the parameters broadcast against x.
static Value dequantized(Maker &m, Value x, Value scale, Value zero) {
  Type element = elementOf(m.op->getResult(0));
  x = m.cast(x, element);
  if (zero)
    x = m.like("ane.sub", {x, m.cast(zero, element)});
  return m.like("ane.mul", {x, m.cast(scale, element)});
}

static Value dequantize(Maker &m) {
  bool constant = m.view.name() != "dequantize";
  Value x = m.op->getOperand(0), zero = constant ? m.op->getOperand(1) : m.view.optional(2);
  int64_t rank = shapeOf(x).size(), axis = m.view.axis("axis", rank);
  return dequantized(m, x, m.along(m.op->getOperand(constant ? 2 : 1), axis, rank),
                     zero ? m.along(zero, axis, rank) : zero);
}

static Value blockwise(Maker &m) {
  Value x = m.op->getOperand(0), scale = m.op->getOperand(1);
  // Every axis becomes [blocks, size of a block].
  SmallVector<int64_t> split, blocks;
  for (auto [size, count] : llvm::zip_equal(shapeOf(x), shapeOf(scale))) {
    split.append({count, size / count});
    blocks.append({count, 1});
  }
  Value offset = m.view.optional(2);
  Value y = dequantized(m, m.reshape(x, split), m.reshape(scale, blocks), offset ? m.reshape(offset, blocks) : offset);
  return m.reshape(y, shapeOf(m.op->getResult(0)));
}

static Value constantCast(Maker &m) { return m.cast(m.op->getOperand(0), elementOf(m.op->getResult(0))); }

static Value fillLike(Maker &m) {
  return m.typed("ane.fill", m.op->getOperand(1), shapeOf(m.op->getResult(0)), elementOf(m.op->getResult(0)));
}

static Value sliced(Maker &m, Value x, ArrayRef<int64_t> begin, ArrayRef<int64_t> shape) {
  return m.typed("ane.slice_by_size", x, shape, elementOf(x), {m.ints("begin", begin), m.ints("size", shape)});
}

static Value crop(Maker &m) {
  Value x = m.op->getOperand(0);
  SmallVector<int64_t> begin(shapeOf(x).size(), 0);
  begin[begin.size() - 2] = m.view.ints("crop_height")[0];
  begin[begin.size() - 1] = m.view.ints("crop_width")[0];
  return sliced(m, x, begin, shapeOf(m.op->getResult(0)));
}

static Value upsampleNearest(Maker &m) {
  Value x = m.op->getOperand(0);
  ArrayRef<int64_t> shape = shapeOf(x), result = shapeOf(m.op->getResult(0));
  size_t rank = shape.size();
  SmallVector<int64_t> split(shape.drop_back(2)), wide(shape.drop_back(2));
  for (size_t d = rank - 2; d < rank; ++d) {
    split.append({shape[d], 1});
    wide.append({shape[d], result[d] / shape[d]});
  }
  Value y = m.reshape(x, split);
  y = m.typed("ane.tile", y, wide, elementOf(x));
  return m.reshape(y, result);
}

static Value batchToSpace(Maker &m) {
  Value x = m.op->getOperand(0);
  ArrayRef<int64_t> s = shapeOf(x), block = m.view.ints("block_shape"), crops = m.view.ints("crops");
  int64_t batch = s[0] / (block[0] * block[1]);
  Value y = m.reshape(x, {block[0], block[1], batch, s[1], s[2], s[3]});
  y = m.transpose(y, {2, 3, 4, 0, 5, 1});
  y = m.reshape(y, {batch, s[1], s[2] * block[0], s[3] * block[1]});
  return sliced(m, y, {0, 0, crops[0], crops[2]}, shapeOf(m.op->getResult(0)));
}

static Value spaceToBatch(Maker &m) {
  Value x = m.op->getOperand(0);
  ArrayRef<int64_t> block = m.view.ints("block_shape"), paddings = m.view.ints("paddings");
  SmallVector<int64_t> s(shapeOf(x));
  s[2] += paddings[0] + paddings[1];
  s[3] += paddings[2] + paddings[3];
  Value y = m.typed("ane.pad", x, s, elementOf(x), m.ints("pad", paddings));
  y = m.reshape(y, {s[0], s[1], s[2] / block[0], block[0], s[3] / block[1], block[1]});
  return m.reshape(m.transpose(y, {3, 5, 0, 1, 2, 4}), shapeOf(m.op->getResult(0)));
}

bool host::rewriteChannelOp(Operation *op) {
  static const llvm::StringMap<Value (*)(Maker &)> table{{"prelu", prelu},
                                                         {"softplus_parametric", softplusParametric},
                                                         {"quantize", quantize},
                                                         {"dequantize", dequantize},
                                                         {"constexpr_affine_dequantize", dequantize},
                                                         {"constexpr_blockwise_shift_scale", blockwise},
                                                         {"constexpr_cast", constantCast},
                                                         {"fill_like", fillLike},
                                                         {"crop", crop},
                                                         {"upsample_nearest_neighbor", upsampleNearest},
                                                         {"batch_to_space", batchToSpace},
                                                         {"space_to_batch", spaceToBatch}};
  auto it = table.find(OpView(op).name());
  if (it == table.end())
    return false;
  Maker maker(op);
  op->getResult(0).replaceAllUsesWith(it->second(maker));
  op->erase();
  return true;
}
