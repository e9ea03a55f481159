//===- Attention.cpp - ONNX attention and rotary embedding ----------------===//

#include "../Registry.h"
#include "Heads.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// What is added to the scores [B, heads, Q, K]: parts that broadcast, true or 0 where a key may be attended.
struct Mask {
  NodeBinder &n;
  std::optional<Expr> allowed, bias;

  void allow(Expr more) { allowed = allowed ? *allowed & more : more; }
  /// Keys beyond the mask's are not attended.
  void add(Expr mask, int64_t keys) {
    if (!n)
      return;
    bool isBool = mask.element().isInteger(1);
    int64_t missing = mask.rank() ? keys - mask.shape().back() : 0;
    if (missing > 0 && mask.shape().back() > 1) {
      SmallVector<int64_t> shape(mask.shape());
      shape.back() = missing;
      Expr rest(n, n.splat(RankedTensorType::get(shape, mask.element()), isBool ? 0 : -infinity));
      mask = join({mask, rest}, mask.rank() - 1, n);
    }
    isBool ? allow(mask) : void(bias = mask);
  }
  Expr asBias(Type element) const {
    Expr result = bias.value_or(Expr(n, Value()));
    if (!allowed)
      return result;
    Expr zero(n, n.scalar(element, 0)), never(n, n.scalar(element, -infinity));
    Expr hard = select(*allowed, zero, never);
    return bias ? *bias + hard : hard;
  }
  /// Which queries have no key to attend. Lower than every finite number rather than equal to -infinity: the engine's
  /// constants are finite.
  Expr hasNoKeys(Type element) const {
    std::optional<Expr> live = allowed;
    if (bias) {
      Expr finite =
          *bias >= APFloat::getLargest(llvm::cast<FloatType>(element).getFloatSemantics(), true).convertToDouble();
      live = live ? *live & finite : finite;
    }
    Expr count = live->cast(element);
    return (count.rank() ? count.reduce<ReduceMaxOp>({count.rank() - 1}, true) : count) == 0.0;
  }
};
} // namespace

/// A query at position p sees the keys up to p, and those in a window round p; `offset` keys come before the first
/// query.
static void addPositionMask(Mask &mask, bool causal, int64_t left, int64_t right, int64_t queries, int64_t keys,
                            std::optional<Expr> offset, int64_t constantOffset) {
  NodeBinder &n = mask.n;
  if (!n || (!causal && left < 0 && right < 0))
    return;
  Type i64 = n.builder.getI64Type();
  // position(i) - j
  Expr ahead =
      table(n, {queries, keys}, i64, [&](ArrayRef<int64_t> at) { return double(at[0] + constantOffset - at[1]); });
  if (offset)
    ahead = ahead + *offset;
  if (causal)
    mask.allow(ahead >= 0.0);
  if (left >= 0)
    mask.allow(ahead <= double(left));
  if (right >= 0)
    mask.allow(ahead >= double(-right));
}

