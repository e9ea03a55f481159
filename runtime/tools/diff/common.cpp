//===- common.cpp - The longest common part of two sequences --------------===//
#include "runtime/tools/diff/common.h"

#include <algorithm>
#include <unordered_map>

namespace ane::rt::mildiff {
namespace {

constexpr size_t kNear = 24; // repetitions before and behind

/// A pair, and the one before it in the longest chain that ends here.
struct Link {
  size_t a, b;
  size_t before;
};
constexpr size_t kNoLink = SIZE_MAX;

} // namespace

std::vector<std::pair<size_t, size_t>> commonPart(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b) {
  std::vector<std::pair<size_t, size_t>> pairs, tail;
  size_t begin = 0, endA = a.size(), endB = b.size();
  for (; begin < endA && begin < endB && a[begin] == b[begin]; ++begin)
    pairs.emplace_back(begin, begin);
  for (; endA > begin && endB > begin && a[endA - 1] == b[endB - 1]; --endA, --endB)
    tail.emplace_back(endA - 1, endB - 1);

  // Hunt and Szymanski: the longest rising chain of places in b, taken in the order of a.
  std::unordered_map<uint32_t, std::vector<size_t>> places;
  for (size_t i = begin; i < endB; ++i)
    places[b[i]].push_back(i);
  std::unordered_map<uint32_t, size_t> repetition;
  std::vector<Link> links;
  std::vector<size_t> ends; // of the best chain of each length: a link
  for (size_t i = begin; i < endA; ++i) {
    auto found = places.find(a[i]);
    if (found == places.end())
      continue;
    const std::vector<size_t> &candidates = found->second;
    const size_t count = repetition[a[i]]++;
    const size_t low = count > kNear ? count - kNear : 0, high = std::min(count + kNear + 1, candidates.size());
    for (size_t k = high; k-- > low;) { // falling, so that one element of a is in a chain once
      auto end = std::lower_bound(ends.begin(), ends.end(), candidates[k],
                                  [&](size_t link, size_t place) { return links[link].b < place; });
      links.push_back({i, candidates[k], end == ends.begin() ? kNoLink : *(end - 1)});
      if (end == ends.end())
        ends.push_back(links.size() - 1);
      else
        *end = links.size() - 1;
    }
  }
  std::vector<std::pair<size_t, size_t>> middle;
  for (size_t link = ends.empty() ? kNoLink : ends.back(); link != kNoLink; link = links[link].before)
    middle.emplace_back(links[link].a, links[link].b);
  pairs.insert(pairs.end(), middle.rbegin(), middle.rend());
  pairs.insert(pairs.end(), tail.rbegin(), tail.rend());
  return pairs;
}

} // namespace ane::rt::mildiff
