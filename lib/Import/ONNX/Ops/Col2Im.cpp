//===- Col2Im.cpp - ONNX Col2Im -------------------------------------------===//

#include "../Expr.h"
#include "../Registry.h"
#include "ane/IR/Inference.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// Adds the blocks [N, C taps, places] up at their places in the padded image, and cuts the padding off.
static void col2Im(NodeBinder &n) {
  Expr x(n, n.input(0));
  SmallVector<int64_t> image = n.ints(1, "image_shape"), block = n.ints(2, "block_shape");
  size_t axes = image.size();
  auto read = [&](StringRef name, size_t size, int64_t fallback) {
    SmallVector<int64_t> values = n.intsAttr(name).value_or(SmallVector<int64_t>(size, fallback));
    if (values.size() != size || llvm::any_of(values, [&](int64_t v) { return v < fallback || v > 1 << 24; }))
      n.error("attribute '" + name + "' must have " + Twine(size) + " entries of " + Twine(fallback) + " or more");
    return values;
  };
  SmallVector<int64_t> dilations = read("dilations", axes, 1), strides = read("strides", axes, 1),
                       pads = read("pads", 2 * axes, 0);
  if (!n)
    return;
  SmallVector<int64_t> padded, counts;
  int64_t taps = 1, places = 1, elements = 1;
  for (size_t i = 0; i < axes && block.size() == axes; ++i) {
    // No product below leaves int64.
    if (image[i] < 1 || image[i] > 1 << 24 || block[i] < 1 || block[i] > 1 << 24)
      return n.error("axis " + Twine(i) + " has size " + Twine(image[i]) + " and blocks of " + Twine(block[i]) +
                     "; each must be 1 to 2^24");
    padded.push_back(image[i] + pads[i] + pads[axes + i]);
    int64_t room = padded[i] - dilations[i] * (block[i] - 1);
    if (room < 1)
      return n.error("a block of " + Twine(block[i]) + " does not fit axis " + Twine(i) + " of size " +
                     Twine(image[i]));
    counts.push_back((room - 1) / strides[i] + 1);
    taps = saturatingMul(taps, block[i]);
    places = saturatingMul(places, counts[i]);
    elements = saturatingMul(elements, padded[i]);
  }
  if (axes < 1 || block.size() != axes || x.rank() != 3 || x.shape()[1] % taps || x.shape()[2] != places)
    return n.error("the input does not hold " + Twine(places) + " blocks of " + Twine(taps) + " elements");
  if (elements > maxElements)
    return n.error("the image has more than 2^40 elements");
  int64_t batch = x.shape()[0], channels = x.shape()[1] / taps;
  Expr positions = table(n, {taps * places}, n.builder.getI32Type(), [&](ArrayRef<int64_t> at) {
    int64_t tap = at[0] / places, place = at[0] % places, position = 0, stride = 1;
    for (size_t i = axes; i-- > 0;) {
      position += stride * (place % counts[i] * strides[i] + tap % block[i] * dilations[i]);
      place /= counts[i];
      tap /= block[i];
      stride *= padded[i];
    }
    return double(position);
  });
  Expr zeros(n, n.splat(RankedTensorType::get({batch * channels, elements}, x.element()), 0));
  SmallVector<int64_t> shape{batch, channels};
  llvm::append_range(shape, padded);
  Expr sum =
      zeros.make<ScatterOp>({positions, x.reshape({batch * channels, taps * places})}, {{"axis", 1}, {"mode", "add"}})
          .reshape(shape);
  for (size_t i = 0; i < axes; ++i)
    sum = sum.slice(2 + i, pads[i], image[i]);
  n.result(0, sum);
}

void mlir::ane::onnx_import::registerCol2ImOps(Registry &registry) { registry.onOp("", "Col2Im", {18}, col2Im); }
