//===- MinimumCut.h - the cheapest cut between two nodes -------*- C++ -*-===//
#ifndef ANE_LIB_TRANSFORMS_MINIMUMCUT_H
#define ANE_LIB_TRANSFORMS_MINIMUMCUT_H

#include "llvm/ADT/BitVector.h"
#include <cstdint>
#include <limits>
#include <vector>

namespace mlir::ane {

/// Finds the set of edges of least total cost without which no path leads from node 0 to node 1 (Dinic's algorithm).
class MinimumCut {
public:
  /// Of an edge that is never cut.
  static constexpr int64_t never = std::numeric_limits<int64_t>::max() / 4;

  explicit MinimumCut(unsigned nodes) : leaving(nodes) {}
  void addEdge(unsigned from, unsigned to, int64_t cost);
  /// The nodes on the side of node 0.
  llvm::BitVector find();

private:
  struct Edge {
    unsigned to;
    int64_t room;
  };
  bool rank();
  bool advance();

  std::vector<Edge> edges; // each beside the one that leads back
  std::vector<std::vector<unsigned>> leaving;
  std::vector<unsigned> ranks, next;
};

} // namespace mlir::ane

#endif // ANE_LIB_TRANSFORMS_MINIMUMCUT_H
