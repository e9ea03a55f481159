//===- layout.cpp - Plan tensors in surfaces ------------------------------===//
#include "runtime/core/layout.h"
#include "runtime/core/convert.h"
#include "runtime/support/transpose.h"
#include <algorithm>
#include <cstring>
#include <type_traits>

namespace ane::rt {
namespace {

using Dim = StridedCopy::Dim;

/// Side of the square tile of a transposition that converts: 64 rows of 64 fp16 are 8 KiB and stay in L1.
constexpr int64_t kTile = 64;
/// Elements gathered before one conversion.
constexpr int64_t kGather = 256;

std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    strides[i] = stride;
  return strides;
}

/// The common refinement of two factorings of the same number of elements, e.g.
/// [6,4] and [2,12] give [2,3,4]. Empty when a boundary of one cuts through the
/// other without dividing it, e.g. [6,4] and [8,3].
std::vector<int64_t> refine(std::vector<int64_t> a, std::vector<int64_t> b) {
  std::vector<int64_t> result;
  while (!a.empty() && !b.empty()) {
    int64_t part = std::min(a.back(), b.back());
    if (a.back() % part != 0 || b.back() % part != 0)
      return {};
    if (part != 1)
      result.push_back(part);
    a.back() /= part;
    b.back() /= part;
    // Both reach 1 in the end, since the products are equal.
    if (a.back() == 1)
      a.pop_back();
    if (!b.empty() && b.back() == 1)
      b.pop_back();
  }
  std::reverse(result.begin(), result.end());
  return result;
}

/// Strides of the pieces that `refined` cuts the dimensions of `shape` into.
std::vector<int64_t> refineStrides(const std::vector<int64_t> &refined, const std::vector<int64_t> &shape,
                                   const std::vector<int64_t> &strides) {
  std::vector<int64_t> result(refined.size());
  size_t dim = shape.size();
  int64_t taken = 1; // of dimension `dim`
  for (size_t i = refined.size(); i-- > 0;) {
    if (dim == shape.size() || taken == shape[dim]) {
      do
        --dim;
      while (shape[dim] == 1);
      taken = 1;
    }
    result[i] = strides[dim] * taken;
    taken *= refined[i];
  }
  return result;
}

template <typename T>
void gather(const uint8_t *from, int64_t stride, int64_t count, uint8_t *to) {
  auto *source = reinterpret_cast<const T *>(from);
  auto *target = reinterpret_cast<T *>(to);
  for (int64_t i = 0; i < count; ++i)
    target[i] = source[i * stride];
}

/// Calls fn with a null pointer to an unsigned type of that many bytes.
template <typename Fn>
void withElement(int64_t bytes, Fn &&fn) {
  switch (bytes) {
  case 1:
    return fn(static_cast<uint8_t *>(nullptr));
  case 2:
    return fn(static_cast<uint16_t *>(nullptr));
  case 4:
    return fn(static_cast<uint32_t *>(nullptr));
  default:
    return fn(static_cast<uint64_t *>(nullptr));
  }
}

} // namespace

StridedCopy::StridedCopy(std::vector<Dim> dims, ElementType fromType, ElementType toType)
    : fromType(fromType), toType(toType) {
  // Outermost of the target first, and neighbours that are contiguous on both
  // sides made one.
  std::sort(dims.begin(), dims.end(), [](const Dim &a, const Dim &b) { return a.toStride > b.toStride; });
  for (const Dim &dim : dims) {
    if (dim.size == 1)
      continue;
    if (!loops.empty() && loops.back().fromStride == dim.fromStride * dim.size &&
        loops.back().toStride == dim.toStride * dim.size)
      loops.back() = {loops.back().size * dim.size, dim.fromStride, dim.toStride};
    else
      loops.push_back(dim);
  }
  if (loops.empty() || loops.back().toStride != 1)
    return; // element by element: the default kernel copies one
  inner = loops.back();
  loops.pop_back();
  if (inner.fromStride == 1)
    return;
  kernel = &StridedCopy::gathered;
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i].fromStride == 1) {
      rows = loops[i];
      loops.erase(loops.begin() + i);
      kernel = &StridedCopy::transposed;
      break;
    }
}

void StridedCopy::run(const void *from, void *to) const {
  outer(0, static_cast<const uint8_t *>(from), static_cast<uint8_t *>(to));
}

