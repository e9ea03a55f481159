//===- Relayout.cpp - algebra of reshapes and transposes ------------------===//

#include "ane/IR/Relayout.h"
#include "ane/IR/ShapeAlgebra.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ane;

Relayout Relayout::reshape(int64_t elements) { return {{elements}, {0}}; }

Relayout Relayout::transpose(ArrayRef<int64_t> shape, ArrayRef<int64_t> perm) {
  return {llvm::to_vector(shape), llvm::to_vector(perm)};
}

SmallVector<int64_t> Relayout::permuted() const { return ane::permuted(expand, perm); }

int64_t Relayout::numElements() const { return ane::numElements(expand); }

Relayout Relayout::inverse() const {
  Relayout inv;
  inv.expand = permuted();
  inv.perm.resize(perm.size());
  for (auto [i, p] : llvm::enumerate(perm))
    inv.perm[p] = i;
  return inv;
}

Relayout Relayout::normalized() const {
  // Positions in the result of the atoms that count, in the source's order.
  SmallVector<int64_t> position(expand.size());
  for (auto [i, p] : llvm::enumerate(perm))
    position[p] = i;
  SmallVector<int64_t> kept;
  for (size_t a = 0; a < expand.size(); ++a)
    if (expand[a] != 1)
      kept.push_back(a);
  // Rank of each kept atom among the kept ones in the result.
  SmallVector<int64_t> byPosition = kept;
  llvm::sort(byPosition, [&](int64_t a, int64_t b) { return position[a] < position[b]; });
  SmallVector<int64_t> rank(expand.size(), -1);
  for (auto [i, a] : llvm::enumerate(byPosition))
    rank[a] = i;

  Relayout out;
  SmallVector<int64_t> firstRank; // result rank of each merged atom's first part
  int64_t previous = -2;
  for (int64_t a : kept) {
    if (rank[a] == previous + 1 && !out.expand.empty()) {
      out.expand.back() *= expand[a];
    } else {
      out.expand.push_back(expand[a]);
      firstRank.push_back(rank[a]);
    }
    previous = rank[a];
  }
  SmallVector<int64_t> order(out.expand.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](int64_t a, int64_t b) { return firstRank[a] < firstRank[b]; });
  out.perm = order;
  if (out.expand.empty())
    return reshape(1);
  return out;
}

bool Relayout::isReshape() const { return normalized().expand.size() <= 1; }

/// The coarsest row-major splitting that refines both `a` and `b`; nothing if their cuts do not line up. Sizes of 1 are
/// dropped.
static std::optional<SmallVector<int64_t>> commonRefinement(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (llvm::is_contained(a, 0) || llvm::is_contained(b, 0))
    return std::nullopt; // an empty tensor has no atoms that could line up
  SmallVector<int64_t> out;
  size_t i = 0, j = 0;
  int64_t left = 1, right = 1; // what is left of the current pieces
  while (true) {
    while (left == 1 && i < a.size())
      left = a[i++];
    while (right == 1 && j < b.size())
      right = b[j++];
    if (left == 1 || right == 1)
      break;
    int64_t piece = std::min(left, right), rest = std::max(left, right);
    // Row-major: the outer part of the larger piece is split off, so it must be a multiple.
    if (rest % piece != 0)
      return std::nullopt;
    out.push_back(piece);
    left /= piece;
    right /= piece;
  }
  if (left != right)
    return std::nullopt;
  return out;
}

/// Splits each of `sizes` into the run of `pieces` that covers it: counts of pieces per size.
static SmallVector<int64_t> piecesPerAtom(ArrayRef<int64_t> sizes, ArrayRef<int64_t> pieces) {
  SmallVector<int64_t> counts;
  size_t next = 0;
  for (int64_t size : sizes) {
    int64_t covered = 1, count = 0;
    while (covered < size) {
      covered *= pieces[next++];
      ++count;
    }
    counts.push_back(count);
  }
  return counts;
}

/// Splits the atoms of `layout` so that its permuted sizes are `pieces` (which refine them), none of size 1.
static Relayout splitByResult(const Relayout &layout, ArrayRef<int64_t> pieces) {
  SmallVector<int64_t> counts = piecesPerAtom(layout.permuted(), pieces); // by result position
  SmallVector<SmallVector<int64_t>> parts(layout.expand.size());          // piece indices by source atom
  int64_t next = 0;
  for (auto [i, count] : llvm::enumerate(counts))
    for (int64_t k = 0; k < count; ++k)
      parts[layout.perm[i]].push_back(next++);
  Relayout out;
  out.perm.resize(pieces.size());
  for (auto &atom : parts)
    for (int64_t piece : atom) {
      out.perm[piece] = out.expand.size();
      out.expand.push_back(pieces[piece]);
    }
  return out;
}

static Relayout splitBySource(const Relayout &layout, ArrayRef<int64_t> pieces) {
  return splitByResult(layout.inverse(), pieces).inverse();
}

std::optional<Relayout> Relayout::then(const Relayout &next) const {
  auto middle = commonRefinement(permuted(), next.expand);
  if (!middle)
    return std::nullopt;
  Relayout first = splitByResult(*this, *middle), second = splitBySource(next, *middle);
  Relayout out;
  out.expand = first.expand;
  for (int64_t p : second.perm)
    out.perm.push_back(first.perm[p]);
  return out.normalized();
}

std::optional<Relayout> Relayout::refined(ArrayRef<int64_t> source, ArrayRef<int64_t> result) const {
  auto bySource = commonRefinement(expand, source);
  if (!bySource)
    return std::nullopt;
  Relayout split = splitBySource(*this, *bySource);
  auto byResult = commonRefinement(split.permuted(), result);
  if (!byResult)
    return std::nullopt;
  return splitByResult(split, *byResult);
}

SmallVector<int64_t> mlir::ane::atomDims(ArrayRef<int64_t> atoms, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> dims;
  size_t dim = 0;
  int64_t covered = 1;
  for (int64_t atom : atoms) {
    while (covered == shape[dim]) {
      ++dim;
      covered = 1;
    }
    covered *= atom;
    dims.push_back(dim);
  }
  return dims;
}