static void attention(NodeBinder &n) {
  Expr query(n, n.input(0)), key(n, n.input(1)), value(n, n.input(2));
  Value attnMask = n.optionalInput(3), pastKey = n.optionalInput(4), pastValue = n.optionalInput(5);
  Value lengths = n.since() >= 24 ? n.optionalInput(6) : Value();
  bool causal = n.boolAttr("is_causal", false);
  int64_t queryHeads = n.intAttr("q_num_heads", 0), heads = n.intAttr("kv_num_heads", 0);
  int64_t left = n.since() >= 25 ? n.intAttr("left_window_size", -1) : -1;
  int64_t right = n.since() >= 25 ? n.intAttr("right_window_size", -1) : -1;
  int64_t mode = n.intAttr("qk_matmul_output_mode", 0), precision = n.intAttr("softmax_precision", 0);
  double softcap = n.floatAttr("softcap", 0.0), scale = n.floatAttr("scale", 0.0);
  if (!n)
    return;
  bool flat = query.rank() == 3;
  if ((query.rank() != 3 && query.rank() != 4) || key.rank() != query.rank() || value.rank() != query.rank())
    return n.error("Q, K and V have ranks " + Twine(query.rank()) + ", " + Twine(key.rank()) + " and " +
                   Twine(value.rank()) + "; supported: all 3 or all 4");
  if (bool(pastKey) != bool(pastValue))
    return n.error("past_key and past_value must be given together");
  if (flat) {
    query = splitHeads(query, queryHeads);
    key = splitHeads(key, heads);
    value = splitHeads(value, heads);
  }
  int64_t past = pastKey && n ? n.shape(pastKey)[2] : 0;
  if (pastKey) {
    key = join({pastKey, key}, 2, n);
    value = join({pastValue, value}, 2, n);
  }
  if (!n)
    return;
  n.result(1, key);
  n.result(2, value);
  int64_t queries = query.shape()[2], keys = key.shape()[2], features = query.shape()[3];
  key = repeatHeads(key, query.shape()[1]);
  value = repeatHeads(value, query.shape()[1]);

  Mask mask{n, {}, {}};
  if (attnMask)
    mask.add({n, attnMask}, keys);
  std::optional<Expr> offset;
  if (lengths) {
    Expr counts = Expr(n, lengths).reshape({n.type(lengths).getNumElements(), 1, 1, 1});
    mask.allow(iota(n, keys, n.builder.getI64Type()) < counts);
    if (!pastKey)
      offset = counts;
  }
  addPositionMask(mask, causal, left, right, queries, keys, offset, offset ? -queries : past);
  if (!n)
    return;

  double standardScale = 1 / std::sqrt(double(features));
  bool guard = mask.bias || mask.allowed;
  // The usual form is one op, which later passes know. A row without any key would be NaN there.
  bool rowsHaveKeys =
      !guard || (mask.allowed && !mask.bias && !attnMask && !lengths && past >= 0 && causal && left < 0);
  if (rowsHaveKeys && softcap == 0 && !n.wantsResult(3) && (scale == 0 || scale == standardScale) &&
      query.element() == value.element()) {
    // The mask is constant here; added, it needs no bool tensor.
    SmallVector<Segment> operands{Segment(query), Segment(key), Segment(value),
                                  Segment::optional(guard ? Value(mask.asBias(query.element())) : Value())};
    Expr result(n, n.emit<ScaledDotProductAttentionOp>(operands));
    return n.result(0, flat ? joinHeads(result) : result);
  }

  Type element = query.element();
  // Made smaller before the product, larger after it: no value exceeds those of the model.
  double total = scale == 0 ? standardScale : scale, root = std::sqrt(std::min(total, 1.0));
  Expr scores = (query * root).make<MatmulOp>({key * root}, {{"transpose_y", true}});
  if (total > 1)
    scores = scores * total;
  std::optional<Expr> shown;
  if (mode == 0)
    shown = scores;
  if (softcap != 0)
    scores = (scores / softcap).make<TanhOp>() * softcap;
  if (mode == 1)
    shown = scores;
  std::optional<Expr> empty;
  if (guard && n) {
    scores = scores + mask.asBias(element);
    empty = mask.hasNoKeys(element);
  }
  if (mode == 2)
    shown = scores;
  if (precision) {
    Type wide = elementType(int32_t(precision), n.builder.getContext());
    if (!wide || !isa<FloatType>(wide))
      return n.error("attribute 'softmax_precision' is " + Twine(precision));
    scores = scores.cast(wide);
  }
  Expr weights = scores.make<SoftmaxOp>({}, {{"axis", -1}});
  if (empty)
    weights = select(*empty, 0.0, weights);
  if (mode == 3)
    shown = weights.cast(element);
  if (!shown)
    return n.error("attribute 'qk_matmul_output_mode' is " + Twine(mode) + "; supported: 0 to 3");
  if (n.wantsResult(3))
    n.result(3, *shown);
  Expr result = matmul(weights.cast(value.element()), value);
  n.result(0, flat ? joinHeads(result) : result);
}

/// The caches are looked up at the positions, or have a row per position already.
static void rotaryEmbedding(NodeBinder &n) {
  Expr x(n, n.input(0));
  Value cosine = n.input(1), sine = n.input(2), positions = n.optionalInput(3);
  bool interleaved = n.boolAttr("interleaved", false);
  int64_t heads = n.intAttr("num_heads", 0), rotated = n.intAttr("rotary_embedding_dim", 0);
  if (!n)
    return;
  bool flat = x.rank() == 3;
  if (!flat && x.rank() != 4)
    return n.error("the input has rank " + Twine(x.rank()) + "; supported: 3, 4");
  if (flat)
    x = splitHeads(x, heads);
  if (!n)
    return;
  int64_t size = x.shape()[3];
  rotated = rotated ? rotated : size;
  if (rotated < 2 || rotated > size || rotated % 2)
    return n.error("attribute 'rotary_embedding_dim' is " + Twine(rotated) + " for heads of size " + Twine(size));
  auto rows = [&](Value cache) {
    Expr values(n, positions ? n.emit<GatherOp>({cache, positions}, {{"axis", 0}}) : cache);
    if (n && values.rank() != 3)
      n.error("a cache has rank " + Twine(n.rank(cache)) + "; it must be 2 with position_ids and 3 without");
    return n ? values.expand(1) : values; // [B, 1, S, half]
  };
  Expr part = rotated == size ? x : x.slice(3, 0, rotated);
  Expr turned = part.make<RopeOp>({rows(cosine), rows(sine)}, {{"layout", interleaved ? "interleaved" : "half"}});
  if (rotated != size)
    turned = join({turned, x.slice(3, rotated, size - rotated)}, 3, n);
  n.result(0, flat ? joinHeads(turned) : turned);
}

void mlir::ane::onnx_import::registerAttentionOps(Registry &registry) {
  registry.onOp("", "Attention", {23, 24, 25}, attention);
  registry.onOp("", "RotaryEmbedding", {23}, rotaryEmbedding);
}
