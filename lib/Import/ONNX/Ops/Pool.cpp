//===- Pool.cpp - ONNX pooling --------------------------------------------===//

#include "../Registry.h"
#include "Window.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// Resolves SAME and ceil_mode to padding. `ceilPad`: how much more than the model's padding the last window of each
/// axis reaches, which is padding that is never counted.
static std::optional<NodeWindow> readPoolWindow(NodeBinder &n, Value x, bool hasDilations, bool hasCeil,
                                            SmallVectorImpl<int64_t> &ceilPad) {
  std::string autoPad;
  std::optional<NodeWindow> window = readWindow(n, x, std::nullopt, hasDilations, autoPad);
  bool ceil = hasCeil && n.boolAttr("ceil_mode", false);
  if (!window || !n)
    return std::nullopt;
  for (size_t i = 0; i < window->input.size(); ++i) {
    if (window->dilations[i] != 1) {
      n.error("attribute 'dilations' has the entry " + Twine(window->dilations[i]) + "; supported: 1");
      return std::nullopt;
    }
    int64_t input = window->input[i], stride = window->strides[i], kernel = window->kernel[i];
    if (autoPad != "NOTSET") {
      int64_t outputs = (input + stride - 1) / stride;
      splitPadding(std::max<int64_t>((outputs - 1) * stride + kernel - input, 0), autoPad == "SAME_UPPER",
                   window->padBegin[i], window->padEnd[i]);
    }
    int64_t room = input + window->padBegin[i] + window->padEnd[i] - kernel;
    if (room < 0 || window->padBegin[i] >= kernel || window->padEnd[i] >= kernel) {
      n.error("the window of size " + Twine(kernel) + " does not fit spatial axis " + Twine(i) + " of size " +
              Twine(input) + " with pads " + Twine(window->padBegin[i]) + " and " + Twine(window->padEnd[i]));
      return std::nullopt;
    }
    int64_t steps = ceil && autoPad == "NOTSET" ? (room + stride - 1) / stride : room / stride;
    // A window must start inside the input or its leading padding.
    if (steps * stride >= input + window->padBegin[i])
      --steps;
    ceilPad.push_back(std::max<int64_t>(steps * stride - room, 0));
  }
  return window;
}

static void addCeilPad(NodeWindow &window, ArrayRef<int64_t> ceilPad) {
  for (auto [pad, more] : llvm::zip(window.padEnd, ceilPad))
    pad += more;
}

static void maxPool(NodeBinder &n) {
  Value x = n.input(0);
  if (n.since() >= 8)
    n.ignoreAttr("storage_order"); // It concerns the indices, which are not supported.
  SmallVector<int64_t> ceilPad;
  std::optional<NodeWindow> window = readPoolWindow(n, x, n.since() >= 10, n.since() >= 10, ceilPad);
  if (!window)
    return;
  if (n.wantsResult(1))
    return n.error("output 'Indices' is not supported");
  addCeilPad(*window, ceilPad);
  n.result(0, n.emit<MaxPoolOp>({x}, {{"kernel_sizes", ArrayRef<int64_t>(window->kernel)},
                                      {"strides", ArrayRef<int64_t>(window->strides)},
                                      {"pad_type", window->padType()},
                                      {"pad", ArrayRef<int64_t>(window->interleavedPads())}}));
}

static void averagePool(NodeBinder &n) {
  Value x = n.input(0);
  bool countPads = n.boolAttr("count_include_pad", false);
  SmallVector<int64_t> ceilPad;
  std::optional<NodeWindow> window = readPoolWindow(n, x, n.since() >= 19, n.since() >= 10, ceilPad);
  if (!window)
    return;
  // Where the model's padding counts and the rest does not, the former becomes data.
  bool reaches = llvm::any_of(ceilPad, [](int64_t pad) { return pad > 0; });
  if (countPads && reaches && window->padType() == "custom") {
    x = n.emit<PadOp>({x}, {{"pad", ArrayRef<int64_t>(window->interleavedPads())}});
    window->padBegin.assign(ceilPad.size(), 0);
    window->padEnd.assign(ceilPad.size(), 0);
  }
  addCeilPad(*window, ceilPad);
  n.result(0, n.emit<AvgPoolOp>({x}, {{"kernel_sizes", ArrayRef<int64_t>(window->kernel)},
                                      {"strides", ArrayRef<int64_t>(window->strides)},
                                      {"pad_type", window->padType()},
                                      {"pad", ArrayRef<int64_t>(window->interleavedPads())},
                                      {"exclude_padding_from_average", reaches || !countPads}}));
}

template <typename OpTy>
static void globalPool(NodeBinder &n) {
  Value x = n.input(0);
  if (!n)
    return;
  SmallVector<int64_t> axes;
  for (int64_t i = 2; i < n.rank(x); ++i)
    axes.push_back(i);
  if (axes.empty())
    return n.error("the input has rank " + Twine(n.rank(x)) + ", but must have 3 or more");
  n.result(0, n.emit<OpTy>({x}, {{"axes", ArrayRef<int64_t>(axes)}, {"keep_dims", true}}));
}

void mlir::ane::onnx_import::registerPoolOps(Registry &registry) {
  registry.onOp("", "AveragePool", {7, 10, 11, 19, 22}, averagePool);
  registry.onOp("", "GlobalAveragePool", {1, 22}, globalPool<ReduceMeanOp>);
  registry.onOp("", "GlobalMaxPool", {1, 22}, globalPool<ReduceMaxOp>);
  registry.onOp("", "MaxPool", {1, 8, 10, 11, 12, 22}, maxPool);
}
