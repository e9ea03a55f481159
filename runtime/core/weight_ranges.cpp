//===- weight_ranges.cpp - Parts of weight files --------------------------===//
#include "runtime/core/weight_ranges.h"
#include <algorithm>
#include <iterator>

namespace ane::rt {

void WeightRanges::add(const WeightRange &range) {
  std::map<int64_t, int64_t> &ends = endsOf[range.path];
  int64_t begin = range.offset, end = begin + range.bytes;
  auto next = ends.upper_bound(begin);
  if (next != ends.begin() && std::prev(next)->second >= begin)
    --next;
  while (next != ends.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ends.erase(next);
  }
  ends[begin] = end;
}

void WeightRanges::add(const WeightRanges &other) {
  for (const WeightRange &range : other.list())
    add(range);
}

std::vector<WeightRange> WeightRanges::list() const {
  std::vector<WeightRange> ranges;
  for (const auto &[path, ends] : endsOf)
    for (auto [begin, end] : ends)
      ranges.push_back({path, begin, end - begin});
  return ranges;
}

} // namespace ane::rt
