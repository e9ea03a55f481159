//===- MinimumCut.cpp - the cheapest cut between two nodes ----------------===//

#include "MinimumCut.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::ane;

static constexpr unsigned unreached = std::numeric_limits<unsigned>::max();

void MinimumCut::addEdge(unsigned from, unsigned to, int64_t cost) {
  leaving[from].push_back(edges.size());
  edges.push_back({to, cost});
  leaving[to].push_back(edges.size());
  edges.push_back({from, 0});
}

/// Counts edges with room from node 0 to each node. Returns whether node 1 can be reached.
bool MinimumCut::rank() {
  ranks.assign(leaving.size(), unreached);
  std::vector<unsigned> open{0};
  ranks[0] = 0;
  for (size_t i = 0; i < open.size(); ++i)
    for (unsigned edge : leaving[open[i]])
      if (edges[edge].room > 0 && ranks[edges[edge].to] == unreached) {
        ranks[edges[edge].to] = ranks[open[i]] + 1;
        open.push_back(edges[edge].to);
      }
  return ranks[1] != unreached;
}

/// Fills one path to node 1 along ascending ranks. Returns whether there is one.
bool MinimumCut::advance() {
  std::vector<unsigned> path;
  for (unsigned node = 0; node != 1;) {
    unsigned &edge = next[node];
    while (edge < leaving[node].size()) {
      const Edge &tried = edges[leaving[node][edge]];
      if (tried.room > 0 && ranks[tried.to] == ranks[node] + 1)
        break;
      ++edge;
    }
    if (edge < leaving[node].size()) {
      path.push_back(leaving[node][edge]);
      node = edges[path.back()].to;
    } else if (path.empty()) {
      return false;
    } else { // a dead end
      node = edges[path.back() ^ 1].to;
      path.pop_back();
      ++next[node];
    }
  }
  int64_t room = never;
  for (unsigned edge : path)
    room = std::min(room, edges[edge].room);
  for (unsigned edge : path) {
    edges[edge].room -= room;
    edges[edge ^ 1].room += room;
  }
  return true;
}

llvm::BitVector MinimumCut::find() {
  while (rank()) {
    next.assign(leaving.size(), 0);
    while (advance())
      ;
  }
  llvm::BitVector side(leaving.size());
  for (unsigned node = 0; node < leaving.size(); ++node)
    side[node] = ranks[node] != unreached;
  return side;
}
