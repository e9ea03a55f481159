//===- TrainingBuilder.cpp - the function that a decoder is trained by ----===//

#include "TrainingBuilder.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"
#include <cmath>
#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;

namespace {
class TrainingBuilder {
public:
  TrainingBuilder(OpBuilder &builder, const Decoder &model, TensorSource &source, LMTraining training)
      : model(model), training(training), builder(builder),
        blocks(builder, source, source.hasPrefix(model.base) ? model.base : "", builder.getStringAttr(source.origin)) {}

  /// `positions` of tokens in their documents, which stay apart; null if they don't.
  Value build(Value ids, Value positions) {
    if (positions) {
      Composer c = blocks.compose("documents");
      // Where each token's document begins.
      firsts = c.sub(count({1, training.tokens}), positions);
    }
    for (const Rope &rope : model.ropes)
      angles.push_back({table(rope, false), table(rope, true)});
    Value places = positions ? positions : count({training.tokens});
    Value x = blocks.embedded(model, ids, places, /*isWidened=*/true);
    for (int64_t layer = 0; layer < model.sizes.layers; ++layer) {
      blocks.enter(model.layers + Twine(layer) + ".");
      x = blocks.layer(x, model, [&](Value normed) { return attention(normed, model.kinds[layer]); });
    }
    blocks.enter("");
    x = blocks.norm(x, model.finalNorm, model.norm);
    x = blocks.head(x, model.head, model.embedding, model.sizes.vocabulary);
    return model.logitCap == 0 ? x : blocks.capped(x, model.logitCap, "logits");
  }

private:
  Value table(const Rope &rope, bool isSine) {
    return blocks.compose("angles").make<ConstOp>(rope.table(isSine, training.tokens, builder.getContext()));
  }
  /// 0, 1, ... of all tokens, in `shape`.
  Value count(ArrayRef<int64_t> shape) {
    SmallVector<int64_t> places(training.tokens);
    std::iota(places.begin(), places.end(), 0);
    return blocks.integers(places, shape);
  }

  /// Queries by keys: [T, T], or [B, 1, T, T] where documents are apart. Rotations need nothing of the kind: to scores
  /// of a document, only differences of positions matter.
  Value maskOf(int64_t window) {
    Value &mask = masks[window];
    if (mask)
      return mask;
    Composer c = blocks.compose("mask");
    Value query = count({training.tokens, 1}), key = count({1, training.tokens});
    Value isSeen = c.make<LessEqualOp>(key, query);
    if (window > 0 && window < training.tokens)
      isSeen = c.make<LogicalAndOp>(isSeen, c.make<GreaterOp>(key, c.sub(query, blocks.integers({window}, {1, 1}))));
    if (firsts) {
      int64_t batch = training.batch, tokens = training.tokens;
      isSeen = c.make<LogicalAndOp>(
          isSeen, c.make<EqualOp>(c.reshape(firsts, {batch, 1, tokens, 1}), c.reshape(firsts, {batch, 1, 1, tokens})));
    }
    return mask = blocks.maskOf(isSeen, "mask");
  }

  Value heads(Value x, const Linear &projection, int64_t number, StringRef norm, int rope) {
    Value made = blocks.split(blocks.linear(x, projection, number * model.sizes.headWidth), number, projection.name);
    if (!norm.empty())
      made = blocks.norm(made, norm, model.norm);
    if (rope < 0)
      return made;
    return blocks.rotated(made, model.ropes[rope], angles[rope].first, angles[rope].second, projection.name);
  }

  Value attention(Value x, const LayerKind &kind) {
    const Sizes &sizes = model.sizes;
    const LayerParts &parts = model.parts;
    Value query = heads(x, parts.query, sizes.heads, parts.queryNorm, kind.rope);
    Value key = heads(x, parts.key, sizes.groups, parts.keyNorm, kind.rope);
    Value value = heads(x, parts.value, sizes.groups, "", -1);
    Composer c = blocks.compose("attention");
    // The op has a scale of its own.
    double scale = kind.scale * std::sqrt(double(sizes.headWidth));
    if (std::abs(scale - 1) > 1e-9)
      query = c.mul(query, scale);
    Value mask = maskOf(kind.window);
    Value mixed = model.scoreCap == 0 ? c.make<ScaledDotProductAttentionOp>(query, key, value, mask)
                                      : cappedAttention(c, query, key, value, mask);
    return blocks.linear(blocks.join(mixed, "attention"), parts.output, sizes.width);
  }

  /// With a soft limit on scores, which the op does not have. Queries that share keys are rows of one product.
  Value cappedAttention(Composer &c, Value query, Value key, Value value, Value mask) {
    const Sizes &sizes = model.sizes;
    int64_t sharing = sizes.heads / sizes.groups, tokens = training.tokens;
    query = c.mul(query, 1 / std::sqrt(double(sizes.headWidth)));
    query = c.reshape(query, {training.batch, sizes.groups, sharing * tokens, sizes.headWidth});
    Value scores = blocks.capped(c.make<MatmulOp>(query, key, false, true), model.scoreCap, "attention");
    if (firsts)
      mask = c.reshape(mask, {training.batch, 1, 1, tokens, tokens});
    scores = c.add(c.reshape(scores, {training.batch, sizes.groups, sharing, tokens, tokens}), mask);
    Value weights = c.make<SoftmaxOp>(scores);
    weights = c.reshape(weights, {training.batch, sizes.groups, sharing * tokens, tokens});
    return c.reshape(c.make<MatmulOp>(weights, value, false, false),
                     {training.batch, sizes.heads, tokens, sizes.headWidth});
  }

  const Decoder &model;
  LMTraining training;
  OpBuilder &builder;
  Blocks blocks;
  Value firsts;                                // [B, T], where documents are apart
  SmallVector<std::pair<Value, Value>> angles; // of each of the ropes, [T, pairs]
  std::map<int64_t, Value> masks;              // by window
};
} // namespace

func::FuncOp mlir::ane::lm::createTraining(ModuleOp module, const Decoder &model, TensorSource &source,
                                           LMTraining training) {
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  Type ids = RankedTensorType::get({training.batch, training.tokens}, builder.getI32Type());
  SmallVector<Type> inputs(training.areDocumentsApart ? 2 : 1, ids);
  auto function = builder.create<func::FuncOp>(module.getLoc(), "main", builder.getFunctionType(inputs, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value positions = training.areDocumentsApart ? body->getArgument(1) : Value();
  Value logits = TrainingBuilder(builder, model, source, training).build(body->getArgument(0), positions);
  builder.create<func::ReturnOp>(module.getLoc(), logits);
  function.setType(builder.getFunctionType(inputs, logits.getType()));
  SmallVector<Attribute> names{builder.getStringAttr("input_ids"), builder.getStringAttr("position_ids")};
  setArgAttrs(function, attrs::ioName, ArrayRef(names).take_front(inputs.size()));
  setResultAttrs(function, attrs::ioName, {builder.getStringAttr("logits")});
  return function;
}
