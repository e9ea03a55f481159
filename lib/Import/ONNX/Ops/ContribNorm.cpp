//===- ContribNorm.cpp - normalisation of com.microsoft -------------------===//

#include "../Expr.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// Layer norm, or without `beta` and with `simplified` its variant without mean, of the axes from `axis` on.
static Value normalised(Expr x, Value gamma, Value beta, double epsilon, bool simplified, int64_t axis) {
  NodeBinder &n = x.binder();
  if (!n)
    return nullptr;
  SmallVector<int64_t> axes;
  for (int64_t i = axis; i < x.rank(); ++i)
    axes.push_back(i);
  SmallVector<Argument> arguments{{"axes", ArrayRef<int64_t>(axes)}, {"epsilon", epsilon}};
  SmallVector<int64_t> shape(x.shape().drop_front(axis));
  gamma = n.reshape(n.cast(gamma, x.element()), shape);
  if (beta)
    beta = n.reshape(n.cast(beta, x.element()), shape);
  if (simplified)
    return n.emit<RmsNormOp>({Segment(x), Segment(gamma)}, arguments);
  return n.emit<LayerNormOp>({Segment(x), Segment(gamma), Segment::optional(beta)}, arguments);
}

/// As ONNX Runtime writes it in place of RMSNormalization of older opsets, in the default domain, too.
static void simplifiedLayerNorm(NodeBinder &n) {
  Expr x(n, n.input(0));
  Value scale = n.input(1);
  double epsilon = n.floatAttr("epsilon", 1e-5f);
  int64_t axis = n.intAttr("axis", -1);
  n.ignoreAttr("stash_type");
  if (!n)
    return;
  axis = n.axis(axis, x.rank());
  n.result(0, normalised(x, scale, nullptr, epsilon, true, axis));
}

/// Norm of input + skip + bias. Output 3 is that sum.
static void skipNorm(NodeBinder &n, bool simplified) {
  Expr x(n, n.input(0)), skip(n, n.input(1));
  Value gamma = n.input(2), beta = simplified ? Value() : n.optionalInput(3);
  Value bias = n.optionalInput(simplified ? 3 : 4);
  double epsilon = n.floatAttr("epsilon", 1e-12f);
  Expr sum = x + skip;
  if (bias)
    sum = sum + Expr(n, bias);
  if (!n)
    return;
  if (sum.shape() != x.shape())
    return n.error("the skip connection has more elements than the input");
  n.result(0, normalised(sum, gamma, beta, epsilon, simplified, sum.rank() - 1));
  n.result(3, sum);
}

static void skipLayerNorm(NodeBinder &n) { skipNorm(n, false); }
static void skipSimplifiedLayerNorm(NodeBinder &n) { skipNorm(n, true); }

/// Norm of the sum of word, position and segment embeddings; output 1 is the number of tokens that the mask keeps.
static void embedLayerNorm(NodeBinder &n) {
  Expr ids(n, n.input(0));
  Value segments = n.optionalInput(1), words = n.input(2), positions = n.input(3), segmentTable = n.optionalInput(4);
  Value gamma = n.input(5), beta = n.input(6), mask = n.optionalInput(7), positionIds = n.optionalInput(8);
  double epsilon = n.floatAttr("epsilon", 1e-12f);
  n.ignoreAttr("mask_index_type");
  if (!n)
    return;
  if (ids.rank() != 2 || n.rank(words) != 2 || n.rank(positions) != 2)
    return n.error("input_ids and the embedding tables must have rank 2");
  int64_t batch = ids.shape()[0], length = ids.shape()[1];
  Expr sum = ids;
  auto embed = [&](Value indices, Value table) {
    return Expr(n, n.emit<EmbeddingOp>({Segment(indices), Segment(table)}));
  };
  sum = embed(ids, words);
  if (positionIds) {
    sum = sum + embed(positionIds, positions);
  } else {
    if (length > n.shape(positions)[0])
      return n.error("there are " + Twine(n.shape(positions)[0]) + " positions for " + Twine(length) + " tokens");
    sum = sum + Expr(n, positions).slice(0, 0, length);
  }
  if (segments && segmentTable)
    sum = sum + embed(segments, segmentTable);
  if (!n)
    return;
  n.result(0, normalised(sum, gamma, beta, epsilon, false, 2));
  Type i32 = n.builder.getI32Type();
  if (n.wantsResult(1))
    n.result(1, mask ? Value(Expr(n, mask).cast(i32).reduce<ReduceSumOp>({1}, false))
                     : n.splat(RankedTensorType::get({batch}, i32), 0));
  n.result(2, sum);
}

/// Channels last; activation 1 is SiLU.
static void groupNorm(NodeBinder &n) {
  Expr x(n, n.input(0));
  Value gamma = n.input(1), beta = n.input(2);
  double epsilon = n.floatAttr("epsilon", 1e-5f);
  int64_t groups = n.intAttr("groups"), activation = n.intAttr("activation");
  bool channelsLast = n.boolAttr("channels_last", true);
  if (!n)
    return;
  if (x.rank() != 4 || groups < 1)
    return n.error("the input must have rank 4, and attribute 'groups' be positive");
  if (channelsLast)
    x = x.transpose({0, 3, 1, 2});
  Expr result(n,
              n.emit<GroupNormOp>({Segment(x), Segment(n.cast(gamma, x.element())), Segment(n.cast(beta, x.element()))},
                                  {{"num_groups", groups}, {"epsilon", epsilon}}));
  if (activation == 1)
    result = result.make<SiluOp>();
  else if (activation != 0)
    n.error("attribute 'activation' is " + Twine(activation) + "; supported: 0, 1");
  n.result(0, channelsLast ? result.transpose({0, 2, 3, 1}) : result);
}

void mlir::ane::onnx_import::registerContribNormOps(Registry &registry) {
  for (StringRef domain : {"", "com.microsoft"})
    registry.onOp(domain, "SimplifiedLayerNormalization", {1}, simplifiedLayerNorm);
  registry.onOp("com.microsoft", "EmbedLayerNormalization", {1}, embedLayerNorm);
  registry.onOp("com.microsoft", "GroupNorm", {1}, groupNorm);
  registry.onOp("com.microsoft", "SkipLayerNormalization", {1}, skipLayerNorm);
  registry.onOp("com.microsoft", "SkipSimplifiedLayerNormalization", {1}, skipSimplifiedLayerNorm);
}
