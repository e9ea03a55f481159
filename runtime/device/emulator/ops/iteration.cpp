//===- iteration.cpp - Loops over broadcast and strided tensors -----------===//

#include "runtime/device/emulator/ops/iteration.h"

#include <algorithm>
#include <cstring>

namespace ane::rt::emulator {

std::optional<Shape> broadcastShapes(const Shape &a, const Shape &b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t fromA = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t fromB = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (fromA != fromB && fromA != 1 && fromB != 1)
      return std::nullopt;
    out[out.size() - 1 - i] = fromA == 1 ? fromB : fromA;
  }
  return out;
}

Shape broadcastStrides(const Shape &operand, const Shape &out) {
  Shape dense = rowMajorStrides(operand);
  Shape result(out.size(), 0);
  size_t shift = out.size() - operand.size();
  for (size_t i = 0; i < operand.size(); ++i)
    result[i + shift] = operand[i] == 1 ? 0 : dense[i];
  return result;
}

void mergeAxes(Shape &extents, Shape *views, size_t count) {
  size_t kept = 0;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == 1)
      continue;
    bool merges = kept != 0;
    for (size_t v = 0; v < count && merges; ++v)
      merges = views[v][kept - 1] == views[v][axis] * extents[axis];
    if (merges) {
      extents[kept - 1] *= extents[axis];
      for (size_t v = 0; v < count; ++v)
        views[v][kept - 1] = views[v][axis];
      continue;
    }
    extents[kept] = extents[axis];
    for (size_t v = 0; v < count; ++v)
      views[v][kept] = views[v][axis];
    ++kept;
  }
  extents.resize(kept);
  for (size_t v = 0; v < count; ++v)
    views[v].resize(kept);
}

namespace {

void copyRow(const uint32_t *src, int64_t srcStep, uint32_t *dst, int64_t dstStep, int64_t count) {
  if (srcStep == 1 && dstStep == 1) {
    std::memcpy(dst, src, static_cast<size_t>(count) * sizeof(uint32_t));
    return;
  }
  if (srcStep == 0 && dstStep == 1) {
    std::fill(dst, dst + count, *src);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    dst[i * dstStep] = src[i * srcStep];
}

/// A plane in which the source is contiguous along the other axis than the
/// destination: blocks keep both in the cache.
void copyPlane(const uint32_t *src, int64_t srcRow, int64_t srcColumn, uint32_t *dst, int64_t dstRow, int64_t dstColumn,
               int64_t rows, int64_t columns) {
  constexpr int64_t kBlock = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock)
    for (int64_t c0 = 0; c0 < columns; c0 += kBlock) {
      int64_t r1 = std::min(rows, r0 + kBlock);
      int64_t c1 = std::min(columns, c0 + kBlock);
      for (int64_t r = r0; r < r1; ++r)
        for (int64_t c = c0; c < c1; ++c)
          dst[r * dstRow + c * dstColumn] = src[r * srcRow + c * srcColumn];
    }
}

} // namespace

void copyStrided(const uint32_t *src, const Shape &srcStrides, uint32_t *dst, const Shape &dstStrides,
                 const Shape &shape) {
  if (product(shape) == 0)
    return;
  Shape extents = shape;
  Shape views[2] = {srcStrides, dstStrides};
  mergeAxes(extents, views, 2);
  if (extents.empty()) {
    *dst = *src;
    return;
  }
  size_t inner = extents.size() - 1;
  // The axis along which the source is contiguous joins the innermost one in a
  // blocked plane.
  size_t plane = inner;
  if (views[0][inner] != 1)
    for (size_t axis = 0; axis < inner; ++axis)
      if (views[0][axis] == 1)
        plane = axis;
  Shape outerExtents, outerSrc, outerDst;
  for (size_t axis = 0; axis < inner; ++axis) {
    if (axis == plane)
      continue;
    outerExtents.push_back(extents[axis]);
    outerSrc.push_back(views[0][axis]);
    outerDst.push_back(views[1][axis]);
  }
  int64_t total = product(outerExtents);
  Shape index(outerExtents.size(), 0);
  for (int64_t step = 0; step < total; ++step) {
    if (plane == inner)
      copyRow(src, views[0][inner], dst, views[1][inner], extents[inner]);
    else
      copyPlane(src, views[0][plane], views[0][inner], dst, views[1][plane], views[1][inner], extents[plane],
                extents[inner]);
    for (size_t axis = index.size(); axis-- > 0;) {
      src += outerSrc[axis];
      dst += outerDst[axis];
      if (++index[axis] < outerExtents[axis])
        break;
      index[axis] = 0;
      src -= outerSrc[axis] * outerExtents[axis];
      dst -= outerDst[axis] * outerExtents[axis];
    }
  }
}

void gatherStrided(const uint32_t *src, const Shape &srcStrides, uint32_t *dst, const Shape &extents) {
  copyStrided(src, srcStrides, dst, rowMajorStrides(extents), extents);
}

} // namespace ane::rt::emulator