void StridedCopy::outer(size_t dim, const uint8_t *from, uint8_t *to) const {
  if (dim == loops.size())
    return (this->*kernel)(from, to);
  const Dim &loop = loops[dim];
  int64_t fromStep = loop.fromStride * byteWidth(fromType);
  int64_t toStep = loop.toStride * byteWidth(toType);
  for (int64_t i = 0; i < loop.size; ++i)
    outer(dim + 1, from + i * fromStep, to + i * toStep);
}

void StridedCopy::contiguous(const uint8_t *from, uint8_t *to) const {
  convertElements(from, fromType, to, toType, inner.size);
}

void StridedCopy::transposed(const uint8_t *from, uint8_t *to) const {
  int64_t fromBytes = byteWidth(fromType), toBytes = byteWidth(toType);
  if (fromType == toType)
    return transpose(from, inner.fromStride, to, rows.toStride, inner.size, rows.size, fromBytes);
  // The narrower of the two types is transposed.
  alignas(64) uint8_t tile[kTile * kTile * sizeof(uint64_t)];
  const bool isNarrowed = toBytes < fromBytes;
  for (int64_t r = 0; r < rows.size; r += kTile)
    for (int64_t c = 0; c < inner.size; c += kTile) {
      const int64_t height = std::min(kTile, rows.size - r), width = std::min(kTile, inner.size - c);
      const uint8_t *source = from + (r + c * inner.fromStride) * fromBytes;
      uint8_t *target = to + (r * rows.toStride + c) * toBytes;
      for (int64_t i = 0; isNarrowed && i < width; ++i)
        convertElements(source + i * inner.fromStride * fromBytes, fromType, tile + i * kTile * toBytes, toType,
                        height);
      if (isNarrowed)
        transpose(tile, kTile, target, rows.toStride, width, height, toBytes);
      else
        transpose(source, inner.fromStride, tile, kTile, width, height, fromBytes);
      for (int64_t i = 0; !isNarrowed && i < height; ++i)
        convertElements(tile + i * kTile * fromBytes, fromType, target + i * rows.toStride * toBytes, toType, width);
    }
}

void StridedCopy::gathered(const uint8_t *from, uint8_t *to) const {
  int64_t fromBytes = byteWidth(fromType), toBytes = byteWidth(toType);
  alignas(64) uint8_t buffer[kGather * sizeof(uint64_t)];
  for (int64_t i = 0; i < inner.size; i += kGather) {
    int64_t count = std::min(kGather, inner.size - i);
    withElement(fromBytes, [&](auto *type) {
      gather<std::remove_pointer_t<decltype(type)>>(from + i * inner.fromStride * fromBytes, inner.fromStride, count,
                                                    buffer);
    });
    convertElements(buffer, fromType, to + i * toBytes, toType, count);
  }
}

SurfaceLayout::SurfaceLayout(ElementType tensor, const manifest::Surface &surface)
    : tensorType(tensor), surfaceType(surface.dtype) {
  // The transposed tensor, and where its elements are in the plan's tensor.
  std::vector<int64_t> shape, tensorStrides;
  if (surface.expand.empty()) {
    shape = surface.shape;
    tensorStrides = denseStrides(shape);
  } else {
    std::vector<int64_t> expanded = denseStrides(surface.expand);
    for (int64_t axis : surface.perm) {
      shape.push_back(surface.expand[axis]);
      tensorStrides.push_back(expanded[axis]);
    }
  }
  // The surface as rows, or as one long row where nothing is padded.
  int64_t declared = surface.shape.empty() ? 1 : surface.shape.back();
  rowCount = manifest::elementCount(surface.shape) / declared;
  int64_t count = manifest::dataElements(surface), width = rowElements = count / rowCount;
  int64_t stride = rowStride = surface.rowStride / byteWidth(surface.dtype);
  std::vector<int64_t> rows = {rowCount, width};
  std::vector<int64_t> rowStrides = {stride, 1};
  std::vector<int64_t> pieces = refine(shape, rows);
  if (pieces.empty() && count != 1) {
    if (stride != width) {
      staging.resize((count * byteWidth(surface.dtype) + 7) / 8);
      pad = StridedCopy({{rows[0], width, stride}, {width, 1, 1}}, surface.dtype, surface.dtype);
      unpad = StridedCopy({{rows[0], stride, width}, {width, 1, 1}}, surface.dtype, surface.dtype);
    }
    rows = {count};
    rowStrides = {1};
    pieces = refine(shape, rows);
  }
  std::vector<int64_t> tensorSide = refineStrides(pieces, shape, tensorStrides);
  std::vector<int64_t> surfaceSide = refineStrides(pieces, rows, rowStrides);
  std::vector<Dim> unpackDims;
  for (size_t i = 0; i < pieces.size(); ++i) {
    packDims.push_back({pieces[i], tensorSide[i], surfaceSide[i]});
    unpackDims.push_back({pieces[i], surfaceSide[i], tensorSide[i]});
  }
  pack = StridedCopy(packDims, tensor, surface.dtype);
  unpack = StridedCopy(std::move(unpackDims), surface.dtype, tensor);
}

