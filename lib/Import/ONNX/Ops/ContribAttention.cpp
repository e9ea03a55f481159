//===- ContribAttention.cpp - attention of com.microsoft ------------------===//

#include "../Registry.h"
#include "Heads.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// What masked scores get. How low a number an engine can hold is for its legaliser to say.
static double maskFilter(NodeBinder &n) { return n.floatAttr("mask_filter_value", -10000.0); }

namespace {
/// What is added to the scores [B, heads, Q, K]; it broadcasts.
struct ScoreBias {
  NodeBinder &n;
  Type element;
  std::optional<Expr> sum;

  void add(Expr more) { sum = sum ? *sum + more : more; }
  /// 0 where `allowed`, else `value`.
  void mask(Expr allowed, double value) {
    add(select(allowed, Expr(n, n.scalar(element, 0)), Expr(n, n.scalar(element, value))));
  }
  /// Queries see keys up to their own position; `past` keys come before the first query. `window` > 0: the last ones.
  void causal(int64_t queries, int64_t keys, int64_t past, int64_t window = 0) {
    if (!n)
      return;
    double never = -std::numeric_limits<double>::infinity();
    add(table(n, {queries, keys}, element, [=](ArrayRef<int64_t> at) {
      int64_t ahead = at[0] + past - at[1];
      return ahead < 0 || (window > 0 && ahead >= window) ? never : 0.0;
    }));
  }
  /// A mask of keys: lengths [B], starts behind lengths [2 B], or whole masks [B, K], [B, Q, K], [B, 1, Q, K].
  void keys(Value given, int64_t batch, int64_t queries, int64_t keys, double value) {
    if (!n)
      return;
    Expr mask(n, given);
    ArrayRef<int64_t> shape = mask.shape();
    if (mask.rank() == 1 && (shape[0] == batch || shape[0] == 2 * batch)) {
      Expr index = iota(n, keys, mask.element());
      Expr allowed = index < mask.slice(0, 0, batch).reshape({batch, 1, 1, 1});
      if (shape[0] == 2 * batch)
        allowed = allowed & (index >= mask.slice(0, batch, batch).reshape({batch, 1, 1, 1}));
      return this->mask(allowed, value);
    }
    SmallVector<int64_t> wide;
    if (shape == ArrayRef<int64_t>{batch, keys})
      wide = {batch, 1, 1, keys};
    else if (shape == ArrayRef<int64_t>{batch, queries, keys})
      wide = {batch, 1, queries, keys};
    else if (mask.rank() == 4 && shape[2] == queries && shape[3] == keys)
      wide.assign(shape.begin(), shape.end());
    else
      return n.error("a mask of this shape is not supported");
    mask = mask.reshape(wide);
    if (!mask.element().isInteger(1))
      mask = !(mask == 0.0);
    this->mask(mask, value);
  }
};
} // namespace

/// softmax(scale query key^T + bias) value, [B, heads, S, D].
static Expr attend(Expr query, Expr key, Expr value, double scale, const ScoreBias &bias, double softcap = 0) {
  NodeBinder &n = query.binder();
  if (!n)
    return query;
  double standard = 1 / std::sqrt(double(query.shape()[3]));
  if (softcap != 0) {
    double total = scale == 0 ? standard : scale;
    Expr scores = (query * std::min(total, 1.0)).make<MatmulOp>({key}, {{"transpose_y", true}}) * std::max(total, 1.0);
    scores = (scores / softcap).make<TanhOp>() * softcap;
    if (bias.sum)
      scores = scores + *bias.sum;
    return matmul(scores.make<SoftmaxOp>({}, {{"axis", -1}}), value);
  }
  if (scale != 0 && scale != standard)
    query = query * (scale / standard);
  std::optional<Expr> mask = bias.sum;
  return {n, n.emit<ScaledDotProductAttentionOp>(
                 {Segment(query), Segment(key), Segment(value), Segment::optional(mask ? Value(*mask) : Value())})};
}

/// Input `index` [B, heads, past, D] in front of `x`.
static Expr withPast(NodeBinder &n, Value past, Expr x) {
  if (!past || !n || n.shape(past)[2] == 0)
    return x;
  return join({past, x}, 2, n);
}

