//===- Norm.cpp - ONNX normalisation --------------------------------------===//

#include "../Registry.h"
#include "Widen.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static constexpr double defaultEpsilon = 1e-5f;

static void batchNorm(NodeBinder &n) {
  Value x = n.input(0), scale = n.input(1), bias = n.input(2), mean = n.input(3), variance = n.input(4);
  double epsilon = n.floatAttr("epsilon", defaultEpsilon);
  if (n.since() < 9)
    n.requireAttr("spatial", 1, 1);
  if (n.since() < 7)
    n.ignoreAttr("is_test"); // Inference is what this is.
  double momentum = n.floatAttr("momentum", 0.9f);
  bool training = n.since() >= 14 && n.boolAttr("training_mode", false);
  if (!n)
    return;
  // From opset 15 on the parameters may have another type than the data.
  Type element = n.elementType(x);
  if (training) {
    // The statistics of the data, which the running ones follow.
    Expr data(n, x);
    SmallVector<int64_t> axes;
    for (int64_t i = 0; i < data.rank(); ++i)
      if (i != 1)
        axes.push_back(i);
    Expr centre = data.reduce<ReduceMeanOp>(axes, true), difference = data - centre;
    Expr spread = (difference * difference).reduce<ReduceMeanOp>(axes, true);
    auto follow = [&](Expr running, Expr current) {
      return running * momentum + current.reshape(running.shape()).cast(running.element()) * (1 - momentum);
    };
    n.result(1, follow({n, mean}, centre));
    n.result(2, follow({n, variance}, spread));
    mean = centre.reshape(n.shape(mean));
    variance = spread.reshape(n.shape(variance));
  }
  SmallVector<int64_t> shape(n.shape(x)), spatial(shape);
  // MIL wants a spatial axis.
  if (spatial.size() == 2)
    spatial.push_back(1);
  Value result = n.emit<BatchNormOp>({n.reshape(x, spatial), n.cast(mean, element), n.cast(variance, element),
                                      n.cast(scale, element), n.cast(bias, element)},
                                     {{"epsilon", epsilon}});
  n.result(0, n.reshape(result, shape));
}

static void instanceNorm(NodeBinder &n) {
  Value x = n.input(0), scale = n.input(1), bias = n.input(2);
  n.result(0, n.emit<InstanceNormOp>({x, scale, bias}, {{"epsilon", n.floatAttr("epsilon", defaultEpsilon)}}));
}

/// The axes from `axis` to the last.
static SmallVector<int64_t> trailingAxes(NodeBinder &n, Value x) {
  int64_t rank = n.rank(x);
  SmallVector<int64_t> axes;
  for (int64_t i = n.axis(n.intAttr("axis", -1), rank); i < rank; ++i)
    axes.push_back(i);
  return axes;
}

/// A scale or bias in the shape and type of x along the trailing axes.
static Value normParameter(NodeBinder &n, Value parameter, Value x, size_t axes) {
  if (!n || !parameter)
    return parameter;
  ArrayRef<int64_t> shape = n.shape(x).take_back(axes), own = n.shape(parameter);
  while (own.size() > shape.size() && own.front() == 1)
    own = own.drop_front();
  if (own.size() > shape.size() || llvm::any_of(llvm::zip(own, shape.take_back(own.size())), [](auto pair) {
        return std::get<0>(pair) != 1 && std::get<0>(pair) != std::get<1>(pair);
      })) {
    n.error("scale or bias does not broadcast to the normalised axes");
    return nullptr;
  }
  return n.broadcast(n.reshape(n.cast(parameter, n.elementType(x)), own), shape);
}

static void layerNorm(NodeBinder &n) {
  Value x = n.input(0), scale = n.input(1), bias = n.optionalInput(2);
  double epsilon = n.floatAttr("epsilon", defaultEpsilon);
  // The precision of the statistics is the target's choice, unless they are results.
  int64_t stash = n.intAttr("stash_type", 1);
  if (!n)
    return;
  SmallVector<int64_t> axes = trailingAxes(n, x);
  if (n && (n.wantsResult(1) || n.wantsResult(2))) {
    Type type = elementType(int32_t(stash), n.builder.getContext());
    if (!type || !isa<FloatType>(type))
      return n.error("attribute 'stash_type' is " + Twine(stash));
    Expr data = Expr(n, x).cast(type), mean = data.reduce<ReduceMeanOp>(axes, true), difference = data - mean;
    n.result(1, mean);
    Expr deviation = ((difference * difference).reduce<ReduceMeanOp>(axes, true) + epsilon).make<SqrtOp>();
    n.result(2, 1.0 / deviation);
  }
  scale = normParameter(n, scale, x, axes.size());
  bias = normParameter(n, bias, x, axes.size());
  if (!n)
    return;
  n.result(0, n.emit<LayerNormOp>({x, scale, Segment::optional(bias)},
                                  {{"axes", ArrayRef<int64_t>(axes)}, {"epsilon", epsilon}}));
}