void SurfaceLayout::toSurface(const void *tensor, void *surface) {
  if (staging.empty())
    return pack.run(tensor, surface);
  pack.run(tensor, staging.data());
  pad.run(staging.data(), surface);
}

SurfaceLayout::Entries SurfaceLayout::entriesAlong(const std::vector<int64_t> &shape, int64_t axis) const {
  Entries along = {axis};
  if (!staging.empty())
    return along;
  along.stride = manifest::elementCount({shape.begin() + axis + 1, shape.end()});
  const int64_t end = along.stride * shape[axis];
  std::vector<Dim> inside;
  for (Dim dim : packDims) {
    // Cut where entries begin and where the axis ends.
    for (int64_t border : {along.stride, end})
      if (dim.fromStride < border && border < dim.fromStride * dim.size) {
        int64_t part = border / dim.fromStride;
        if (border % dim.fromStride != 0 || dim.size % part != 0)
          return along;
        (border == end ? along.dims : inside).push_back({part, dim.fromStride, dim.toStride});
        dim = {dim.size / part, border, dim.toStride * part};
      }
    bool counts = dim.fromStride >= along.stride && dim.fromStride < end;
    (counts ? along.dims : inside).push_back(dim);
  }
  along.one = StridedCopy(std::move(inside), tensorType, surfaceType);
  along.areApart = true;
  return along;
}

const SurfaceLayout::Entries *SurfaceLayout::find(int64_t axis) const {
  auto found = std::find_if(entries.begin(), entries.end(), [&](const Entries &each) { return each.axis == axis; });
  return found == entries.end() ? nullptr : &*found;
}

bool SurfaceLayout::prepareEntries(const std::vector<int64_t> &shape, int64_t axis) {
  if (!find(axis))
    entries.push_back(entriesAlong(shape, axis));
  return find(axis)->areApart;
}

void SurfaceLayout::entriesToSurface(int64_t axis, int64_t first, int64_t count, const void *tensor,
                                     void *surface) const {
  const Entries &along = *find(axis);
  for (int64_t i = first; i < first + count; ++i) {
    int64_t place = 0;
    for (const Dim &dim : along.dims)
      place += i * along.stride / dim.fromStride % dim.size * dim.toStride;
    along.one.run(static_cast<const uint8_t *>(tensor) + i * along.stride * byteWidth(tensorType),
                  static_cast<uint8_t *>(surface) + place * byteWidth(surfaceType));
  }
}

Extent SurfaceLayout::extent(const void *surface) const {
  if (rowStride == rowElements)
    return rt::extentOf(surface, surfaceType, rowCount * rowElements);
  auto *row = static_cast<const uint8_t *>(surface);
  Extent all;
  for (int64_t i = 0; i < rowCount; ++i, row += rowStride * byteWidth(surfaceType))
    all.add(rt::extentOf(row, surfaceType, rowElements));
  return all;
}

int64_t SurfaceLayout::clampInfinite(void *surface) const {
  auto *row = static_cast<uint8_t *>(surface);
  int64_t found = 0;
  for (int64_t i = 0; i < rowCount; ++i, row += rowStride * byteWidth(surfaceType))
    found += rt::clampInfinite(row, surfaceType, rowElements);
  return found;
}

void SurfaceLayout::fromSurface(const void *surface, void *tensor) {
  if (staging.empty())
    return unpack.run(surface, tensor);
  unpad.run(surface, staging.data());
  unpack.run(staging.data(), tensor);
}

} // namespace ane::rt
