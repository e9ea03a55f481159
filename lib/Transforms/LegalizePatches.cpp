//===- LegalizePatches.cpp - convolutions in forms that the engine takes ---===//
//
// Elements that the engine can't reach by a stride, a wide kernel or a third axis become channels, which a convolution
// sums alike. A kernel that is its stride sees each element once: the patches are vectors, and the convolution a matrix
// product.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Declined.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEPATCHES
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

using Shape = SmallVector<int64_t>;
static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

namespace {
/// Spells one convolution. Spatial axes are numbered from 0; they are the last axes of input, weight and result.
class ConvSpeller {
public:
  ConvSpeller(ConvOp op)
      : builder(op), op(op), b(builder, op.getLoc()), window(op.getWindow()), y(shapeOf(op.getResult())),
        kernel(shapeOf(op.getWeight())), spatial(window.kernel.size()) {}

  /// A product of patches with the weight, where the windows are the patches of an image without rest.
  Value asLinear() {
    ArrayRef<int64_t> x = shapeOf(op.getX());
    if (spatial != 2 || op.getGroups() != 1 || x[2] != y[2] * kernel[2] || x[3] != y[3] * kernel[3])
      return Value();
    int64_t features = kernel[1] * kernel[2] * kernel[3], batch = y[0], patches = batch * y[2] * y[3];
    // [N, C, rows, height, columns, width] -> [N, rows, columns, C, height, width]
    Relayout cut{{batch, kernel[1], y[2], kernel[2], y[3], kernel[3]}, {0, 2, 4, 1, 3, 5}};
    Value vectors = RelayoutOp::create(builder, op.getLoc(), op.getX(), cut, {patches, features});
    Value linear = b.make<LinearOp>(vectors, b.reshape(op.getWeight(), {kernel[0], features}), op.getBias());
    Relayout back{{batch, y[2] * y[3], kernel[0]}, {0, 2, 1}};
    return RelayoutOp::create(builder, op.getLoc(), linear, back, y);
  }

  /// Without strides: the `stride` elements of a block are channels, and the kernel counts blocks.
  Value overBlocks() {
    for (size_t i = 0; i < spatial; ++i)
      if (window.strides[i] != 1 && window.dilations[i] != 1)
        return Value();
    ArrayRef<int64_t> in = shapeOf(op.getX());
    Shape xExpand{in[0], in[1]}, wExpand{kernel[0], kernel[1]}, perm{0, 1}, taps{kernel[0], kernel[1]}, dense;
    int64_t block = 1;
    for (size_t i = 0; i < spatial; ++i) {
      int64_t stride = window.strides[i], width = llvm::divideCeil(window.kernel[i], stride);
      int64_t count = window.output[i] + (width - 1) * window.dilations[i];
      llvm::append_range(xExpand, ArrayRef<int64_t>{count, stride});
      llvm::append_range(wExpand, ArrayRef<int64_t>{width, stride});
      taps.push_back(width * stride);
      dense.push_back(count * stride);
      block *= stride;
      perm.push_back(2 + 2 * i);
    }
    for (size_t i = 0; i < spatial; ++i)
      perm.insert(perm.begin() + 2 + i, 3 + 2 * i);
    auto toChannels = [&](Value value, const Shape &expand) {
      Shape shape{expand[0], expand[1] * block};
      for (size_t i = 0; i < spatial; ++i)
        shape.push_back(expand[2 + 2 * i]);
      return b.reshape(b.transpose(b.reshape(value, expand), perm), shape);
    };
    Shape none(spatial, 0), ones(spatial, 1);
    Value x = toChannels(resized(op.getX(), window.padBegin, dense), xExpand);
    Value weight = toChannels(resized(op.getWeight(), none, ArrayRef<int64_t>(taps).drop_front(2)), wExpand);
    return conv(x, weight, op.getBias(), ones, window.dilations, none, none);
  }

  /// The same without strides along axes with one window, over the elements that it sees; null where there are none.
  Value withoutIdleStrides() {
    Shape strides = window.strides, begin = window.padBegin, end = window.padEnd, before(spatial, 0),
          size(shapeOf(op.getX()).drop_front(2));
    for (size_t axis = 0; axis < spatial; ++axis)
      if (window.output[axis] == 1 && strides[axis] != 1) {
        before[axis] = begin[axis];
        size[axis] = windowExtent(window.kernel[axis], window.dilations[axis]);
        strides[axis] = 1;
        begin[axis] = end[axis] = 0;
      }
    if (strides == window.strides)
      return Value();
    return conv(resized(op.getX(), before, size), op.getWeight(), op.getBias(), strides, window.dilations, begin, end);
  }

