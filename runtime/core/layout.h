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

  /// Padding of the surface is not touched. One thread at a time.
  void toSurface(const void *tensor, void *surface);
  void fromSurface(const void *surface, void *tensor);

  /// Writes zeros wherever the surface has no data. Programs that read it expect them, and one that has written it may
  /// have left other values.
  void clearRest(void *surface) const;
  bool hasRest() const { return restElements != 0; }
  /// As rt::extentOf, of its elements.
  Extent extent(const void *surface) const;
  /// As rt::clampInfinite, of its elements.
  int64_t clampInfinite(void *surface) const;

  /// Prepares entriesToSurface for entries of `axis` of the tensor's `shape`.
  /// False where the surface does not keep entries apart.
  bool prepareEntries(const std::vector<int64_t> &shape, int64_t axis);
  /// Entries [first, first + count) of the prepared axis alone.
  void entriesToSurface(int64_t first, int64_t count, const void *tensor, void *surface) const;

private:
  std::vector<StridedCopy::Dim> packDims; ///< of `pack`
  StridedCopy pack, unpack;
  StridedCopy entry;                       ///< one entry
  std::vector<StridedCopy::Dim> entryDims; ///< what entries are counted by
  int64_t entryStride = 0;                 ///< of the tensor, elements
  ElementType tensorType = ElementType::Float32, surfaceType = ElementType::Float32;
  int64_t rowCount = 0, rowElements = 0, rowStride = 0; ///< of the surface, elements
  int64_t restElements = 0;                             ///< of a row, behind its data
  /// Where a row ends in the middle of a transposed dimension, elements take a
  /// second step through a surface without padding; empty elsewhere.
  std::vector<uint64_t> staging;
  StridedCopy pad, unpad;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_LAYOUT_H
