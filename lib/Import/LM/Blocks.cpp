//===- Blocks.cpp - what layers of language models are made of ------------===//

#include "Blocks.h"
#include "ane/IR/ANE.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

Value Blocks::stored(const Twine &name, ArrayRef<int64_t> shape, bool isGlobal) {
  std::string full = (base + (isGlobal ? "" : scope) + name).str();
  // What is wrong has been noted: the model is built to its end, so that all of that is told at once.
  if (WeightAttr weight = source.take(full, shape)) {
    Composer c = compose(name);
    Value value = c.make<ConstOp>(weight);
    SourceBlocks blocks = source.blocksOf(full);
    if (blocks.group > 0) {
      int64_t groups = cast<RankedTensorType>(value.getType()).getNumElements() / blocks.group;
      Value scales = c.make<ConstOp>(source.take(TensorSource::scalesOf(full), {groups, 1}));
      value = c.make<CastOp>(c.reshape(value, {groups, blocks.group}), builder.getF32Type());
      return c.reshape(c.mul(value, scales), shape);
    }
    if (blocks.elements == 0)
      return value;
    return c.make<ConstexprBlocksOp>(BlockType(blocks.type), value, "fp32");
  }
  return createSplat(builder, at(name), RankedTensorType::get(shape, builder.getF32Type()), 0);
}

/// In the type that the model computes in.
static Value widened(Composer &c, Value value) {
  auto f32 = Float32Type::get(value.getContext());
  return cast<RankedTensorType>(value.getType()).getElementType() == f32 ? value : c.make<CastOp>(value, f32);
}

Value Blocks::tensor(const Twine &name, ArrayRef<int64_t> shape, bool isGlobal) {
  Composer c = compose(name);
  return widened(c, stored(name, shape, isGlobal));
}

Value Blocks::linear(Value x, const Linear &layer, int64_t outputs) {
  Composer c = compose(layer.name);
  int64_t inputs = shapeOf(x).back(), all = layer.of ? layer.of : outputs;
  Value weight =
      layer.transposed ? tensor(layer.name + ".weight", {inputs, all}) : tensor(layer.name + ".weight", {all, inputs});
  if (layer.transposed)
    weight = c.transpose(weight, {1, 0});
  Value bias = layer.bias ? tensor(layer.name + ".bias", {all}) : Value();
  if (layer.of) {
    weight = c.make<SliceBySizeOp>(weight, ArrayRef<int64_t>{layer.first, 0}, ArrayRef<int64_t>{outputs, inputs});
    if (bias)
      bias = c.make<SliceBySizeOp>(bias, ArrayRef<int64_t>{layer.first}, ArrayRef<int64_t>{outputs});
  }
  return c.make<LinearOp>(x, weight, bias);
}

Value Blocks::head(Value x, const Linear &layer, StringRef embedding, int64_t vocabulary) {
  int64_t width = shapeOf(x).back();
  if (layer.name.empty())
    return compose(embedding).make<LinearOp>(x, tensor(embedding, {vocabulary, width}), Value());
  std::string prefix;
  std::swap(base, prefix);
  Value logits = linear(x, layer, vocabulary);
  std::swap(base, prefix);
  return logits;
}

Value Blocks::norm(Value x, StringRef name, const Norm &kind) {
  Composer c = compose(name);
  int64_t width = shapeOf(x).back();
  Value gamma = tensor(name + ".weight", {width});
  auto axes = builder.getDenseI64ArrayAttr({-1});
  auto epsilon = builder.getF64FloatAttr(kind.epsilon);
  if (kind.kind == Norm::Layer)
    return c.make<LayerNormOp>(x, gamma, tensor(name + ".bias", {width}), axes, epsilon);
  return c.make<RmsNormOp>(x, gamma, axes, epsilon, builder.getBoolAttr(kind.kind == Norm::ZeroCenteredRMS));
}

Value Blocks::activation(Value x, Activation kind, StringRef name) {
  Composer c = compose(name);
  switch (kind) {
  case Activation::Silu:
    return c.make<SiluOp>(x);
  case Activation::Gelu:
    return c.make<GeluOp>(x, builder.getStringAttr("EXACT"));
  case Activation::GeluTanh:
    return c.make<GeluOp>(x, builder.getStringAttr("TANH_APPROXIMATION"));
  case Activation::Relu:
    return c.make<ReluOp>(x);
  }
  llvm_unreachable("all kinds are above");
}