  /// A sum of convolutions with parts of the kernel, at most `limit` long along `axis`.
  Value asSum(int64_t limit, size_t axis) {
    int64_t width = window.kernel[axis], parts = llvm::divideCeil(width, limit), part = llvm::divideCeil(width, parts);
    int64_t dilation = window.dilations[axis], stride = window.strides[axis];
    Shape begin(spatial, 0), end = window.padEnd, size(shapeOf(op.getX()).drop_front(2));
    begin[axis] = window.padBegin[axis];
    size[axis] = (window.output[axis] - 1) * stride + windowExtent(width, dilation);
    Value x = resized(op.getX(), begin, size), bias = op.getBias(), sum;
    begin = window.padBegin;
    begin[axis] = end[axis] = 0;
    for (int64_t first = 0; first < width; first += part, bias = Value()) {
      int64_t count = std::min(part, width - first);
      int64_t seen = (window.output[axis] - 1) * stride + windowExtent(count, dilation);
      Value addend = conv(elements(x, axis, first * dilation, seen), elements(op.getWeight(), axis, first, count), bias,
                          window.strides, window.dilations, begin, end);
      sum = sum ? b.add(sum, addend) : addend;
    }
    return sum;
  }

  /// Over the last two axes, with the elements along the first as channels, and its places as batch.
  Value overDepth() {
    ArrayRef<int64_t> in = shapeOf(op.getX());
    int64_t batch = in[0], channels = in[1], depth = window.kernel[0], stride = window.strides[0],
            groups = op.getGroups();
    int64_t places = window.output[0], plane = in[3] * in[4];
    // [N C, D, H W], padded along D, then [D, N C, H W].
    int64_t deep = (places - 1) * stride + (depth - 1) * window.dilations[0] + 1;
    Value x =
        resized(b.reshape(op.getX(), {batch * channels, in[2], plane}), {window.padBegin[0], 0}, {deep, plane}, 1);
    x = b.transpose(x, {1, 0, 2});
    SmallVector<Value> taps;
    for (int64_t tap = 0; tap < depth; ++tap) {
      int64_t first = tap * window.dilations[0], width = batch * channels;
      Value slice =
          b.make<SliceByIndexOp>(RankedTensorType::get({places, width, plane}, getElementTypeOrSelf(x)), x,
                                 builder.getDenseI64ArrayAttr({first, 0, 0}),
                                 builder.getDenseI64ArrayAttr({first + (places - 1) * stride + 1, width, plane}),
                                 builder.getDenseI64ArrayAttr({stride, 1, 1}), DenseBoolArrayAttr(),
                                 DenseBoolArrayAttr(), DenseBoolArrayAttr());
      taps.push_back(b.reshape(slice, {places * batch * groups, channels / groups, in[3], in[4]}));
    }
    x = taps.size() == 1 ? taps[0] : b.make<ConcatOp>(taps, /*axis=*/1);
    x = b.reshape(x, {places * batch, depth * channels, in[3], in[4]});
    // [O, C, D, H, W] -> [O, D C, H, W]
    Value weight = b.transpose(op.getWeight(), {0, 2, 1, 3, 4});
    weight = b.reshape(weight, {kernel[0], depth * kernel[1], kernel[3], kernel[4]});
    auto rest = [](ArrayRef<int64_t> list) { return list.drop_front(); };
    Value planes = conv(x, weight, op.getBias(), rest(window.strides), rest(window.dilations), rest(window.padBegin),
                        rest(window.padEnd));
    planes = b.reshape(planes, {places, batch, kernel[0], y[3] * y[4]});
    return b.reshape(b.transpose(planes, {1, 2, 0, 3}), y);
  }

private:
  Value conv(Value x, Value weight, Value bias, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
             ArrayRef<int64_t> begin, ArrayRef<int64_t> end) {
    Shape pad;
    for (auto [before, after] : llvm::zip_equal(begin, end))
      llvm::append_range(pad, ArrayRef<int64_t>{before, after});
    return b.make<ConvOp>(x, weight, bias, builder.getDenseI64ArrayAttr(strides), "custom",
                          builder.getDenseI64ArrayAttr(pad), builder.getDenseI64ArrayAttr(dilations), op.getGroups());
  }

