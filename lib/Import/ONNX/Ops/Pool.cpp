//===- Pool.cpp - ONNX pooling --------------------------------------------===//
//
// What MIL's pools take is a pool; dilations, integers and indices are reductions of gathered windows.
//
//===----------------------------------------------------------------------===//

#include "../Registry.h"
#include "Widen.h"
#include "Window.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

namespace {
/// A pool's window, SAME and ceil_mode resolved. `ceilPad`: how much more than the model's padding the last window of
/// each axis reaches, which is padding that is never counted; it is part of `window`.
struct PoolWindow {
  NodeWindow window;
  SmallVector<int64_t> ceilPad;
  bool reaches() const {
    return llvm::any_of(ceilPad, [](int64_t pad) { return pad > 0; });
  }
  bool dilates() const {
    return llvm::any_of(window.dilations, [](int64_t dilation) { return dilation != 1; });
  }
  int64_t taps() const {
    int64_t taps = 1;
    for (int64_t size : window.kernel)
      taps *= size;
    return taps;
  }
  SmallVector<Argument> arguments() const {
    return {{"kernel_sizes", ArrayRef<int64_t>(window.kernel)},
            {"strides", ArrayRef<int64_t>(window.strides)},
            {"pad_type", window.padType()},
            {"pad", ArrayRef<int64_t>(window.interleavedPads())}};
  }
  /// The windows with their taps as one axis, the last.
  Expr gather(NodeBinder &n, Value x, double padding) const {
    Expr windows(n, gatherWindows(n, x, window, padding));
    if (!n)
      return windows;
    SmallVector<int64_t> shape(windows.shape().drop_back(window.kernel.size()));
    shape.push_back(taps());
    return windows.reshape(shape);
  }
};
} // namespace

static std::optional<PoolWindow> readPoolWindow(NodeBinder &n, Value x, bool hasDilations, bool hasCeil) {
  std::string autoPad;
  std::optional<NodeWindow> read = readWindow(n, x, std::nullopt, hasDilations, autoPad);
  bool ceil = hasCeil && n.boolAttr("ceil_mode", false);
  if (!read || !n)
    return std::nullopt;
  PoolWindow pool{*read, {}};
  NodeWindow &window = pool.window;
  for (size_t i = 0; i < window.input.size(); ++i) {
    int64_t input = window.input[i], stride = window.strides[i], extent = window.extent(i);
    if (autoPad != "NOTSET")
      window.padSame(i, autoPad);
    int64_t room = input + window.padBegin[i] + window.padEnd[i] - extent;
    if (room < 0 || window.padBegin[i] >= extent || window.padEnd[i] >= extent) {
      n.error("the window of size " + Twine(extent) + " does not fit spatial axis " + Twine(i) + " of size " +
              Twine(input) + " with pads " + Twine(window.padBegin[i]) + " and " + Twine(window.padEnd[i]));
      return std::nullopt;
    }
    int64_t steps = ceil && autoPad == "NOTSET" ? (room + stride - 1) / stride : room / stride;
    // A window must start inside the input or its leading padding.
    if (steps * stride >= input + window.padBegin[i])
      --steps;
    pool.ceilPad.push_back(std::max<int64_t>(steps * stride - room, 0));
    window.padEnd[i] += pool.ceilPad.back();
  }
  return pool;
}

//===-- maximum -------------------------------------------------------------===//

/// The positions in the whole tensor of the chosen taps [N, C, O...]. `columnMajor`: the spatial axes are counted with
/// the first one fastest.
static Expr maxPositions(NodeBinder &n, Expr taps, const NodeWindow &window, bool columnMajor) {
  size_t axes = window.input.size();
  SmallVector<int64_t> outputs(taps.shape()), strides(axes, 1);
  for (size_t i = 1; i < axes; ++i) {
    size_t at = columnMajor ? i : axes - 1 - i, before = columnMajor ? i - 1 : axes - i;
    strides[at] = strides[before] * window.input[before];
  }
  Type i64 = n.builder.getI64Type();
  taps = taps.cast(i64);
  int64_t image = 1, tapStride = 1;
  std::optional<Expr> position;
  for (size_t i = axes; i-- > 0;) {
    SmallVector<int64_t> shape(outputs.size(), 1);
    shape[2 + i] = outputs[2 + i];
    Expr first = iota(n, outputs[2 + i], i64, -window.padBegin[i], window.strides[i]).reshape(shape);
    Expr tap = taps / double(tapStride) % double(window.kernel[i]);
    Expr part = (first + tap * double(window.dilations[i])) * double(strides[i]);
    position = position ? *position + part : part;
    tapStride *= window.kernel[i];
    image *= window.input[i];
  }
  SmallVector<int64_t> shape(outputs.size(), 1);
  shape[0] = outputs[0];
  shape[1] = outputs[1];
  return *position + iota(n, outputs[0] * outputs[1], i64, 0, image).reshape(shape);
}

