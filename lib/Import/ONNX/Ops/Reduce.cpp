//===- Reduce.cpp - ONNX reductions ---------------------------------------===//

#include "../NodeBinder.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// Roots and logarithms are computed in floats, and cut off where integers are reduced.
template <typename OpTy>
static Value emitReduction(NodeBinder &n, Value x, ArrayRef<Argument> arguments) {
  if constexpr (llvm::is_one_of<OpTy, ReduceL1NormOp, ReduceL2NormOp, ReduceLogSumOp, ReduceLogSumExpOp>()) {
    Type element = n.elementType(x);
    if (!n.isFloat(x) && std::is_same_v<OpTy, ReduceL1NormOp>)
      return n.emit<ReduceSumOp>({n.emit<AbsOp>({x})}, arguments);
    if (!n.isFloat(x))
      return n.cast(n.emit<OpTy>({n.cast(x, n.builder.getF64Type())}, arguments), element);
  }
  return n.emit<OpTy>({x}, arguments);
}

/// Axes are an attribute before `axesInput`, an input since. `isPlain`: reducing nothing changes nothing.
template <typename OpTy, int64_t axesInput, bool isPlain>
static void reduce(NodeBinder &n) {
  Value x = n.input(0);
  bool keepDims = n.boolAttr("keepdims", true), noop = false;
  std::optional<SmallVector<int64_t>> given;
  if (n.since() < axesInput) {
    given = n.intsAttr("axes");
  } else {
    noop = n.boolAttr("noop_with_empty_axes", false);
    if (n.hasInput(1))
      given = n.ints(1, "axes");
  }
  if (!n)
    return;
  int64_t rank = n.rank(x);
  SmallVector<int64_t> axes;
  if (given && !given->empty()) {
    axes = n.axes(*given, rank);
  } else if (!noop) {
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(i);
  }
  if (!n)
    return;
  if (axes.empty() && isPlain)
    return n.result(0, x);
  if (axes.empty() && noop)
    return n.error("attribute 'noop_with_empty_axes' is 1 and there are no axes, which is not supported for this op");
  Type element = n.elementType(x);
  // From opset 20 on, bool is ordered.
  bool isBool = element.isInteger(1);
  SmallVector<int64_t> scalarAxes{0};
  if (isBool)
    x = n.cast(x, n.builder.getI32Type());
  if (axes.empty())
    x = n.reshape(x, {1});
  Value result = emitReduction<OpTy>(
      n, x,
      {{"axes", ArrayRef<int64_t>(axes.empty() ? scalarAxes : axes)}, {"keep_dims", axes.empty() ? false : keepDims}});
  if (!n)
    return;
  // Not a cast: the maximum of nothing is the lowest integer, which is false.
  n.result(0, isBool ? n.emit<GreaterOp>({result, n.scalar(n.elementType(result), 0)}) : result);
}

template <typename OpTy>
static void argReduce(NodeBinder &n) {
  Value x = n.input(0);
  int64_t given = n.intAttr("axis", 0);
  bool keepDims = n.boolAttr("keepdims", true);
  bool last = n.since() >= 12 && n.boolAttr("select_last_index", false);
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(x));
  if (last)
    x = n.emit<ReverseOp>({x}, {{"axes", ArrayRef<int64_t>(axis)}});
  Value index = n.emit<OpTy>({x}, {{"axis", axis}, {"keep_dims", keepDims}});
  if (!n)
    return;
  if (last)
    index = n.emit<SubOp>({n.scalar(n.elementType(index), n.shape(x)[axis] - 1), index});
  n.result(0, n.cast(index, n.builder.getI64Type()));
}

static void cumSum(NodeBinder &n) {
  Value x = n.input(0);
  bool exclusive = n.boolAttr("exclusive", false), reverse = n.boolAttr("reverse", false);
  int64_t given = n.intScalar(1, "axis");
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(x));
  n.result(0, n.emit<CumsumOp>({x}, {{"axis", axis}, {"exclusive", exclusive}, {"reverse", reverse}}));
}

void mlir::ane::onnx_import::registerReduceOps(Registry &registry) {
  registry.onOp("", "ArgMax", {1, 11, 12, 13}, argReduce<ReduceArgmaxOp>);
  registry.onOp("", "ArgMin", {1, 11, 12, 13}, argReduce<ReduceArgminOp>);
  registry.onOp("", "CumSum", {11, 14}, cumSum);
  registry.onOp("", "ReduceL1", {1, 11, 13, 18}, reduce<ReduceL1NormOp, 18, false>);
  registry.onOp("", "ReduceL2", {1, 11, 13, 18}, reduce<ReduceL2NormOp, 18, false>);
  registry.onOp("", "ReduceLogSum", {1, 11, 13, 18, 28}, reduce<ReduceLogSumOp, 18, false>);
  registry.onOp("", "ReduceLogSumExp", {1, 11, 13, 18, 28}, reduce<ReduceLogSumExpOp, 18, false>);
  registry.onOp("", "ReduceMax", {1, 11, 12, 13, 18, 20}, reduce<ReduceMaxOp, 18, true>);
  registry.onOp("", "ReduceMean", {1, 11, 13, 18}, reduce<ReduceMeanOp, 18, true>);
  registry.onOp("", "ReduceMin", {1, 11, 12, 13, 18, 20}, reduce<ReduceMinOp, 18, true>);
  registry.onOp("", "ReduceProd", {1, 11, 13, 18}, reduce<ReduceProdOp, 18, true>);
  registry.onOp("", "ReduceSum", {1, 11, 13}, reduce<ReduceSumOp, 13, true>);
  registry.onOp("", "ReduceSumSquare", {1, 11, 13, 18}, reduce<ReduceSumSquareOp, 18, false>);
}
