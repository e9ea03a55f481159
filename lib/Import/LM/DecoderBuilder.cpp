//===- DecoderBuilder.cpp - functions of a decoder ------------------------===//
//
// Attention reads the caches as they were before the run, and the run's own keys and values beside them, so that
// nothing in a run waits for the caches to be written: all layers can be one program.
//
//===----------------------------------------------------------------------===//

#include "DecoderBuilder.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"
#include <numeric>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

static SmallVector<int64_t> counted(int64_t count) {
  SmallVector<int64_t> list(count);
  std::iota(list.begin(), list.end(), 0);
  return list;
}

void DecoderBuilder::createStates() {
  builder.setInsertionPointToStart(module.getBody());
  const Sizes &sizes = model.sizes;
  auto type = RankedTensorType::get({1, sizes.groups, context, sizes.headWidth}, builder.getF32Type());
  for (int64_t layer = 0; layer < sizes.layers; ++layer)
    for (StringRef kind : {"key", "value"}) {
      std::string name = stateName(kind, layer);
      builder.create<StateOp>(NameLoc::get(builder.getStringAttr(name), module.getLoc()), name, type);
    }
}

/// Softmax over several sets of keys together. Queries that share keys are rows of one product.
Value DecoderBuilder::attend(Composer &c, Value query, ArrayRef<Value> keys, ArrayRef<Value> values,
                             ArrayRef<Value> masks) {
  SmallVector<int64_t> shape(shapeOf(query)), rows(shape);
  rows[1] = model.sizes.groups;
  rows[2] = shape[1] / rows[1] * shape[2];
  query = c.reshape(query, rows);
  auto lastAxis = builder.getDenseI64ArrayAttr({-1});
  SmallVector<Value> scores;
  Value highest;
  for (auto [key, mask] : llvm::zip_equal(keys, masks)) {
    Value score = c.make<MatmulOp>(query, key, /*transpose_x=*/false, /*transpose_y=*/true);
    if (model.scoreCap != 0)
      score = c.mul(c.make<TanhOp>(c.mul(score, 1 / model.scoreCap)), model.scoreCap);
    if (mask) {
      score = c.reshape(score, {1, shape[1], shape[2], shapeOf(key)[2]});
      score = c.reshape(c.add(score, mask), {1, rows[1], rows[2], shapeOf(key)[2]});
    }
    Value most = c.make<ReduceMaxOp>(score, lastAxis, true);
    highest = highest ? c.make<MaximumOp>(highest, most) : most;
    scores.push_back(score);
  }
  Value total, result;
  for (Value &score : scores) {
    score = c.make<ExpOp>(c.sub(score, highest));
    Value sum = c.make<ReduceSumOp>(score, lastAxis, true);
    total = total ? c.add(total, sum) : sum;
  }
  for (auto [score, value] : llvm::zip_equal(scores, values)) {
    Value part = c.make<MatmulOp>(c.div(score, total), value, false, false);
    result = result ? c.add(result, part) : part;
  }
  return c.reshape(result, shape);
}

DecoderBuilder::Masks DecoderBuilder::masksOf(Blocks &blocks, const Run &run, int64_t window, bool onlyLast) {
  auto [known, isNew] = masks.try_emplace({window, onlyLast});
  if (!isNew)
    return known->second;
  Composer c = blocks.compose("mask");
  // Places within the run, and of the cache.
  int64_t tokens = run.tokens;
  Value places = onlyLast ? c.reshape(run.last, {1, 1}) : blocks.integers(counted(tokens), {tokens, 1});
  Value slots = blocks.integers(counted(context), {1, context});
  Value start = c.reshape(run.start, {1, 1});
  Value isPast = c.make<LessOp>(slots, start);
  if (window > 0) {
    Value first = c.add(c.add(places, start), blocks.integers({1 - window}, {1, 1}));
    isPast = c.make<LogicalAndOp>(isPast, c.make<GreaterEqualOp>(slots, first));
  }
  Masks made{blocks.maskOf(isPast, "mask"), {}};
  if (tokens > 1) {
    Value own = blocks.integers(counted(tokens), {1, tokens});
    Value isSeen = c.make<LessEqualOp>(own, places);
    if (window > 0 && window < tokens)
      isSeen = c.make<LogicalAndOp>(isSeen,
                                    c.make<GreaterEqualOp>(own, c.add(places, blocks.integers({1 - window}, {1, 1}))));
    made.present = blocks.maskOf(isSeen, "mask");
  }
  return known->second = made;
}

Value DecoderBuilder::pick(Blocks &blocks, const Run &run, Value x) {
  Composer c = blocks.compose("last");
  if (!picked) {
    Value own = blocks.integers(counted(run.tokens), {1, 1, run.tokens});
    Value isLast = c.make<EqualOp>(own, c.reshape(run.last, {1, 1, 1}));
    picked = c.make<SelectOp>(isLast, c.scalar(x, 1), c.scalar(x, 0));
  }
  return c.make<MatmulOp>(picked, x, false, false);
}

