//===- Relayout.h - algebra of reshapes and transposes ---------*- C++ -*-===//
//
// A relayout is reshape-transpose-reshape: the source is split into atoms (`expand`, row-major), the atoms are permuted
// (`perm`, result position -> source position), and the permuted atoms are regrouped into the result's shape. Every
// chain of reshapes and transposes whose cuts line up is one relayout, so layout passes compose, cancel and move these
// instead of matching chains. The type is independent of the shapes at both ends: it is valid for any source and result
// shape with the right number of elements.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_RELAYOUT_H
#define ANE_IR_RELAYOUT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::ane {

struct Relayout {
  SmallVector<int64_t> expand; // sizes of the atoms, in the source's order
  SmallVector<int64_t> perm;   // perm[i] = source atom that stands at position i of the result

  /// The relayout that moves nothing (a reshape) of `elements` elements.
  static Relayout reshape(int64_t elements);
  static Relayout transpose(ArrayRef<int64_t> shape, ArrayRef<int64_t> perm);

  /// Sizes of the atoms in the result's order.
  SmallVector<int64_t> permuted() const;
  int64_t numElements() const;

  /// True if no element moves: the relayout is a reshape.
  bool isReshape() const;

  Relayout inverse() const;

  /// The same relayout with the fewest atoms: neighbours that stay neighbours are one, atoms of size 1 are gone.
  Relayout normalized() const;

  /// This relayout followed by `next`, normalised; nothing if the cuts of the two do not line up.
  std::optional<Relayout> then(const Relayout &next) const;

  /// The same relayout with atoms refined so that the source shape's and the result shape's dimensions are unions of
  /// atoms. Atoms of size 1 are dropped. Nothing if an atom straddles a dimension border at a non-divisible place.
  std::optional<Relayout> refined(ArrayRef<int64_t> source, ArrayRef<int64_t> result) const;

  bool operator==(const Relayout &other) const { return expand == other.expand && perm == other.perm; }
};

/// For each atom of `atoms` (row-major sizes, none of them 1) the dimension of `shape` that contains it. `atoms` must
/// refine `shape`.
SmallVector<int64_t> atomDims(ArrayRef<int64_t> atoms, ArrayRef<int64_t> shape);

} // namespace mlir::ane

#endif // ANE_IR_RELAYOUT_H
