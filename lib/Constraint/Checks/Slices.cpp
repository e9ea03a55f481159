//===- Slices.cpp - checks on parts of tensors ----------------------------===//

#include "../CheckHelpers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ane;

/// First index, count and step per axis of a slice; empty for other ops.
static SmallVector<SliceRange> rangesOf(Operation *op) {
  if (auto slice = dyn_cast_or_null<SliceBySizeOp>(op))
    return slice.getRanges();
  if (auto slice = dyn_cast_or_null<SliceByIndexOp>(op))
    return slice.getRanges();
  return {};
}

/// Where on the last axis a part begins that does not begin at 0; 0 if there is none.
static int64_t beginInWidth(Operation *op) {
  if (auto split = dyn_cast<SplitOp>(op)) {
    return split.getAxisFromFront() == tensorOf(split.getX()).getRank() - 1 && split.getNumResults() > 1
               ? tensorOf(split.getResult(0)).getShape().back()
               : 0;
  }
  if (auto crop = dyn_cast<CropOp>(op))
    return crop.getCropWidth().front();
  SmallVector<SliceRange> ranges = rangesOf(op);
  return ranges.empty() ? 0 : ranges.back().begin;
}

namespace mlir::ane {

std::optional<Finding> checkWidthSlice(Operation *op, const TargetEnv &env, ValueRanges &ranges) {
  int64_t begin = beginInWidth(op);
  if (begin == 0 || ranges.of(op->getOperand(0)).isWithin(env.numeric(Numeric::SliceMax)))
    return std::nullopt;
  return Finding{"",
                 "begins at " + std::to_string(begin) + " of the last axis, and values may exceed " +
                     std::to_string(int64_t(env.numeric(Numeric::SliceMax))),
                 ""};
}

std::optional<Finding> checkWidthSliceConcat(Operation *op, const TargetEnv &) {
  auto slices = llvm::count_if(op->getOperands(), [](Value value) {
    Operation *producer = value.getDefiningOp();
    return !rangesOf(producer).empty() && beginInWidth(producer) != 0;
  });
  return atMost(slices, 1, "slices that begin inside the last axis");
}

std::optional<Finding> checkRowSlice(Operation *op, const TargetEnv &) {
  SmallVector<SliceRange> ranges = rangesOf(op);
  ArrayRef<int64_t> shape = tensorOf(op->getOperand(0)).getShape();
  if (ranges.size() < 2)
    return std::nullopt;
  int64_t rows = ranges.size() - 2;
  for (auto [axis, range] : llvm::enumerate(ranges))
    if (int64_t(axis) != rows && range.size != shape[axis])
      return std::nullopt;
  if (ranges[rows].size != 1 || shape[rows] == 1)
    return std::nullopt;
  return Finding{"", "keeps one row of " + std::to_string(shape[rows]), ""};
}

std::optional<Finding> checkSliceOfInput(Operation *op, const TargetEnv &) {
  if (!isa<BlockArgument>(op->getOperand(0)))
    return std::nullopt;
  return Finding{operandName(op, 0), "an argument of the program", ""};
}

} // namespace mlir::ane