static void rmsNorm(NodeBinder &n) {
  Value x = n.input(0), scale = n.input(1);
  double epsilon = n.floatAttr("epsilon", defaultEpsilon);
  n.ignoreAttr("stash_type");
  if (!n)
    return;
  SmallVector<int64_t> axes = trailingAxes(n, x);
  scale = normParameter(n, scale, x, axes.size());
  if (!n)
    return;
  n.result(0, n.emit<RmsNormOp>({x, scale}, {{"axes", ArrayRef<int64_t>(axes)}, {"epsilon", epsilon}}));
}

/// Opset 18 has a scale and a bias per group, 21 per channel.
static void groupNorm(NodeBinder &n) {
  Value x = n.input(0), scale = n.input(1), bias = n.input(2);
  double epsilon = n.floatAttr("epsilon", defaultEpsilon);
  int64_t groups = n.intAttr("num_groups");
  if (n.since() >= 21)
    n.ignoreAttr("stash_type");
  if (!n)
    return;
  if (n.rank(x) < 2 || groups < 1 || n.shape(x)[1] % groups != 0)
    return n.error("attribute 'num_groups' is " + Twine(groups) + ", which does not divide the channels");
  int64_t channels = n.shape(x)[1];
  auto perChannel = [&](Value value) {
    if (n.since() >= 21)
      return value;
    if (n.type(value).getNumElements() != groups) {
      n.error("scale and bias must have one element per group");
      return value;
    }
    return n.reshape(n.broadcast(n.reshape(value, {groups, 1}), {groups, channels / groups}), {channels});
  };
  scale = perChannel(scale);
  bias = perChannel(bias);
  n.result(0, n.emit<GroupNormOp>({x, scale, bias}, {{"num_groups", groups}, {"epsilon", epsilon}}));
}

/// Of an even number of channels ONNX has the odd one after, MIL before.
static void lrn(NodeBinder &n) {
  Expr x(n, n.input(0));
  int64_t size = n.intAttr("size");
  SmallVector<Argument> arguments{{"size", size},
                                  {"alpha", n.floatAttr("alpha", 1e-4f)},
                                  {"beta", n.floatAttr("beta", 0.75)},
                                  {"k", n.floatAttr("bias", 1.0)}};
  auto turned = [&](Expr value) {
    return size % 2 ? value : value.make<ReverseOp>({}, {{"axes", ArrayRef<int64_t>(1)}});
  };
  n.result(0, turned(turned(x).make<LocalResponseNormOp>({}, arguments)));
}

/// x / |x| along an axis, 0 where the norm is 0. What is normed was divided by its largest magnitude, so that no norm
/// is much larger than what it is made of.
static void lpNorm(NodeBinder &n) {
  Value x = n.input(0);
  int64_t given = n.intAttr("axis", -1), p = n.intAttr("p", 2);
  if (p != 1 && p != 2)
    n.error("attribute 'p' is " + Twine(p) + "; supported: 1, 2");
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(x));
  SmallVector<Argument> arguments{{"axes", ArrayRef<int64_t>(axis)}, {"keep_dims", true}};
  Value largest = n.emit<ReduceMaxOp>({n.emit<AbsOp>({x})}, arguments);
  if (!n)
    return;
  // An infinity over itself would make the norm NaN, and with it what is finite beside it.
  largest = n.emit<MinimumOp>({largest, n.scalar(n.elementType(x), 65504)});
  if (!n)
    return;
  Value zero = n.scalar(n.elementType(x), 0), one = n.scalar(n.elementType(x), 1);
  x = n.emit<RealDivOp>({x, n.emit<SelectOp>({n.emit<EqualOp>({largest, zero}), one, largest})});
  Value norm = p == 1 ? n.emit<ReduceL1NormOp>({x}, arguments) : n.emit<ReduceL2NormOp>({x}, arguments);
  if (!n)
    return;
  // The norm is 1 or more, or all is 0.
  n.result(0, n.emit<RealDivOp>({x, n.emit<MaximumOp>({norm, n.scalar(n.elementType(x), 0.5)})}));
}

/// (x - mean) / (standard deviation + 1e-9)
static void meanVarianceNorm(NodeBinder &n) {
  Expr given(n, n.input(0));
  SmallVector<int64_t> written = n.intsAttr("axes").value_or(SmallVector<int64_t>{0, 2, 3});
  if (!n)
    return;
  SmallVector<int64_t> axes = n.axes(written, given.rank());
  Expr x = widened(given), centred = x - x.reduce<ReduceMeanOp>(axes, true);
  Expr variance = centred.make<SquareOp>().reduce<ReduceMeanOp>(axes, true);
  n.result(0, (centred / (variance.make<SqrtOp>() + 1e-9)).cast(given.element()));
}

void mlir::ane::onnx_import::registerNormOps(Registry &registry) {
  registry.onOp("", "BatchNormalization", {6, 7, 9, 14, 15}, batchNorm);
  registry.onOp("", "GroupNormalization", {18, 21}, groupNorm);
  registry.onOp("", "InstanceNormalization", {6, 22}, instanceNorm);
  registry.onOp("", "LRN", {1, 13}, lrn);
  registry.onOp("", "LayerNormalization", {17}, layerNorm);
  registry.onOp("", "LpNormalization", {1, 22}, lpNorm);
  registry.onOp("", "MeanVarianceNormalization", {9, 13}, meanVarianceNorm);
  registry.onOp("", "RMSNormalization", {23}, rmsNorm);
}
