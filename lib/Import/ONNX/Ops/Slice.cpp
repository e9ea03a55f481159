//===- Slice.cpp - ONNX Slice ---------------------------------------------===//

#include "../NodeBinder.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static void slice(NodeBinder &n) {
  Value x = n.input(0);
  SmallVector<int64_t> starts, ends, axes, steps;
  std::optional<SmallVector<int64_t>> givenAxes;
  if (n.since() < 10) {
    starts = n.intsAttr("starts").value_or(SmallVector<int64_t>());
    ends = n.intsAttr("ends").value_or(SmallVector<int64_t>());
    givenAxes = n.intsAttr("axes");
  } else {
    starts = n.ints(1, "starts");
    ends = n.ints(2, "ends");
    if (n.hasInput(3))
      givenAxes = n.ints(3, "axes");
    if (n.hasInput(4))
      steps = n.ints(4, "steps");
  }
  if (!n)
    return;
  int64_t rank = n.rank(x);
  if (givenAxes) {
    axes = n.axes(*givenAxes, rank);
  } else {
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(i);
  }
  if (steps.empty())
    steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size() ||
      int64_t(axes.size()) > rank)
    return n.error("starts, ends, axes and steps have " + Twine(starts.size()) + ", " + Twine(ends.size()) + ", " +
                   Twine(axes.size()) + " and " + Twine(steps.size()) + " entries");

  SmallVector<int64_t> begin(rank, 0), end(n.shape(x)), stride(rank, 1);
  SmallVector<bool> beginMask(rank, false), endMask(rank, false);
  bool whole = true;
  for (auto [axis, start, stop, step] : llvm::zip(axes, starts, ends, steps)) {
    int64_t dim = n.shape(x)[axis];
    if (step == 0)
      return n.error("the step of axis " + Twine(axis) + " is 0");
    // Unlike Python, ONNX begins a step backwards at the first element where `start` is before it.
    begin[axis] = std::max<int64_t>(clampBound(start, step, dim), 0);
    end[axis] = clampBound(stop, step, dim);
    stride[axis] = std::clamp(step, -dim - 1, dim + 1);
    if (dim == 0) {
      begin[axis] = end[axis] = 0;
      stride[axis] = 1;
    }
    // One before the first element has no index of its own: -1 counts from the end.
    if (end[axis] == -1) {
      end[axis] = 0;
      endMask[axis] = true;
    }
    whole &= begin[axis] == 0 && end[axis] == dim && stride[axis] == 1;
  }
  if (!n || whole)
    return n.result(0, x);
  SmallVector<Argument> arguments{{"begin", ArrayRef<int64_t>(begin)}, {"end", ArrayRef<int64_t>(end)}};
  if (llvm::any_of(stride, [](int64_t s) { return s != 1; }))
    arguments.push_back({"stride", ArrayRef<int64_t>(stride)});
  if (llvm::is_contained(endMask, true)) {
    arguments.push_back({"begin_mask", ArrayRef<bool>(beginMask)});
    arguments.push_back({"end_mask", ArrayRef<bool>(endMask)});
  }
  n.result(0, n.emit<SliceByIndexOp>({x}, arguments));
}

static void reverseSequence(NodeBinder &n) {
  Value x = n.input(0), lengths = n.input(1);
  int64_t batch = n.intAttr("batch_axis", 1), time = n.intAttr("time_axis", 0);
  if (!n)
    return;
  if (n.rank(x) < 2 || batch < 0 || batch > 1 || time != 1 - batch)
    return n.error("attributes 'batch_axis' and 'time_axis' are " + Twine(batch) + " and " + Twine(time) +
                   ", but must be 0 and 1 or 1 and 0");
  n.result(0, n.emit<ReverseSequenceOp>({x, lengths}, {{"seq_axis", time}, {"batch_axis", batch}}));
}

void mlir::ane::onnx_import::registerSliceOps(Registry &registry) {
  registry.onOp("", "ReverseSequence", {10, 28}, reverseSequence);
  registry.onOp("", "Slice", {1, 10, 11, 13}, slice);
}
