//===- Conv.cpp - ONNX convolutions ---------------------------------------===//

#include "../Registry.h"
#include "Window.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static void conv(NodeBinder &n) {
  Value x = n.input(0), weight = n.input(1), bias = n.optionalInput(2);
  int64_t groups = n.intAttr("group", 1);
  std::optional<NodeWindow> window = readConvWindow(n, x, weight);
  if (!window)
    return;
  n.result(0,
           n.emit<ConvOp>({x, weight, Segment::optional(bias)}, {{"strides", ArrayRef<int64_t>(window->strides)},
                                                                 {"pad_type", window->padType()},
                                                                 {"pad", ArrayRef<int64_t>(window->interleavedPads())},
                                                                 {"dilations", ArrayRef<int64_t>(window->dilations)},
                                                                 {"groups", groups}}));
}

/// output = stride (input - 1) + output_padding + extent - pads. MIL has no output_padding: it takes from the padding
/// at the end, and where that isn't enough, zeros are appended before the bias is added.
static void convTranspose(NodeBinder &n) {
  Value x = n.input(0), weight = n.input(1), bias = n.optionalInput(2);
  int64_t groups = n.intAttr("group", 1);
  std::string autoPad;
  std::optional<NodeWindow> window = readConvWindow(n, x, weight, &autoPad);
  if (!window)
    return;
  size_t axes = window->input.size();
  SmallVector<int64_t> extra = n.intsAttr("output_padding").value_or(SmallVector<int64_t>(axes, 0));
  std::optional<SmallVector<int64_t>> outputShape = n.intsAttr("output_shape");
  if (extra.size() != axes || (outputShape && outputShape->size() != axes))
    return n.error("attributes 'output_padding' and 'output_shape' need " + Twine(axes) + " entries");
  SmallVector<int64_t> append(2 * axes, 0);
  bool appends = false;
  for (size_t i = 0; i < axes; ++i) {
    if (extra[i] < 0 || extra[i] >= std::max(window->strides[i], window->dilations[i]))
      return n.error("attribute 'output_padding' is " + Twine(extra[i]) + " on spatial axis " + Twine(i) +
                     ", it must be below the stride or the dilation");
    if (outputShape || autoPad != "NOTSET") {
      int64_t size = outputShape ? (*outputShape)[i] : window->input[i] * window->strides[i];
      int64_t total = window->strides[i] * (window->input[i] - 1) + extra[i] + window->extent(i) - size;
      if (size < 1 || size > 1 << 24)
        return n.error("attribute 'output_shape' has the entry " + Twine(size));
      window->setPadding(i, splitPadding(std::max<int64_t>(total, 0), /*lower=*/autoPad != "SAME_UPPER"));
      // An output that is larger than what the input reaches ends in zeros, like output_padding.
      extra[i] += std::max<int64_t>(-total, 0);
    }
    append[2 * i + 1] = std::max<int64_t>(extra[i] - window->padEnd[i], 0);
    window->padEnd[i] = std::max<int64_t>(window->padEnd[i] - extra[i], 0);
    appends |= append[2 * i + 1] != 0;
  }
  Value result = n.emit<ConvTransposeOp>({x, weight, Segment::optional(appends ? Value() : bias)},
                                         {{"strides", ArrayRef<int64_t>(window->strides)},
                                          {"pad_type", window->padType()},
                                          {"pad", ArrayRef<int64_t>(window->interleavedPads())},
                                          {"dilations", ArrayRef<int64_t>(window->dilations)},
                                          {"groups", groups}});
  if (appends && n) {
    result = n.emit<PadOp>({result}, {{"pad", ArrayRef<int64_t>(append)}});
    SmallVector<int64_t> biasShape(n.rank(x), 1);
    if (bias) {
      biasShape[1] = n.type(bias).getNumElements();
      result = n.emit<AddOp>({result, n.reshape(bias, biasShape)});
    }
  }
  n.result(0, result);
}

void mlir::ane::onnx_import::registerConvOps(Registry &registry) {
  registry.onOp("", "Conv", {1, 11, 22}, conv);
  registry.onOp("", "ConvTranspose", {1, 11, 22}, convTranspose);
}