Value Blocks::mlp(Value x, const LayerParts &parts, Activation kind, const Sizes &sizes) {
  bool isGated = !parts.gate.name.empty();
  const Linear &first = isGated ? parts.gate : parts.up;
  Value hidden = activation(linear(x, first, sizes.hidden), kind, first.name);
  if (isGated)
    hidden = compose(parts.up.name).mul(hidden, linear(x, parts.up, sizes.hidden));
  return linear(hidden, parts.down, sizes.width);
}

Value Blocks::layer(Value x, const Decoder &model, function_ref<Value(Value)> mix, function_ref<Value(Value)> keep) {
  Value mixed = mix(norm(x, model.parts.attentionNorm, model.norm));
  x = keep(x);
  if (!model.parts.attentionPostNorm.empty())
    mixed = norm(mixed, model.parts.attentionPostNorm, model.norm);
  x = compose("attention").add(x, mixed);
  Value hidden = mlp(norm(x, model.parts.mlpNorm, model.norm), model.parts, model.activation, model.sizes);
  if (!model.parts.mlpPostNorm.empty())
    hidden = norm(hidden, model.parts.mlpPostNorm, model.norm);
  return compose("mlp").add(x, hidden);
}

Value Blocks::embedded(const Decoder &model, Value ids, Value places, bool isWidened) {
  const Sizes &sizes = model.sizes;
  auto rowsOf = [&](StringRef name, int64_t count, Value at) {
    SmallVector<int64_t> shape{count, sizes.width};
    return rows(isWidened ? tensor(name, shape) : stored(name, shape), at, name);
  };
  Value x = rowsOf(model.embedding, sizes.vocabulary, ids);
  if (model.embeddingScale != 1)
    x = compose(model.embedding).mul(x, model.embeddingScale);
  if (model.positionTable.empty())
    return x;
  return compose(model.positionTable).add(x, rowsOf(model.positionTable, sizes.positions, places));
}

Value Blocks::split(Value x, int64_t heads, StringRef name) {
  Composer c = compose(name);
  ArrayRef<int64_t> shape = shapeOf(x);
  return c.transpose(c.reshape(x, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

Value Blocks::join(Value x, StringRef name) {
  Composer c = compose(name);
  ArrayRef<int64_t> shape = shapeOf(x);
  return c.reshape(c.transpose(x, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

Value Blocks::capped(Value x, double cap, StringRef name) {
  Composer c = compose(name);
  return c.mul(c.make<TanhOp>(c.mul(x, 1 / cap)), cap);
}

Value Blocks::rows(Value table, Value places, StringRef name) {
  Composer c = compose(name);
  return widened(c, c.make<GatherOp>(table, places, int64_t(0)));
}

Value Blocks::rotated(Value x, const Rope &rope, Value cosines, Value sines, StringRef name) {
  Composer c = compose(name);
  int64_t width = shapeOf(x)[3], turned = rope.width();
  auto part = [&](int64_t begin, int64_t count) -> Value {
    if (count == width)
      return x;
    SmallVector<int64_t> begins{0, 0, 0, begin}, sizes(shapeOf(x));
    sizes[3] = count;
    return c.make<SliceBySizeOp>(x, begins, sizes);
  };
  Value result = c.make<RopeOp>(part(0, turned), cosines, sines, rope.isInterleaved ? "interleaved" : "half");
  if (turned == width)
    return result;
  return c.make<ConcatOp>(ValueRange{result, part(turned, width - turned)}, int64_t(3));
}

Value Blocks::maskOf(Value cond, StringRef name) {
  OpBuilder &b = builder;
  Location loc = at(name);
  Value seen = createScalar(b, loc, b.getF32Type(), 0),
        unseen = createScalar(b, loc, b.getF32Type(), attrs::hiddenScore);
  return b.create<SelectOp>(loc, cond, seen, unseen);
}

Value Blocks::integers(ArrayRef<int64_t> values, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, builder.getI32Type());
  SmallVector<int32_t> narrow(values.begin(), values.end());
  return builder.create<ConstOp>(at("positions"), DenseElementsAttr::get(type, ArrayRef(narrow)));
}
