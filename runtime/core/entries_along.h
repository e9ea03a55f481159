//===- entries_along.h - A dense tensor along an axis -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_ENTRIES_ALONG_H
#define ANE_RUNTIME_CORE_ENTRIES_ALONG_H

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace ane::rt {

/// How a dense tensor's entries along an axis lie in memory: in `outer` parts, each of which has some of all `size`
/// entries, one behind the other, `inner` elements of each.
struct EntriesAlong {
  EntriesAlong(const std::vector<int64_t> &shape, int64_t axis)
      : outer(product(shape.begin(), shape.begin() + axis)), size(shape[axis]),
        inner(product(shape.begin() + axis + 1, shape.end())) {}
  /// All of the tensor is one entry.
  explicit EntriesAlong(const std::vector<int64_t> &shape) : inner(product(shape.begin(), shape.end())) {}

  int64_t outer = 1, size = 1, inner;

private:
  using Place = std::vector<int64_t>::const_iterator;
  /// Allocates nothing, for runs.
  static int64_t product(Place begin, Place end) {
    return std::accumulate(begin, end, int64_t(1), std::multiplies<>());
  }
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_ENTRIES_ALONG_H