  /// `value` with zeros before and behind, or without its end, so that the axes from `axis` on have `sizes`.
  Value resized(Value value, ArrayRef<int64_t> before, ArrayRef<int64_t> sizes, size_t axis = 2) {
    Shape shape(shapeOf(value)), amounts, kept(shape);
    for (auto [i, size] : llvm::enumerate(sizes)) {
      amounts.push_back(before[i]);
      amounts.push_back(std::max<int64_t>(0, size - before[i] - shape[axis + i]));
      kept[axis + i] = std::min(size - before[i], shape[axis + i]);
    }
    if (kept != shape)
      value = b.make<SliceBySizeOp>(value, Shape(shape.size(), 0), kept);
    if (llvm::all_of(amounts, [](int64_t amount) { return amount == 0; }))
      return value;
    return b.make<PadOp>(value, builder.getDenseI64ArrayAttr(amounts), builder.getStringAttr("constant"),
                         builder.getF64FloatAttr(0.0));
  }

  /// `count` elements along a spatial axis.
  Value elements(Value value, size_t axis, int64_t first, int64_t count) {
    Shape begin(shapeOf(value).size(), 0), size(shapeOf(value));
    if (size[axis + 2] == count)
      return value;
    begin[axis + 2] = first;
    size[axis + 2] = count;
    return b.make<SliceBySizeOp>(value, begin, size);
  }

  EngineBuilder builder;
  ConvOp op;
  Composer b;
  Window window;
  ArrayRef<int64_t> y, kernel;
  size_t spatial;
};

struct LegalizePatches : mlir::ane::impl::LegalizePatchesBase<LegalizePatches> {
  using LegalizePatchesBase::LegalizePatchesBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    // What one spelling leaves may need another; new convolutions stand before the op.
    Block &body = getOperation().getEngine().front();
    for (bool changed = true; std::exchange(changed, false);)
      for (ConvOp op : llvm::make_early_inc_range(body.getOps<ConvOp>()))
        if (Value value = spell(op, env)) {
          op.replaceAllUsesWith(value);
          op.erase();
          changed = true;
        }
  }

private:
  /// Whether a window sees nothing but zeros.
  static bool seesPaddingAlone(const Window &window) {
    for (auto [pad, kernel, dilation] : llvm::zip_equal(window.padBegin, window.kernel, window.dilations))
      if (pad > (kernel - 1) * dilation)
        return true;
    return false;
  }

  static Value spell(ConvOp op, const TargetEnv &env) {
    auto violates = [&](ConstraintID id) { return check(id, op, env).has_value(); };
    bool deep = violates(ConstraintID::Conv3D), strides = violates(ConstraintID::StrideFactors),
         width = violates(ConstraintID::KernelWidth), height = violates(ConstraintID::KernelHeight);
    auto leave = [&](StringRef why) {
      if (deep || strides || width || height)
        decline(op,
                deep      ? ConstraintID::Conv3D
                : strides ? ConstraintID::StrideFactors
                : width   ? ConstraintID::KernelWidth
                          : ConstraintID::KernelHeight,
                why);
      return Value();
    };
    if (!isConstantExpr(op.getWeight()))
      return leave("a convolution whose weight is computed has no other form");
    if (seesPaddingAlone(op.getWindow()))
      return leave("a window that sees padding alone has no other form");
    ConvSpeller speller(op);
    if (deep)
      return speller.overDepth();
    if (strides || width || violates(ConstraintID::PatchConv))
      if (Value linear = speller.asLinear())
        return linear;
    if (strides || width)
      if (Value value = speller.withoutIdleStrides())
        return value;
    bool strided = llvm::any_of(op.getWindow().strides, [](int64_t stride) { return stride != 1; });
    if (strided && (strides || width))
      if (Value blocks = speller.overBlocks())
        return blocks;
    size_t last = op.getWindow().kernel.size() - 1;
    if (width)
      return speller.asSum(env.limit(strided ? Limit::KernelWidthStrided : Limit::KernelWidth), last);
    if (height && !strides)
      return speller.asSum(env.limit(Limit::KernelHeight), last - 1);
    return leave("a convolution with strides and dilation along one axis has no form over blocks");
  }
};
} // namespace
