//===- Loss.cpp - ONNX losses ---------------------------------------------===//

#include "../Expr.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// -x[target] weight[target] over axis 1 of x [N, C, D...], for targets [N, D...]; 0 where the target is ignored.
static void reduceLoss(NodeBinder &n, Expr x, Expr target, Value weight, const std::string &reduction,
                       std::optional<int64_t> ignored) {
  if (!n)
    return;
  if (x.rank() < 2 || target.rank() != x.rank() - 1)
    return n.error("the scores have rank " + Twine(x.rank()) + ", the targets " + Twine(target.rank()));
  Type element = x.element();
  std::optional<Expr> counts, factor;
  if (ignored) {
    counts = !(target == double(*ignored));
    target = select(*counts, target, 0.0);
  }
  int64_t classes = x.shape()[1];
  if (DenseElementsAttr known = n.isFloat(target) ? nullptr : n.constantElements(Value(target)))
    for (const APInt &value : known.getValues<APInt>())
      if (value.isNegative() || value.uge(classes))
        return n.error("target " + Twine(value.getSExtValue()) + " is none of the " + Twine(classes) + " classes");
  Expr picked = x.make<GatherAlongAxisOp>({target.expand(1)}, {{"axis", 1}});
  Expr loss = -picked.reshape(target.shape());
  if (weight)
    factor = Expr(n, weight).make<GatherOp>({target}, {{"axis", 0}});
  if (counts)
    factor = factor ? select(*counts, *factor, 0.0) : counts->cast(element);
  if (factor) // Not a product: an ignored score may be infinite.
    loss = counts ? select(*counts, loss * *factor, 0.0) : loss * *factor;
  // Sums of weighted losses exceed fp16 where their quotient does not.
  bool isNarrow = element.isF16() && reduction != "none";
  if (isNarrow) {
    loss = loss.cast(n.builder.getF32Type());
    if (factor)
      factor = factor->cast(n.builder.getF32Type());
  }
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < target.rank(); ++i)
    axes.push_back(i);
  if (reduction == "sum")
    loss = loss.reduce<ReduceSumOp>(axes, false);
  else if (reduction == "mean" && factor)
    loss = loss.reduce<ReduceSumOp>(axes, false) / factor->reduce<ReduceSumOp>(axes, false);
  else if (reduction == "mean")
    loss = loss.reduce<ReduceMeanOp>(axes, false);
  n.result(0, isNarrow ? loss.cast(element) : loss);
}

struct LossAttributes {
  explicit LossAttributes(NodeBinder &n) : reduction(n.stringAttr("reduction", "mean", {"none", "sum", "mean"})) {
    if (n.hasAttr("ignore_index"))
      ignored = n.intAttr("ignore_index");
  }
  std::string reduction;
  std::optional<int64_t> ignored;
};

static void negativeLogLikelihood(NodeBinder &n) {
  Expr x(n, n.input(0)), target(n, n.input(1));
  Value weight = n.optionalInput(2);
  LossAttributes attributes(n);
  reduceLoss(n, x, target, weight, attributes.reduction, attributes.ignored);
}

static void softmaxCrossEntropy(NodeBinder &n) {
  Expr scores(n, n.input(0)), target(n, n.input(1));
  Value weight = n.optionalInput(2);
  LossAttributes attributes(n);
  Expr logits = scores.make<LogSoftmaxOp>({}, {{"axis", 1}});
  reduceLoss(n, logits, target, weight, attributes.reduction, attributes.ignored);
  if (n)
    n.result(1, logits);
}

void mlir::ane::onnx_import::registerLossOps(Registry &registry) {
  registry.onOp("", "NegativeLogLikelihoodLoss", {12, 13, 22}, negativeLogLikelihood);
  registry.onOp("", "SoftmaxCrossEntropyLoss", {12, 13}, softmaxCrossEntropy);
}