static bool hasRank(NodeBinder &n, Value value, StringRef name, ArrayRef<int64_t> ranks) {
  if (!n || !value)
    return false;
  if (llvm::is_contained(ranks, n.rank(value)))
    return true;
  n.error(name + " has rank " + Twine(n.rank(value)) + ", which is not supported");
  return false;
}

/// Query [B, S, N D]; key and value the same, or [B, N, S, D] with their own heads apart, or packed with each other.
static void multiHeadAttention(NodeBinder &n) {
  Expr query(n, n.input(0));
  Value keyInput = n.optionalInput(1), valueInput = n.optionalInput(2), biasInput = n.optionalInput(3);
  Value padding = n.optionalInput(4), added = n.optionalInput(5), pastKey = n.optionalInput(6),
        pastValue = n.optionalInput(7);
  int64_t heads = n.intAttr("num_heads");
  double filter = maskFilter(n), scale = n.floatAttr("scale", 0.0);
  bool causal = n.boolAttr("unidirectional", false);
  if (n.hasInput(8) || n.hasInput(9))
    return n.error("inputs 'past_sequence_length' and 'cache_indirection' are not supported");
  if (!hasRank(n, query, "query", keyInput ? ArrayRef<int64_t>{3} : ArrayRef<int64_t>{5}))
    return;
  if (bool(pastKey) != bool(pastValue))
    return n.error("past_key and past_value must be given together");
  Expr key(n, keyInput), value(n, valueInput);
  // [B, S, N, parts, D]: parts of one tensor as [B, S, N D].
  auto part = [&](Expr packed, int64_t index) {
    SmallVector<int64_t> shape(packed.shape());
    return packed.at(3, index).reshape({shape[0], shape[1], shape[2] * shape[4]});
  };
  if (!keyInput) {
    Expr packed = query;
    query = part(packed, 0);
    key = part(packed, 1);
    value = part(packed, 2);
  } else if (n.rank(keyInput) == 5) {
    value = part(key, 1);
    key = part(key, 0);
  } else if (!valueInput) {
    return n.error("input 'value' is missing");
  }
  if (!n)
    return;
  int64_t hidden = query.shape()[2];
  bool apart = key.rank() == 4;
  if (biasInput) {
    Expr bias(n, biasInput);
    if (bias.rank() != 1 || bias.shape()[0] < 2 * hidden)
      return n.error("input 'bias' must have one element per hidden unit of query, key and value");
    query = query + bias.slice(0, 0, hidden);
    if (!apart) {
      key = key + bias.slice(0, hidden, hidden);
      value = value + bias.slice(0, 2 * hidden, bias.shape()[0] - 2 * hidden);
    }
  }
  query = splitHeads(query, heads);
  if (!apart) {
    if (!hasRank(n, key, "key", {3}) || !hasRank(n, value, "value", {3}))
      return;
    key = splitHeads(key, heads);
    value = splitHeads(value, heads);
  }
  int64_t past = pastKey && n && hasRank(n, pastKey, "past_key", {4}) ? n.shape(pastKey)[2] : 0;
  key = withPast(n, pastKey, key);
  value = withPast(n, pastValue, value);
  if (!n)
    return;
  n.result(1, key);
  n.result(2, value);
  int64_t batch = query.shape()[0], queries = query.shape()[2], keys = key.shape()[2];
  ScoreBias bias{n, query.element(), {}};
  if (padding)
    bias.keys(padding, batch, queries, keys, filter);
  if (added)
    bias.add({n, added});
  if (causal)
    bias.causal(queries, keys, past);
  n.result(0, joinHeads(attend(query, key, value, scale, bias)));
}

