//===- ConstantMove.cpp - ops that move constant elements -----------------===//

#include "ConstantMove.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ane;

bool mlir::ane::keepsOrder(Operation *op) { return isa<BlobOp, ReshapeOp, ExpandDimsOp, SqueezeOp, NarrowOp>(op); }

Value mlir::ane::movedOperand(Operation *op) {
  if (auto blob = dyn_cast<BlobOp>(op))
    return blob.getBody().front().getTerminator()->getOperand(0);
  if (keepsOrder(op) || isa<TransposeOp, RelayoutOp, SliceBySizeOp, SliceByIndexOp>(op))
    return op->getOperand(0);
  return nullptr;
}

std::optional<StridedView> mlir::ane::viewThrough(Operation *op, const StridedView &operand) {
  if (keepsOrder(op))
    return operand;
  auto relayout = dyn_cast<RelayoutOp>(op);
  std::optional<StridedView> view =
      operand.reshape(relayout ? relayout.getExpand() : cast<ShapedType>(op->getOperand(0).getType()).getShape());
  if (!view)
    return std::nullopt;
  return relayout ? view->transpose(relayout.getPerm()) : cast<StridedViewOpInterface>(op).viewResult(*view, 0);
}

bool mlir::ane::transposes(const StridedView &view) {
  size_t rank = view.shape.size();
  return rank >= 2 && view.strides[rank - 1] != 1 && view.strides[rank - 2] == 1;
}

/// to[row][i] = from[i * step + row]. What is read are `deep` whole lines of memory in turn, what is written whole
/// lines of as many rows.
template <typename T>
static void transposeMatrix(const char *from, int64_t step, char *to, int64_t rows, int64_t columns) {
  // The lines that are read lie pages apart, where no processor expects them: they are asked for some rows ahead.
  constexpr int64_t side = 64 / sizeof(T), deep = 8 * side, ahead = 16;
  T square[deep][side], line[deep];
  for (int64_t row = 0; row < rows; row += deep)
    for (int64_t column = 0; column < columns; column += side) {
      int64_t height = std::min(deep, rows - row), width = std::min(side, columns - column);
      for (int64_t i = 0; i < width; ++i) {
        const char *source = from + ((column + i) * step + row) * int64_t(sizeof(T));
        if (column + i + ahead < columns)
          for (int64_t byte = 0; byte < height * int64_t(sizeof(T)); byte += 64)
            __builtin_prefetch(source + ahead * step * int64_t(sizeof(T)) + byte);
        if (height == deep) {
          std::memcpy(line, source, sizeof(line));
          for (int64_t r = 0; r < deep; ++r)
            square[r][i] = line[r];
        } else {
          std::memcpy(line, source, height * sizeof(T));
          for (int64_t r = 0; r < height; ++r)
            square[r][i] = line[r];
        }
      }
      for (int64_t r = 0; r < height; ++r)
        std::memcpy(to + ((row + r) * columns + column) * int64_t(sizeof(T)), square[r], width * sizeof(T));
    }
}

template <typename T>
static void gatherRows(const StridedView &view, const char *in, char *out) {
  ArrayRef<int64_t> shape = view.shape, strides = view.strides;
  int64_t inner = shape.back(), step = strides.back(), last = int64_t(shape.size()) - 2;
  bool asMatrix = transposes(view);
  int64_t rows = asMatrix ? shape[last] : 1;
  last -= asMatrix ? 1 : 0;
  SmallVector<int64_t> index(shape.size(), 0);
  const char *from = in + view.base * int64_t(sizeof(T));
  while (true) {
    if (asMatrix)
      transposeMatrix<T>(from, step, out, rows, inner);
    else if (step == 1)
      std::memcpy(out, from, inner * sizeof(T));
    else
      for (int64_t i = 0; i < inner; ++i)
        std::memcpy(out + i * sizeof(T), from + i * step * int64_t(sizeof(T)), sizeof(T));
    out += rows * inner * int64_t(sizeof(T));
    int64_t dim = last;
    for (; dim >= 0; --dim) {
      from += strides[dim] * int64_t(sizeof(T));
      if (++index[dim] < shape[dim])
        break;
      from -= strides[dim] * shape[dim] * int64_t(sizeof(T));
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

void mlir::ane::gather(const StridedView &view, unsigned elementBytes, const char *in, char *out) {
  if (llvm::is_contained(view.shape, 0))
    return;
  switch (elementBytes) {
  case 1:
    return gatherRows<uint8_t>(view, in, out);
  case 2:
    return gatherRows<uint16_t>(view, in, out);
  case 4:
    return gatherRows<uint32_t>(view, in, out);
  default:
    return gatherRows<uint64_t>(view, in, out);
  }
}
