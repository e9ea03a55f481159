//===- layout.h - Plan tensors in surfaces ----------------------*- C++ -*-===//
//
// Moves elements between a dense plan tensor and a surface as
// manifest::Surface describes:
//   tensor -> reshape(expand) -> transpose(perm) -> reshape(shape) -> rows
// The work of finding out how is done once, when a program is loaded.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_LAYOUT_H
#define ANE_RUNTIME_CORE_LAYOUT_H

#include "runtime/core/numeric.h"
#include "runtime/format/manifest/manifest.h"

namespace ane::rt {

/// A copy between two strided arrays, converting on the way. Dimensions are
/// ordered from the outermost of the target inwards.
class StridedCopy {
public:
  struct Dim {
    int64_t size;
    int64_t fromStride, toStride; // elements
  };

  StridedCopy() = default;
  StridedCopy(std::vector<Dim> dims, ElementType fromType, ElementType toType);

  void run(const void *from, void *to) const;

private:
  void outer(size_t dim, const uint8_t *from, uint8_t *to) const;
  void contiguous(const uint8_t *from, uint8_t *to) const;
  void transposed(const uint8_t *from, uint8_t *to) const;
  void gathered(const uint8_t *from, uint8_t *to) const;

  std::vector<Dim> loops; ///< around the kernel
  Dim rows{1, 0, 0};      ///< transposed kernel only: contiguous in the source
  Dim inner{1, 1, 1};     ///< innermost of the target
  void (StridedCopy::*kernel)(const uint8_t *, uint8_t *) const = &StridedCopy::contiguous;
  ElementType fromType = ElementType::Float32;
  ElementType toType = ElementType::Float32;
};

/// Both directions for one surface.
class SurfaceLayout {
public:
  SurfaceLayout() = default;
  /// `surface` has passed manifest::verify and its data has as many elements as
  /// the tensor of type `tensor`.
  SurfaceLayout(ElementType tensor, const manifest::Surface &surface);

  /// What the surface has beside the tensor's elements is not touched, and means nothing: programs cut it off.
  /// One thread at a time.
  void toSurface(const void *tensor, void *surface);
  void fromSurface(const void *surface, void *tensor);

  /// As rt::extentOf, of its elements.
  Extent extent(const void *surface) const;
  /// As rt::clampInfinite, of its elements.
  int64_t clampInfinite(void *surface) const;

  /// Prepares entriesToSurface for entries of `axis` of the tensor's `shape`, the first time.
  /// False where the surface does not keep entries apart.
  bool prepareEntries(const std::vector<int64_t> &shape, int64_t axis);
  /// Entries [first, first + count) of a prepared axis alone.
  void entriesToSurface(int64_t axis, int64_t first, int64_t count, const void *tensor, void *surface) const;

private:
  /// Copies entries along an axis.
  struct EntryCopy {
    int64_t axis;
    bool areApart = false;
    StridedCopy one = {};
    std::vector<StridedCopy::Dim> dims = {}; ///< what they are counted by
    int64_t inner = 0;                       ///< EntriesAlong::inner
  };
  EntryCopy copyAlong(const std::vector<int64_t> &shape, int64_t axis) const;
  const EntryCopy *find(int64_t axis) const;

  std::vector<StridedCopy::Dim> packDims; ///< of `pack`
  StridedCopy pack, unpack;
  std::vector<EntryCopy> entries; ///< that were prepared
  ElementType tensorType = ElementType::Float32, surfaceType = ElementType::Float32;
  int64_t rowCount = 0, rowElements = 0, rowStride = 0; ///< of the surface, elements
  /// Where a row ends in the middle of a transposed dimension, elements take a
  /// second step through a surface without padding; empty elsewhere.
  std::vector<uint64_t> staging;
  StridedCopy pad, unpad;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_LAYOUT_H
