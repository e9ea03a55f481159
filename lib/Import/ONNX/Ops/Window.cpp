//===- Window.cpp - windows of convolutions and poolings ------------------===//

#include "Window.h"
#include "../Expr.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

SmallVector<int64_t> NodeWindow::interleavedPads() const {
  SmallVector<int64_t> pads;
  for (auto [begin, end] : llvm::zip(padBegin, padEnd)) {
    pads.push_back(begin);
    pads.push_back(end);
  }
  return pads;
}

StringRef NodeWindow::padType() const {
  return llvm::all_of(interleavedPads(), [](int64_t pad) { return pad == 0; }) ? "valid" : "custom";
}

std::optional<NodeWindow> mlir::ane::onnx_import::readWindow(NodeBinder &n, Value x,
                                                             std::optional<ArrayRef<int64_t>> kernel, bool hasDilations,
                                                             std::string &autoPad) {
  constexpr int64_t limit = int64_t(1) << 24;
  if (!n)
    return std::nullopt;
  if (n.rank(x) < 3 || n.rank(x) > 5) {
    n.error("the input has rank " + Twine(n.rank(x)) + "; supported: 3 to 5 (one to three spatial axes)");
    return std::nullopt;
  }
  NodeWindow window;
  window.input.assign(n.shape(x).begin() + 2, n.shape(x).end());
  size_t axes = window.input.size();
  auto read = [&](StringRef name, size_t size, int64_t fallback, int64_t minimum) {
    SmallVector<int64_t> values = n.intsAttr(name).value_or(SmallVector<int64_t>(size, fallback));
    if (values.size() != size)
      n.error("attribute '" + name + "' has " + Twine(values.size()) + " entries, " + Twine(size) + " are needed");
    for (int64_t value : values)
      if (value < minimum || value > limit)
        n.error("attribute '" + name + "' has the entry " + Twine(value));
    return values;
  };
  if (!kernel && !n.hasAttr("kernel_shape"))
    n.error("attribute 'kernel_shape' is missing");
  window.kernel = read("kernel_shape", axes, 1, 1);
  if (kernel && !n.hasAttr("kernel_shape"))
    window.kernel.assign(kernel->begin(), kernel->end());
  if (kernel && ArrayRef<int64_t>(window.kernel) != *kernel)
    n.error("attribute 'kernel_shape' differs from the weight's shape");
  window.strides = read("strides", axes, 1, 1);
  window.dilations = hasDilations ? read("dilations", axes, 1, 1) : SmallVector<int64_t>(axes, 1);
  autoPad = n.stringAttr("auto_pad", "NOTSET", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
  SmallVector<int64_t> pads = read("pads", 2 * axes, 0, 0);
  if (!n)
    return std::nullopt;
  if (autoPad != "NOTSET")
    pads.assign(2 * axes, 0);
  if (autoPad == "VALID")
    autoPad = "NOTSET";
  window.padBegin.assign(pads.begin(), pads.begin() + axes);
  window.padEnd.assign(pads.begin() + axes, pads.end());
  return window;
}

std::optional<NodeWindow> mlir::ane::onnx_import::readConvWindow(NodeBinder &n, Value x, Value weight,
                                                                 std::string *autoPad) {
  if (!n)
    return std::nullopt;
  if (n.rank(weight) != n.rank(x)) {
    n.error("the weight has rank " + Twine(n.rank(weight)) + ", the input " + Twine(n.rank(x)));
    return std::nullopt;
  }
  if (n.rank(x) < 3) {
    n.error("the input has rank " + Twine(n.rank(x)) + "; supported: 3 to 5");
    return std::nullopt;
  }
  std::string same;
  std::optional<NodeWindow> window = readWindow(n, x, n.shape(weight).drop_front(2), /*hasDilations=*/true, same);
  if (autoPad)
    *autoPad = same;
  else if (window && same != "NOTSET")
    for (size_t i = 0; i < window->input.size(); ++i)
      window->padSame(i, same);
  return window;
}

Value mlir::ane::onnx_import::gatherWindows(NodeBinder &n, Value x, const NodeWindow &window, double padding) {
  size_t axes = window.input.size();
  SmallVector<int64_t> pads = window.interleavedPads(), shape{n.shape(x)[0], n.shape(x)[1]}, perm{0, 1};
  if (window.padType() != "valid")
    x = n.emit<PadOp>({x}, {{"pad", ArrayRef<int64_t>(pads)}, {"constant_val", padding}});
  for (size_t i = 0; i < axes; ++i) {
    if (window.count(i) < 1) {
      n.error("the window of size " + Twine(window.extent(i)) + " does not fit spatial axis " + Twine(i));
      return nullptr;
    }
    int64_t taps = window.kernel[i], stride = window.strides[i], dilation = window.dilations[i];
    Expr indices = table(n, {window.count(i) * taps}, n.builder.getI64Type(),
                         [&](ArrayRef<int64_t> at) { return double(at[0] / taps * stride + at[0] % taps * dilation); });
    x = n.emit<GatherOp>({x, Value(indices)}, {{"axis", int64_t(2 + i)}});
    shape.append({window.count(i), window.kernel[i]});
  }
  for (size_t i = 0; i < 2 * axes; ++i)
    perm.push_back(2 + (i < axes ? 2 * i : 2 * (i - axes) + 1));
  return n ? n.transpose(n.reshape(x, shape), perm) : Value();
}