static void maxPool(NodeBinder &n) {
  Value x = n.input(0);
  bool columnMajor = n.since() >= 8 && n.boolAttr("storage_order", false);
  std::optional<PoolWindow> pool = readPoolWindow(n, x, n.since() >= 10, n.since() >= 10);
  if (!pool)
    return;
  bool isPool = n.isFloat(x) && !pool->dilates();
  if (isPool)
    n.result(0, n.emit<MaxPoolOp>({x}, pool->arguments()));
  if (isPool && !n.wantsResult(1))
    return;
  Type element = n.elementType(x);
  double lowest = -std::numeric_limits<double>::infinity();
  if (auto integer = llvm::dyn_cast<IntegerType>(element))
    lowest = integer.isUnsigned() ? 0 : -std::ldexp(1.0, integer.getWidth() - 1);
  Expr windows = pool->gather(n, x, lowest);
  if (!n)
    return;
  int64_t last = windows.rank() - 1;
  if (!isPool)
    n.result(0, windows.reduce<ReduceMaxOp>({last}, false));
  if (!n.wantsResult(1))
    return;
  Expr taps = windows.make<ReduceArgmaxOp>({}, {{"axis", last}});
  if (n)
    n.result(1, maxPositions(n, taps, pool->window, columnMajor));
}

/// Puts the elements at their positions in a tensor of the size that the pool had, or a larger one.
static void maxUnpool(NodeBinder &n) {
  Expr x(n, n.input(0)), positions(n, n.input(1));
  std::string autoPad;
  std::optional<NodeWindow> window = readWindow(n, x, std::nullopt, false, autoPad);
  std::optional<SmallVector<int64_t>> wanted;
  if (n.hasInput(2))
    wanted = n.ints(2, "output_shape");
  if (!window || !n)
    return;
  SmallVector<int64_t> shape(x.shape().take_front(2));
  int64_t total = shape[0] * shape[1];
  for (size_t i = 0; i < window->input.size(); ++i) {
    shape.push_back((window->input[i] - 1) * window->strides[i] + window->kernel[i] - window->padBegin[i] -
                    window->padEnd[i]);
    total *= shape.back();
  }
  int64_t elements = n.type(x).getNumElements();
  if (total < 1 || n.shape(positions) != x.shape())
    return n.error("the indices don't have the shape of the input, or the result is empty");
  Expr zeros(n, n.splat(RankedTensorType::get({total}, x.element()), 0));
  Expr result = zeros
                    .make<ScatterAlongAxisOp>({positions.reshape({elements}), x.reshape({elements})},
                                              {{"axis", 0}, {"mode", "update"}})
                    .reshape(shape);
  if (wanted) {
    SmallVector<int64_t> pads;
    if (wanted->size() != shape.size())
      return n.error("output_shape has " + Twine(wanted->size()) + " entries, the input rank " + Twine(shape.size()));
    for (auto [want, have] : llvm::zip(*wanted, shape)) {
      if (want < have || want > 1 << 24)
        return n.error("output_shape has the entry " + Twine(want) + " where the pool had " + Twine(have));
      pads.append({0, want - have});
    }
    if (*wanted != shape)
      result = result.make<PadOp>({}, {{"pad", ArrayRef<int64_t>(pads)}});
  }
  n.result(0, result);
}

//===-- means and norms -----------------------------------------------------===//

/// How many elements each window counts, as [O...].
static Expr countTable(NodeBinder &n, const PoolWindow &pool, bool countPads, Type element) {
  const NodeWindow &window = pool.window;
  SmallVector<int64_t> outputs;
  for (size_t i = 0; i < window.input.size(); ++i)
    outputs.push_back(window.count(i));
  return table(n, outputs, element, [&](ArrayRef<int64_t> at) {
    double count = 1;
    for (size_t i = 0; i < at.size(); ++i) {
      int64_t low = countPads ? -window.padBegin[i] : 0;
      int64_t high = window.input[i] + (countPads ? window.padEnd[i] - pool.ceilPad[i] : 0);
      // The taps first <= k < last lie between them.
      int64_t start = at[i] * window.strides[i] - window.padBegin[i], dilation = window.dilations[i];
      int64_t first = llvm::divideCeil(std::max<int64_t>(low - start, 0), dilation);
      int64_t last =
          std::min<int64_t>(window.kernel[i], llvm::divideCeil(std::max<int64_t>(high - start, 0), dilation));
      count *= double(std::max<int64_t>(last - first, 0));
    }
    return count;
  });
}

