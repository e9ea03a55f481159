//===- Window.cpp - sliding windows of convolutions and pools -------------===//

#include "ane/IR/Window.h"

using namespace mlir;
using namespace mlir::ane;

/// `given`, or `count` times `value`.
static FailureOr<SmallVector<int64_t>> orDefault(OptionalLoc loc, StringRef name,
                                                 std::optional<ArrayRef<int64_t>> given, size_t count, int64_t value,
                                                 int64_t minimum) {
  if (!given)
    return SmallVector<int64_t>(count, value);
  if (given->size() != count)
    return emitOptionalError(loc, name, " has ", given->size(), " entries, expected ", count);
  for (int64_t entry : *given)
    // The upper limit keeps sizes computable.
    if (entry < minimum || entry > 1 << 30)
      return emitOptionalError(loc, name, " [", *given, "] has an entry outside [", minimum, ", ", 1 << 30, "]");
  return SmallVector<int64_t>(*given);
}

/// Kernel, strides and dilations, checked; and the padding of pad types `valid` and `custom`.
static FailureOr<Window> start(OptionalLoc loc, size_t rank, ArrayRef<int64_t> kernel, const WindowSpec &spec) {
  if (!llvm::is_contained({"valid", "custom", "same", "same_lower"}, spec.padType))
    return emitOptionalError(loc, "pad_type is '", spec.padType, "', expected valid, custom, same or same_lower");
  auto sizes = orDefault(loc, "kernel", kernel, rank, 1, 1);
  auto strides = orDefault(loc, "strides", spec.strides, rank, 1, 1);
  auto dilations = orDefault(loc, "dilations", spec.dilations, rank, 1, 1);
  auto pad = orDefault(loc, "pad", spec.pad, 2 * rank, 0, 0);
  if (failed(sizes) || failed(strides) || failed(dilations) || failed(pad))
    return failure();
  Window window{*sizes, *strides, *dilations, SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 0), {}};
  for (size_t i = 0; spec.padType == "custom" && i < rank; ++i) {
    window.padBegin[i] = (*pad)[2 * i];
    window.padEnd[i] = (*pad)[2 * i + 1];
  }
  return window;
}

Padding mlir::ane::splitPadding(int64_t total, bool lower) {
  int64_t before = lower ? (total + 1) / 2 : total / 2;
  return {before, total - before};
}

static int64_t sameOutput(int64_t size, int64_t stride) { return (size + stride - 1) / stride; }

Padding mlir::ane::samePadding(int64_t size, int64_t extent, int64_t stride, bool lower) {
  return splitPadding(std::max<int64_t>(0, (sameOutput(size, stride) - 1) * stride + extent - size), lower);
}

FailureOr<Window> mlir::ane::resolveWindow(OptionalLoc loc, ArrayRef<int64_t> input, ArrayRef<int64_t> kernel,
                                           const WindowSpec &spec) {
  auto window = start(loc, input.size(), kernel, spec);
  if (failed(window))
    return failure();
  for (auto [i, size] : llvm::enumerate(input)) {
    int64_t stride = window->strides[i], extent = windowExtent(kernel[i], window->dilations[i]);
    if (spec.padType.starts_with("same")) {
      Padding padding = samePadding(size, extent, stride, spec.padType == "same_lower");
      window->padBegin[i] = padding.before;
      window->padEnd[i] = padding.after;
      window->output.push_back(sameOutput(size, stride));
      continue;
    }
    int64_t room = size + window->padBegin[i] + window->padEnd[i] - extent;
    if (room < 0)
      return emitOptionalError(loc, "windows of ", extent, " elements don't fit spatial axis ", i, " of ", size,
                               " and ", window->padBegin[i] + window->padEnd[i], " of padding");
    int64_t output = room / stride + 1;
    if (spec.ceilMode) {
      output = (room + stride - 1) / stride + 1;
      // No window starts in the padding behind the input.
      if ((output - 1) * stride >= size + window->padBegin[i])
        --output;
    }
    window->output.push_back(output);
  }
  return window;
}

FailureOr<Window> mlir::ane::resolveTransposedWindow(OptionalLoc loc, ArrayRef<int64_t> input, ArrayRef<int64_t> kernel,
                                                     const WindowSpec &spec,
                                                     std::optional<ArrayRef<int64_t>> outputShape) {
  auto window = start(loc, input.size(), kernel, spec);
  if (failed(window))
    return failure();
  if (outputShape && outputShape->size() != input.size())
    return emitOptionalError(loc, "output_shape has ", outputShape->size(), " spatial sizes, expected ", input.size());
  for (auto [i, size] : llvm::enumerate(input)) {
    int64_t stride = window->strides[i], extent = windowExtent(kernel[i], window->dilations[i]);
    int64_t whole = (size - 1) * stride + extent;
    if (spec.padType.starts_with("same")) {
      int64_t output = outputShape ? (*outputShape)[i] : size * stride;
      Padding padding = splitPadding(std::max<int64_t>(0, whole - output), spec.padType == "same_lower");
      window->padBegin[i] = padding.before;
      window->padEnd[i] = padding.after;
    }
    int64_t base = whole - window->padBegin[i] - window->padEnd[i];
    int64_t output = outputShape ? (*outputShape)[i] : spec.padType.starts_with("same") ? size * stride : base;
    int64_t largest = std::max(base + stride - 1, spec.padType.starts_with("same") ? size * stride : base);
    if (output < 1 || output < base || output > largest)
      return emitOptionalError(loc, "output size ", output, " of spatial axis ", i, " is impossible: ", base, " to ",
                               largest, " follow from input ", size, ", kernel extent ", extent, " and stride ",
                               stride);
    window->output.push_back(output);
  }
  return window;
}