Value DecoderBuilder::attention(Blocks &blocks, const Run &run, Value x, int64_t layer, bool onlyLast) {
  const Sizes &sizes = model.sizes;
  const LayerParts &parts = model.parts;
  const LayerKind &kind = model.kinds[layer];
  auto headsOf = [&](Value from, const Linear &projection, int64_t heads, StringRef norm, bool turns, bool isLast) {
    Value made = blocks.split(blocks.linear(from, projection, heads * sizes.headWidth), heads, projection.name);
    if (!norm.empty())
      made = blocks.norm(made, norm, model.norm);
    if (!turns || kind.rope < 0)
      return made;
    auto [cosines, sines] = run.angles[kind.rope];
    if (isLast) {
      cosines = pick(blocks, run, blocks.compose("angles").reshape(cosines, {1, run.tokens, shapeOf(cosines)[1]}));
      sines = pick(blocks, run, blocks.compose("angles").reshape(sines, {1, run.tokens, shapeOf(sines)[1]}));
    }
    return blocks.rotated(made, model.ropes[kind.rope], cosines, sines, projection.name);
  };
  Value from = onlyLast ? pick(blocks, run, x) : x;
  Value query = headsOf(from, parts.query, sizes.heads, parts.queryNorm, true, onlyLast);
  Value key = headsOf(x, parts.key, sizes.groups, parts.keyNorm, true, false);
  Value value = headsOf(x, parts.value, sizes.groups, "", false, false);
  Composer c = blocks.compose("attention");
  query = c.mul(query, kind.scale);
  SmallVector<Value> keys, values;
  for (auto [name, present, list] : {std::tuple("key", key, &keys), std::tuple("value", value, &values)}) {
    std::string state = stateName(name, layer);
    auto type = RankedTensorType::get({1, sizes.groups, context, sizes.headWidth}, builder.getF32Type());
    list->push_back(c.make<ReadStateOp>(type, state));
    list->push_back(present);
  }
  Masks mask = masksOf(blocks, run, kind.window, onlyLast);
  Value mixed = attend(c, query, keys, values, {mask.past, mask.present});
  Value place = c.reshape(run.start, {});
  c.make<UpdateStateOp>(keys[0].getType(), stateName("key", layer), key, place, 2);
  c.make<UpdateStateOp>(values[0].getType(), stateName("value", layer), value, place, 2);
  return blocks.linear(blocks.join(mixed, "attention"), parts.output, sizes.width);
}

func::FuncOp DecoderBuilder::createFunction(StringRef name, int64_t tokens) {
  const Sizes &sizes = model.sizes;
  masks.clear();
  picked = {};
  Location loc = module.getLoc();
  auto integers = [&](ArrayRef<int64_t> shape) { return Type(RankedTensorType::get(shape, builder.getI32Type())); };
  SmallVector<Type> types{integers({1, tokens}), integers({1})};
  SmallVector<Attribute> names{builder.getStringAttr("input_ids"), builder.getStringAttr("position")};
  if (tokens > 1) {
    types.push_back(integers({1}));
    names.push_back(builder.getStringAttr("length"));
  }
  builder.setInsertionPointToEnd(module.getBody());
  auto function = builder.create<func::FuncOp>(loc, name, builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  std::string base = source.hasPrefix(model.base) ? model.base : "";
  Blocks blocks(builder, source, base, builder.getStringAttr(source.origin));

  Composer c = blocks.compose("positions");
  Run run{tokens, body->getArgument(1), {}, {}};
  if (tokens > 1)
    run.last = c.sub(body->getArgument(2), blocks.integers({1}, {1}));
  Value places = tokens > 1 ? c.add(run.start, blocks.integers(counted(tokens), {tokens})) : run.start;
  for (const Rope &rope : model.ropes) {
    auto tableRows = [&](bool isSine) {
      Value table = c.make<ConstOp>(rope.table(isSine, context, builder.getContext()));
      return blocks.rows(table, places, "angles");
    };
    run.angles.push_back({tableRows(false), tableRows(true)});
  }
  Value x = blocks.rows(blocks.stored(model.embedding, {sizes.vocabulary, sizes.width}), body->getArgument(0),
                        model.embedding);
  if (model.embeddingScale != 1)
    x = blocks.compose(model.embedding).mul(x, model.embeddingScale);
  if (!model.positionTable.empty()) {
    Value rows =
        blocks.rows(blocks.stored(model.positionTable, {sizes.positions, sizes.width}), places, model.positionTable);
    x = blocks.compose(model.positionTable).add(x, rows);
  }
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    blocks.enter(model.layers + Twine(layer) + ".");
    // Behind the last layer's keys and values only the last token is read.
    bool onlyLast = tokens > 1 && layer == sizes.layers - 1;
    Value mixed = attention(blocks, run, blocks.norm(x, model.parts.attentionNorm, model.norm), layer, onlyLast);
    if (onlyLast)
      x = pick(blocks, run, x);
    if (!model.parts.attentionPostNorm.empty())
      mixed = blocks.norm(mixed, model.parts.attentionPostNorm, model.norm);
    x = blocks.compose("attention").add(x, mixed);
    Value hidden = blocks.mlp(blocks.norm(x, model.parts.mlpNorm, model.norm), model.parts, model.activation, sizes);
    if (!model.parts.mlpPostNorm.empty())
      hidden = blocks.norm(hidden, model.parts.mlpPostNorm, model.norm);
    x = blocks.compose("mlp").add(x, hidden);
  }
  blocks.enter("");
  x = blocks.norm(x, model.finalNorm, model.norm);
  x = blocks.compose("logits").reshape(x, {1, sizes.width});
  x = blocks.head(x, model.head, model.embedding, sizes.vocabulary);
  if (model.logitCap != 0)
    x = blocks.capped(x, model.logitCap, "logits");
  SmallVector<Value> results;
  SmallVector<Attribute> resultNames;
  if (options.logits) {
    results.push_back(x);
    resultNames.push_back(builder.getStringAttr("logits"));
  }
  if (options.argmax) {
    results.push_back(blocks.compose("argmax").make<ReduceArgmaxOp>(x, int64_t(-1), /*keep_dims=*/false, StringAttr()));
    resultNames.push_back(builder.getStringAttr("argmax"));
  }
  builder.create<func::ReturnOp>(loc, results);
  function.setType(builder.getFunctionType(types, ValueRange(results).getTypes()));
  setArgAttrs(function, attrs::ioName, names);
  setResultAttrs(function, attrs::ioName, resultNames);
  return function;
}
