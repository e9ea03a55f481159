//===- EncoderBuilder.cpp - functions of an encoder -----------------------===//

#include "EncoderBuilder.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;

namespace {
class EncoderBuilder {
public:
  EncoderBuilder(OpBuilder &builder, const Encoder &model, TensorSource &source, int64_t texts, bool isTrained)
      : model(model), texts(texts), isTrained(isTrained), builder(builder),
        blocks(builder, source, source.hasPrefix(model.base) ? model.base : "", builder.getStringAttr(source.origin)) {}

  Value build(Value ids, Value mask, int64_t tokens) {
    const Sizes &sizes = model.sizes;
    Composer c = blocks.compose("mask");
    Value zero = blocks.integers({0}, {1});
    Value isSeen = c.make<NotEqualOp>(c.reshape(mask, {texts, 1, 1, tokens}), zero);
    Value hides = blocks.maskOf(isSeen, "mask");
    Value x = embedded(ids, tokens);
    for (int64_t layer = 0; layer < sizes.layers; ++layer) {
      blocks.enter(model.layers + Twine(layer) + ".");
      Value mixed = attention(x, hides);
      x = blocks.norm(blocks.compose("attention").add(x, mixed), model.parts.attentionPostNorm, model.norm);
      Value hidden = blocks.mlp(x, model.parts, model.activation, sizes);
      x = blocks.norm(blocks.compose("mlp").add(x, hidden), model.parts.mlpPostNorm, model.norm);
    }
    blocks.enter("");
    return pooled(x, mask, tokens);
  }

private:
  /// Words, places and the type of a first text.
  Value embedded(Value ids, int64_t tokens) {
    const Sizes &sizes = model.sizes;
    SmallVector<int64_t> shape{sizes.vocabulary, sizes.width};
    Value table = isTrained ? blocks.tensor(model.embedding, shape) : blocks.stored(model.embedding, shape);
    Value words = blocks.rows(table, ids, model.embedding);
    auto firstRows = [&](const std::string &name, int64_t rows, int64_t count) {
      Value table = blocks.tensor(name, {rows, sizes.width});
      return blocks.compose(name).make<SliceBySizeOp>(table, ArrayRef<int64_t>{0, 0},
                                                      ArrayRef<int64_t>{count, sizes.width});
    };
    Composer c = blocks.compose(model.embeddingNorm);
    Value places = firstRows(model.positionTable, sizes.positions, tokens);
    Value x = c.add(c.add(words, firstRows(model.typeTable, sizes.types, 1)), places);
    return blocks.norm(x, model.embeddingNorm, model.norm);
  }

  Value attention(Value x, Value mask) {
    const Sizes &sizes = model.sizes;
    auto headsOf = [&](const Linear &part) {
      return blocks.split(blocks.linear(x, part, sizes.heads * sizes.headWidth), sizes.heads, part.name);
    };
    Composer c = blocks.compose("attention");
    Value query = headsOf(model.parts.query), key = headsOf(model.parts.key), value = headsOf(model.parts.value);
    Value mixed = c.make<ScaledDotProductAttentionOp>(query, key, value, mask);
    return blocks.linear(blocks.join(mixed, "attention"), model.parts.output, sizes.width);
  }

  Value pooled(Value x, Value mask, int64_t tokens) {
    const Sizes &sizes = model.sizes;
    Composer c = blocks.compose("embedding");
    Value made;
    if (model.takesFirst) {
      made = c.make<SliceBySizeOp>(x, ArrayRef<int64_t>{0, 0, 0}, ArrayRef<int64_t>{texts, 1, sizes.width});
    } else {
      Value weight = c.make<CastOp>(c.reshape(mask, {texts, 1, tokens}), builder.getF32Type());
      Value count = c.make<ReduceSumOp>(weight, builder.getDenseI64ArrayAttr({-1}), true);
      // The mean as products, which add more exactly than a sum does.
      made = c.make<MatmulOp>(c.div(weight, c.make<MaximumOp>(count, c.scalar(count, 1))), x, false, false);
    }
    made = c.reshape(made, {texts, sizes.width});
    if (!model.normalizes)
      return made;
    Value square = c.make<ReduceSumOp>(c.mul(made, made), builder.getDenseI64ArrayAttr({-1}), true);
    return c.div(made, c.make<SqrtOp>(c.make<MaximumOp>(square, c.scalar(square, 1e-24))));
  }

  const Encoder &model;
  int64_t texts;
  bool isTrained;
  OpBuilder &builder;
  Blocks blocks;
};
} // namespace

func::FuncOp mlir::ane::lm::createEncoder(ModuleOp module, const Encoder &model, TensorSource &source, StringRef name,
                                          int64_t tokens, int64_t trainedTexts) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  bool isTrained = trainedTexts > 0;
  int64_t texts = isTrained ? trainedTexts : 1;
  Type ids = RankedTensorType::get({texts, tokens}, builder.getI32Type());
  auto function = builder.create<func::FuncOp>(module.getLoc(), name, builder.getFunctionType({ids, ids}, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value embedding = EncoderBuilder(builder, model, source, texts, isTrained)
                        .build(body->getArgument(0), body->getArgument(1), tokens);
  builder.create<func::ReturnOp>(module.getLoc(), embedding);
  function.setType(builder.getFunctionType({ids, ids}, embedding.getType()));
  setArgAttrs(function, attrs::ioName, {builder.getStringAttr("input_ids"), builder.getStringAttr("attention_mask")});
  setResultAttrs(function, attrs::ioName, {builder.getStringAttr("embedding")});
  return function;
}
