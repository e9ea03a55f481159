//===- Arena.cpp - placement of intermediate values -----------------------===//

#include "Plan.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// Largest first, each at the lowest gap between the placed buffers that live at the same time.
uint64_t host::planArena(MutableArrayRef<Lifetime> buffers) {
  SmallVector<Lifetime *> bySize;
  for (Lifetime &buffer : buffers)
    bySize.push_back(&buffer);
  llvm::stable_sort(bySize, [](Lifetime *a, Lifetime *b) { return a->bytes > b->bytes; });
  SmallVector<Lifetime *> placed;
  uint64_t total = 0;
  for (Lifetime *buffer : bySize) {
    SmallVector<Lifetime *> overlapping;
    for (Lifetime *other : placed)
      if (other->first <= buffer->last && buffer->first <= other->last)
        overlapping.push_back(other);
    llvm::sort(overlapping, [](Lifetime *a, Lifetime *b) { return a->offset < b->offset; });
    uint64_t offset = 0;
    for (Lifetime *other : overlapping) {
      if (other->offset >= offset + buffer->bytes)
        break;
      offset = std::max(offset, llvm::alignTo(other->offset + other->bytes, 64));
    }
    buffer->offset = offset;
    total = std::max(total, llvm::alignTo(offset + buffer->bytes, 64));
    placed.push_back(buffer);
  }
  return total;
}