/// Attention with its input projection: x [B, S, I], weights [I, Q + K + V].
static void attention(NodeBinder &n) {
  Expr x(n, n.input(0)), weights(n, n.input(1));
  Value biasInput = n.optionalInput(2), mask = n.optionalInput(3), past = n.optionalInput(4),
        added = n.optionalInput(5);
  int64_t heads = n.intAttr("num_heads");
  bool causal = n.boolAttr("unidirectional", false);
  double filter = maskFilter(n), scale = n.floatAttr("scale", 0.0);
  n.requireAttr("do_rotary", 0, 0);
  n.requireAttr("past_present_share_buffer", 0, 0);
  n.ignoreAttr("rotary_embedding_dim");
  SmallVector<int64_t> sizes = n.intsAttr("qkv_hidden_sizes").value_or(SmallVector<int64_t>());
  if (!hasRank(n, x, "input", {3}) || !hasRank(n, weights, "weights", {2}))
    return;
  if (sizes.empty())
    sizes.assign(3, weights.shape()[1] / 3);
  if (sizes.size() != 3 || llvm::any_of(sizes, [](int64_t s) { return s < 1; }) ||
      sizes[0] + sizes[1] + sizes[2] != weights.shape()[1] || sizes[0] != sizes[1])
    return n.error("attribute 'qkv_hidden_sizes' does not fit weights with " + Twine(weights.shape()[1]) + " columns");
  int64_t first = 0;
  SmallVector<Expr> parts;
  for (int64_t size : sizes) {
    // One projection each: there is no use for their concatenation.
    std::optional<Expr> bias;
    if (biasInput)
      bias = Expr(n, biasInput).slice(0, first, size);
    Expr weight = weights.slice(1, first, size).transpose({1, 0});
    Expr projected(n,
                   n.emit<LinearOp>({Segment(x), Segment(weight), Segment::optional(bias ? Value(*bias) : Value())}));
    parts.push_back(splitHeads(projected, heads));
    first += size;
  }
  Expr query = parts[0], key = parts[1], value = parts[2];
  int64_t before = 0;
  if (past && hasRank(n, past, "past", {5})) {
    before = n.shape(past)[3];
    key = withPast(n, Expr(n, past).at(0, 0), key);
    value = withPast(n, Expr(n, past).at(0, 1), value);
  }
  if (!n)
    return;
  if (n.wantsResult(1)) {
    SmallVector<Value> both{key, value};
    n.result(1, n.emit<StackOp>({ArrayRef<Value>(both)}, {{"axis", 0}}));
  }
  int64_t batch = x.shape()[0], queries = query.shape()[2], keys = key.shape()[2];
  ScoreBias bias{n, x.element(), {}};
  if (mask)
    bias.keys(mask, batch, queries, keys, filter);
  if (added)
    bias.add({n, added});
  if (causal)
    bias.causal(queries, keys, before);
  n.result(0, joinHeads(attend(query, key, value, scale, bias)));
}

//===-- rotary embedding --------------------------------------------------------===//

/// Rotates x [B, heads, S, D] by rows of the caches [.., half]: [S, half] or [B, 1, S, half].
static Expr rotate(Expr x, Expr cosine, Expr sine, bool interleaved) {
  NodeBinder &n = x.binder();
  if (!n)
    return x;
  int64_t size = x.shape()[3], rotated = 2 * cosine.shape().back();
  if (rotated > size) {
    n.error("the caches have " + Twine(rotated / 2) + " columns for heads of size " + Twine(size));
    return x;
  }
  Expr part = rotated == size ? x : x.slice(3, 0, rotated);
  Expr turned = part.make<RopeOp>({cosine, sine}, {{"layout", interleaved ? "interleaved" : "half"}});
  return rotated == size ? turned : join({turned, x.slice(3, rotated, size - rotated)}, 3, n);
}

/// Rows of `cache` for positions [B, S], or from one offset on.
static Expr rowsAt(Expr cache, Expr positions, int64_t length) {
  NodeBinder &n = cache.binder();
  if (!n)
    return cache;
  if (positions.rank() == 1) // An offset.
    positions = (iota(n, length, positions.element()) + positions).reshape({1, length});
  return cache.binder() ? Expr(n, n.emit<GatherOp>({Segment(cache), Segment(positions)}, {{"axis", 0}})).expand(1)
                        : cache;
}

static void rotaryEmbedding(NodeBinder &n) {
  Expr x(n, n.input(0)), positions(n, n.input(1)), cosine(n, n.input(2)), sine(n, n.input(3));
  bool interleaved = n.boolAttr("interleaved", false);
  int64_t heads = n.intAttr("num_heads", 0), rotated = n.intAttr("rotary_embedding_dim", 0);
  n.requireAttr("is_packed_batching", 0, 0);
  if (n.floatAttr("scale", 1.0) != 1.0)
    n.error("attribute 'scale' is not supported");
  if (!hasRank(n, x, "input", {3, 4}) || !hasRank(n, positions, "position_ids", {1, 2}) ||
      !hasRank(n, cosine, "cos_cache", {2}) || !hasRank(n, sine, "sin_cache", {2}))
    return;
  bool flat = x.rank() == 3;
  if (flat) {
    // Without num_heads the cache tells the size of a head.
    if (heads == 0 && rotated == 0)
      heads = x.shape()[2] / std::max<int64_t>(2 * cosine.shape()[1], 1);
    x = splitHeads(x, heads);
  }
  if (!n)
    return;
  int64_t length = x.shape()[2];
  Expr turned = rotate(x, rowsAt(cosine, positions, length), rowsAt(sine, positions, length), interleaved);
  n.result(0, flat ? joinHeads(turned) : turned);
}

