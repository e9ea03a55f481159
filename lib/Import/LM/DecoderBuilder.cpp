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

static Value inType(Composer &c, Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).getElementType() == element ? value : c.make<CastOp>(value, element);
}

static SmallVector<int64_t> counted(int64_t count) {
  SmallVector<int64_t> list(count);
  std::iota(list.begin(), list.end(), 0);
  return list;
}

RankedTensorType DecoderBuilder::stateType(int64_t sequences) {
  Type element = options.isCacheHalf ? Type(builder.getF16Type()) : builder.getF32Type();
  return RankedTensorType::get({1, model.sizes.groups, sequences * context, model.sizes.headWidth}, element);
}

void DecoderBuilder::createStates(int64_t sequences) {
  builder.setInsertionPointToEnd(module.getBody());
  for (int64_t layer = 0; layer < model.sizes.layers; ++layer)
    for (StringRef kind : {"key", "value"}) {
      std::string name = stateName(kind, layer, sequences);
      builder.create<StateOp>(NameLoc::get(builder.getStringAttr(name), module.getLoc()), name, stateType(sequences));
    }
}

/// Softmax over several sets of keys together. Queries that share keys are rows of one product; masks are for scores
/// whose dimensions but the last are `masked`. Products say what masks hide: most of a cache is not filled.
Value DecoderBuilder::attend(Composer &c, Value query, ArrayRef<Value> keys, ArrayRef<Value> values,
                             ArrayRef<Value> masks, ArrayRef<int64_t> masked) {
  auto lastAxis = builder.getDenseI64ArrayAttr({-1});
  auto product = [&](Value x, Value y, bool transposeY, Value mask, StringRef what) {
    Value made = c.make<MatmulOp>(x, y, /*transpose_x=*/false, transposeY);
    if (mask)
      attrs::masked.set(made.getDefiningOp(), builder.getStringAttr(what));
    return made;
  };
  SmallVector<Value> scores;
  Value highest;
  for (auto [key, mask] : llvm::zip_equal(keys, masks)) {
    Value score = product(query, key, /*transposeY=*/true, mask, "scores");
    if (model.scoreCap != 0)
      score = c.mul(c.make<TanhOp>(c.mul(score, 1 / model.scoreCap)), model.scoreCap);
    if (mask) {
      SmallVector<int64_t> rows(shapeOf(score)), shape(masked);
      shape.push_back(rows.back());
      score = c.reshape(c.add(c.reshape(score, shape), mask), rows);
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
  for (auto [score, value, mask] : llvm::zip_equal(scores, values, masks)) {
    Value part = product(c.div(score, total), value, /*transposeY=*/false, mask, "values");
    result = result ? c.add(result, part) : part;
  }
  return result;
}

/// Of several sequences each attends to its own part of the cache, and to its own token: products are by group and
/// sequence.
Value DecoderBuilder::attendTogether(Composer &c, Value query, ArrayRef<Value> keys, ArrayRef<Value> values,
                                     Masks masks) {
  int64_t groups = model.sizes.groups, width = model.sizes.headWidth, count = shapeOf(query)[2];
  int64_t sharing = model.sizes.heads / groups;
  auto bySequence = [&](Value entries) {
    return c.reshape(entries, {groups, count, shapeOf(entries)[2] / count, width});
  };
  query = c.transpose(c.reshape(query, {groups, sharing, count, width}), {0, 2, 1, 3});
  Value mixed = attend(c, query, {bySequence(keys[0]), bySequence(keys[1])},
                       {bySequence(values[0]), bySequence(values[1])}, {masks.past, Value()}, {groups, count, sharing});
  return c.reshape(c.transpose(mixed, {0, 2, 1, 3}), {1, model.sizes.heads, count, width});
}

DecoderBuilder::Masks DecoderBuilder::masksOf(Blocks &blocks, const Run &run, int64_t window, bool onlyLast) {
  auto [known, isNew] = masks.try_emplace({window, onlyLast});
  if (!isNew)
    return known->second;
  Composer c = blocks.compose("mask");
  // Places within the run, and of the cache.
  int64_t tokens = run.tokens;
  bool isTogether = run.sequences > 1;
  Value places = isTogether ? blocks.integers({0}, {1, 1, 1})
                 : onlyLast ? c.reshape(run.last, {1, 1})
                            : blocks.integers(counted(tokens), {tokens, 1});
  Value slots = blocks.integers(counted(context), {1, context});
  Value start = c.reshape(run.start, isTogether ? ArrayRef<int64_t>{tokens, 1, 1} : ArrayRef<int64_t>{1, 1});
  Value isPast = c.make<LessOp>(slots, start);
  if (window > 0) {
    Value first = c.add(c.add(places, start), blocks.integers({1 - window}, {1, 1}));
    isPast = c.make<LogicalAndOp>(isPast, c.make<GreaterEqualOp>(slots, first));
  }
  Masks made{blocks.maskOf(isPast, "mask"), {}};
  if (tokens > 1 && !isTogether) {
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
    Value past = c.make<ReadStateOp>(stateType(run.sequences), stateName(name, layer, run.sequences));
    list->push_back(inType(c, past, builder.getF32Type()));
    list->push_back(present);
  }
  Masks mask = masksOf(blocks, run, kind.window, onlyLast);
  Value mixed;
  if (run.sequences > 1) {
    mixed = attendTogether(c, query, keys, values, mask);
  } else {
    SmallVector<int64_t> shape(shapeOf(query));
    query = c.reshape(query, {1, sizes.groups, sizes.heads / sizes.groups * shape[2], shape[3]});
    mixed = attend(c, query, keys, values, {mask.past, mask.present}, ArrayRef(shape).drop_back());
    mixed = c.reshape(mixed, shape);
  }
  RankedTensorType cache = stateType(run.sequences);
  for (auto [name, present] : {std::pair("key", key), std::pair("value", value)})
    c.make<UpdateStateOp>(cache, stateName(name, layer, run.sequences), inType(c, present, cache.getElementType()),
                          run.entries, 2);
  return blocks.linear(blocks.join(mixed, "attention"), parts.output, sizes.width);
}

/// Where the token of each sequence goes. A position behind the context is nowhere, and not in the next sequence.
Value DecoderBuilder::entriesOf(Blocks &blocks, const Run &run) {
  Composer c = blocks.compose("positions");
  int64_t count = run.sequences;
  if (count == 1)
    return c.reshape(run.start, {});
  SmallVector<int64_t> firsts = llvm::map_to_vector(counted(count), [&](int64_t i) { return i * context; });
  Value zero = blocks.integers({0}, {1}), end = blocks.integers({context}, {1});
  Value isInside = c.make<LogicalAndOp>(c.make<GreaterEqualOp>(run.start, zero), c.make<LessOp>(run.start, end));
  return c.make<SelectOp>(isInside, c.add(run.start, blocks.integers(firsts, {count})),
                          blocks.integers(SmallVector<int64_t>(count, count * context), {count}));
}

func::FuncOp DecoderBuilder::create(StringRef name, Run run) {
  const Sizes &sizes = model.sizes;
  int64_t tokens = run.tokens, sequences = run.sequences;
  bool isPrompt = tokens > sequences;
  masks.clear();
  picked = {};
  Location loc = module.getLoc();
  auto integers = [&](ArrayRef<int64_t> shape) { return Type(RankedTensorType::get(shape, builder.getI32Type())); };
  SmallVector<Type> types{integers({sequences, tokens / sequences}), integers({sequences})};
  SmallVector<Attribute> names{builder.getStringAttr("input_ids"), builder.getStringAttr("position")};
  if (isPrompt) {
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
  run.start = body->getArgument(1);
  run.entries = entriesOf(blocks, run);
  if (isPrompt)
    run.last = c.sub(body->getArgument(2), blocks.integers({1}, {1}));
  Value places = isPrompt ? c.add(run.start, blocks.integers(counted(tokens), {tokens})) : run.start;
  for (const Rope &rope : model.ropes) {
    auto tableRows = [&](bool isSine) {
      Value table = c.make<ConstOp>(rope.table(isSine, context, builder.getContext()));
      return blocks.rows(table, places, "angles");
    };
    run.angles.push_back({tableRows(false), tableRows(true)});
  }
  Value ids = sequences > 1 ? c.reshape(body->getArgument(0), {1, tokens}) : body->getArgument(0);
  Value x = blocks.embedded(model, ids, places);
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    blocks.enter(model.layers + Twine(layer) + ".");
    // Behind the last layer's keys and values only the last token is read.
    bool onlyLast = isPrompt && layer == sizes.layers - 1;
    x = blocks.layer(
        x, model, [&](Value normed) { return attention(blocks, run, normed, layer, onlyLast); },
        [&](Value rows) { return onlyLast ? pick(blocks, run, rows) : rows; });
  }
  blocks.enter("");
  x = blocks.norm(x, model.finalNorm, model.norm);
  x = blocks.compose("logits").reshape(x, {sequences, sizes.width});
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