static void averagePool(NodeBinder &n) {
  Value x = n.input(0);
  bool countPads = n.since() >= 7 && n.boolAttr("count_include_pad", false);
  std::optional<PoolWindow> pool = readPoolWindow(n, x, n.since() >= 19, n.since() >= 10);
  if (!pool)
    return;
  if (pool->dilates()) {
    Expr windows = pool->gather(n, x, 0);
    if (!n)
      return;
    Expr sum = windows.reduce<ReduceSumOp>({windows.rank() - 1}, false);
    return n.result(0, sum / countTable(n, *pool, countPads, sum.element()));
  }
  // Where the model's padding counts and the rest does not, the former becomes data.
  if (countPads && pool->reaches()) {
    NodeWindow &window = pool->window;
    SmallVector<int64_t> rest(pool->ceilPad);
    for (auto [pad, more] : llvm::zip(window.padEnd, rest))
      pad -= more;
    if (window.padType() == "custom")
      x = n.emit<PadOp>({x}, {{"pad", ArrayRef<int64_t>(window.interleavedPads())}});
    window.padBegin.assign(rest.size(), 0);
    window.padEnd = rest;
  }
  SmallVector<Argument> arguments = pool->arguments();
  arguments.push_back({"exclude_padding_from_average", pool->reaches() || !countPads});
  n.result(0, n.emit<AvgPoolOp>({x}, arguments));
}

/// The p-norm over some axes. Powers of what is divided by the largest stay within any type.
static Expr powerNorm(Expr x, ArrayRef<int64_t> axes, bool keepDims, int64_t p) {
  NodeBinder &n = x.binder();
  Type element = x.element();
  x = abs(widened(x));
  if (!n)
    return x;
  if (p == 1)
    return x.reduce<ReduceSumOp>(axes, keepDims).cast(element);
  Expr largest = x.reduce<ReduceMaxOp>(axes, true).make<MaximumOp>({x.number(1e-4)});
  Expr sum = (x / largest).make<PowOp>({x.number(p)}).reduce<ReduceSumOp>(axes, true);
  Expr norm = sum.make<PowOp>({x.number(1.0 / p)}) * largest;
  return (keepDims ? norm : norm.make<SqueezeOp>({}, {{"axes", axes}})).cast(element);
}

static void lpPool(NodeBinder &n) {
  Expr x(n, n.input(0));
  int64_t p = n.intAttr("p", 2);
  std::optional<PoolWindow> pool = readPoolWindow(n, x, n.since() >= 18, n.since() >= 18);
  if (!pool)
    return;
  if (p < 1)
    return n.error("attribute 'p' is " + Twine(p));
  if (p == 2 && !pool->dilates())
    return n.result(0, x.make<L2PoolOp>({}, pool->arguments()));
  Expr windows = pool->gather(n, x, 0);
  if (n)
    n.result(0, powerNorm(windows, {windows.rank() - 1}, false, p));
}

//===-- whole images --------------------------------------------------------===//

static SmallVector<int64_t> spatialAxes(NodeBinder &n, Value x) {
  SmallVector<int64_t> axes;
  for (int64_t i = 2; n && i < n.rank(x); ++i)
    axes.push_back(i);
  if (axes.empty())
    n.error("the input must have rank 3 or more");
  return axes;
}

template <typename OpTy>
static void globalPool(NodeBinder &n) {
  Expr x(n, n.input(0));
  SmallVector<int64_t> axes = spatialAxes(n, x);
  n.result(0, x.reduce<OpTy>(axes, true));
}

static void globalLpPool(NodeBinder &n) {
  Expr x(n, n.input(0));
  int64_t p = n.intAttr("p", 2);
  SmallVector<int64_t> axes = spatialAxes(n, x);
  if (p < 1)
    n.error("attribute 'p' is " + Twine(p));
  if (p == 2)
    return n.result(0, x.reduce<ReduceL2NormOp>(axes, true));
  n.result(0, powerNorm(x, axes, true, p));
}

void mlir::ane::onnx_import::registerPoolOps(Registry &registry) {
  registry.onOp("", "AveragePool", {1, 7, 10, 11, 19, 22}, averagePool);
  registry.onOp("", "GlobalAveragePool", {1, 22}, globalPool<ReduceMeanOp>);
  registry.onOp("", "GlobalLpPool", {2, 22}, globalLpPool);
  registry.onOp("", "GlobalMaxPool", {1, 22}, globalPool<ReduceMaxOp>);
  registry.onOp("", "LpPool", {2, 11, 18, 22}, lpPool);
  registry.onOp("", "MaxPool", {1, 8, 10, 11, 12, 22}, maxPool);
  registry.onOp("", "MaxUnpool", {9, 11, 22}, maxUnpool);
}