/// Query heads share heads of key and value; causal. Of a past only an empty one is supported: how much of a cache is
/// valid is known at run time only.
static void groupQueryAttention(NodeBinder &n) {
  Expr query(n, n.input(0));
  Value keyInput = n.optionalInput(1), valueInput = n.optionalInput(2), pastKey = n.optionalInput(3);
  (void)n.optionalInput(4);
  Value lengths = n.input(5);
  (void)n.optionalInput(6);
  Value cosineInput = n.optionalInput(7), sineInput = n.optionalInput(8), positions = n.optionalInput(9);
  Value added = n.optionalInput(10);
  int64_t heads = n.intAttr("num_heads"), shared = n.intAttr("kv_num_heads");
  double scale = n.floatAttr("scale", 0.0), softcap = n.floatAttr("softcap", 0.0);
  int64_t window = n.intAttr("local_window_size", -1);
  bool rotates = n.boolAttr("do_rotary", false), interleaved = n.boolAttr("rotary_interleaved", false);
  n.requireAttr("smooth_softmax", 0, 0);
  if (!hasRank(n, query, "query", {3}) || !hasRank(n, lengths, "seqlens_k", {1, 2}))
    return;
  if (pastKey && n.rank(pastKey) == 4 && n.shape(pastKey)[2] != 0)
    return n.error("a past of " + Twine(n.shape(pastKey)[2]) + " keys is not supported; it must be empty");
  int64_t length = query.shape()[1], width = query.shape()[2];
  if (heads < 1 || shared < 1)
    return n.error("attributes 'num_heads' and 'kv_num_heads' must be positive");
  Expr key(n, keyInput), value(n, valueInput);
  if (!keyInput) {
    int64_t size = width / (heads + 2 * shared);
    key = query.slice(2, heads * size, shared * size);
    value = query.slice(2, (heads + shared) * size, shared * size);
    query = query.slice(2, 0, heads * size);
  } else if (!hasRank(n, key, "key", {3}) || !hasRank(n, value, "value", {3})) {
    return n.error("input 'value' is missing");
  }
  query = splitHeads(query, heads);
  key = splitHeads(key, shared);
  value = splitHeads(value, shared);
  if (rotates) {
    if (!hasRank(n, cosineInput, "cos_cache", {2}) || !hasRank(n, sineInput, "sin_cache", {2}))
      return n.error("attribute 'do_rotary' needs caches");
    auto rows = [&](Value cache) {
      return positions ? rowsAt({n, cache}, {n, positions}, length) : Expr(n, cache).slice(0, 0, length);
    };
    if (!positions && n.shape(cosineInput)[0] < length)
      return n.error("the caches have " + Twine(n.shape(cosineInput)[0]) + " rows for " + Twine(length) + " positions");
    query = rotate(query, rows(cosineInput), rows(sineInput), interleaved);
    key = rotate(key, rows(cosineInput), rows(sineInput), interleaved);
  }
  if (!n)
    return;
  n.result(1, key);
  n.result(2, value);
  ScoreBias bias{n, query.element(), {}};
  if (added)
    bias.add({n, added});
  bias.causal(length, length, 0, window);
  // seqlens_k is the index of the last valid key: later ones are seen by queries behind the end only.
  Expr result = attend(query, repeatHeads(key, heads), repeatHeads(value, heads), scale, bias, softcap);
  n.result(0, joinHeads(result));
}

void mlir::ane::onnx_import::registerContribAttentionOps(Registry &registry) {
  registry.onOp("com.microsoft", "Attention", {1}, attention);
  registry.onOp("com.microsoft", "GroupQueryAttention", {1}, groupQueryAttention);
  registry.onOp("com.microsoft", "MultiHeadAttention", {1}, multiHeadAttention);
  registry.onOp("com.microsoft", "RotaryEmbedding", {1}, rotaryEmbedding);
}
